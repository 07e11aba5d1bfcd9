/**
 * Deriving: the statements of a flush, read off the fragment map once everything is taken and placed.
 *
 *  (1) Each byte taken is stated once. One content statement per maximal run of pending fragments that state alike.
 *  (2) The rows come out in the order of the table, by id and offset; a size statement follows its id's content.
 *  (3) An id gets at most one Shrink or one Grow, never both.
 *
 * Cost: a look at where each dirty range was seen, a descent if it is not there any more; then its fragments in order.
 */

import { assert } from "../../errors.ts";
import { addressPage, inlineBytesMax } from "../format/layout.ts";
import {
  framingBytes,
  tagGrow,
  tagInline,
  tagRef,
  tagShrink,
  tagTombstone,
  tagZero,
} from "../format/statement.ts";
import { grown } from "../state/columns.ts";
import { kindPending } from "../state/fragments.ts";
import { type PendingTable, placeData, placeInline, placeUnplaced, placeZero } from "../state/pending.ts";
import { hasShrunk, isFreed, isNew, isWritten, replaceAnchor, replaceGrow } from "../state/records.ts";
import type { StoreState } from "../state/state.ts";
import { heatOf } from "../state/taking.ts";

/** The statements of one flush, as columns. */
export class DerivedStatements {
  count = 0;
  /** Version of the fragment map that `at` holds for. */
  version = 0;
  id: Uint32Array = new Uint32Array(512);
  kind: Uint8Array = new Uint8Array(512);
  offset: Uint32Array = new Uint32Array(512);
  size: Uint32Array = new Uint32Array(512);
  /** File address of a Ref. */
  address: Float64Array = new Float64Array(512);
  /** Flushes since the allocation was last written; the hottest have 0. */
  heat: Float64Array = new Float64Array(512);
  /** Pending fragments that a content statement stands for, and the position of the first of them. */
  run: Uint32Array = new Uint32Array(512);
  at: Uint32Array = new Uint32Array(512);
  /** Encoded length on its own, payload included: never less than behind another statement. */
  standalone: Uint16Array = new Uint16Array(512);
  /** Set by the layout: 1 for statements that stay in the header. */
  hot: Uint8Array = new Uint8Array(512);

  clear(): void {
    this.count = 0;
  }

  push(
    id: number,
    kind: number,
    offset: number,
    size: number,
    address: number,
    heat: number,
    run: number,
    at: number,
  ): void {
    const row = this.count++;
    if (row >= this.id.length) this.#grow(row + 1);
    this.id[row] = id;
    this.kind[row] = kind;
    this.offset[row] = offset;
    this.size[row] = size;
    this.address[row] = address;
    this.heat[row] = heat;
    this.run[row] = run;
    this.at[row] = at;
    this.hot[row] = 0;
    this.standalone[row] = this.bytes(row, 0, 0);
  }

  /** Statement `row` stands for one more fragment, of `bytes`. */
  extend(row: number, bytes: number): void {
    this.size[row]! += bytes;
    this.run[row]!++;
    this.standalone[row] = this.bytes(row, 0, 0);
  }

  /** Encoded length, payload included, behind a statement of `lastId` that left the cursor at `lastCursor`. */
  bytes(row: number, lastId: number, lastCursor: number): number {
    const kind = this.kind[row]!;
    const size = this.size[row]!;
    const framing = framingBytes(
      kind,
      this.id[row]!,
      this.offset[row]!,
      size,
      this.address[row]!,
      lastId,
      lastCursor,
    );
    return kind === tagInline ? framing + size : framing;
  }

  /** Where the cursor stands behind the statement. */
  cursor(row: number): number {
    return this.kind[row] === tagTombstone ? 0 : this.offset[row]! + this.size[row]!;
  }

  #grow(rows: number): void {
    this.id = grown(this.id, rows);
    this.kind = grown(this.kind, rows);
    this.offset = grown(this.offset, rows);
    this.size = grown(this.size, rows);
    this.address = grown(this.address, rows);
    this.heat = grown(this.heat, rows);
    this.run = grown(this.run, rows);
    this.at = grown(this.at, rows);
    this.standalone = grown(this.standalone, rows);
    this.hot = grown(this.hot, rows);
  }
}

/** What the cut does to anchors and witnesses before it binds. */
export interface Releases {
  /** Free ids whose tombstone nothing needs any more. */
  readonly anchors: number[];
  /** Ids whose witness leaves with its page while something newer proves the size. */
  readonly grows: number[];
}

/**
 * Adds to `into` a statement for everything taken and every id touched since the last call, and to `releases` the
 * anchors and witnesses that are let go. A second call in a flush finds what restating in place has taken meanwhile,
 * which moves no fragment, so that the positions of the first one hold.
 */
export function deriveStatements(
  state: StoreState,
  inlineThreshold: number,
  into: DerivedStatements,
  releases: Releases,
): void {
  const { dirty, records } = state;
  const touched = records.takeNewIds();
  dirty.merge();
  assert(into.count === 0 || into.version === state.fragments.version, "fragments moved during the cut");
  let range = 0;
  for (let next = 0; range < dirty.count || next < touched.length; ) {
    const dirtyId = range < dirty.count ? dirty.id[range]! : Number.POSITIVE_INFINITY;
    const touchedId = next < touched.length ? touched[next]! : Number.POSITIVE_INFINITY;
    const id = Math.min(dirtyId, touchedId);
    const firstRow = into.count;
    for (; range < dirty.count && dirty.id[range] === id; range++)
      deriveRange(state, id, dirty.from[range]!, dirty.to[range]!, dirty.at[range]!, inlineThreshold, into);
    if (touchedId !== id) continue;
    next++;
    deriveExistence(state, id, firstRow, into, releases);
  }
  into.version = state.fragments.version;
  dirty.clear();
}

function deriveRange(
  state: StoreState,
  id: number,
  from: number,
  to: number,
  seen: number,
  inlineThreshold: number,
  into: DerivedStatements,
): void {
  const { fragments, pending } = state;
  const size = state.allocations.sizeOf(id);
  const end = Math.min(to, size);
  if (from >= end) return;
  let open = -1;
  for (let at = state.fragmentNear(seen, id, from), start = fragments.keyOffset[at]!; start < end; ) {
    const next = fragments.next(at);
    const stop = next >= 0 && fragments.keyId[next] === id ? fragments.keyOffset[next]! : size;
    const row = fragments.ref[at]!;
    if (fragments.kind[at] !== kindPending) open = -1;
    else if (open >= 0 && continues(into, open, pending, row, stop - start, inlineThreshold)) {
      into.extend(open, stop - start);
      if (pending.heat[row]! < into.heat[open]!) into.heat[open] = pending.heat[row]!;
    } else {
      open = into.count;
      pushContent(into, id, start, stop - start, pending, row, at);
    }
    at = next;
    start = stop;
  }
}

function pushContent(
  into: DerivedStatements,
  id: number,
  offset: number,
  size: number,
  pending: PendingTable,
  row: number,
  at: number,
): void {
  const place = pending.place[row]!;
  const kind = place === placeZero ? tagZero : place === placeInline ? tagInline : tagRef;
  // The messages are built only when they are needed: this runs once a statement.
  if (place === placeUnplaced)
    assert(false, `allocation ${id} has bytes at ${offset} that no page was found for`);
  if (kind === tagInline && size > inlineBytesMax) assert(false, `inline run of ${size} bytes`);
  into.push(
    id,
    kind,
    offset,
    size,
    place === placeData ? pending.address[row]! : 0,
    pending.heat[row]!,
    1,
    at,
  );
}

/** Whether a fragment of `bytes`, taken as `pendingRow`, continues statement `row`. */
function continues(
  into: DerivedStatements,
  row: number,
  pending: PendingTable,
  pendingRow: number,
  bytes: number,
  inlineThreshold: number,
): boolean {
  const kind = into.kind[row]!;
  const place = pending.place[pendingRow]!;
  const address = pending.address[pendingRow]!;
  if (place === placeZero) return kind === tagZero;
  if (place === placeInline) return kind === tagInline && into.size[row]! + bytes <= inlineThreshold;
  const end = into.address[row]! + into.size[row]!;
  return kind === tagRef && address === end && addressPage(address) === addressPage(into.address[row]!);
}

/** Size statement or tombstone of a touched id; `firstRow` is where its content begins. */
function deriveExistence(
  state: StoreState,
  id: number,
  firstRow: number,
  into: DerivedStatements,
  releases: Releases,
): void {
  const { allocations, records } = state;
  const row = allocations.row(id);
  const record = allocations.record[row]!;
  const flags = records.flags[record]!;
  const heat = (flags & isWritten) !== 0 ? 0 : heatOf(state, row);
  const anchorReplaced = (flags & replaceAnchor) !== 0;
  if (!allocations.exists(id)) {
    const mentioned = allocations.mentions[row]! > 0;
    if (((flags & isFreed) !== 0 || anchorReplaced) && mentioned)
      into.push(id, tagTombstone, 0, 0, 0, heat, 0, 0);
    else if (anchorReplaced) releases.anchors.push(id);
    return;
  }
  const size = allocations.size[row]!;
  const anchorLeaves = anchorReplaced && allocations.anchor[row] !== 0;
  const witnessLeaves = (flags & replaceGrow) !== 0 && allocations.grow[row] !== 0;
  const restated = (flags & isNew) !== 0 || size > records.sizeBefore[record]!;
  const shrank = (flags & hasShrunk) !== 0;
  if (shrank || anchorLeaves) into.push(id, tagShrink, size, 0, 0, heat, 0, 0);
  else if ((restated || witnessLeaves) && !reaches(state, id, size, firstRow, into)) {
    into.push(id, tagGrow, size, 0, 0, heat, 0, 0);
    if (!restated) return;
  }
  if (witnessLeaves) releases.grows.push(id);
}

/** Whether this flush states the last byte of `id`: by its content from `firstRow` on, or by an earlier call. */
function reaches(
  state: StoreState,
  id: number,
  size: number,
  firstRow: number,
  into: DerivedStatements,
): boolean {
  if (size === 0) return false;
  const last = into.count - 1;
  if (last >= firstRow && into.offset[last]! + into.size[last]! === size) return true;
  return state.fragments.kind[state.fragmentAt(id, size - 1)] === kindPending;
}
