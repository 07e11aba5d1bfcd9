/**
 * Packing: chunks, the runs of new content that are too long to be stated inline, are laid into data pages.
 *
 *  (1) Every page but the last is at least `1 − theta` full, with at most one cut.
 *  (2) No page is opened without a chunk for it.
 *  (3) The packer looks `lookahead` chunks ahead for one that fits.
 *
 * Cost: O(chunks · lookahead) comparisons, each byte copied once.
 */

import { contentCapacity } from "../format/layout.ts";
import { placeInline } from "../state/pending.ts";
import type { FlushContext } from "./context.ts";
import { closePage, OpenPage, placeChunk } from "./open-page.ts";

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
      placeChunk(flush, open, id, from, contentCapacity, pending);
      pending = rest;
      closePage(flush, open);
    }
    if (bytes > 0) chunks.set(kept++, id, from, bytes, pending, chunks.isRewrite[row]!);
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
    placeChunk(flush, open, chunks.id[row]!, chunks.from[row]!, chunks.bytes[row]!, chunks.pending[row]!);
    chunks.remove(row);
  }
  flush.state.hooks.fillDataPage(open);
  if (chunks.head < chunks.end && open.room > Math.floor(theta * contentCapacity)) cutInto(flush, open);
  closePage(flush, open);
}

/**
 * Fills the rest of a page with the front of a chunk; its tail comes first afterwards. Fresh bytes are cut before
 * those that a rewrite has just joined: they are the likeliest to be replaced soon, and the extra statement with them.
 */
function cutInto(flush: FlushContext, open: OpenPage): void {
  const { chunks, state } = flush;
  const row = chunks.firstToCut(flush.options.lookahead);
  const id = chunks.id[row]!;
  const middle = chunks.from[row]! + open.room;
  const tailBytes = chunks.bytes[row]! - open.room;
  const front = chunks.pending[row]!;
  const isRewrite = chunks.isRewrite[row]!;
  const tail = splitChunk(flush, id, middle);
  placeChunk(flush, open, id, chunks.from[row]!, open.room, front);
  chunks.remove(row);
  if (tailBytes <= flush.options.inlineThreshold) state.pending.place[tail] = placeInline;
  else chunks.putFirst(id, middle, tailBytes, tail, isRewrite);
}

/** Splits a chunk and returns the pending row of its second part. */
function splitChunk({ state }: FlushContext, id: number, offset: number): number {
  state.split(id, state.allocations.row(id), offset);
  return state.pending.count - 1;
}
