/**
 * The page table: what every page of the file is, and which may be written.
 *
 *  (1) States partition the file: header, data, leaf, interior, journal, claimed, retiring, ready.
 *  (2) A page that a commit stops using is `retiring`: an older header may still need it. The next commit makes it
 *      `ready`, and only ready pages or pages added at the end are handed out, the lowest first.
 *  (3) `coverage` is the number of the page's bytes that the current state relies on; free pages have 0.
 *  (4) A table page's bytes are resident; a data page's never.
 *
 * Cost: 18 bytes a page, and 4 KiB for each table page, with 4 bytes a statement once this session has written it.
 */

import { StoreError } from "../../errors.ts";
import { u32Max } from "../format/layout.ts";
import { Bitmap } from "./bitmap.ts";
import { grown } from "./columns.ts";

export const pageReady = 0;
export const pageRetiring = 1;
export const pageHeader = 2;
export const pageData = 3;
export const pageLeaf = 4;
export const pageInterior = 5;
export const pageJournal = 6;
/** Handed out by the flush in progress. */
export const pageClaimed = 7;

export const isTable = (state: number): boolean => state === pageLeaf || state === pageInterior;

export class PageTable {
  /** Length of the file, as far as it is promised to anybody; the file itself may be longer or shorter by now. */
  filePages = 0;
  state: Uint8Array = new Uint8Array(0);
  /** Epoch of the page's last write; meaningful for header, data, leaf and interior pages. */
  epoch: Float64Array = new Float64Array(0);
  coverage: Float64Array = new Float64Array(0);
  /** Content bytes when written. */
  written: Uint16Array = new Uint16Array(0);
  readonly ready = new Bitmap();
  retiring: number[] = [];
  /**
   * First page of the journal segment while it lies past the end of the file, else −1. The header names it, so it
   * is handed out to nobody else.
   */
  promised = -1;
  readonly resident = new Map<number, Uint8Array>();
  /** Children of the interior pages; the header's are kept by its owner. */
  readonly children = new Map<number, number[]>();
  /** Of a header or leaf that this session has written: the slab's slot of each statement, in their order. */
  readonly statementSlots = new Map<number, Uint32Array>();

  /** Makes the columns reach `pages` pages, the new ones ready. */
  extendTo(pages: number): void {
    if (pages - 1 > u32Max) throw new StoreError("too-large", "the file would have more than 2^32 pages");
    this.state = grown(this.state, pages);
    this.epoch = grown(this.epoch, pages);
    this.coverage = grown(this.coverage, pages);
    this.written = grown(this.written, pages);
    this.filePages = pages;
  }

  /** The lowest writable page in state `state`; extends the file when none is ready. */
  take(state: number): number {
    const page = this.ready.count > 0 ? this.ready.takeLowest() : this.#addPage();
    this.state[page] = state;
    this.coverage[page] = 0;
    return page;
  }

  /** Makes `page`, ready or promised, the first page of a journal segment. */
  claimForJournal(page: number): void {
    if (page === this.promised) this.promised = -1;
    while (this.filePages <= page) {
      this.extendTo(this.filePages + 1);
      this.makeReady(this.filePages - 1);
    }
    this.ready.delete(page);
    this.state[page] = pageJournal;
  }

  #addPage(): number {
    if (this.filePages === this.promised) this.claimForJournal(this.promised);
    this.extendTo(this.filePages + 1);
    return this.filePages - 1;
  }

  makeReady(page: number): void {
    this.state[page] = pageReady;
    this.coverage[page] = 0;
    this.ready.add(page);
  }

  retire(page: number): void {
    this.state[page] = pageRetiring;
    this.coverage[page] = 0;
    this.retiring.push(page);
    this.resident.delete(page);
    this.children.delete(page);
    this.statementSlots.delete(page);
  }

  /** What the previous commit dropped becomes writable. */
  releaseRetired(): void {
    for (const page of this.retiring) this.makeReady(page);
    this.retiring = [];
  }

  /** Cuts ready pages off the end, if there are at least `atLeast`, and returns how many went. */
  cutReadyTail(atLeast: number): number {
    let end = this.filePages;
    while (end > 0 && this.state[end - 1] === pageReady) end--;
    const cut = this.filePages - end;
    if (cut === 0 || cut < atLeast) return 0;
    for (let page = end; page < this.filePages; page++) this.ready.delete(page);
    this.filePages = end;
    return cut;
  }
}
