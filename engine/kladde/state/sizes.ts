/**
 * Sizes, existence, anchors and grow witnesses of the extents edition.
 *
 *  (1) The anchor of an id is its newest Shrink or Tombstone; of everything older it keeps the content below its
 *      bound. It is never given up without another in its place.
 *  (2) At most one Grow of an id is alive, and only while nothing else proves the size.
 *  (3) A page that is being written carries the flush's epoch before anything is bound to it, or `retireGrow` would
 *      take a fresh Grow for one that an older anchor has overruled.
 */

import { tagShrink } from "../format/statement.ts";
import { idExisting, idRecyclable } from "./allocations.ts";
import { kindPending, kindZero, kindZeroByDefault } from "./fragments.ts";
import { originNone, placeZero } from "./pending.ts";
import { hasShrunk, isFreed, isNew, replaceAnchor } from "./records.ts";
import type { StoreState } from "./state.ts";

/** Grows to `size`; what is exposed resolves through the anchor, or is zero by default. */
export function growTo(state: StoreState, id: number, size: number): void {
  const { allocations } = state;
  const row = allocations.ensureRow(id);
  const old = allocations.size[row]!;
  if (size <= old) return;
  allocations.setSize(row, size);
  const anchor = allocations.anchor[row]!;
  const record = allocations.record[row]!;
  const flags = record === 0 ? 0 : state.records.flags[record]!;
  // The Shrink that this flush states instead will lie at the new size and deny nothing below it.
  if ((flags & hasShrunk) !== 0 || ((flags & replaceAnchor) !== 0 && anchor !== 0)) {
    state.append(id, row, old, kindPending, state.pending.push(originNone, 0, placeZero, 0, 0));
    state.dirty.add(id, old, size, 0);
  } else if (anchor !== 0) state.append(id, row, old, kindZero, anchor);
  else state.append(id, row, old, kindZeroByDefault, 0);
  retireGrow(state, row);
}

function shrinkTo(state: StoreState, id: number, row: number, size: number): void {
  const { allocations } = state;
  if (size >= allocations.size[row]!) return;
  if (size > 0) state.split(id, row, size);
  state.dropFrom(id, row, size);
  allocations.setSize(row, size);
  // Which page is the youngest now would take a walk over the id.
  allocations.youngest[row] = 0;
  retireGrow(state, row);
}

export function resize(state: StoreState, id: number, size: number): void {
  const { allocations, records } = state;
  const record = state.touch(id);
  const row = allocations.row(id);
  if (size < allocations.size[row]!) {
    shrinkTo(state, id, row, size);
    records.flags[record]! |= hasShrunk;
  } else growTo(state, id, size);
}

/** Brings an id into existence; a tombstone it still has stays its anchor. */
export function allocate(state: StoreState, id: number, size: number): void {
  state.mark(id, isNew);
  const row = state.allocations.row(id);
  state.allocations.setState(id, row, idExisting);
  growTo(state, id, size);
}

/** Freed and allocated again in one segment; the caller takes every byte below the smaller size. */
export function replaceIncarnation(state: StoreState, id: number, size: number): void {
  state.mark(id, isFreed | isNew);
  resize(state, id, size);
}

export function freeId(state: StoreState, id: number): void {
  const { allocations } = state;
  state.mark(id, isFreed);
  const row = allocations.row(id);
  shrinkTo(state, id, row, 0);
  allocations.setState(id, row, idRecyclable);
  releaseAnchor(state, row);
  releaseGrow(state, row);
}

export function releaseAnchor(state: StoreState, row: number): void {
  const anchor = state.allocations.anchor[row]!;
  state.allocations.anchor[row] = 0;
  state.allocations.anchorBound[row] = 0;
  if (anchor !== 0) state.unpin(anchor);
}

export function releaseGrow(state: StoreState, row: number): void {
  const grow = state.allocations.grow[row]!;
  state.allocations.grow[row] = 0;
  state.allocations.growBound[row] = 0;
  if (grow !== 0) state.unpin(grow);
}

export function setAnchor(state: StoreState, row: number, statement: number, bound: number): void {
  const { allocations } = state;
  state.pin(statement);
  const old = allocations.anchor[row]!;
  allocations.anchor[row] = statement;
  allocations.anchorBound[row] = bound;
  if (old !== 0) state.unpin(old);
  retireGrow(state, row);
}

export function setGrow(state: StoreState, row: number, statement: number, bound: number): void {
  const { allocations } = state;
  state.pin(statement);
  const old = allocations.grow[row]!;
  allocations.grow[row] = statement;
  allocations.growBound[row] = bound;
  if (old !== 0) state.unpin(old);
  retireGrow(state, row);
}

/**
 * Lets go of a witness that something else has made redundant: a larger size, an anchor that proves as much, or a
 * newer anchor, which has overruled it. The second must not look at a Tombstone: an id freed in one epoch and
 * created empty in a later one exists only by its Grow to 0.
 */
function retireGrow(state: StoreState, row: number): void {
  const { allocations, slab, pages } = state;
  const grow = allocations.grow[row]!;
  if (grow === 0) return;
  const anchor = allocations.anchor[row]!;
  const bound = allocations.growBound[row]!;
  const outgrown = allocations.size[row]! > bound;
  const proved = anchor !== 0 && slab.kind[anchor] === tagShrink && bound <= allocations.anchorBound[row]!;
  const overruled = anchor !== 0 && pages.epoch[slab.page[grow]!]! < pages.epoch[slab.page[anchor]!]!;
  if (outgrown || proved || overruled) releaseGrow(state, row);
}

/**
 * A statement that named `id` leaves with its page. A tombstone that is the last statement naming a free id denies
 * nothing more; one that leaves in this flush too still might, and the cut decides.
 */
export function dropPhysically(state: StoreState, id: number): void {
  const { allocations, slab } = state;
  const row = allocations.row(id);
  const left = --allocations.mentions[row]!;
  if (allocations.state[row] !== idRecyclable || left > 1) return;
  const tombstone = allocations.anchor[row]!;
  if (tombstone !== 0 && !state.rewritten.has(slab.page[tombstone]!)) releaseAnchor(state, row);
}
