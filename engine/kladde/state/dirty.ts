/**
 * The ranges a flush has taken, as `(id, from, to)` rows, with the position of the fragment that begins there.
 *
 *  (1) Rows are appended as they come; `merge` sorts them and joins what overlaps or touches.
 *  (2) Positions are where the fragment was when its row came: a hint, which may be void since.
 *
 * Cost: an append O(1); a merge a pass for every byte in which ids or offsets differ, three or four in most stores.
 */

import { grown } from "./columns.ts";

export class DirtyRanges {
  count = 0;
  id: Uint32Array = new Uint32Array(256);
  from: Uint32Array = new Uint32Array(256);
  to: Uint32Array = new Uint32Array(256);
  at: Uint32Array = new Uint32Array(256);
  #spareId: Uint32Array = new Uint32Array(256);
  #spareFrom: Uint32Array = new Uint32Array(256);
  #spareTo: Uint32Array = new Uint32Array(256);
  #spareAt: Uint32Array = new Uint32Array(256);
  /** Where the rows of each byte begin; one more, so that they can be counted first. */
  readonly #starts = new Uint32Array(257);

  clear(): void {
    this.count = 0;
  }

  /** `at` is the position of the fragment at `from`, 0 if that is not known. */
  add(id: number, from: number, to: number, at: number): void {
    const last = this.count - 1;
    if (last >= 0 && this.id[last] === id && this.to[last] === from) {
      this.to[last] = to;
      return;
    }
    const row = this.count++;
    if (row >= this.id.length) {
      this.id = grown(this.id, row + 1);
      this.from = grown(this.from, row + 1);
      this.to = grown(this.to, row + 1);
      this.at = grown(this.at, row + 1);
    }
    this.id[row] = id;
    this.from[row] = from;
    this.to[row] = to;
    this.at[row] = at;
  }

  /** Afterwards the rows ascend and are disjoint, with a gap between any two of one id. */
  merge(): void {
    if (!this.#ascends()) this.#sort();
    let kept = 0;
    for (let row = 1; row < this.count; row++) {
      if (this.id[row] === this.id[kept] && this.from[row]! <= this.to[kept]!) {
        if (this.to[row]! > this.to[kept]!) this.to[kept] = this.to[row]!;
        continue;
      }
      kept++;
      this.id[kept] = this.id[row]!;
      this.from[kept] = this.from[row]!;
      this.to[kept] = this.to[row]!;
      this.at[kept] = this.at[row]!;
    }
    if (this.count > 0) this.count = kept + 1;
  }

  #ascends(): boolean {
    for (let row = 1; row < this.count; row++) {
      const before = this.id[row - 1]!;
      const id = this.id[row]!;
      if (id < before || (id === before && this.from[row]! < this.from[row - 1]!)) return false;
    }
    return true;
  }

  /** By radix, from the lowest byte of `from` to the highest of `id`; bytes that are the same in all rows cost nothing. */
  #sort(): void {
    let fromBits = 0;
    let idBits = 0;
    for (let row = 1; row < this.count; row++) {
      fromBits |= this.from[row]! ^ this.from[0]!;
      idBits |= this.id[row]! ^ this.id[0]!;
    }
    for (let shift = 0; shift < 32; shift += 8)
      if (((fromBits >>> shift) & 0xff) !== 0) this.#distribute(this.from, shift);
    for (let shift = 0; shift < 32; shift += 8)
      if (((idBits >>> shift) & 0xff) !== 0) this.#distribute(this.id, shift);
  }

  /** Orders the rows by one byte of a column, and leaves those with the same byte in their order. */
  #distribute(by: Uint32Array, shift: number): void {
    const { id, from, to, at, count } = this;
    const starts = this.#starts;
    starts.fill(0);
    for (let row = 0; row < count; row++) starts[((by[row]! >>> shift) & 0xff) + 1]!++;
    for (let value = 1; value < 256; value++) starts[value]! += starts[value - 1]!;
    const intoId = grown(this.#spareId, id.length);
    const intoFrom = grown(this.#spareFrom, from.length);
    const intoTo = grown(this.#spareTo, to.length);
    const intoAt = grown(this.#spareAt, at.length);
    for (let row = 0; row < count; row++) {
      const target = starts[(by[row]! >>> shift) & 0xff]!++;
      intoId[target] = id[row]!;
      intoFrom[target] = from[row]!;
      intoTo[target] = to[row]!;
      intoAt[target] = at[row]!;
    }
    this.#spareId = id;
    this.#spareFrom = from;
    this.#spareTo = to;
    this.#spareAt = at;
    this.id = intoId;
    this.from = intoFrom;
    this.to = intoTo;
    this.at = intoAt;
  }
}
