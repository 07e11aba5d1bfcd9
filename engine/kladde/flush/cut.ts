/**
 * The cut: table pages that leave are unlinked, and the statements of the flush are laid out, encoded and bound.
 *
 *  (1) Unlinking comes before deriving: whether a tombstone is stated depends on what still names its id.
 *  (2) The new pages carry the flush's epoch before anything is bound to them.
 *  (3) Releases come before bindings.
 *  (4) A leaf that becomes empty only while binding stays linked until the next flush: a child reference names it.
 *  (5) Afterwards no fragment is pending, and nothing relies on a page that leaves.
 *
 * Cost: O(statements · log fragments), one page write per leaf that does not fit the header.
 */

import { assert } from "../../errors.ts";
import {
  addressPage,
  contentCapacity,
  contentOffset,
  headerContentCapacity,
  headerContentOffset,
  pageBytes,
  pageKindTable,
} from "../format/layout.ts";
import { sealPage } from "../format/page.ts";
import {
  childListBytes,
  StatementReader,
  tagGrow,
  tagInline,
  tagShrink,
  tagTombstone,
  tagZero,
  writeChildren,
  writeStatement,
} from "../format/statement.ts";
import { kindBytes, kindZero } from "../state/fragments.ts";
import { pageClaimed, pageHeader, pageInterior, pageLeaf } from "../state/pages.ts";
import { dropPhysically, releaseAnchor, releaseGrow, setAnchor, setGrow } from "../state/sizes.ts";
import { readResident } from "../state/taking.ts";
import { copyPending, type FlushContext } from "./context.ts";
import { deriveStatements, type Releases } from "./derive.ts";
import { allFit, chooseHot, emptyChildListBytes, headerRoom, headerRoomStep, TableRows } from "./layout.ts";
import { allInteriors, childListBytesMax, planTree, stayingLeaves, type Tree } from "./leaves.ts";

/** What the commit must know of the new table. */
export interface CutTable {
  readonly headerPage: number;
  readonly headerContentBytes: number;
  readonly rootChildren: readonly number[];
  readonly leaves: readonly number[];
  /** Table pages that the new header does not reach. */
  readonly dropped: readonly number[];
}

interface Layout {
  readonly leaves: readonly number[];
  readonly tree: Tree;
  readonly interiorPages: readonly number[];
  readonly rootChildren: readonly number[];
}

const rows = new TableRows();

export function cutAddressTable(flush: FlushContext): CutTable {
  const { state } = flush;
  const releases: Releases = { anchors: [], grows: [] };
  flush.joins.length = 0;
  unlinkEmptied(flush);
  flush.derived.clear();
  deriveStatements(state, flush.options.inlineThreshold, flush.derived, releases);
  const layout = layOut(flush, releases);
  const headerPage = (state.epoch + 1) % 2;
  claimTablePages(flush, layout, headerPage);
  carryOut(flush, releases);
  const headerContentBytes = writeHeaderContent(flush, layout, headerPage);
  layout.leaves.forEach((page, i) => {
    writeLeaf(flush, page, i + 1);
  });
  joinRuns(flush);
  const dropped = [...state.rewritten].filter((page) => page !== state.headerPage);
  for (const page of allInteriors(state))
    if (!layout.tree.kept.includes(page) && !state.rewritten.has(page)) dropped.push(page);
  for (const page of dropped) dropChildReferences(flush, page);
  dropChildReferences(flush, state.headerPage);
  for (const page of state.rewritten)
    assert(
      state.pages.coverage[page] === 0,
      `page ${page} leaves while ${state.pages.coverage[page]} bytes of it are needed`,
    );
  const { leaves, rootChildren } = layout;
  return { headerPage, headerContentBytes, rootChildren, leaves, dropped };
}

const reader = new StatementReader();

/** Drops the leaves that nothing relies on; a tombstone that this releases may empty another. */
function unlinkEmptied(flush: FlushContext): void {
  const { state } = flush;
  const { pages } = state;
  const drained = state.emptied;
  for (let next = 0; next < drained.length; next++) {
    const page = drained[next]!;
    if (pages.state[page] !== pageLeaf || pages.coverage[page] !== 0 || state.rewritten.has(page)) continue;
    state.rewritten.add(page);
    readResident(state, page, reader);
    while (reader.next()) dropPhysically(state, reader.id);
  }
  state.emptied = drained.filter((page) => pages.state[page] !== pageLeaf);
}

/** Decides what lies where: first what must be stated, then what reclamation puts into the room left over. */
function layOut(flush: FlushContext, releases: Releases): Layout {
  const { state } = flush;
  const staying = stayingLeaves(state);
  const droppedBefore = state.rewritten.size;
  const leaves = assignRows(flush, staying);
  const listBytes = childListBytesMax(staying, leaves.length);
  const capacity =
    leaves.length > 0
      ? contentCapacity - emptyChildListBytes
      : headerContentCapacity - listBytes - fillerSpareBytes;
  fillRoom(flush, releases, capacity);
  while (leaves.length < rows.leaves) leaves.push(state.pages.take(pageClaimed));
  const stayingNow = state.rewritten.size === droppedBefore ? staying : stayingLeaves(state);
  const tree = planTree(state, stayingNow, leaves);
  const interiorPages = tree.interiors.map(() => state.pages.take(pageClaimed));
  const rootChildren = [...tree.direct, ...tree.kept, ...interiorPages].sort((a, b) => a - b);
  return { leaves, tree, interiorPages, rootChildren };
}

/** Bytes of the header that fillers leave for references to a leaf that they spill into. */
const fillerSpareBytes = 16;

/** Distributes the statements over header and new leaves, and claims pages for the leaves. */
function assignRows(flush: FlushContext, staying: readonly number[]): number[] {
  const { state, derived } = flush;
  const childBytes = (newLeaves: number): number => childListBytesMax(staying, newLeaves);
  const leaves: number[] = [];
  if (allFit(derived, headerContentCapacity - childBytes(0))) {
    derived.hot.fill(1, 0, derived.count);
    rows.assign(derived);
    return leaves;
  }
  // The room is an estimate: how many leaves the rest fills decides whether the header names them itself.
  for (let room = headerRoom(derived, childBytes); ; room -= headerRoomStep) {
    const hotBytes = chooseHot(derived, room);
    rows.assign(derived);
    while (leaves.length < rows.leaves) leaves.push(state.pages.take(pageClaimed));
    const tree = planTree(state, staying, leaves);
    const listBytes = tree.interiors.length > 0 ? childBytes(leaves.length) : childListBytes(tree.direct);
    if (hotBytes + listBytes <= headerContentCapacity) return leaves;
  }
}

/** Offers the last page's room, and adds what was restated to it. */
function fillRoom(flush: FlushContext, releases: Releases, capacity: number): void {
  const { state, derived } = flush;
  const first = derived.count;
  const room = capacity - rows.bytes(derived, rows.leaves);
  state.hooks.fillTablePage(Math.max(0, room));
  deriveStatements(state, flush.options.inlineThreshold, derived, releases);
  if (derived.count > first) rows.join(derived, first, capacity);
}

/** The new pages become what they are, with the flush's epoch, before anything is bound to them. */
function claimTablePages(flush: FlushContext, layout: Layout, headerPage: number): void {
  const { pages } = flush.state;
  const epoch = flush.state.epoch + 1;
  const claim = (page: number, state: number): void => {
    pages.state[page] = state;
    pages.epoch[page] = epoch;
    pages.coverage[page] = 0;
    pages.resident.set(page, new Uint8Array(pageBytes));
  };
  claim(headerPage, pageHeader);
  for (const page of layout.leaves) claim(page, pageLeaf);
  layout.interiorPages.forEach((page, i) => {
    claim(page, pageInterior);
    const children = [...layout.tree.interiors[i]!];
    pages.children.set(page, children);
    const bytes = pages.resident.get(page)!;
    const end = writeChildren(bytes, contentOffset, children);
    flush.state.cover(page, end - contentOffset);
    finishTablePage(flush, page, end - contentOffset);
  });
}

function carryOut(flush: FlushContext, releases: Releases): void {
  const { state } = flush;
  for (const id of releases.anchors) releaseAnchor(state, state.allocations.row(id));
  for (const id of releases.grows) releaseGrow(state, state.allocations.row(id));
}

function writeHeaderContent(flush: FlushContext, layout: Layout, headerPage: number): number {
  const bytes = flush.state.pages.resident.get(headerPage)!;
  const afterChildren = writeChildren(bytes, headerContentOffset, layout.rootChildren);
  flush.state.cover(headerPage, afterChildren - headerContentOffset);
  const end = writeRows(flush, headerPage, bytes, afterChildren, 0);
  assert(end - headerContentOffset <= headerContentCapacity, "the header overflows");
  flush.state.pages.written[headerPage] = end - headerContentOffset;
  return end - headerContentOffset;
}

function writeLeaf(flush: FlushContext, page: number, index: number): void {
  const bytes = flush.state.pages.resident.get(page)!;
  const start = writeChildren(bytes, contentOffset, []);
  const end = writeRows(flush, page, bytes, start, index);
  assert(end - contentOffset <= contentCapacity, `leaf ${page} overflows`);
  finishTablePage(flush, page, end - contentOffset);
}

function finishTablePage(flush: FlushContext, page: number, contentBytes: number): void {
  const { pages } = flush.state;
  const bytes = pages.resident.get(page)!;
  sealPage(bytes, false, pageKindTable, pages.epoch[page]!, contentBytes, flush.file.crc32c);
  pages.written[page] = contentBytes;
  flush.staging.add(page).set(bytes);
  flush.counters.tablePagesWritten++;
}

/** Encodes and binds the rows of page `index` of the layout, and returns the position behind them. */
function writeRows(
  flush: FlushContext,
  page: number,
  bytes: Uint8Array,
  start: number,
  index: number,
): number {
  const { derived } = flush;
  let at = start;
  let lastId = 0;
  let lastCursor = 0;
  const first = rows.bounds[index]!;
  const end = rows.bounds[index + 1]!;
  const slots = new Uint32Array(end - first);
  flush.state.pages.statementSlots.set(page, slots);
  for (let next = first; next < end; next++) {
    const row = rows.order[next]!;
    const kind = derived.kind[row]!;
    const id = derived.id[row]!;
    const offset = derived.offset[row]!;
    const size = derived.size[row]!;
    const payloadAt = writeStatement(
      bytes,
      at,
      kind,
      id,
      offset,
      size,
      derived.address[row]!,
      lastId,
      lastCursor,
    );
    slots[next - first] = bind(flush, row, page, payloadAt - at, bytes, payloadAt);
    at = kind === tagInline ? payloadAt + size : payloadAt;
    lastId = id;
    lastCursor = derived.cursor(row);
  }
  return at;
}

/** Gives statement `row` its slot, which is returned, and its holders; an inline payload is copied to `payloadAt`. */
function bind(
  flush: FlushContext,
  row: number,
  page: number,
  framing: number,
  bytes: Uint8Array,
  payloadAt: number,
): number {
  const { state, derived } = flush;
  const { allocations } = state;
  const id = derived.id[row]!;
  const kind = derived.kind[row]!;
  const idRow = allocations.row(id);
  const slot = state.slab.alloc(page, framing, id, kind);
  allocations.mentions[idRow]!++;
  allocations.statementBytes[idRow]! += framing;
  state.cover(page, framing);
  if (kind === tagShrink) setAnchor(state, idRow, slot, derived.offset[row]!);
  else if (kind === tagTombstone) setAnchor(state, idRow, slot, 0);
  else if (kind === tagGrow) setGrow(state, idRow, slot, derived.offset[row]!);
  else bindContent(flush, row, idRow, slot, page, bytes, payloadAt);
  return slot;
}

function bindContent(
  flush: FlushContext,
  row: number,
  idRow: number,
  slot: number,
  page: number,
  bytes: Uint8Array,
  payloadAt: number,
): void {
  const { state, derived } = flush;
  const id = derived.id[row]!;
  // Positions hold as long as no fragment came or went since the statements were derived.
  const isValid = state.fragments.version === derived.version;
  const at = isValid ? derived.at[row]! : state.fragmentAt(id, derived.offset[row]!);
  if (derived.kind[row] === tagInline) {
    copyPayload(flush, at, derived.run[row]!, id, idRow, bytes, payloadAt);
    state.cover(page, derived.size[row]!);
  }
  if (derived.run[row] === 1) bindFragments(flush, row, idRow, at, slot, page, payloadAt);
  else flush.joins.push({ row, idRow, slot, page, payloadAt });
}

/** Joining fragments moves others, so it waits until all else is bound. */
function joinRuns(flush: FlushContext): void {
  const { state, derived, joins } = flush;
  for (const { row, idRow, slot, page, payloadAt } of joins) {
    const at = state.fragmentAt(derived.id[row]!, derived.offset[row]!);
    bindFragments(flush, row, idRow, at, slot, page, payloadAt);
  }
}

function bindFragments(
  flush: FlushContext,
  row: number,
  idRow: number,
  at: number,
  slot: number,
  page: number,
  payloadAt: number,
): void {
  const { state, derived } = flush;
  const run = derived.run[row]!;
  const kind = derived.kind[row]!;
  if (kind === tagZero) state.bindRun(at, run, idRow, kindZero, slot, 0, 0);
  else if (kind === tagInline) state.bindRun(at, run, idRow, kindBytes, slot, page, payloadAt);
  else {
    const address = derived.address[row]!;
    const dataPage = addressPage(address);
    state.bindRun(at, run, idRow, kindBytes, slot, dataPage, address - dataPage * pageBytes);
  }
}

function copyPayload(
  flush: FlushContext,
  first: number,
  run: number,
  id: number,
  idRow: number,
  into: Uint8Array,
  payloadAt: number,
): void {
  const { state } = flush;
  const size = state.allocations.size[idRow]!;
  let to = payloadAt;
  for (let at = first, i = 0; i < run; i++, at = state.fragments.next(at)) {
    const length = state.fragmentEnd(at, id, size) - state.fragments.keyOffset[at]!;
    copyPending(flush, state.fragments.ref[at]!, 0, length, into, to);
    to += length;
  }
}

/** The child references of a page that leaves are not needed any more. */
function dropChildReferences(flush: FlushContext, page: number): void {
  const { pages } = flush.state;
  const children = page === flush.state.headerPage ? flush.state.rootChildren : pages.children.get(page);
  if (children !== undefined) flush.state.uncover(page, childListBytes(children));
}
