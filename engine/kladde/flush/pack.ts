/**
 * Packing: chunks, the runs of new content that are too long to be stated inline, are laid into data pages.
 *
 *  (1) Every page but the last is at least `1 − theta` full, with at most one cut.
 *  (2) No page is opened without a chunk for it.
 *  (3) The packer looks `lookahead` chunks ahead for one that fits.
 *
 * Cost: O(chunks · lookahead) comparisons, each byte copied once.
 */

import { addressOf, contentCapacity, contentOffset, pageKindData } from "../format/layout.ts";
import { sealPage } from "../format/page.ts";
import { pageClaimed } from "../state/pages.ts";
import { placeData, placeInline } from "../state/pending.ts";
import { writeStaged } from "./commit.ts";
import { copyPending, type FlushContext } from "./context.ts";

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
  const { chunks } = flush;
  packWholePages(flush);
  while (chunks.head < chunks.end) fillPage(flush);
  chunks.clear();
}

/** Cuts whole pages off the front of every chunk; what is left stays queued. */
function packWholePages(flush: FlushContext): void {
  const { chunks } = flush;
  let kept = 0;
  for (let row = 0; row < chunks.end; row++) {
    const id = chunks.id[row]!;
    let from = chunks.from[row]!;
    let bytes = chunks.bytes[row]!;
    let pending = chunks.pending[row]!;
    for (; bytes >= contentCapacity; from += contentCapacity, bytes -= contentCapacity) {
      const open = new OpenPage(flush);
      const rest = bytes > contentCapacity ? splitChunk(flush, id, from + contentCapacity) : pending;
      place(flush, open, id, from, contentCapacity, pending);
      pending = rest;
      close(flush, open);
    }
    if (bytes > 0) chunks.set(kept++, id, from, bytes, pending);
  }
  chunks.end = kept;
}

function fillPage(flush: FlushContext): void {
  const { chunks } = flush;
  const { lookahead, theta } = flush.options;
  const open = new OpenPage(flush);
  for (
    let row = chunks.firstFitting(open.room, lookahead);
    row >= 0;
    row = chunks.firstFitting(open.room, lookahead)
  ) {
    place(flush, open, chunks.id[row]!, chunks.from[row]!, chunks.bytes[row]!, chunks.pending[row]!);
    chunks.remove(row);
  }
  flush.state.hooks.fillDataPage(open);
  if (chunks.head < chunks.end && open.room > Math.floor(theta * contentCapacity)) cutInto(flush, open);
  close(flush, open);
}

/** Fills the rest of a page with the front of the next chunk; its tail stays at the front of the queue. */
function cutInto(flush: FlushContext, open: OpenPage): void {
  const { chunks, state } = flush;
  const row = chunks.head;
  const id = chunks.id[row]!;
  const from = chunks.from[row]!;
  const middle = from + open.room;
  const tailBytes = chunks.bytes[row]! - open.room;
  const tail = splitChunk(flush, id, middle);
  place(flush, open, id, from, open.room, chunks.pending[row]!);
  if (tailBytes <= flush.options.inlineThreshold) {
    chunks.head++;
    state.pending.place[tail] = placeInline;
    return;
  }
  chunks.set(row, id, middle, tailBytes, tail);
}

/** Splits a chunk and returns the pending row of its second part. */
function splitChunk({ state }: FlushContext, id: number, offset: number): number {
  state.split(id, state.allocations.row(id), offset);
  return state.pending.count - 1;
}

/** Puts the chunk of pending row `pending` into the open page. */
function place(
  flush: FlushContext,
  open: OpenPage,
  id: number,
  from: number,
  bytes: number,
  pending: number,
): void {
  const { state } = flush;
  const offset = contentOffset + open.used;
  copyPending(flush, pending, 0, bytes, open.bytes, offset);
  state.pending.place[pending] = placeData;
  state.pending.address[pending] = addressOf(open.page, offset);
  state.cover(open.page, bytes);
  state.hooks.noteReverse(open.page, id, from, from + bytes);
  open.used += bytes;
}

function close(flush: FlushContext, open: OpenPage): void {
  const epoch = flush.state.epoch + 1;
  sealPage(open.bytes, false, pageKindData, epoch, open.used, flush.file.crc32c);
  flush.state.pages.written[open.page] = open.used;
  flush.counters.dataPagesWritten++;
  if (flush.staging.isFull) writeStaged(flush);
}
