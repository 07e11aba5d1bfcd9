/**
 * Applying a fold: sizes and existence change, and the content that is new is taken.
 *
 *  (1) Ids are applied in ascending order; each byte of new content is taken once.
 *  (2) Zeros below the old size are statements, because they deny what the table says there; those past it are what
 *      growth exposes anyway.
 *  (3) Adjacent literals are one run: up to `inlineThreshold` bytes are stated inline, a longer run is a chunk.
 *
 * Cost: O(runs · log fragments).
 */

import { originArena, originNone, placeInline, placeUnplaced, placeZero } from "../state/pending.ts";
import { isWritten } from "../state/records.ts";
import { allocate, freeId, replaceIncarnation, resize } from "../state/sizes.ts";
import { take } from "../state/taking.ts";
import type { NewContent } from "./content.ts";
import type { FlushContext } from "./context.ts";
import type { Fold } from "./fold.ts";
import { sourceLiteral } from "./pieces.ts";

type Applying = Pick<FlushContext, "state" | "arena" | "options" | "counters">;

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
    if (!fold.exists(row)) continue;
    takeRuns(
      flush,
      id,
      content,
      content.rowStart[row]!,
      content.rowStart[row + 1]!,
      Math.min(sizeBefore, size),
    );
    if (fold.written(row)) markWritten(flush, id);
  }
}

function markWritten(flush: Applying, id: number): void {
  const { allocations, records } = flush.state;
  const row = allocations.row(id);
  allocations.lastWritten[row] = flush.state.epoch + 1;
  records.flags[allocations.record[row]!]! |= isWritten;
}

function takeRuns(
  flush: Applying,
  id: number,
  content: NewContent,
  first: number,
  end: number,
  statedBelow: number,
): void {
  const { state } = flush;
  const row = state.allocations.row(id);
  for (let run = first; run < end; ) {
    const from = content.from[run]!;
    if (content.source[run] === sourceLiteral) {
      run = takeLiterals(flush, id, row, content, run, end);
      continue;
    }
    const to = Math.min(content.to[run]!, statedBelow);
    if (from < to) take(state, id, row, from, to, state.pending.push(originNone, 0, placeZero, 0, 0));
    run++;
  }
}

/** Takes the adjacent literals from `first` on as one run, and returns the run behind them. */
function takeLiterals(
  flush: Applying,
  id: number,
  row: number,
  content: NewContent,
  first: number,
  end: number,
): number {
  const { state } = flush;
  let next = first + 1;
  let contiguous = true;
  while (
    next < end &&
    content.source[next] === sourceLiteral &&
    content.from[next] === content.to[next - 1]
  ) {
    const bytes = content.to[next - 1]! - content.from[next - 1]!;
    if (content.at[next] !== content.at[next - 1]! + bytes) contiguous = false;
    next++;
  }
  const from = content.from[first]!;
  const to = content.to[next - 1]!;
  const at = contiguous ? content.at[first]! : gather(flush, content, first, next);
  const place = to - from <= flush.options.inlineThreshold ? placeInline : placeUnplaced;
  take(state, id, row, from, to, state.pending.push(originArena, at, place, 0, 0));
  flush.counters.freshBytes += to - from;
  return next;
}

/** Copies the literals `[first, end)` together and returns where they lie. */
function gather(flush: Applying, content: NewContent, first: number, end: number): number {
  const { arena } = flush;
  const start = content.from[first]!;
  const position = arena.reserve(content.to[end - 1]! - start);
  const into = arena.view(position, content.to[end - 1]! - start);
  for (let run = first; run < end; run++) {
    const from = content.from[run]!;
    arena.copyTo(content.at[run]!, content.to[run]! - from, into, from - start);
  }
  return position;
}
