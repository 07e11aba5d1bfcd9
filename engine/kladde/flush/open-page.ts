/**
 * The data page being filled: pages are opened, filled and closed one at a time, by the packer and by reclamation.
 *
 *  (1) Bytes are copied when they are placed: what they came from may be anything afterwards.
 *  (2) A page that is closed with content is live from the commit on.
 */

import { addressOf, contentCapacity, contentOffset, pageKindData } from "../format/layout.ts";
import { sealPage } from "../format/page.ts";
import type { OpenDataPage } from "../state/hooks.ts";
import { pageClaimed } from "../state/pages.ts";
import { placeData } from "../state/pending.ts";
import { writeStaged } from "./commit.ts";
import { copyPending, type FlushContext } from "./context.ts";

export class OpenPage implements OpenDataPage {
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

/** File address of the next byte placed in `open`. */
export const nextAddress = (open: OpenDataPage): number => addressOf(open.page, contentOffset + open.used);

/** Puts the chunk of pending row `pending`, `bytes` of `id` from `from` on, into the open page, which has room. */
export function placeChunk(
  flush: FlushContext,
  open: OpenDataPage,
  id: number,
  from: number,
  bytes: number,
  pending: number,
): void {
  const { state } = flush;
  copyPending(flush, pending, 0, bytes, open.bytes, contentOffset + open.used);
  state.pending.place[pending] = placeData;
  state.pending.address[pending] = nextAddress(open);
  state.cover(open.page, bytes);
  state.hooks.noteReverse(open.page, id, from, from + bytes);
  open.used += bytes;
}

export function closePage(flush: FlushContext, open: OpenDataPage): void {
  const epoch = flush.state.epoch + 1;
  sealPage(open.bytes, false, pageKindData, epoch, open.used, flush.file.crc32c);
  flush.state.pages.written[open.page] = open.used;
  flush.counters.dataPagesWritten++;
  if (flush.staging.isFull) writeStaged(flush);
}
