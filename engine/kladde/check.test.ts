/** `check()` finds every kind of broken counter and invariant, and says which. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AssertionError } from "../errors.ts";
import { MemoryFile } from "../storage/memory.ts";
import { checkDataBytes } from "./check/pages.ts";
import { checkState } from "./check.ts";
import type { FlushContext } from "./flush/context.ts";
import { tagGrow, tagShrink, tagTombstone } from "./format/statement.ts";
import { Store } from "./index.ts";
import { kindBytes, kindZero, kindZeroByDefault } from "./state/fragments.ts";
import { pageClaimed, pageData, pageJournal, pageLeaf, pageReady, pageRetiring } from "./state/pages.ts";
import { releaseAnchor, releaseGrow } from "./state/sizes.ts";
import type { StoreState } from "./state/state.ts";
import { fileOf, headerPage, type Statement, tableContent } from "./testing/pages.ts";
import { contextOf } from "./testing/reload.ts";
import { Shelf } from "./testing/shelf.ts";

const filled = (bytes: number, value: number): Uint8Array => new Uint8Array(bytes).fill(value);

/** A store with everything in it: leaves, data pages, anchors, witnesses, tombstones, free and retiring pages. */
function sample(): FlushContext {
  const shelf = new Shelf();
  const { store } = shelf;
  const [shrunk, grown, large, freed, empty] = [0, 0, 9000, 0, 0].map((size) => store.alloc(size));
  for (const id of [shrunk!, grown!, freed!]) store.write(id, 0, filled(150, 1));
  store.write(large!, 100, filled(8000, 2));
  shelf.shelve(freed!);
  store.resize(shrunk!, 70);
  store.resize(grown!, 900);
  store.free(freed!);
  store.flush();
  store.resize(empty!, 30);
  store.write(large!, 4000, filled(300, 3));
  store.flush();
  store.resize(grown!, 1000);
  store.resize(shrunk!, 80);
  store.flush();
  const context = contextOf(store);
  checkState(context);
  return context;
}

/** The first page in a state; there must be one. */
function pageIn({ pages }: StoreState, state: number): number {
  const page = pages.state.subarray(0, pages.filePages).indexOf(state);
  assert.ok(page >= 0, `the sample has no page of state ${state}`);
  return page;
}

/** Position of the first fragment of a kind. */
function fragmentOf({ fragments }: StoreState, kind: number): number {
  for (let at = fragments.first(); at >= 0; at = fragments.next(at))
    if (fragments.kind[at] === kind) return at;
  assert.fail(`the sample has no fragment of kind ${kind}`);
}

/** The first live statement of a kind, and the row of its allocation. */
function statementOf({ slab, allocations }: StoreState, kind: number): { slot: number; row: number } {
  for (let slot = 1; slot < slab.end; slot++)
    if (slab.pins[slot]! > 0 && slab.kind[slot] === kind)
      return { slot, row: allocations.row(slab.id[slot]!) };
  assert.fail(`the sample has no statement of kind ${kind}`);
}

const holder = (state: StoreState, kind: number): number => statementOf(state, kind).row;
const firstId = (state: StoreState): number => state.allocations.existing.next(1);
const firstRow = (state: StoreState): number => state.allocations.row(firstId(state));

type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;
type Breaking = readonly [
  what: string,
  item: RegExp,
  breakIt: (state: StoreState, context: FlushContext) => void,
];

const add = (column: Column, at: number, change: number): void => put(column, at, column[at]! + change);

function put(column: Column, at: number, value: number): void {
  column[at] = value;
}

const noSlots = new Uint32Array(0);

const breakings: readonly Breaking[] = [
  ["a gap between fragments", /item [14]\b/, (s) => add(s.fragments.keyOffset, fragmentOf(s, kindZero), 1)],
  ["an id that is no member any more", /item/, (s) => s.allocations.existing.delete(firstId(s))],
  ["the sum of sizes", /item 1\b/, (s) => s.allocations.bytes++],
  ["a record of a flush", /item 1\b/, (s) => put(s.allocations.record, firstRow(s), 1)],
  ["a pending row", /item 1\b/, (s) => void s.pending.push(0, 0, 0, 0, 0)],
  ["a count of fragments", /item 2\b/, (s) => add(s.allocations.fragments, firstRow(s), 1)],
  ["pins too many", /item 3\b/, (s) => add(s.slab.pins, statementOf(s, tagShrink).slot, 1)],
  ["pins too few", /item [36]\b/, (s) => add(s.slab.pins, s.fragments.ref[fragmentOf(s, kindBytes)]!, -1)],
  ["a slot of another page", /item [34]\b/, (s) => add(s.slab.page, statementOf(s, tagGrow).slot, 1)],
  ["the count of live statements", /item 3\b/, (s) => s.slab.count--],
  ["a slot that is neither free nor used", /item 3\b/, (s) => void s.slab.end++],
  [
    "a slot kept for another statement",
    /item 3\b/,
    (s) => s.pages.statementSlots.get(s.headerPage)!.reverse(),
  ],
  [
    "slots kept for more statements",
    /item 3\b/,
    (s) => s.pages.statementSlots.set(s.headerPage, new Uint32Array(99)),
  ],
  [
    "slots kept for a page that has left",
    /item 3\b/,
    (s) => s.pages.statementSlots.set(pageIn(s, pageReady), noSlots),
  ],
  ["a size", /item 4\b/, (s) => add(s.allocations.size, firstRow(s), 1)],
  ["a lost anchor", /item 4\b/, (s) => put(s.allocations.anchor, holder(s, tagShrink), 0)],
  ["an anchor that is let go", /item 4\b/, (s) => releaseAnchor(s, holder(s, tagShrink))],
  ["a tombstone that is let go", /item 4\b/, (s) => releaseAnchor(s, holder(s, tagTombstone))],
  ["a witness that is let go", /item 4\b/, (s) => releaseGrow(s, holder(s, tagGrow))],
  ["a lost tombstone", /item [46]\b/, (s) => put(s.allocations.anchor, holder(s, tagTombstone), 0)],
  ["the bound of an anchor", /item 4\b/, (s) => add(s.allocations.anchorBound, holder(s, tagShrink), -1)],
  ["a lost witness", /item [46]\b/, (s) => put(s.allocations.grow, holder(s, tagGrow), 0)],
  ["the bound of a witness", /item 4\b/, (s) => add(s.allocations.growBound, holder(s, tagGrow), -1)],
  [
    "zeros without an owner",
    /item 4\b/,
    (s) => put(s.fragments.kind, fragmentOf(s, kindZero), kindZeroByDefault),
  ],
  [
    "bytes from the place beside",
    /item 4\b/,
    (s) => add(s.fragments.pageOffset, fragmentOf(s, kindBytes), 1),
  ],
  ["bytes from another page", /item 4\b/, (s) => add(s.fragments.page, fragmentOf(s, kindBytes), 1)],
  ["coverage of a data page", /item 5\b/, (s) => add(s.pages.coverage, pageIn(s, pageData), 1)],
  ["coverage of a leaf", /item 5\b/, (s) => add(s.pages.coverage, pageIn(s, pageLeaf), -1)],
  ["coverage of the header", /item 5\b/, (s) => add(s.pages.coverage, s.headerPage, 1)],
  ["coverage of the other slot", /item 5\b/, (s) => add(s.pages.coverage, 1 - s.headerPage, 1)],
  ["coverage of a retiring page", /item 5\b/, (s) => add(s.pages.coverage, pageIn(s, pageRetiring), 1)],
  ["coverage of a ready page", /item 5\b/, (s) => add(s.pages.coverage, pageIn(s, pageReady), 1)],
  ["an allocation's live framing", /item 6\b/, (s) => add(s.allocations.statementBytes, firstRow(s), 1)],
  ["mentions of an existing id", /item 7\b/, (s) => add(s.allocations.mentions, firstRow(s), -1)],
  ["mentions of a free id", /item 7\b/, (s) => add(s.allocations.mentions, holder(s, tagTombstone), 1)],
  ["a child that is not listed", /item 8\b/, (s) => void s.rootChildren.pop()],
  ["a table page that is not resident", /item 8\b/, (s) => s.pages.resident.delete(pageIn(s, pageLeaf))],
  ["the epoch of a table page", /item 8\b/, (s) => add(s.pages.epoch, pageIn(s, pageLeaf), -1)],
  ["the epoch of a data page", /item 8\b/, (s) => put(s.pages.epoch, pageIn(s, pageData), s.epoch + 1)],
  ["the content of a table page", /item 8\b/, (s) => add(s.pages.written, s.headerPage, -1)],
  ["the content of a data page", /item 8\b/, (s) => put(s.pages.written, pageIn(s, pageData), 1)],
  ["a page that is resident for nothing", /item 8\b/, (s) => s.pages.resident.set(99, new Uint8Array(0))],
  ["a leaf taken for a data page", /item/, (s) => put(s.pages.state, pageIn(s, pageLeaf), pageData)],
  ["a ready page that nobody hands out", /item 11\b/, (s) => s.pages.ready.delete(pageIn(s, pageReady))],
  ["a page in use that is handed out", /item 11\b/, (s) => s.pages.ready.add(pageIn(s, pageData))],
  ["a retiring page that is forgotten", /item 11\b/, (s) => void s.pages.retiring.pop()],
  ["a page that retires twice", /item 11\b/, (s) => s.pages.retiring.push(s.pages.retiring[0]!)],
  ["a page still claimed", /item 11\b/, (s) => put(s.pages.state, pageIn(s, pageRetiring), pageClaimed)],
  ["a page after the end", /item 11\b/, (s) => s.pages.extendTo(s.pages.filePages + 1)],
  ["the journal's page", /item 11\b/, (s) => put(s.pages.state, pageIn(s, pageJournal), pageRetiring)],
  ["the promise", /item 11\b/, (_, c) => Object.assign(c, { fields: { ...c.fields, journalPointer: 2000 } })],
  ["an existing id in the pool", /item 12\b/, (s) => s.ids.recycle(firstId(s), false)],
  ["a known id that counts as fresh", /item 12\b/, (s) => Object.assign(s.ids, { nextFresh: 5 })],
];

describe("a broken state is found", () => {
  for (const [what, item, breakIt] of breakings)
    test(what, () => {
      const context = sample();
      breakIt(context.state, context);
      assert.throws(
        () => checkState(context),
        (error) => error instanceof AssertionError && item.test(error.message),
      );
    });
});

test("item 9: bytes of a data page with two owners", () => {
  const { state } = sample();
  const { fragments, pages } = state;
  checkDataBytes(state, -1);
  let last = -1;
  for (let at = fragments.first(); at >= 0; at = fragments.next(at)) {
    if (fragments.kind[at] !== kindBytes || pages.state[fragments.page[at]!] !== pageData) continue;
    if (last >= 0 && fragments.page[last] === fragments.page[at]) {
      fragments.pageOffset[at] = fragments.pageOffset[last]!;
      assert.throws(() => checkDataBytes(state, -1), /item 9\b/);
      // Pages of an earlier session may be another writer's.
      checkDataBytes(state, state.epoch);
      return;
    }
    last = at;
  }
  assert.fail("no two fragments share a page");
});

describe("item 10: one epoch says a thing once", () => {
  const conflicts: readonly (readonly [string, readonly Statement[]])[] = [
    [
      "a Grow beside a Shrink",
      [
        ["shrink", 1, 5],
        ["grow", 1, 5],
      ],
    ],
    [
      "two Grows",
      [
        ["grow", 1, 5],
        ["grow", 1, 6],
      ],
    ],
    [
      "a Grow in front of content",
      [
        ["grow", 1, 5],
        ["zero", 1, 6, 2],
      ],
    ],
    [
      "content of length 0",
      [
        ["zero", 1, 6, 0],
        ["grow", 1, 9],
      ],
    ],
  ];
  for (const [what, statements] of conflicts)
    test(`${what}: forgiven in another writer's pages, not in ours`, () => {
      const header = headerPage(4, tableContent([], statements), { journalPointer: 2 });
      const context = contextOf(Store.openReadOnly(new MemoryFile("file", fileOf([header, undefined]))));
      checkState(context);
      context.counters.flushes = 9;
      assert.throws(() => checkState(context), /item 10\b/);
    });
});

test("item 12: an id in use since the last flush", () => {
  const store = Store.create(new MemoryFile());
  const id = store.alloc(5);
  store.check();
  contextOf(store).state.ids.recycle(id, false);
  assert.throws(() => store.check(), /item 12\b/);
});
