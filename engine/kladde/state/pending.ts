/**
 * What a flush has taken: one row per taken run, while the flush runs.
 *
 *  (1) A pending fragment names a row and holds no pin.
 *  (2) `INLINE` and `ZERO` rows have their place; a `DATA` row is charged to the page it points into; an `UNPLACED`
 *      row is a chunk, which packing turns into `DATA` (or `INLINE`, for a short tail).
 */

import { grown } from "./columns.ts";

export const originArena = 0;
export const originFile = 1;
export const originNone = 2;

export const placeUnplaced = 0;
export const placeData = 1;
export const placeInline = 2;
export const placeZero = 3;

export class PendingTable {
  count = 0;
  origin: Uint8Array = new Uint8Array(256);
  /** Arena position or file address of the first byte. */
  at: Float64Array = new Float64Array(256);
  place: Uint8Array = new Uint8Array(256);
  /** File address, for `DATA`. */
  address: Float64Array = new Float64Array(256);
  /** Flushes since the allocation was last written; 0: by this one. */
  heat: Float64Array = new Float64Array(256);

  clear(): void {
    this.count = 0;
  }

  push(origin: number, at: number, place: number, address: number, heat: number): number {
    const row = this.count++;
    if (row >= this.origin.length) this.#grow(row + 1);
    this.origin[row] = origin;
    this.at[row] = at;
    this.place[row] = place;
    this.address[row] = address;
    this.heat[row] = heat;
    return row;
  }

  /** A row for what lies `bytes` into `row`. */
  advance(row: number, bytes: number): number {
    return this.push(
      this.origin[row]!,
      this.origin[row] === originNone ? 0 : this.at[row]! + bytes,
      this.place[row]!,
      this.place[row] === placeData ? this.address[row]! + bytes : 0,
      this.heat[row]!,
    );
  }

  #grow(rows: number): void {
    this.origin = grown(this.origin, rows);
    this.at = grown(this.at, rows);
    this.place = grown(this.place, rows);
    this.address = grown(this.address, rows);
    this.heat = grown(this.heat, rows);
  }
}
