/**
 * Damage with a sense for the format: what is changed is sealed again, so that it reaches the decoder behind the
 * checksums.
 *
 *  (1) A seed is a piece of damage. One in five is plain: bytes anywhere, checksums left wrong.
 *  (2) Pages are read by the independent reader and written by the tests' own encoder: neither is the engine's.
 *  (3) A file that cannot be read any more is damaged as plain bytes.
 */

import { crc32c } from "../../codec/crc32c.ts";
import type { SplitMix32 } from "../../storage/random.ts";
import { type IndependentReading, readIndependently } from "./independent/read.ts";
import { frameOf, Refused, type TablePage, type TableStatement } from "./independent/tables.ts";
import { journalPages, pageBytes, record, type Statement, tableContent } from "./pages.ts";

export interface Damaged {
  readonly bytes: Uint8Array;
  /** What was done, in a few words. */
  readonly what: string;
}

/** `file` with damage in one to three places. */
export function damaged(file: Uint8Array, random: SplitMix32): Damaged {
  const done: string[] = [];
  let bytes: Uint8Array = file.slice();
  const isPlain = random.below(5) === 0;
  for (let i = 1 + random.below(3); i > 0; i--) {
    const reading = isPlain ? undefined : readingOf(bytes);
    const damage = new Damage(bytes, reading, random);
    const [name, act] = damage.draw();
    bytes = act() ?? bytes;
    done.push(name);
  }
  return { bytes, what: done.join(", ") };
}

function readingOf(bytes: Uint8Array): IndependentReading | undefined {
  try {
    return readIndependently(bytes);
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** Changes bytes in place, or returns another file. */
type Act = () => Uint8Array | undefined;

class Damage {
  readonly #bytes: Uint8Array;
  readonly #reading: IndependentReading | undefined;
  readonly #random: SplitMix32;

  constructor(bytes: Uint8Array, reading: IndependentReading | undefined, random: SplitMix32) {
    this.#bytes = bytes;
    this.#reading = reading;
    this.#random = random;
  }

  draw(): readonly [string, Act] {
    const plain: (readonly [string, Act])[] = [
      ["bits flipped", () => this.#flip()],
      ["bytes replaced", () => this.#replaceBytes()],
      ["page zeroed", () => this.#zeroPage()],
      ["pages swapped", () => this.#swap()],
      ["page duplicated", () => this.#duplicate()],
      ["length changed", () => this.#changeLength()],
    ];
    const reading = this.#reading;
    if (reading === undefined || this.#below(4) === 0) return this.#pick(plain);
    return this.#pick<readonly [string, Act]>([
      ["content of a page changed", () => this.#changeContent(reading)],
      ["statements changed", () => this.#changeStatements(reading)],
      ["statements changed", () => this.#changeStatements(reading)],
      ["children changed", () => this.#changeChildren(reading)],
      ["header fields changed", () => this.#changeHeader(reading)],
      ["frame of a page changed", () => this.#changeFrame(reading)],
      ["journal changed", () => this.#changeJournal(reading)],
      ["consolidator state changed", () => this.#changeState(reading)],
    ]);
  }

  #below(count: number): number {
    return this.#random.below(Math.max(1, count));
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[this.#below(choices.length)]!;
  }

  get #pages(): number {
    return Math.floor(this.#bytes.length / pageBytes);
  }

  #page(page: number): Uint8Array {
    return this.#bytes.subarray(page * pageBytes, (page + 1) * pageBytes);
  }

  #flip(): undefined {
    for (let i = 1 + this.#below(4); i > 0; i--)
      this.#bytes[this.#below(this.#bytes.length)]! ^= 1 << this.#below(8);
  }

  #replaceBytes(): undefined {
    const from = this.#below(this.#bytes.length);
    for (let i = 1 + this.#below(this.#pick([4, 64, 4096])); i > 0 && from + i < this.#bytes.length; i--)
      this.#bytes[from + i] = this.#random.next() & 0xff;
  }

  #zeroPage(): undefined {
    this.#page(this.#below(this.#pages)).fill(0);
  }

  #swap(): undefined {
    const [a, b] = [this.#page(this.#below(this.#pages)), this.#page(this.#below(this.#pages))];
    const first = a.slice();
    a.set(b);
    b.set(first);
  }

  #duplicate(): undefined {
    this.#page(this.#below(this.#pages)).set(this.#page(this.#below(this.#pages)));
  }

  #changeLength(): Uint8Array {
    const pages = this.#below(this.#pages + 3);
    const length = this.#below(3) === 0 ? this.#below(this.#bytes.length) : pages * pageBytes;
    const result = new Uint8Array(length);
    result.set(this.#bytes.subarray(0, length));
    return result;
  }

  /** Pages that a reader looks into. */
  #usedPages({ tables, dataPages }: IndependentReading): number[] {
    return [...tables.map(({ page }) => page), ...dataPages];
  }

  #changeContent(reading: IndependentReading): undefined {
    const page = this.#pick(this.#usedPages(reading));
    const isHeader = page === reading.header.slot;
    const { start, end } = frameOf(this.#page(page), isHeader)!;
    if (start === end) return;
    const content = [...this.#page(page).subarray(start, end)];
    const at = this.#below(content.length);
    const kind = this.#below(4);
    if (kind === 0) content[at] = this.#random.next() & 0xff;
    else if (kind === 1) content.splice(at, 1 + this.#below(4));
    else if (kind === 2) content.splice(at, 0, this.#random.next() & 0xff);
    else content[at]! ^= 1 << this.#below(8);
    this.#seal(page, isHeader, content);
  }

  /** Puts content into a page, with the length and the checksum that belong to it. */
  #seal(page: number, isHeader: boolean, content: readonly number[]): void {
    const front = isHeader ? 48 : 0;
    const start = front + 11;
    const bytes = this.#page(page);
    const kept = content.slice(0, pageBytes - start - 4);
    const view = new DataView(bytes.buffer, bytes.byteOffset, pageBytes);
    view.setUint16(front + 9, kept.length, true);
    bytes.set(kept, start);
    const covered = Uint8Array.from([...bytes.subarray(0, front + 9), ...kept]);
    view.setUint32(start + kept.length, crc32c(covered), true);
  }

  #changeStatements(reading: IndependentReading): undefined {
    const table = this.#pick(reading.tables);
    const statements = [...table.statements];
    for (let i = 1 + this.#below(3); i > 0; i--) {
      const at = this.#below(statements.length);
      const kind = this.#below(4);
      const old = statements[at];
      if (kind === 0) statements.splice(at, 1);
      else if (kind === 1 || old === undefined) statements.push(this.#drawStatement(reading));
      else statements[at] = this.#changed(old, reading);
    }
    this.#sealTable(reading, table, table.children, statements);
  }

  #sealTable(
    reading: IndependentReading,
    { page }: TablePage,
    children: readonly number[],
    statements: readonly TableStatement[],
  ): void {
    const sorted = [...statements].sort(
      (a, b) => a.id - b.id || a.offset - b.offset || a.offset + a.size - b.offset - b.size,
    );
    const kept: Statement[] = [];
    let last: TableStatement | undefined;
    for (const one of sorted) {
      // The cursor cannot go back.
      const isBehind = last !== undefined && last.id === one.id && last.offset + last.size > one.offset;
      if (isBehind || (one.kind === "tombstone" && last?.id === one.id)) continue;
      kept.push(encodable(one));
      last = one;
    }
    const ascending = [...new Set(children)].filter((child) => child > 0).sort((a, b) => a - b);
    this.#seal(page, page === reading.header.slot, tableContent(ascending, kept));
  }

  #drawStatement(reading: IndependentReading): TableStatement {
    const id = this.#pick([...reading.resolved.keys(), 1, 2 ** 32 - 1]);
    const base = { id, offset: 0, size: 0, address: 0, payload: new Uint8Array(0), page: 0, epoch: 0 };
    const kind = this.#pick(["ref", "zero", "shrink", "grow", "tombstone", "inline"] as const);
    if (kind !== "inline") return this.#changed({ ...base, kind }, reading);
    const payload = new Uint8Array(1 + this.#below(20)).fill(this.#random.next() & 0xff);
    return { ...base, kind, offset: this.#number(), payload, size: payload.length };
  }

  #changed(one: TableStatement, reading: IndependentReading): TableStatement {
    const others = [...reading.resolved.keys(), 1];
    const { kind } = one;
    if (kind === "tombstone") return { ...one, id: this.#pick(others) };
    const field = this.#below(5);
    if (field === 0) return { ...one, id: this.#pick(others) };
    if (field === 1) return { ...one, offset: this.#near(one.offset) };
    if (kind === "ref" && field > 2) {
      const pages = this.#pick([
        ...reading.dataPages,
        ...this.#usedPages(reading),
        this.#below(this.#pages + 2),
      ]);
      const address =
        this.#below(2) === 0 ? this.#near(one.address) : pages * pageBytes + this.#below(pageBytes);
      return { ...one, address };
    }
    if (kind === "ref" || kind === "zero") return { ...one, size: this.#near(one.size) };
    return { ...one, offset: this.#number() };
  }

  #near(value: number): number {
    return this.#below(3) === 0 ? this.#number() : Math.max(0, value + this.#below(9) - 4);
  }

  /** Small ones, those at the ends of ranges, and any. */
  #number(): number {
    const ends = [0, 1, 11, 250, 4080, 4081, 4096, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1, 2 ** 32];
    return this.#below(2) === 0 ? this.#pick(ends) : this.#below(this.#pick([10, 300, 2 ** 31]));
  }

  #changeChildren(reading: IndependentReading): undefined {
    const table = this.#pick(reading.tables);
    const children = [...table.children];
    const at = this.#below(children.length);
    const kind = this.#below(3);
    if (kind === 0) children.splice(at, 1);
    else if (kind === 1) children.push(this.#below(this.#pages + 2));
    else children[at] = this.#pick([...this.#usedPages(reading), this.#number()]);
    this.#sealTable(reading, table, children, table.statements);
  }

  #changeHeader({ header }: IndependentReading): undefined {
    const page = this.#page(header.slot);
    const view = new DataView(page.buffer, page.byteOffset, pageBytes);
    const field = this.#below(7);
    if (field === 0) view.setUint16(this.#pick([12, 14]), this.#below(3), true);
    else if (field === 1) page[this.#below(12)] = this.#random.next() & 0xff;
    else if (field < 4) view.setUint32(44, this.#below(this.#pages + 3), true);
    else if (field === 4) view.setUint32(this.#pick([16, 20, 24]), this.#below(20), true);
    else if (field === 5)
      view.setBigUint64(49, BigInt(header.epoch + 2 * (this.#below(5) - 2)) & 0xffffffffffffn, true);
    else view.setUint32(this.#pick([16, 20, 24, 44]), this.#number() >>> 0, true);
    const { start, end } = contentOf(page, true);
    this.#seal(header.slot, true, [...page.subarray(start, end)]);
  }

  #changeFrame(reading: IndependentReading): undefined {
    const page = this.#pick(this.#usedPages(reading));
    if (page === reading.header.slot) return;
    const bytes = this.#page(page);
    const view = new DataView(bytes.buffer, bytes.byteOffset, pageBytes);
    const { start, end } = contentOf(bytes, false);
    const field = this.#below(3);
    if (field === 0) bytes[0] = this.#below(4);
    else if (field === 1) view.setBigUint64(1, BigInt(this.#below(2 * reading.header.epoch + 2)), true);
    const content = [...bytes.subarray(start, field === 2 ? start + this.#below(end - start) : end)];
    this.#seal(page, false, content);
  }

  #changeJournal(reading: IndependentReading): Uint8Array {
    const { header } = reading;
    const transactions = reading.transactions.map((records) => [...records]);
    const at = this.#below(transactions.length);
    const kind = this.#below(4);
    if (kind === 0 && transactions.length > 0) transactions.splice(at, 1);
    else if (kind === 1 && (transactions[at]?.length ?? 0) > 0)
      transactions[at]![this.#below(transactions[at]!.length)] = this.#random.next() & 0xff;
    else transactions.splice(at, 0, this.#drawRecords(reading));
    const used = new Set(this.#usedPages(reading));
    const isFree = header.journalPointer < this.#pages ? !used.has(header.journalPointer) : true;
    const first = isFree ? header.journalPointer : this.#pages;
    if (first > this.#pages) return this.#bytes;
    const end = Math.max(this.#pages, first + 1);
    const pages = [first, ...Array.from({ length: 12 }, (_, i) => end + i)];
    const next = this.#below(6) === 0 ? { 0: this.#below(this.#pages + 2) } : {};
    const written = journalPages({ epoch: header.epoch + 1, pages, transactions, next }).pages;
    const last = Math.max(end - 1, ...written.keys());
    const result = new Uint8Array((last + 1) * pageBytes);
    result.set(this.#bytes.subarray(0, this.#pages * pageBytes));
    for (const [page, bytes] of written) result.set(bytes, page * pageBytes);
    return result;
  }

  #drawRecords(reading: IndependentReading): number[] {
    const id = (): number => this.#pick([...reading.resolved.keys(), 1, 2, this.#number()]);
    const records: number[] = [];
    for (let i = this.#below(4); i >= 0; i--) {
      const bytes = new Uint8Array(this.#below(this.#pick([5, 60, 5000]))).fill(this.#random.next() & 0xff);
      const draws = [
        () => record.free(id()),
        () => record.resize(id(), this.#number()),
        () => record.write(id(), this.#number(), bytes),
        () => record.splice(id(), this.#number(), this.#number(), bytes),
        () => record.copy(id(), this.#number(), this.#number(), id(), this.#number()),
        () => record.move(id(), this.#number(), this.#number(), id(), this.#number()),
      ];
      records.push(...this.#pick(draws)());
    }
    return records;
  }

  /** The bytes of the consolidator's own allocation, wherever they lie. */
  #changeState(reading: IndependentReading): undefined {
    const state = reading.resolved.get(reading.header.consolidatorState);
    const runs =
      state?.runs.filter(({ winner }) => winner?.kind === "ref" || winner?.kind === "inline") ?? [];
    if (runs.length === 0) return;
    const { from, to, winner } = this.#pick(runs);
    const { kind, address, payload, offset, page } = winner!;
    const at = from - offset + this.#below(to - from);
    const place = kind === "ref" ? address + at : payload.byteOffset - this.#bytes.byteOffset + at;
    this.#bytes[place] = this.#pick([0, 0xff, 0x80, this.#random.next() & 0xff]);
    const sealed = kind === "ref" ? Math.floor(address / pageBytes) : page;
    const isHeader = sealed === reading.header.slot;
    const frame = contentOf(this.#page(sealed), isHeader);
    this.#seal(sealed, isHeader, [...this.#page(sealed).subarray(frame.start, frame.end)]);
  }
}

/** Where the content of a page lies, whatever its checksum. */
function contentOf(page: Uint8Array, isHeader: boolean): { start: number; end: number } {
  const start = isHeader ? 59 : 11;
  return { start, end: start + page[start - 2]! + 256 * page[start - 1]! };
}

function encodable({ kind, id, offset, size, address, payload }: TableStatement): Statement {
  if (kind === "ref") return ["ref", id, offset, size, address];
  if (kind === "zero") return ["zero", id, offset, size];
  if (kind === "inline") return ["inline", id, offset, payload];
  return kind === "tombstone" ? ["tombstone", id] : [kind, id, offset];
}
