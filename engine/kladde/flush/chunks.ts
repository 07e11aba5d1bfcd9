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
  head = 0;
  end = 0;

  clear(): void {
    this.head = 0;
    this.end = 0;
  }

  push(id: number, from: number, bytes: number, pending: number): void {
    const row = this.end++;
    if (row >= this.id.length) {
      this.id = grown(this.id, this.end);
      this.from = grown(this.from, this.end);
      this.bytes = grown(this.bytes, this.end);
      this.pending = grown(this.pending, this.end);
    }
    this.set(row, id, from, bytes, pending);
  }

  set(row: number, id: number, from: number, bytes: number, pending: number): void {
    this.id[row] = id;
    this.from[row] = from;
    this.bytes[row] = bytes;
    this.pending[row] = pending;
  }

  /** The first of the next `lookahead` chunks that fits into `room`, or −1. */
  firstFitting(room: number, lookahead: number): number {
    const stop = Math.min(this.end, this.head + lookahead);
    for (let row = this.head; row < stop; row++) if (this.bytes[row]! <= room) return row;
    return -1;
  }

  /** Takes out `row`; those before it keep their order. */
  remove(row: number): void {
    for (let to = row; to > this.head; to--)
      this.set(to, this.id[to - 1]!, this.from[to - 1]!, this.bytes[to - 1]!, this.pending[to - 1]!);
    this.head++;
  }
}
