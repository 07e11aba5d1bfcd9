/**
 * The log of a session: the records of the current segment and their payload bytes, in memory.
 *
 * A record is a row of columns; what a column holds depends on the tag (format/record.ts):
 *
 *   tag     a    b          c          d       e          payload
 *   Free    id
 *   Resize  id   size
 *   Write   id   offset                length             arena position
 *   Splice  id   offset     oldLength  length             arena position
 *   Copy    src  srcOffset  dst        length  dstOffset
 *   Move    src  srcOffset  dst        length  dstOffset
 *
 *  (1) Rows and arena positions only ever grow at the end; what is old is discarded from the front.
 *  (2) A payload lies in one block, so a view of it is one array.
 *  (3) Positions stay valid until discarded, whatever is discarded before them, and are never used twice, except
 *      for those truncated away.
 *  (4) The last position of a block and the first of the next are not adjacent: positions that continue each other
 *      are bytes that do.
 *
 * Cost: a push stores seven numbers; an append copies its bytes. Once the columns and the first blocks exist, a
 * session that discards at every flush allocates nothing.
 */

import { copyBytes, loopBytesMax } from "../../codec/copy.ts";
import { grown } from "../state/columns.ts";

const firstRows = 256;

export class Log {
  count = 0;
  tag: Uint8Array = new Uint8Array(firstRows);
  a: Uint32Array = new Uint32Array(firstRows);
  b: Uint32Array = new Uint32Array(firstRows);
  c: Uint32Array = new Uint32Array(firstRows);
  d: Uint32Array = new Uint32Array(firstRows);
  e: Uint32Array = new Uint32Array(firstRows);
  payload: Float64Array = new Float64Array(firstRows);

  push(tag: number, a: number, b: number, c: number, d: number, e: number, payload: number): void {
    const row = this.count;
    if (row === this.tag.length) this.#grow(row + 1);
    this.count = row + 1;
    this.tag[row] = tag;
    this.a[row] = a;
    this.b[row] = b;
    this.c[row] = c;
    this.d[row] = d;
    this.e[row] = e;
    this.payload[row] = payload;
  }

  /** Drops the newest records and keeps `count`. */
  truncate(count: number): void {
    this.count = count;
  }

  /** Drops the `count` oldest records; the others move to the front. */
  discard(count: number): void {
    const end = this.count;
    this.count = end - count;
    if (this.count === 0) return;
    this.tag.copyWithin(0, count, end);
    this.a.copyWithin(0, count, end);
    this.b.copyWithin(0, count, end);
    this.c.copyWithin(0, count, end);
    this.d.copyWithin(0, count, end);
    this.e.copyWithin(0, count, end);
    this.payload.copyWithin(0, count, end);
  }

  #grow(rows: number): void {
    this.tag = grown(this.tag, rows);
    this.a = grown(this.a, rows);
    this.b = grown(this.b, rows);
    this.c = grown(this.c, rows);
    this.d = grown(this.d, rows);
    this.e = grown(this.e, rows);
    this.payload = grown(this.payload, rows);
  }
}

const noBytes: Uint8Array = new Uint8Array(0);

export const arenaBlockBytes = 2 ** 20;
/** Blocks kept for reuse besides the one in use: a segment of the usual budget and its hoisted bytes fit. */
const spareBlocksMax = 3;

export class Arena {
  /** Position of the next byte, unless it takes a new block. */
  end = 0;
  readonly #blocks: Uint8Array[] = [];
  /** Position of each block's first byte: one more than the end of the block before it. */
  readonly #starts: number[] = [];
  readonly #spares: Uint8Array[] = [];
  /** The last block, and the block found last. */
  #last: Uint8Array = noBytes;
  #lastStart = 0;
  #found: Uint8Array = noBytes;
  #foundStart = 0;
  #foundEnd = 0;

  /** Copies `bytes` in and returns their position. */
  append(bytes: Uint8Array): number {
    const length = bytes.length;
    const position = this.reserve(length);
    const at = position - this.#lastStart;
    if (length > loopBytesMax) this.#last.set(bytes, at);
    else for (let i = 0; i < length; i++) this.#last[at + i] = bytes[i]!;
    return position;
  }

  /** Makes room for a contiguous payload, with old bytes in it, and returns its position. */
  reserve(length: number): number {
    const room = this.#last.length - (this.end - this.#lastStart);
    if (length > room) this.#openBlock(length);
    const position = this.end;
    this.end += length;
    return position;
  }

  /** Copies a payload, or a part of one, to `into` at `at`. */
  copyTo(position: number, length: number, into: Uint8Array, at: number): void {
    if (length === 0) return;
    this.#find(position);
    const block = this.#found;
    const from = position - this.#foundStart;
    copyBytes(block, from, length, into, at);
  }

  /** The bytes themselves: valid, and writable, until they are truncated or discarded. */
  view(position: number, length: number): Uint8Array {
    if (length === 0) return new Uint8Array(0);
    this.#find(position);
    const from = position - this.#foundStart;
    return this.#found.subarray(from, from + length);
  }

  /** Drops everything from `position`, an earlier value of `end`, on. */
  truncate(position: number): void {
    while (this.#starts.length > 0 && this.#starts.at(-1)! > position) {
      this.#release(this.#blocks.pop()!);
      this.#starts.pop();
    }
    this.end = position;
    this.#refresh();
  }

  /** Drops everything before `position`, an earlier or the present value of `end`. */
  discard(position: number): void {
    let dead = 0;
    while (dead < this.#starts.length && this.#usedEnd(dead) <= position) dead++;
    if (dead === 0) return;
    for (const block of this.#blocks.splice(0, dead)) this.#release(block);
    this.#starts.splice(0, dead);
    this.#refresh();
  }

  #openBlock(length: number): void {
    // First, because it may throw: a big payload may be more than there is memory for.
    const block = this.#newBlock(length);
    if (this.#starts.length > 0 && this.#lastStart === this.end) {
      this.#release(this.#blocks.pop()!);
      this.#starts.pop();
    } else if (this.#starts.length > 0) this.end++;
    this.#blocks.push(block);
    this.#starts.push(this.end);
    this.#refresh();
  }

  #newBlock(length: number): Uint8Array {
    const spare = length <= arenaBlockBytes ? this.#spares.pop() : undefined;
    return spare ?? new Uint8Array(Math.max(length, arenaBlockBytes));
  }

  #release(block: Uint8Array): void {
    if (block.length === arenaBlockBytes && this.#spares.length < spareBlocksMax) this.#spares.push(block);
  }

  #usedEnd(index: number): number {
    return index + 1 < this.#starts.length ? this.#starts[index + 1]! - 1 : this.end;
  }

  #refresh(): void {
    this.#last = this.#blocks.at(-1) ?? noBytes;
    this.#lastStart = this.#starts.at(-1) ?? this.end;
    this.#found = noBytes;
    this.#foundStart = 0;
    this.#foundEnd = 0;
  }

  /** Makes the block that holds `position` the found one. */
  #find(position: number): void {
    if (position >= this.#foundStart && position < this.#foundEnd) return;
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#starts[middle]! <= position) low = middle;
      else high = middle - 1;
    }
    this.#found = this.#blocks[low]!;
    this.#foundStart = this.#starts[low]!;
    this.#foundEnd = this.#starts[low + 1] ?? Number.POSITIVE_INFINITY;
  }
}
