/** When compaction mode runs, and which page it moves. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { resolveOptions, type StoreOptions } from "../options.ts";
import { pageData, pageLeaf } from "../state/pages.ts";
import { data, free, leaf, type PlannedPage, plannedState, repeated } from "../testing/planned-pages.ts";
import { Chosen } from "./chosen.ts";
import { Compaction, isHoled } from "./compaction.ts";

/** The mode over `pages`, at the beginning of a flush. */
function begun(pages: readonly PlannedPage[], options: StoreOptions = {}) {
  const state = plannedState(pages);
  const chosen = new Chosen(state);
  const compaction = new Compaction(state, resolveOptions(options), chosen);
  compaction.begin();
  return { state, chosen, compaction };
}

const isOn = (pages: readonly PlannedPage[], options: StoreOptions = {}): boolean =>
  begun(pages, options).compaction.isOn;

/** 98 pages behind the two headers, the last of them live: 100 in all. */
const hundredPages = (ready: number, retiring: number): PlannedPage[] => [
  ...repeated(ready, free("ready")),
  ...repeated(retiring, free("retiring")),
  ...repeated(98 - ready - retiring, data(3000)),
];

test("pages in quarantine are no holes", () => {
  assert.equal(isOn(hundredPages(5, 40)), false);
  assert.equal(isOn(hundredPages(26, 0)), true);
  assert.equal(isOn(hundredPages(26, 40)), true);
});

test("free pages above the tail are no holes", () => {
  const pages = [...repeated(10, free("ready")), ...repeated(38, data(3000)), ...repeated(50, free("ready"))];
  assert.equal(isOn(pages), false);
  assert.equal(isOn([...pages, data(1)]), true);
});

test("holes must be more than the share", () => {
  assert.equal(isOn(hundredPages(25, 0)), false);
  assert.equal(isOn(hundredPages(26, 0)), true);
  const { pages } = plannedState(hundredPages(25, 0));
  assert.equal(isHoled(pages, 99, 0.25), false);
  assert.equal(isHoled(pages, 99, 0.2499), true);
});

test("a share of 1 turns the mode off, whatever the file is like", () => {
  const pages = [...repeated(9998, free("ready")), data(1)];
  assert.equal(isOn(pages, { holeShare: 1 }), false);
  assert.equal(isOn(pages, { holeShare: 0.999 }), true);
});

test("a file with nothing live in it has no tail to move", () => {
  const { compaction } = begun(repeated(20, free("ready")));
  assert.equal(compaction.tail(), -1);
  assert.equal(compaction.movableTail(pageData), -1);
});

test("the tail is the highest live page that is neither skipped nor rewritten, past journal and free pages", () => {
  const pages: PlannedPage[] = [
    ...repeated(90, free("ready")),
    data(10),
    data(10),
    leaf(10),
    data(10),
    data(0),
    { kind: "journal" },
    free("retiring"),
  ];
  const { state, chosen, compaction } = begun(pages);
  assert.equal(compaction.tail(), 95);
  chosen.skipped.add(95);
  assert.equal(compaction.tail(), 94);
  state.rewritten.add(94);
  assert.equal(compaction.tail(), 93);
  state.uncover(93, 10);
  assert.equal(compaction.tail(), 92);
});

test("within a flush the tail only moves down; the next one looks from the end again", () => {
  const { chosen, compaction } = begun([...repeated(90, free("ready")), data(10), data(10)]);
  chosen.skipped.add(93);
  assert.equal(compaction.tail(), 92);
  chosen.begin();
  assert.equal(compaction.tail(), 92);
  compaction.begin();
  assert.equal(compaction.tail(), 93);
});

test("the tail moves only while a free page lies below it, and only in the mode", () => {
  const pages = [...repeated(30, data(4081)), ...repeated(30, free("ready")), data(4081), leaf(4000)];
  const { state, chosen, compaction } = begun(pages);
  assert.equal(compaction.movableTail(pageLeaf), 63);
  assert.equal(compaction.movableTail(pageData), -1);
  chosen.skipped.add(63);
  assert.equal(compaction.movableTail(pageData), 62);
  while (state.pages.ready.count > 0) state.pages.ready.takeLowest();
  assert.equal(compaction.movableTail(pageData), -1);
  const off = begun(pages, { holeShare: 0.9 });
  assert.equal(off.compaction.tail(), 63);
  assert.equal(off.compaction.movableTail(pageLeaf), -1);
  assert.equal(off.compaction.tailAbove(0), -1);
});

test("free pages above the tail are no reason to move it", () => {
  const { state, compaction } = begun([
    ...repeated(60, free("ready")),
    data(4081),
    ...repeated(5, free("ready")),
  ]);
  assert.equal(compaction.movableTail(pageData), 62);
  while (state.pages.ready.lowest() < 62) state.pages.ready.takeLowest();
  assert.equal(state.pages.ready.count, 5);
  assert.equal(compaction.movableTail(pageData), -1);
});

test("free filling takes the tail only if it is a data page above the page that is filled", () => {
  const { chosen, compaction } = begun([...repeated(60, free("ready")), data(10), leaf(10)]);
  assert.equal(compaction.tailAbove(5), -1);
  chosen.skipped.add(63);
  assert.equal(compaction.tailAbove(5), 62);
  assert.equal(compaction.tailAbove(61), 62);
  assert.equal(compaction.tailAbove(62), -1);
});
