/**
 * Packing: chunks, the runs of new content that are too long to be stated inline, are laid into data pages.
 *
 *  (1) Every page but the last is at least `1 − theta` full, with at most one cut.
 *  (2) No page is opened without a chunk for it.
 *  (3) Chunks come in key order; the packer looks `lookahead` of them ahead for one that fits.
 *
 * Cost: O(chunks · lookahead) comparisons, each byte copied once.
 */

import { addressOf, contentCapacity, contentOffset, pageKindData } from "../format/layout.ts";
import { sealPage } from "../format/page.ts";
import { grown } from "../state/columns.ts";
import { kindPending } from "../state/fragments.ts";
import { pageClaimed } from "../state/pages.ts";
import { placeData, placeInline, placeUnplaced } from "../state/pending.ts";
import type { StoreState } from "../state/state.ts";
import { copyPending, type FlushContext } from "./context.ts";

/** Chunks waiting for a page: a queue whose next few entries may be taken out of turn. */
class ChunkQueue {
  id: Uint32Array = new Uint32Array(256);
  from: Uint32Array = new Uint32Array(256);
  bytes: Uint32Array = new Uint32Array(256);
  head = 0;
  end = 0;

  push(id: number, from: number, bytes: number): void {
    const row = this.end++;
    if (row >= this.id.length) {
      this.id = grown(this.id, this.end);
      this.from = grown(this.from, this.end);
      this.bytes = grown(this.bytes, this.end);
    }
    this.id[row] = id;
    this.from[row] = from;
    this.bytes[row] = bytes;
  }

  /** The first of the next `lookahead` chunks that fits into `room`, or −1. */
  firstFitting(room: number, lookahead: number): number {
    const stop = Math.min(this.end, this.head + lookahead);
    for (let row = this.head; row < stop; row++) if (this.bytes[row]! <= room) return row;
    return -1;
  }

  /** Takes out `row`; those before it keep their order. */
  remove(row: number): void {
    this.id.copyWithin(this.head + 1, this.head, row);
    this.from.copyWithin(this.head + 1, this.head, row);
    this.bytes.copyWithin(this.head + 1, this.head, row);
    this.head++;
  }

  clear(): void {
    this.head = 0;
    this.end = 0;
  }
}

const queue = new ChunkQueue();

/** The data page being filled. */
class OpenPage {
  readonly page: number;
  readonly bytes: Uint8Array;
  used = 0;

  constructor(flush: FlushContext) {
    this.page = flush.state.pages.take(pageClaimed);
    this.bytes = flush.staging.add(this.page);
  }

  get room(): number {
    return contentCapacity - this.used;
  }
}

/** Gives every chunk of the flush its place. */
export function packDataPages(flush: FlushContext): void {
  const { state } = flush;
  queue.clear();
  state.dirty.merge();
  collectChunks(state, (id, from, bytes) => packWholePages(flush, id, from, bytes));
  while (queue.head < queue.end) fillPage(flush);
}

function collectChunks(state: StoreState, visit: (id: number, from: number, bytes: number) => void): void {
  const { dirty, fragments, pending } = state;
  for (let range = 0; range < dirty.count; range++) {
    const id = dirty.id[range]!;
    const size = state.allocations.sizeOf(id);
    const end = Math.min(dirty.to[range]!, size);
    for (let from = dirty.from[range]!; from < end; ) {
      const at = state.fragmentAt(id, from);
      const stop = state.fragmentEnd(at, id, size);
      const isChunk =
        fragments.kind[at] === kindPending && pending.place[fragments.ref[at]!] === placeUnplaced;
      if (isChunk) visit(id, fragments.keyOffset[at]!, stop - fragments.keyOffset[at]!);
      from = stop;
    }
  }
}

/** Cuts whole pages off the front of a chunk; what is left is queued. */
function packWholePages(flush: FlushContext, id: number, from: number, bytes: number): void {
  let start = from;
  let left = bytes;
  for (; left >= contentCapacity; start += contentCapacity, left -= contentCapacity) {
    const open = new OpenPage(flush);
    if (left > contentCapacity) splitAt(flush.state, id, start + contentCapacity);
    place(flush, open, id, start, contentCapacity);
    close(flush, open);
  }
  if (left > 0) queue.push(id, start, left);
}

function fillPage(flush: FlushContext): void {
  const { lookahead, theta } = flush.options;
  const open = new OpenPage(flush);
  for (
    let row = queue.firstFitting(open.room, lookahead);
    row >= 0;
    row = queue.firstFitting(open.room, lookahead)
  ) {
    place(flush, open, queue.id[row]!, queue.from[row]!, queue.bytes[row]!);
    queue.remove(row);
  }
  flush.state.hooks.fillDataPage(open);
  if (queue.head < queue.end && open.room > Math.floor(theta * contentCapacity)) cutInto(flush, open);
  close(flush, open);
}

/** Fills the rest of a page with the front of the next chunk; its tail stays at the front of the queue. */
function cutInto(flush: FlushContext, open: OpenPage): void {
  const { state } = flush;
  const row = queue.head;
  const id = queue.id[row]!;
  const from = queue.from[row]!;
  const middle = from + open.room;
  const tailBytes = queue.bytes[row]! - open.room;
  splitAt(state, id, middle);
  place(flush, open, id, from, open.room);
  if (tailBytes <= flush.options.inlineThreshold) {
    queue.head++;
    state.pending.place[pendingRow(state, id, middle)] = placeInline;
    return;
  }
  queue.from[row] = middle;
  queue.bytes[row] = tailBytes;
}

const splitAt = (state: StoreState, id: number, offset: number): void =>
  state.split(id, state.allocations.row(id), offset);

const pendingRow = (state: StoreState, id: number, offset: number): number =>
  state.fragments.ref[state.fragmentAt(id, offset)]!;

/** Puts the pending fragment that starts at `from` and is `bytes` long into the open page. */
function place(flush: FlushContext, open: OpenPage, id: number, from: number, bytes: number): void {
  const { state } = flush;
  const row = pendingRow(state, id, from);
  const offset = contentOffset + open.used;
  copyPending(flush, row, 0, bytes, open.bytes, offset);
  state.pending.place[row] = placeData;
  state.pending.address[row] = addressOf(open.page, offset);
  state.cover(open.page, bytes);
  state.hooks.noteReverse(open.page, id, from, from + bytes);
  open.used += bytes;
}

function close(flush: FlushContext, open: OpenPage): void {
  const epoch = flush.state.epoch + 1;
  sealPage(open.bytes, false, pageKindData, epoch, open.used, flush.file.crc32c);
  flush.state.pages.written[open.page] = open.used;
  flush.counters.dataPagesWritten++;
}
