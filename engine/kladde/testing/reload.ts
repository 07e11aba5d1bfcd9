/**
 * The reload oracle: what is loaded from the file must be what the store has in memory.
 *
 * Two differences are legal. Memory may still hold a Grow that later content has made redundant, never the other way
 * round. And a tombstone that was let go as the last statement of its id may still lie in its page when the id is
 * allocated again: loading takes it for the anchor, and for the owner of zeros that memory has by default.
 *
 *  (1) Fragments are compared as runs: neighbours that continue each other through one statement are one.
 *  (2) A statement is known by its page, kind, id and framing; slots differ from load to load.
 *
 * Cost: an open of the file, and a pass over everything. It finds every forgotten restatement.
 */

import assert from "node:assert/strict";
import type { StorageFile } from "../../storage/storage.ts";
import type { FlushContext } from "../flush/context.ts";
import { tagTombstone } from "../format/statement.ts";
import { loadState, readGoverning } from "../open/load.ts";
import { idExisting, idRecyclable } from "../state/allocations.ts";
import { kindBytes, kindZeroByDefault } from "../state/fragments.ts";
import { isTable, pageData, pageHeader } from "../state/pages.ts";
import type { StoreState } from "../state/state.ts";
import type { StoreView } from "../view.ts";

/** What a store keeps to itself. */
export const contextOf = (store: StoreView): FlushContext =>
  (store as unknown as { readonly context: FlushContext }).context;

/** Throws unless the file, as it is after a flush, says what `context` has in memory. */
export function compareWithReload(context: FlushContext, file: StorageFile = context.file): void {
  const { state: memory } = context;
  const header = readGoverning(file);
  const { state: loaded } = loadState(file, header, true);
  assert.equal(loaded.epoch, memory.epoch, "epoch");
  assert.deepEqual(header.fields, context.fields);
  const discounts = new Discounts();
  for (const id of idsOf(memory, loaded)) compareAllocation(id, memory, loaded, discounts);
  compareFragments(memory, loaded);
  comparePages(memory, loaded, discounts);
  assert.ok(loaded.ids.nextFresh <= memory.ids.nextFresh, "an id of the file counts as fresh in memory");
}

/** Framing that only one of the two sides has, by page and by id: memory's minus the loaded one's. */
class Discounts {
  readonly #bytes = new Map<string, number>();

  add(page: number, id: number, bytes: number): void {
    for (const key of [`page ${page}`, `id ${id}`]) this.#bytes.set(key, this.get(key) + bytes);
  }

  get(key: string): number {
    return this.#bytes.get(key) ?? 0;
  }
}

/** Files with ids beyond are compared by the ids that exist or have a live statement, others by all below the largest. */
const denseIds = 2 ** 14;

function idsOf(memory: StoreState, loaded: StoreState): Iterable<number> {
  const end = Math.max(memory.ids.nextFresh, loaded.ids.nextFresh);
  if (end <= denseIds) return Array.from({ length: end - 1 }, (_, i) => i + 1);
  const found = new Set<number>();
  for (const { allocations, slab } of [memory, loaded]) {
    const { existing } = allocations;
    for (let id = existing.next(1); id >= 0; id = existing.next(id + 1)) found.add(id);
    for (let slot = 1; slot < slab.end; slot++) if (slab.pins[slot]! > 0) found.add(slab.id[slot]!);
  }
  return found;
}

function describe({ slab }: StoreState, statement: number): string {
  if (statement === 0) return "none";
  return `page ${slab.page[statement]}, kind ${slab.kind[statement]}, id ${slab.id[statement]}, framing ${slab.framing[statement]}`;
}

function compareAllocation(id: number, memory: StoreState, loaded: StoreState, discounts: Discounts): void {
  const row = memory.allocations.row(id);
  const loadedRow = loaded.allocations.row(id);
  const ours = row < 0 ? 0 : memory.allocations.state[row]!;
  const theirs = loadedRow < 0 ? 0 : loaded.allocations.state[loadedRow]!;
  // A free id that no statement names is known to memory only, perhaps.
  if (theirs === 0) {
    assert.ok(ours !== idExisting, `allocation ${id} is not in the file`);
    if (row >= 0) assert.equal(memory.allocations.mentions[row], 0, `mentions of allocation ${id}`);
    return;
  }
  assert.equal(ours, theirs, `state of allocation ${id}`);
  const same = (column: "size" | "mentions"): void =>
    assert.equal(
      memory.allocations[column][row],
      loaded.allocations[column][loadedRow],
      `${column} of allocation ${id}`,
    );
  same("mentions");
  if (theirs !== idRecyclable) same("size");
  compareAnchors(id, row, loadedRow, memory, loaded, discounts);
  compareWitnesses(id, row, loadedRow, memory, loaded, discounts);
  assert.equal(
    memory.allocations.statementBytes[row]! - discounts.get(`id ${id}`),
    loaded.allocations.statementBytes[loadedRow],
    `statement bytes of allocation ${id}`,
  );
}

function compareAnchors(
  id: number,
  row: number,
  loadedRow: number,
  memory: StoreState,
  loaded: StoreState,
  discounts: Discounts,
): void {
  const { slab } = loaded;
  const ours = memory.allocations.anchor[row]!;
  const theirs = loaded.allocations.anchor[loadedRow]!;
  for (const tombstone of tombstonesOf(id, loaded)) {
    if (tombstonesOf(id, memory).size > 0) break;
    discounts.add(slab.page[tombstone]!, id, -slab.framing[tombstone]!);
    if (tombstone === theirs) {
      assert.equal(ours, 0, `allocation ${id} has an anchor that loading does not find`);
      return;
    }
  }
  assert.equal(describe(memory, ours), describe(loaded, theirs), `anchor of allocation ${id}`);
  if (ours !== 0)
    assert.equal(
      memory.allocations.anchorBound[row],
      loaded.allocations.anchorBound[loadedRow],
      `bound of the anchor of allocation ${id}`,
    );
}

/** Live tombstones of an existing id: its anchor, or the owner of zeros. */
function tombstonesOf(id: number, state: StoreState): ReadonlySet<number> {
  const { allocations, fragments, slab } = state;
  const found = new Set<number>();
  if (!allocations.exists(id)) return found;
  const anchor = allocations.anchor[allocations.row(id)]!;
  if (anchor !== 0 && slab.kind[anchor] === tagTombstone) found.add(anchor);
  for (let at = fragments.seek(id, 0); at >= 0 && fragments.keyId[at] === id; at = fragments.next(at)) {
    const statement = fragments.ref[at]!;
    if (fragments.kind[at] !== kindZeroByDefault && slab.kind[statement] === tagTombstone)
      found.add(statement);
  }
  return found;
}

function compareWitnesses(
  id: number,
  row: number,
  loadedRow: number,
  memory: StoreState,
  loaded: StoreState,
  discounts: Discounts,
): void {
  const { slab } = memory;
  const ours = memory.allocations.grow[row]!;
  const theirs = loaded.allocations.grow[loadedRow]!;
  if (theirs !== 0 || ours === 0) {
    assert.equal(describe(memory, ours), describe(loaded, theirs), `grow witness of allocation ${id}`);
    return;
  }
  discounts.add(slab.page[ours]!, id, slab.framing[ours]!);
}

interface RunOfBytes {
  readonly id: number;
  readonly from: number;
  readonly kind: number;
  readonly owner: string;
  readonly page: number;
  /** Page offset of byte 0 of the id, if it lay there. */
  readonly base: number;
}

/** Fragments in key order, neighbours joined that continue each other. */
function runsOf(state: StoreState): RunOfBytes[] {
  const { fragments, slab } = state;
  const runs: RunOfBytes[] = [];
  let lastRef = -1;
  for (let at = fragments.first(); at >= 0; at = fragments.next(at)) {
    const kind = fragments.kind[at]!;
    const ref = fragments.ref[at]!;
    const id = fragments.keyId[at]!;
    const from = fragments.keyOffset[at]!;
    const isDefault = kind === kindZeroByDefault || slab.kind[ref] === tagTombstone;
    const run = {
      id,
      from,
      kind: isDefault ? kindZeroByDefault : kind,
      owner: isDefault ? "none" : describe(state, ref),
      page: kind === kindBytes ? fragments.page[at]! : 0,
      base: kind === kindBytes ? fragments.pageOffset[at]! - from : 0,
    };
    const last = runs.at(-1);
    const continues =
      last !== undefined &&
      last.id === id &&
      last.kind === run.kind &&
      (isDefault || lastRef === ref) &&
      last.page === run.page &&
      last.base === run.base;
    if (!continues) runs.push(run);
    lastRef = ref;
  }
  return runs;
}

function compareFragments(memory: StoreState, loaded: StoreState): void {
  const ours = runsOf(memory);
  const theirs = runsOf(loaded);
  for (let i = 0; i < Math.max(ours.length, theirs.length); i++)
    assert.deepEqual(ours[i], theirs[i], "a run of bytes differs between memory and file");
}

function comparePages(memory: StoreState, loaded: StoreState, discounts: Discounts): void {
  assert.deepEqual(memory.rootChildren, loaded.rootChildren, "children of the header");
  assert.equal(memory.headerPage, loaded.headerPage, "slot of the header");
  const isLive = (state: StoreState, page: number): boolean =>
    page < state.pages.filePages &&
    (state.pages.state[page] === pageData || isTable(state.pages.state[page]!));
  for (let page = 0; page < Math.max(memory.pages.filePages, loaded.pages.filePages); page++) {
    assert.equal(isLive(memory, page), isLive(loaded, page), `whether page ${page} is in use`);
    const isHeader = memory.pages.state[page] === pageHeader;
    if (!isLive(loaded, page) && !isHeader) continue;
    assert.equal(memory.pages.state[page], loaded.pages.state[page], `state of page ${page}`);
    assert.equal(
      memory.pages.coverage[page]! - discounts.get(`page ${page}`),
      loaded.pages.coverage[page],
      `coverage of page ${page}`,
    );
    if (isHeader && page !== memory.headerPage) continue;
    // A store that verifies lazily does not know the pages it has not looked at.
    if (memory.pages.state[page] === pageData && memory.pages.written[page] === 0) continue;
    assert.equal(memory.pages.epoch[page], loaded.pages.epoch[page], `epoch of page ${page}`);
    assert.equal(memory.pages.written[page], loaded.pages.written[page], `content of page ${page}`);
  }
}
