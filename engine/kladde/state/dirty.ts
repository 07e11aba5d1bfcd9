/**
 * The ranges a flush has taken, as `(id, from, to)` rows.
 *
 *  (1) Rows are appended as they come; `merge` sorts them and joins what overlaps or touches.
 *
 * Cost: an append O(1); a merge one pass per pair of ascending runs, and they come in a few long runs (the header in
 * page order, the fold in id order).
 */

import { grown } from "./columns.ts";

export class DirtyRanges {
  count = 0;
  id: Uint32Array = new Uint32Array(256);
  from: Uint32Array = new Uint32Array(256);
  to: Uint32Array = new Uint32Array(256);
  #order: Uint32Array = new Uint32Array(256);
  #spare: Uint32Array = new Uint32Array(256);
  #scratch: Uint32Array = new Uint32Array(256);

  clear(): void {
    this.count = 0;
  }

  add(id: number, from: number, to: number): void {
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
    }
    this.id[row] = id;
    this.from[row] = from;
    this.to[row] = to;
  }

  /** Afterwards the rows ascend and are disjoint, with a gap between any two of one id. */
  merge(): void {
    if (this.#sort()) this.#permute();
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
    }
    if (this.count > 0) this.count = kept + 1;
  }

  /** Natural merge sort of the order; false if the rows ascend already. */
  #sort(): boolean {
    this.#order = grown(this.#order, this.count);
    this.#spare = grown(this.#spare, this.count);
    for (let row = 0; row < this.count; row++) this.#order[row] = row;
    let moved = false;
    for (;;) {
      const middle = this.#runEnd(0);
      if (middle === this.count) return moved;
      moved = true;
      this.#mergePass();
    }
  }

  /** End of the ascending run that starts at `start`. */
  #runEnd(start: number): number {
    let end = start + 1;
    while (end < this.count && !this.#before(this.#order[end]!, this.#order[end - 1]!)) end++;
    return Math.min(end, this.count);
  }

  #mergePass(): void {
    let out = 0;
    for (let start = 0; start < this.count; ) {
      const middle = this.#runEnd(start);
      const end = middle < this.count ? this.#runEnd(middle) : middle;
      let left = start;
      let right = middle;
      while (left < middle || right < end) {
        const takeRight =
          left === middle || (right < end && this.#before(this.#order[right]!, this.#order[left]!));
        this.#spare[out++] = takeRight ? this.#order[right++]! : this.#order[left++]!;
      }
      start = end;
    }
    const order = this.#order;
    this.#order = this.#spare;
    this.#spare = order;
  }

  #before(a: number, b: number): boolean {
    const idA = this.id[a]!;
    const idB = this.id[b]!;
    return idA !== idB ? idA < idB : this.from[a]! < this.from[b]!;
  }

  #permute(): void {
    this.id = this.#permuted(this.id);
    this.from = this.#permuted(this.from);
    this.to = this.#permuted(this.to);
  }

  /** The column in sorted order; the old array becomes the next one's scratch. */
  #permuted(column: Uint32Array): Uint32Array {
    const sorted = this.#scratch.length === column.length ? this.#scratch : new Uint32Array(column.length);
    for (let row = 0; row < this.count; row++) sorted[row] = column[this.#order[row]!]!;
    this.#scratch = column;
    return sorted;
  }
}
