/**
 * What must hold of reclamation's own books, after every flush and every open of a store that consolidates.
 *
 *   item  what is true
 *    1    every fragment in a data page lies in a range that the reverse index has for the page, and no range of a page
 *         overlaps another
 *    2    the queues hold the live data pages and the leaves that something needs, each in the bucket of its coverage
 *    3    the survivors of every page that is asked for add up to its coverage
 *    4    no two statements of one epoch in the file's table state the same byte
 *    5    the budget is a number within its bounds
 *
 * The consolidator keeps its parts to itself; they are found by the calls that it makes on them.
 *
 * Cost: a pass over fragments, pages and statements.
 */

import { assert } from "../../errors.ts";
import type { Store } from "../index.ts";
import { bucketOf } from "../reclaim/buckets.ts";
import { ChurnFloorPolicy } from "../reclaim/churn-floor.ts";
import { ReverseIndex } from "../reclaim/reverse.ts";
import { Survivors } from "../reclaim/survivors.ts";
import { kindBytes } from "../state/fragments.ts";
import { pageData, pageLeaf } from "../state/pages.ts";
import { contextOf } from "./reload.ts";
import { requireStatedOnce } from "./stated-once.ts";

/** Runs `step`, in which `prototype[method]` is only noted, and returns what it was called on. */
function caller<T extends object>(prototype: T, method: keyof T, step: () => void): T | undefined {
  const original = prototype[method];
  let found: T | undefined;
  const noting = function (this: T): void {
    found = this;
  };
  prototype[method] = noting as T[keyof T];
  try {
    step();
  } finally {
    prototype[method] = original;
  }
  return found;
}

/** The store's reverse index; undefined while it does not consolidate. */
export const reverseIndexOf = (store: Store): ReverseIndex | undefined =>
  caller(ReverseIndex.prototype, "note", () => contextOf(store).state.hooks.noteReverse(0, 0, 0, 0));

/** The store's policy; undefined while it does not consolidate. */
export const policyOf = (store: Store): ChurnFloorPolicy | undefined =>
  caller(ChurnFloorPolicy.prototype, "pageLive", () => contextOf(store).state.hooks.pageLive(0));

/** Throws if one of items 1, 2, 4 and 5 does not hold. */
export function checkReclaim(store: Store): void {
  const index = reverseIndexOf(store);
  if (index !== undefined) requireReferrers(store, index);
  const policy = policyOf(store);
  if (policy !== undefined) {
    requireQueues(store, policy);
    const { budgetMin, budgetMax } = contextOf(store).options;
    const { budget } = policy;
    assert(budget >= budgetMin && budget <= budgetMax, `item 5: a budget of ${budget} pages`);
  }
  requireStatedOnce(contextOf(store));
}

interface Range {
  readonly id: number;
  readonly from: number;
  readonly to: number;
}

function rangesOf(index: ReverseIndex, page: number): Range[] {
  const ranges: Range[] = [];
  for (let slot = index.first(page); slot !== 0; slot = index.next[slot]!)
    ranges.push({ id: index.id[slot]!, from: index.from[slot]!, to: index.to[slot]! });
  return ranges.sort((a, b) => a.id - b.id || a.from - b.from);
}

/** Item 1. */
function requireReferrers(store: Store, index: ReverseIndex): void {
  const { state } = contextOf(store);
  const { fragments, pages, allocations } = state;
  const ranges = new Map<number, readonly Range[]>();
  for (let page = 0; page < pages.filePages; page++) {
    const found = rangesOf(index, page);
    if (found.length > 0) ranges.set(page, found);
    found.forEach(({ id, from, to }, i) => {
      const before = found[i - 1];
      if (before !== undefined && before.id === id && before.to > from)
        assert(false, `item 1: page ${page} has bytes ${from} to ${to} of allocation ${id} noted twice`);
    });
  }
  for (let at = fragments.first(); at >= 0; at = fragments.next(at)) {
    const page = fragments.page[at]!;
    if (fragments.kind[at] !== kindBytes || pages.state[page] !== pageData) continue;
    const id = fragments.keyId[at]!;
    const end = state.fragmentEnd(at, id, allocations.sizeOf(id));
    if (!isCovered(ranges.get(page) ?? [], id, fragments.keyOffset[at]!, end))
      assert(false, `item 1: page ${page} does not know of allocation ${id} at ${fragments.keyOffset[at]}`);
  }
}

function isCovered(ranges: readonly Range[], id: number, from: number, to: number): boolean {
  let covered = from;
  for (const range of ranges)
    if (range.id === id && range.from <= covered && range.to > covered) covered = range.to;
  return covered >= to;
}

/** Item 2. */
function requireQueues(store: Store, policy: ChurnFloorPolicy): void {
  const { pages } = contextOf(store).state;
  const found = new Map<number, string>();
  for (const [name, queue] of [
    ["data", policy.data],
    ["leaf", policy.leaves],
  ] as const)
    queue.lists.forEach((list, bucket) => {
      for (const page of list.pages.subarray(0, list.count)) {
        if (found.has(page)) assert(false, `item 2: page ${page} is in two lists`);
        found.set(page, `${name} ${bucket}`);
      }
    });
  for (let page = 0; page < pages.filePages; page++) {
    const kind = pages.state[page];
    const isQueued = (kind === pageData || kind === pageLeaf) && pages.coverage[page]! > 0;
    const expected = `${kind === pageData ? "data" : "leaf"} ${bucketOf(pages.coverage[page]!)}`;
    if (found.get(page) !== (isQueued ? expected : undefined))
      assert(false, `item 2: page ${page} is in ${found.get(page)}, not in ${isQueued ? expected : "none"}`);
    found.delete(page);
  }
  if (found.size > 0) assert(false, `item 2: page ${[...found.keys()][0]} is not in the file`);
}

/** From now on a page whose survivors are not all known is an error, where a store would leave it alone (item 3). */
export function failOnLostReferrers(): void {
  const { find } = Survivors.prototype;
  if (loud.has(find)) return;
  const loudFind = function (this: Survivors, page: number): boolean {
    const isFound = find.call(this, page);
    if (!isFound) assert(false, `item 3: a referrer of page ${page} was lost`);
    return isFound;
  };
  loud.add(loudFind);
  Survivors.prototype.find = loudFind;
}

const loud = new WeakSet<Survivors["find"]>();
