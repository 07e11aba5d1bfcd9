/**
 * How costly the description of a range of an allocation is, and where one statement in place of many would pay.
 *
 * A rewrite retires the framing of the fragments it covers, makes zeros real, and writes bytes:
 *
 *   weight of a fragment = its share of framing + (net − mu) · its bytes
 *
 *   fragment                              share                              net
 *   bytes of a statement                  its framing / its pins              0
 *   zeros of a statement                  its framing / its pins             −1
 *   zeros that nothing states             0                                  −1
 *   taken by this flush: in a data page   8                                   0
 *                        inline           4                                   0
 *                        zeros            5                                  −1
 *
 *  (1) The share spreads a statement's framing over what it still states: a statement wholly inside is credited whole.
 *  (2) The range of greatest weight is found in one pass (Kadane's search), and cut into tiles of one page at most.
 *
 * Cost: O(1) a fragment.
 */

import { addressOf, contentCapacity, contentOffset } from "../format/layout.ts";
import { framingBytes, tagInline, tagRef } from "../format/statement.ts";
import { grown } from "../state/columns.ts";
import { kindBytes, kindPending, kindZeroByDefault } from "../state/fragments.ts";
import { placeData, placeInline, placeUnplaced, placeZero } from "../state/pending.ts";
import type { StoreState } from "../state/state.ts";

const pendingShares: Readonly<Record<number, number>> = {
  [placeUnplaced]: 8,
  [placeData]: 8,
  [placeInline]: 4,
  [placeZero]: 5,
};

/** Share of framing that the fragment at `at` is credited with. */
export function framingShare({ fragments, pending, slab }: StoreState, at: number): number {
  const kind = fragments.kind[at]!;
  const ref = fragments.ref[at]!;
  if (kind === kindPending) return pendingShares[pending.place[ref]!]!;
  return kind === kindZeroByDefault ? 0 : slab.framing[ref]! / slab.pins[ref]!;
}

/** −1 for zeros, which a rewrite makes real; 0 for bytes, which it only moves. */
export function netPerByte({ fragments, pending }: StoreState, at: number): number {
  const kind = fragments.kind[at]!;
  const isZero = kind === kindPending ? pending.place[fragments.ref[at]!] === placeZero : kind !== kindBytes;
  return isZero ? -1 : 0;
}

/** Framing of the one statement that would state `[from, from + bytes)` of `id`. */
export function rewrittenFraming(
  { pages }: StoreState,
  inlineThreshold: number,
  id: number,
  from: number,
  bytes: number,
): number {
  if (bytes <= inlineThreshold) return framingBytes(tagInline, id, from, bytes, 0, 0, 0);
  return framingBytes(tagRef, id, from, bytes, addressOf(pages.filePages, contentOffset), 0, 0);
}

/** Called for every tile that is worth a rewrite. */
export type FoundTile = (id: number, from: number, to: number) => void;

/** Searches the fragments that a walk passes, allocation by allocation, for ranges worth rewriting. */
export class DescriptionSearch {
  readonly #state: StoreState;
  readonly #mu: number;
  readonly #inlineThreshold: number;
  readonly #found: FoundTile;
  #id = 0;
  #count = 0;
  /** Of each fragment of the run. */
  #from: Float64Array = new Float64Array(64);
  #share: Float64Array = new Float64Array(64);
  #net: Float64Array = new Float64Array(64);
  #end = 0;

  constructor(state: StoreState, mu: number, inlineThreshold: number, found: FoundTile) {
    this.#state = state;
    this.#mu = mu;
    this.#inlineThreshold = inlineThreshold;
    this.#found = found;
  }

  /** The fragment at `at`, which ends at `end`, is next in key order; a new allocation or a gap ends the run. */
  visit(at: number, end: number): void {
    const { fragments } = this.#state;
    const id = fragments.keyId[at]!;
    const from = fragments.keyOffset[at]!;
    if (id !== this.#id || from !== this.#end) this.finish();
    const row = this.#count++;
    if (row >= this.#from.length) this.#grow(row + 1);
    this.#id = id;
    this.#from[row] = from;
    this.#share[row] = framingShare(this.#state, at);
    this.#net[row] = netPerByte(this.#state, at);
    this.#end = end;
  }

  /** Ends the run, and reports the tiles of its best range. */
  finish(): void {
    const count = this.#count;
    this.#count = 0;
    // A single fragment is described by one statement already.
    if (count < 2) return;
    this.#from[count] = this.#end;
    const { first, last } = this.#heaviest(count);
    if (first > last) return;
    const to = this.#from[last + 1]!;
    for (let from = this.#from[first]!, row = first; from < to; ) {
      const end = Math.min(from + contentCapacity, to);
      row = this.#tile(row, from, end);
      from = end;
    }
  }

  /** Rows of the contiguous run of greatest positive weight; `first` above `last` if there is none. */
  #heaviest(count: number): { first: number; last: number } {
    const best = { first: 1, last: 0 };
    let bestWeight = 0;
    let weight = 0;
    let first = 0;
    for (let row = 0; row < count; row++) {
      if (weight <= 0) {
        weight = 0;
        first = row;
      }
      const bytes = this.#from[row + 1]! - this.#from[row]!;
      weight += this.#share[row]! + this.#weightOf(row, bytes);
      if (weight <= bestWeight) continue;
      bestWeight = weight;
      best.first = first;
      best.last = row;
    }
    return best;
  }

  /** What `bytes` of row `row` weigh, its share of framing aside; with mu infinite no bytes still weigh nothing. */
  #weightOf(row: number, bytes: number): number {
    return bytes === 0 ? 0 : (this.#net[row]! - this.#mu) * bytes;
  }

  /** Reports `[from, to)` if rewriting it gains, and returns the row that the next tile begins in. */
  #tile(first: number, from: number, to: number): number {
    let gain = -rewrittenFraming(this.#state, this.#inlineThreshold, this.#id, from, to - from);
    let row = first;
    for (; this.#from[row]! < to; row++) {
      const start = this.#from[row]!;
      if (start >= from) gain += this.#share[row]!;
      gain += this.#weightOf(row, Math.min(this.#from[row + 1]!, to) - Math.max(start, from));
      if (this.#from[row + 1]! >= to) break;
    }
    if (gain > 0) this.#found(this.#id, from, to);
    return this.#from[row + 1]! > to ? row : row + 1;
  }

  #grow(rows: number): void {
    this.#from = grown(this.#from, rows + 1);
    this.#share = grown(this.#share, rows + 1);
    this.#net = grown(this.#net, rows + 1);
  }
}
