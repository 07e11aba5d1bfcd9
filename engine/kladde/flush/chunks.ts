/**
 * Chunks: runs of new content that are too long to be stated inline and wait for a data page. A queue whose next few
 * entries may be taken out of turn.
 *
 *  (1) A chunk is one pending fragment; nothing takes any of its bytes again before it has its page.
 *  (2) Chunks come in key order.
 *
 * Cost: taking one out of turn moves those it overtakes, at most the look-ahead.
 */

import { grown } from "../state/columns.ts";

export class ChunkQueue {
  id: Uint32Array = new Uint32Array(256);
  from: Uint32Array = new Uint32Array(256);
  bytes: Uint32Array = new Uint32Array(256);
  /** Row of the pending table. */
  pending: Uint32Array = new Uint32Array(256);
  /** 1 for content that was only brought together, not changed. */
  isRewrite: Uint8Array = new Uint8Array(256);
  head = 0;
  end = 0;

  clear(): void {
    this.head = 0;
    this.end = 0;
  }

  push(id: number, from: number, bytes: number, pending: number, isRewrite: number): void {
    const row = this.end++;
    if (row >= this.id.length) {
      this.id = grown(this.id, this.end);
      this.from = grown(this.from, this.end);
      this.bytes = grown(this.bytes, this.end);
      this.pending = grown(this.pending, this.end);
      this.isRewrite = grown(this.isRewrite, this.end);
    }
    this.set(row, id, from, bytes, pending, isRewrite);
  }

  set(row: number, id: number, from: number, bytes: number, pending: number, isRewrite: number): void {
    this.id[row] = id;
    this.from[row] = from;
    this.bytes[row] = bytes;
    this.pending[row] = pending;
    this.isRewrite[row] = isRewrite;
  }

  /** Puts a chunk before all others; one must have been taken out before. */
  putFirst(id: number, from: number, bytes: number, pending: number, isRewrite: number): void {
    this.set(--this.head, id, from, bytes, pending, isRewrite);
  }

  /** The first of the next `lookahead` chunks that fits into `room`, or −1. */
  firstFitting(room: number, lookahead: number): number {
    const stop = Math.min(this.end, this.head + lookahead);
    for (let row = this.head; row < stop; row++) if (this.bytes[row]! <= room) return row;
    return -1;
  }

  /** Of the next `lookahead` chunks the first that is no rewrite, else the first. */
  firstToCut(lookahead: number): number {
    const stop = Math.min(this.end, this.head + lookahead);
    for (let row = this.head; row < stop; row++) if (this.isRewrite[row] === 0) return row;
    return this.head;
  }

  /** Takes out `row`; those before it keep their order. */
  remove(row: number): void {
    for (let to = row; to > this.head; to--) this.#copy(to - 1, to);
    this.head++;
  }

  /** Brings the chunks from `first` on, pushed late and in any order, into key order with those before. */
  mergeFrom(first: number): void {
    const late: (readonly number[])[] = [];
    for (let row = first; row < this.end; row++)
      late.push([this.id[row]!, this.from[row]!, this.bytes[row]!, this.pending[row]!, this.isRewrite[row]!]);
    late.sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!);
    let to = this.end - 1;
    for (let row = first - 1, next = late.length - 1; next >= 0; to--) {
      const [id, from, bytes, pending, isRewrite] = late[next]!;
      if (row >= this.head && this.#isAfter(row, id!, from!)) this.#copy(row--, to);
      else {
        this.set(to, id!, from!, bytes!, pending!, isRewrite!);
        next--;
      }
    }
  }

  #isAfter(row: number, id: number, from: number): boolean {
    return this.id[row]! > id || (this.id[row] === id && this.from[row]! > from);
  }

  #copy(row: number, to: number): void {
    this.set(to, this.id[row]!, this.from[row]!, this.bytes[row]!, this.pending[row]!, this.isRewrite[row]!);
  }
}
