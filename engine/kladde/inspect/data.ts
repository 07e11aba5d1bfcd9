/**
 * Every data page that the resolved table names, each looked at once, whatever is wrong with the others.
 *
 *  (1) A page that no winning statement names is not looked at: it may hold anything.
 *
 * Cost: 22 bytes of memory a page of the file, one read and one CRC a data page.
 */

import type { StorageFile } from "../../storage/storage.ts";
import { addressPage, contentOffset, firstOrdinaryPage, pageBytes, pageKindData } from "../format/layout.ts";
import { isPageSound, pageContentBytes, pageEpoch, pageKind } from "../format/page.ts";
import { tagRef } from "../format/statement.ts";
import type { SweepTarget, SweptStatement } from "../open/sweep.ts";
import type { StoreState } from "../state/state.ts";
import type { Findings } from "./findings.ts";

/** Collects what the table needs of every data page; then checks the pages. */
export class DataPages implements SweepTarget {
  readonly #state: StoreState;
  readonly #findings: Findings;
  /** Per page: behind the last byte needed; allocations that need it, and the first and last of them. */
  readonly #needed: Uint16Array;
  readonly #allocations: Uint32Array;
  readonly #firstId: Uint32Array;
  readonly #lastId: Uint32Array;
  /** Epoch of the oldest table page that names it: the page cannot be newer. */
  readonly #namedAt: Float64Array;
  /** The statement that was refused last: it may win several runs. */
  #refused: SweptStatement | undefined;

  constructor(state: StoreState, findings: Findings) {
    this.#state = state;
    this.#findings = findings;
    const { filePages } = state.pages;
    this.#needed = new Uint16Array(filePages);
    this.#allocations = new Uint32Array(filePages);
    this.#firstId = new Uint32Array(filePages);
    this.#lastId = new Uint32Array(filePages);
    this.#namedAt = new Float64Array(filePages);
  }

  fragment(id: number, from: number, to: number, winner: SweptStatement | undefined): void {
    if (winner === undefined || winner.kind !== tagRef || winner === this.#refused) return;
    const { filePages, resident } = this.#state.pages;
    const page = addressPage(winner.address);
    const offset = winner.address - page * pageBytes + (from - winner.offset);
    if (page < firstOrdinaryPage || page >= filePages)
      this.#refuse(winner, page, id, "data page is a header slot or past the end of the file", "D1");
    else if (resident.has(page)) this.#refuse(winner, page, id, "page holds statements, not data", "D3");
    else if (offset < contentOffset)
      this.#refuse(winner, page, id, `data at offset ${offset}, in the frame of the page`, "D6");
    else this.#need(page, id, offset + (to - from), winner.epoch);
  }

  finish(): void {}

  uses(page: number): boolean {
    return (this.#needed[page] ?? 0) > 0;
  }

  /** Checks the pages that are needed (D2 … D6) and returns how many there are. */
  check(file: StorageFile): number {
    const buffer = new Uint8Array(pageBytes);
    let count = 0;
    for (let page = firstOrdinaryPage; page < this.#needed.length; page++) {
      if (!this.uses(page)) continue;
      count++;
      this.#findings.attempt(() => {
        file.read(buffer, page * pageBytes);
        this.#checkPage(page, buffer, file);
      });
    }
    return count;
  }

  #checkPage(page: number, bytes: Uint8Array, file: StorageFile): void {
    const contentEnd = contentOffset + pageContentBytes(bytes, false);
    const epoch = pageEpoch(bytes, false);
    if (!isPageSound(bytes, false, file.crc32c)) this.#fault(page, "data page has a wrong checksum", "D2");
    else if (pageKind(bytes, false) !== pageKindData)
      this.#fault(page, "page named as a data page is of another kind", "D3");
    else if (!(epoch <= this.#state.epoch))
      this.#fault(page, `data page has epoch ${epoch}, the header ${this.#state.epoch}`, "D4");
    else if (epoch > this.#namedAt[page]!)
      this.#fault(page, `data page has epoch ${epoch}, a table page naming it ${this.#namedAt[page]}`, "D5");
    else if (this.#needed[page]! > contentEnd)
      this.#fault(
        page,
        `bytes up to ${this.#needed[page]} are named, its content ends at ${contentEnd}`,
        "D6",
      );
  }

  #need(page: number, id: number, end: number, epoch: number): void {
    if (end > this.#needed[page]!) this.#needed[page] = end;
    if (this.#lastId[page] === id) {
      if (epoch < this.#namedAt[page]!) this.#namedAt[page] = epoch;
      return;
    }
    if (this.#allocations[page]! === 0) {
      this.#firstId[page] = id;
      this.#namedAt[page] = epoch;
    } else if (epoch < this.#namedAt[page]!) this.#namedAt[page] = epoch;
    this.#lastId[page] = id;
    this.#allocations[page]!++;
  }

  #fault(page: number, what: string, rule: string): void {
    const count = this.#allocations[page]!;
    const also = count === 1 ? "" : `; ${count} allocations need it, the last is ${this.#lastId[page]}`;
    this.#findings.fault(`${what}${also}`, { page, id: this.#firstId[page], rule });
  }

  #refuse(winner: SweptStatement, page: number, id: number, what: string, rule: string): void {
    this.#refused = winner;
    this.#findings.fault(`${what}; table page ${winner.page} names it`, { page, id, rule });
  }
}
