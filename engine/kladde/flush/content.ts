/**
 * The new content of a flush, read off the fold: runs of literal bytes and of zeros. What stays where it is has none.
 *
 *  (1) Storage pieces that moved (copied, shifted by a splice, of an ended incarnation) are read into the arena here,
 *      before the flush changes anything: no piece read later depends on what it moves, frees or overwrites.
 *  (2) Where such a piece is zeros, the run is zeros: a few bytes of journal can copy 4 GiB of them.
 *
 * Cost: O(pieces), plus the bytes that moved, read and copied once.
 */

import { grown } from "../state/columns.ts";
import { copyFragment, type FlushContext, hasBytes } from "./context.ts";
import type { Fold } from "./fold.ts";
import { sourceLiteral, sourceStorage, sourceZero } from "./pieces.ts";

export class NewContent {
  count = 0;
  from: Uint32Array = new Uint32Array(256);
  to: Uint32Array = new Uint32Array(256);
  /** `sourceLiteral` or `sourceZero`. */
  source: Uint8Array = new Uint8Array(256);
  /** Arena position of a literal. */
  at: Float64Array = new Float64Array(256);
  /** First run of each row of the fold, and behind the last. */
  rowStart: Uint32Array = new Uint32Array(256);

  push(from: number, to: number, source: number, at: number): void {
    const run = this.count++;
    if (run >= this.from.length) {
      this.from = grown(this.from, this.count);
      this.to = grown(this.to, this.count);
      this.source = grown(this.source, this.count);
      this.at = grown(this.at, this.count);
    }
    this.from[run] = from;
    this.to[run] = to;
    this.source[run] = source;
    this.at[run] = at;
  }
}

type Hoisting = Pick<FlushContext, "state" | "arena" | "cache">;

/** Reads the fold into `into`. */
export function collectContent(flush: Hoisting, fold: Fold, into: NewContent): void {
  into.count = 0;
  into.rowStart = grown(into.rowStart, fold.count + 1);
  for (let row = 0; row < fold.count; row++) {
    into.rowStart[row] = into.count;
    const pieces = fold.pieces(row);
    for (let i = 0; i < pieces.count; i++) {
      const source = pieces.source(i);
      if (source !== sourceStorage) into.push(pieces.offset(i), pieces.end(i), source, pieces.at(i));
      else if (!fold.isIdentity(row, pieces, i))
        hoist(flush, pieces.offset(i), pieces.end(i), pieces.sourceId(i), pieces.at(i), into);
    }
  }
  into.rowStart[fold.count] = into.count;
}

/** Bytes of `source` from `offset` on become content at `[from, to)`. */
function hoist(
  flush: Hoisting,
  from: number,
  to: number,
  source: number,
  offset: number,
  into: NewContent,
): void {
  const { state, arena } = flush;
  const size = state.allocations.sizeOf(source);
  const shift = from - offset;
  for (let start = offset; start + shift < to; ) {
    const at = state.fragmentAt(source, start);
    const stop = Math.min(state.fragmentEnd(at, source, size), to - shift);
    const bytes = stop - start;
    if (hasBytes(flush, at)) {
      const position = arena.reserve(bytes);
      copyFragment(flush, at, start - state.fragments.keyOffset[at]!, bytes, arena.view(position, bytes), 0);
      into.push(start + shift, stop + shift, sourceLiteral, position);
    } else into.push(start + shift, stop + shift, sourceZero, 0);
    start = stop;
  }
}
