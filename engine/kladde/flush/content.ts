/**
 * The new content of a flush, read off the fold: runs of literal bytes, of bytes stored elsewhere in the file, and of
 * zeros. What stays where it is has none.
 *
 *  (1) Where stored bytes that moved (copied, shifted by a splice, of an ended incarnation) lie is looked up here,
 *      before the flush changes anything. The bytes themselves stay readable until the commit, since no page of the
 *      world it starts from is overwritten; so they are copied page by page, and a large copy needs no memory.
 *  (2) Where such a piece is zeros, the run is zeros: a few bytes of journal can copy 4 GiB of them.
 *
 * Cost: O(pieces), plus a run for every fragment that moved.
 */

import { addressOf } from "../format/layout.ts";
import { grown } from "../state/columns.ts";
import { kindBytes, kindPending } from "../state/fragments.ts";
import { originFile } from "../state/pending.ts";
import type { StoreState } from "../state/state.ts";
import type { Fold } from "./fold.ts";
import { sourceStorage, sourceZero } from "./pieces.ts";

export class NewContent {
  count = 0;
  from: Uint32Array = new Uint32Array(256);
  to: Uint32Array = new Uint32Array(256);
  /** One of the sources of `pieces.ts`; of `sourceStorage`, `at` is the file address. */
  source: Uint8Array = new Uint8Array(256);
  /** Arena position of a literal, file address of stored bytes. */
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

/** Reads the fold into `into`. */
export function collectContent(state: StoreState, fold: Fold, into: NewContent): void {
  into.count = 0;
  into.rowStart = grown(into.rowStart, fold.count + 1);
  for (let row = 0; row < fold.count; row++) {
    into.rowStart[row] = into.count;
    const pieces = fold.pieces(row);
    for (let i = 0; i < pieces.count; i++) {
      const source = pieces.source(i);
      if (source !== sourceStorage) into.push(pieces.offset(i), pieces.end(i), source, pieces.at(i));
      else if (!fold.isIdentity(row, pieces, i))
        hoist(state, pieces.offset(i), pieces.end(i), pieces.sourceId(i), pieces.at(i), into);
    }
  }
  into.rowStart[fold.count] = into.count;
}

/** Bytes of `source` from `offset` on become content at `[from, to)`. */
function hoist(
  state: StoreState,
  from: number,
  to: number,
  source: number,
  offset: number,
  into: NewContent,
): void {
  const size = state.allocations.sizeOf(source);
  const shift = from - offset;
  for (let start = offset; start + shift < to; ) {
    const at = state.fragmentAt(source, start);
    const stop = Math.min(state.fragmentEnd(at, source, size), to - shift);
    const address = storedAddress(state, at);
    if (address < 0) into.push(start + shift, stop + shift, sourceZero, 0);
    else
      into.push(start + shift, stop + shift, sourceStorage, address + start - state.fragments.keyOffset[at]!);
    start = stop;
  }
}

/** File address of the committed bytes that the fragment at `at` stands for, taken or not; −1 for zeros. */
function storedAddress({ fragments, pending }: StoreState, at: number): number {
  const ref = fragments.ref[at]!;
  if (fragments.kind[at] === kindBytes) return addressOf(fragments.page[at]!, fragments.pageOffset[at]!);
  return fragments.kind[at] === kindPending && pending.origin[ref] === originFile ? pending.at[ref]! : -1;
}
