/**
 * One record per id that the flush has touched: what it was before, and what the cut must know of it.
 *
 *  (1) Row 0 is never used; `AllocationTable.record` holds the row of a touched id.
 */

import { grown } from "./columns.ts";

/** Flags of a record. */
export const existedBefore = 1;
/** By a record of the segment, or by reclamation's own writes. */
export const isWritten = 2;
/** Existed, and that incarnation has ended. */
export const isFreed = 4;
/** Exists now; did not before, or was freed and allocated again. */
export const isNew = 8;
/** The size went down. */
export const hasShrunk = 16;
/** A page that this flush drops held the anchor or the tombstone. */
export const replaceAnchor = 32;
/** A page that this flush drops held the grow witness. */
export const replaceGrow = 64;

export class IdRecords {
  /** One more than the number of records. */
  end = 1;
  /** First record that `takeNewIds` has not returned. */
  firstNew = 1;
  id: Uint32Array = new Uint32Array(256);
  sizeBefore: Uint32Array = new Uint32Array(256);
  flags: Uint8Array = new Uint8Array(256);

  clear(): void {
    this.end = 1;
    this.firstNew = 1;
  }

  add(id: number, size: number, flags: number): number {
    const row = this.end++;
    if (row >= this.id.length) {
      this.id = grown(this.id, row + 1);
      this.sizeBefore = grown(this.sizeBefore, row + 1);
      this.flags = grown(this.flags, row + 1);
    }
    this.id[row] = id;
    this.sizeBefore[row] = size;
    this.flags[row] = flags;
    return row;
  }

  /** The ids of the records made since the last call, ascending. */
  takeNewIds(): Uint32Array {
    const ids = this.id.slice(this.firstNew, this.end);
    this.firstNew = this.end;
    for (let i = 1; i < ids.length; i++) if (ids[i]! < ids[i - 1]!) return ids.sort();
    return ids;
  }
}
