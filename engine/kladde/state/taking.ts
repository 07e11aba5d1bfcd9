/**
 * Taking: what a flush will state anew is marked pending while the flush runs, and its old owners are released at
 * once. All statements are derived from the fragment map at the end, so each byte is stated once, whichever parts of
 * the flush touched it.
 *
 *  (1) Whoever drops a table page takes the fragments it owns, notes anchors and witnesses that lie in it, and only
 *      then lets its statements go physically.
 *  (2) Which statements of a page that this session wrote are still live is known without looking their ranges up.
 */

import { addressOf, contentOffset, firstOrdinaryPage, headerContentOffset } from "../format/layout.ts";
import { pageContentBytes } from "../format/page.ts";
import { isContent, StatementReader, tagShrink, tagTombstone } from "../format/statement.ts";
import { idExisting } from "./allocations.ts";
import { kindBytes, kindPending, kindZeroByDefault } from "./fragments.ts";
import { pageData } from "./pages.ts";
import { originFile, originNone, placeData, placeInline, placeZero } from "./pending.ts";
import { replaceAnchor, replaceGrow } from "./records.ts";
import { dropPhysically } from "./sizes.ts";
import type { StoreState } from "./state.ts";

/** Flushes since `row` was last written, as of the flush in progress. */
export const heatOf = (state: StoreState, row: number): number =>
  state.epoch + 1 - state.allocations.lastWritten[row]!;

/** Takes `[from, to)` of an existing id; its content is what pending row `pendingRow` says. */
export function take(
  state: StoreState,
  id: number,
  row: number,
  from: number,
  to: number,
  pendingRow: number,
): void {
  const at = state.overwrite(id, row, from, to, kindPending, pendingRow, 0, 0);
  state.allocations.youngest[row] = state.epoch + 1;
  state.dirty.add(id, from, to, at);
}

/** Takes the whole fragment at `at`, of `bytes`, where it lies: its content stays, its statement will be new. */
export function takeFragmentInPlace(state: StoreState, at: number, row: number, bytes: number): void {
  const { fragments, pending } = state;
  const heat = heatOf(state, row);
  let taken: number;
  if (fragments.kind[at] !== kindBytes) {
    taken = pending.push(originNone, 0, placeZero, 0, heat);
    state.allocations.youngest[row] = state.epoch + 1;
  } else {
    const page = fragments.page[at]!;
    const address = addressOf(page, fragments.pageOffset[at]!);
    const inline = state.pages.state[page] !== pageData;
    taken = pending.push(originFile, address, inline ? placeInline : placeData, inline ? 0 : address, heat);
    // A payload is charged to the page that will carry it, once the cut knows which; a data page stays charged.
    if (inline) {
      state.uncover(page, bytes);
      state.allocations.youngest[row] = state.epoch + 1;
    }
  }
  state.makePending(at, taken);
}

/**
 * Takes the whole fragment at `at`, `bytes` that lie in a data page at `source`, at `target`, where they have been
 * copied to. Coverage is left to the caller, who moves many.
 */
export function repoint(state: StoreState, at: number, bytes: number, source: number, target: number): void {
  const { fragments, pending } = state;
  const id = fragments.keyId[at]!;
  const from = fragments.keyOffset[at]!;
  const row = state.allocations.row(id);
  const moved = pending.push(originFile, source, placeData, target, heatOf(state, row));
  state.allocations.youngest[row] = state.epoch + 1;
  if (fragments.kind[at] === kindPending) fragments.ref[at] = moved;
  else state.makePending(at, moved);
  state.dirty.add(id, from, from + bytes, at);
}

/**
 * Takes the fragments of `id` in `[from, to)` that the statement in `slot` owns, or any in table page `page` if that
 * is 0.
 */
function takeOwned(
  state: StoreState,
  id: number,
  row: number,
  page: number,
  slot: number,
  from: number,
  to: number,
): void {
  const { fragments, slab } = state;
  const size = state.allocations.size[row]!;
  if (from >= size) return;
  const end = Math.min(to, size);
  for (let at = state.fragmentAt(id, from), start = fragments.keyOffset[at]!; start < end; ) {
    const stop = state.fragmentEnd(at, id, size);
    const kind = fragments.kind[at]!;
    const ref = fragments.ref[at]!;
    const isStated = kind !== kindPending && kind !== kindZeroByDefault;
    if (isStated && (slot === 0 ? slab.page[ref] === page : ref === slot)) {
      takeFragmentInPlace(state, at, row, stop - start);
      state.dirty.add(id, start, stop, at);
      if (slot !== 0 && slab.pins[slot] === 0) return;
    }
    at = fragments.next(at);
    start = stop;
  }
}

const reader = new StatementReader();

/** Opens the resident table page `page` (or header slot) for reading its statements; children are skipped. */
export function readResident(state: StoreState, page: number, into: StatementReader): Uint8Array {
  const bytes = state.pages.resident.get(page)!;
  const header = page < firstOrdinaryPage;
  const start = header ? headerContentOffset : contentOffset;
  into.open(bytes, start, start + pageContentBytes(bytes, header), "", page);
  into.children();
  return bytes;
}

/** Takes everything that table page `page` states; the page leaves with this flush. */
export function rewriteTablePage(state: StoreState, page: number): void {
  state.rewritten.add(page);
  const slots = state.pages.statementSlots.get(page);
  readResident(state, page, reader);
  for (let i = 0; reader.next(); i++) {
    const slot = slots === undefined ? 0 : slots[i]!;
    // Most statements of a page that is worth rewriting are dead: they own nothing.
    if (slot === 0 || state.slab.liesIn(slot, page)) takeStated(state, page, slot, reader);
    dropPhysically(state, reader.id);
  }
}

/** Takes what the statement that `reader` is at owns; what it proves will be stated again. `slot` as in `takeOwned`. */
function takeStated(
  state: StoreState,
  page: number,
  slot: number,
  { id, kind, offset, size }: StatementReader,
): void {
  const { allocations, slab } = state;
  const row = allocations.row(id);
  if (allocations.state[row] === idExisting) {
    if (isContent(kind)) takeOwned(state, id, row, page, slot, offset, offset + size);
    else if (kind === tagShrink || kind === tagTombstone)
      takeOwned(state, id, row, page, slot, offset, Number.POSITIVE_INFINITY);
    if (slab.liesIn(allocations.grow[row]!, page)) state.mark(id, replaceGrow);
  }
  if (slab.liesIn(allocations.anchor[row]!, page)) state.mark(id, replaceAnchor);
}
