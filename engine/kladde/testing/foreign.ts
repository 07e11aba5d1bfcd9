/**
 * Random files as another writer might leave them: statements of many epochs over each other, pages that hold both
 * children and statements, trees of any depth, ids close to 2^32, statements of length 0, a Grow beside a Shrink,
 * dead Refs to nowhere, garbage in free pages.
 *
 *  (1) A file is sound: within an epoch nothing is said twice but what readers must tolerate.
 *  (2) Its contents are those of `definition.ts`.
 */

import { SplitMix32 } from "../../storage/random.ts";
import { resolveByDefinition, type Stated } from "./definition.ts";
import type { Contents } from "./model.ts";
import { dataPage, fileOf, headerPage, pageBytes, type Statement, tableContent, tablePage } from "./pages.ts";

export interface ForeignFile {
  readonly bytes: Uint8Array;
  readonly contents: Contents;
  /** Statements, and table pages besides the header; some with both children and statements. */
  readonly statements: number;
  readonly tablePages: number;
  readonly mixedPages: number;
}

const ids = [1, 2, 3, 7, 130, 70000, 2 ** 31 + 5, 2 ** 32 - 1000];
const offsetsMax = 70;
const dataBytes = 400;

/** A table page on its way: its statements, its children by position in the list of pages. */
interface Draft {
  readonly epoch: number;
  readonly stated: Stated[];
  readonly children: number[];
}

export function drawForeignFile(seed: number): ForeignFile {
  return new ForeignDrawing(new SplitMix32(seed)).draw();
}

class ForeignDrawing {
  readonly #random: SplitMix32;
  readonly #headerEpoch: number;
  /** The first is the header. */
  readonly #drafts: Draft[] = [];
  /** Page number of each draft. */
  readonly #numbers: number[] = [];
  readonly #dataPages: number[] = [];
  readonly #pages = new Map<number, Uint8Array>();

  constructor(random: SplitMix32) {
    this.#random = random;
    this.#headerEpoch = 3 + this.#below(8);
  }

  draw(): ForeignFile {
    this.#drawPages();
    for (let epoch = 1; epoch <= this.#headerEpoch; epoch++)
      if (this.#drafts.some((draft) => draft.epoch === epoch)) for (const id of ids) this.#voice(id, epoch);
    const contents = this.#contents();
    const pointer = this.#oneIn(2) ? this.#freePage() : this.#end() + this.#below(3);
    this.#drafts.forEach(({ epoch, stated, children }, i) => {
      const numbers = children.map((child) => this.#numbers[child]!).sort((a, b) => a - b);
      const content = tableContent(
        numbers,
        stated.map(({ statement }) => statement),
      );
      const options = { journalPointer: pointer };
      const page = i === 0 ? headerPage(epoch, content, options) : tablePage(epoch, content);
      this.#pages.set(this.#numbers[i]!, page);
    });
    if (!this.#pages.has(1)) this.#pages.set(1, new Uint8Array(pageBytes));
    return {
      bytes: fileOf(this.#pages),
      contents,
      statements: this.#drafts.reduce((sum, { stated }) => sum + stated.length, 0),
      tablePages: this.#drafts.length - 1,
      mixedPages: this.#drafts.slice(1).filter((one) => one.children.length > 0 && one.stated.length > 0)
        .length,
    };
  }

  #below(count: number): number {
    return this.#random.below(count);
  }

  #oneIn(n: number): boolean {
    return this.#below(n) === 0;
  }

  /** Header, table pages, data pages and free ones, their numbers shuffled; parents are not older than children. */
  #drawPages(): void {
    const count = this.#below(9);
    const epochs = Array.from({ length: count }, () => 1 + this.#below(this.#headerEpoch)).sort(
      (a, b) => b - a,
    );
    const numbers = shuffled(this.#random, count + 6);
    this.#drafts.push({ epoch: this.#headerEpoch, stated: [], children: [] });
    this.#numbers.push(this.#headerEpoch % 2);
    for (const epoch of epochs) {
      const parent = this.#oneIn(2) ? 0 : this.#below(this.#drafts.length);
      this.#drafts[parent]!.children.push(this.#drafts.length);
      this.#drafts.push({ epoch, stated: [], children: [] });
      this.#numbers.push(2 + numbers.pop()!);
    }
    for (let i = 0; i < 3; i++) {
      const page = 2 + numbers.pop()!;
      this.#dataPages.push(page);
      this.#pages.set(page, dataPage(1, this.#bytes(dataBytes)));
    }
    for (const number of numbers.slice(0, 2)) this.#pages.set(2 + number, this.#bytes(pageBytes));
  }

  #end(): number {
    return Math.max(...this.#pages.keys(), ...this.#numbers) + 1;
  }

  #freePage(): number {
    const used = new Set([...this.#numbers, ...this.#dataPages]);
    for (let page = 2; ; page++) if (!used.has(page)) return page;
  }

  #bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.#below(256));
  }

  /** What one epoch says of `id`, spread over the pages of that epoch. */
  #voice(id: number, epoch: number): void {
    if (this.#oneIn(2)) return;
    if (this.#oneIn(6)) {
      this.#put(epoch, ["tombstone", id]);
      return;
    }
    let end = 0;
    const pieces = this.#below(5);
    for (let i = 0, at = this.#below(12); i < pieces; i++, at += this.#oneIn(2) ? 0 : this.#below(15)) {
      const bytes = this.#oneIn(10) ? 0 : 1 + this.#below(14);
      this.#put(epoch, this.#content(id, at, bytes));
      at += bytes;
      if (bytes > 0) end = at;
    }
    const shrinks = this.#oneIn(3);
    if (shrinks) this.#put(epoch, ["shrink", id, end + (this.#oneIn(2) ? 0 : this.#below(20))]);
    if (this.#oneIn(shrinks ? 8 : 3)) this.#put(epoch, ["grow", id, this.#below(offsetsMax)]);
  }

  #content(id: number, offset: number, bytes: number): Stated["statement"] {
    const kind = this.#below(3);
    if (kind === 0) return ["zero", id, offset, bytes];
    if (kind === 1 && bytes > 0) return ["inline", id, offset, this.#bytes(bytes)];
    const page = this.#dataPages[this.#below(this.#dataPages.length)]!;
    return ["ref", id, offset, bytes, page * pageBytes + 11 + this.#below(dataBytes - bytes + 1)];
  }

  /** Into a page of that epoch in which it can be expressed; if there is none, it is not said. */
  #put(epoch: number, statement: Stated["statement"]): void {
    const drafts = this.#drafts.filter((draft) => draft.epoch === epoch);
    const start = this.#below(drafts.length);
    for (let i = 0; i < drafts.length; i++) {
      const { stated } = drafts[(start + i) % drafts.length]!;
      const last = stated.at(-1)?.statement;
      if (last !== undefined && last[1] === statement[1] && cursorOf(last) > (statement[2] ?? 0)) continue;
      stated.push({ epoch, statement });
      return;
    }
  }

  /** Resolves everything, and sends the Refs that turn out to win nothing astray. */
  #contents(): Contents {
    const contents = new Map<number, Uint8Array>();
    for (const id of ids) {
      const all = this.#drafts.flatMap(({ stated }) => stated.filter(({ statement }) => statement[1] === id));
      const { exists, content, winners } = resolveByDefinition(all, (address) => this.#fileByte(address));
      if (exists) contents.set(id, content);
      for (const { stated } of this.#drafts)
        stated.forEach((one, i) => {
          if (one.statement[1] !== id || one.statement[0] !== "ref" || winners.has(one) || this.#oneIn(2))
            return;
          const [, , offset, bytes] = one.statement;
          stated[i] = { epoch: one.epoch, statement: ["ref", id, offset, bytes, 999 * pageBytes + 5] };
        });
    }
    return contents;
  }

  #fileByte(address: number): number {
    const page = Math.floor(address / pageBytes);
    return this.#pages.get(page)![address - page * pageBytes]!;
  }
}

/** Where the cursor stands behind a statement. */
function cursorOf(statement: Statement): number {
  if (statement[0] === "tombstone" || statement[0] === "raw") return 0;
  if (statement[0] === "inline") return statement[2] + statement[3].length;
  return statement[0] === "ref" || statement[0] === "zero" ? statement[2] + statement[3] : statement[2];
}

/** The numbers from 0 to `count` − 1 in any order. */
function shuffled(random: SplitMix32, count: number): number[] {
  const numbers = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [numbers[i], numbers[j]] = [numbers[j]!, numbers[i]!];
  }
  return numbers;
}
