/**
 * Applying a fold: sizes and existence change, and the content that is new is taken.
 *
 *  (1) Ids are applied in ascending order; each byte of new content is taken once.
 *  (2) Zeros below the old size are statements, because they deny what the table says there; those past it are what
 *      growth exposes anyway.
 *  (3) Adjacent runs of bytes up to `inlineThreshold` bytes in all are stated inline; of longer ones each is a chunk,
 *      and packing puts them side by side where it can.
 *
 * Cost: O(runs · log fragments).
 */

import {
  originArena,
  originFile,
  originNone,
  placeInline,
  placeUnplaced,
  placeZero,
} from "../state/pending.ts";
import { isWritten } from "../state/records.ts";
import { allocate, freeId, replaceIncarnation, resize } from "../state/sizes.ts";
import { take } from "../state/taking.ts";
import type { NewContent } from "./content.ts";
import type { FlushContext } from "./context.ts";
import type { Fold } from "./fold.ts";
import { sourceLiteral, sourceZero } from "./pieces.ts";

type Applying = Pick<FlushContext, "state" | "chunks" | "options" | "counters">;

export function applyFold(flush: Applying, fold: Fold, content: NewContent): void {
  const { state } = flush;
  for (let row = 0; row < fold.count; row++) {
    const id = fold.ids[row]!;
    const size = fold.size(row);
    const sizeBefore = state.allocations.sizeOf(id);
    if (fold.existed(row)) {
      if (!fold.exists(row)) freeId(state, id);
      else if (fold.ended(row)) replaceIncarnation(state, id, size);
      else resize(state, id, size);
    } else if (fold.exists(row)) allocate(state, id, size);
    else continue;
    const stays = fold.exists(row);
    if (stays) takeRuns(flush, id, content, row, Math.min(sizeBefore, size));
    if (stays && fold.written(row))
      state.allocations.lastWritten[state.allocations.row(id)] = state.epoch + 1;
    state.mark(id, isWritten);
  }
}

function takeRuns(
  flush: Applying,
  id: number,
  content: NewContent,
  foldRow: number,
  statedBelow: number,
): void {
  const { state } = flush;
  const row = state.allocations.row(id);
  const end = content.rowStart[foldRow + 1]!;
  for (let run = content.rowStart[foldRow]!; run < end; ) {
    const from = content.from[run]!;
    if (content.source[run] !== sourceZero) {
      run = takeBytes(flush, id, row, content, run, end);
      continue;
    }
    const to = Math.min(content.to[run]!, statedBelow);
    if (from < to) take(state, id, row, from, to, state.pending.push(originNone, 0, placeZero, 0, 0));
    run++;
  }
}

/** Takes the adjacent runs of bytes from `first` on, and returns the run behind them. */
function takeBytes(
  flush: Applying,
  id: number,
  row: number,
  content: NewContent,
  first: number,
  end: number,
): number {
  const { state } = flush;
  let next = first + 1;
  while (next < end && content.source[next] !== sourceZero && content.from[next] === content.to[next - 1])
    next++;
  const bytes = content.to[next - 1]! - content.from[first]!;
  const place = bytes <= flush.options.inlineThreshold ? placeInline : placeUnplaced;
  for (let run = first; run < next; run++) {
    const from = content.from[run]!;
    const to = content.to[run]!;
    const origin = content.source[run] === sourceLiteral ? originArena : originFile;
    const pending = state.pending.push(origin, content.at[run]!, place, 0, 0);
    take(state, id, row, from, to, pending);
    if (place === placeUnplaced) flush.chunks.push(id, from, to - from, pending, 0);
  }
  flush.counters.freshBytes += bytes;
  return next;
}
