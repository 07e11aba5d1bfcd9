/**
 * Pages that a flush has made and the commit will write.
 *
 *  (1) Slots are filled in the order in which pages are taken, lowest first, so pages that are neighbours in the file
 *      are neighbours here and go out in one write.
 *  (2) Nothing reaches these pages before the commit, so a large flush may write them early: `isFull` asks for it.
 *
 * Cost: blocks of 1 MiB, at most 16 of them; four are kept, so that a steady state allocates nothing.
 */

import type { StorageFile } from "../../storage/storage.ts";
import { pageBytes } from "../format/layout.ts";
import { grown } from "../state/columns.ts";

const pagesPerBlock = 256;
/** Blocks kept between flushes. */
const blocksKept = 4;
/** Pages held before they are written: 16 MiB. */
const pagesMax = 4096;

export class Staging {
  count = 0;
  page: Uint32Array = new Uint32Array(pagesPerBlock);
  readonly #blocks: Uint8Array[] = [];
  /** Slots before this one are in the file. */
  #written = 0;

  clear(): void {
    this.count = 0;
    this.#written = 0;
    if (this.#blocks.length > blocksKept) this.#blocks.length = blocksKept;
  }

  get isFull(): boolean {
    return this.count - this.#written >= pagesMax;
  }

  /** The 4 KiB that will be written to `page`, with old bytes in them. */
  add(page: number): Uint8Array {
    const slot = this.count++;
    if (slot === this.page.length) this.page = grown(this.page, this.count);
    this.page[slot] = page;
    const block = Math.floor((slot - this.#written) / pagesPerBlock);
    if (block === this.#blocks.length) this.#blocks.push(new Uint8Array(pagesPerBlock * pageBytes));
    return this.#view(slot, 1);
  }

  /** Writes what is not written yet, neighbours in one call. The file must be long enough. */
  writeTo(file: StorageFile): void {
    for (let slot = this.#written; slot < this.count; ) {
      let end = slot + 1;
      while (end < this.count && !this.#beginsBlock(end) && this.page[end] === this.page[end - 1]! + 1) end++;
      file.write(this.#view(slot, end - slot), this.page[slot]! * pageBytes);
      slot = end;
    }
    this.#written = this.count;
  }

  #beginsBlock(slot: number): boolean {
    return (slot - this.#written) % pagesPerBlock === 0;
  }

  #view(slot: number, pages: number): Uint8Array {
    const held = slot - this.#written;
    const from = (held % pagesPerBlock) * pageBytes;
    return this.#blocks[Math.floor(held / pagesPerBlock)]!.subarray(from, from + pages * pageBytes);
  }
}
