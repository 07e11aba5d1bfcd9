/** The budget controller and the churn floor of the default policy. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../../storage/memory.ts";
import { contentCapacity } from "../format/layout.ts";
import { Store } from "../index.ts";
import type { StoreOptions } from "../options.ts";
import { pageData, pageInterior, pageLeaf } from "../state/pages.ts";
import { bytesOf } from "../testing/perform.ts";
import { plannedPolicy, plannedState } from "../testing/planned-pages.ts";
import { policyOf } from "../testing/reclaim-oracle.ts";
import { contextOf } from "../testing/reload.ts";
import type { ChurnFloorPolicy } from "./churn-floor.ts";

const policyWith = (options: StoreOptions): ChurnFloorPolicy => plannedPolicy(plannedState([]), options);

test("the largest victim of a budget page leaves as much free as it writes, times the floor", () => {
  for (const [churnFloor, expected] of [
    [0.5, 2720],
    [1, 2040],
    [2, 1360],
  ] as const)
    assert.equal(policyWith({ churnFloor }).victimBytesMax, expected);
});

test("what comes free must be the floor's multiple of what is written, exactly", () => {
  const half = policyWith({ churnFloor: 0.5 });
  assert.equal(half.pays(500, 1000), true);
  assert.equal(half.pays(499, 1000), false);
  const two = policyWith({ churnFloor: 2 });
  assert.equal(two.pays(2000, 1000), true);
  assert.equal(two.pays(1999, 1000), false);
});

test("the budget moves by the exponential of four times what is missing to the target", () => {
  const policy = policyWith({ targetFill: 0.8, budgetStart: 8 });
  policy.committed(0.7);
  assert.ok(Math.abs(policy.budget - 8 * Math.exp(0.4)) < 1e-9);
  policy.committed(0.8);
  assert.ok(Math.abs(policy.budget - 8 * Math.exp(0.4)) < 1e-9);
  policy.committed(0.95);
  assert.ok(Math.abs(policy.budget - 8 * Math.exp(-0.2)) < 1e-9);
});

test("it stays within its bounds, and comes back from either at once", () => {
  const policy = policyWith({ targetFill: 0.8 });
  for (let i = 0; i < 20; i++) policy.committed(0.1);
  assert.equal(policy.budget, 256);
  policy.committed(0.9);
  assert.ok(Math.abs(policy.budget - 256 * Math.exp(-0.4)) < 1e-9);
  for (let i = 0; i < 40; i++) policy.committed(1);
  assert.equal(policy.budget, 1);
  policy.committed(0.7);
  assert.ok(Math.abs(policy.budget - Math.exp(0.4)) < 1e-9);
});

test("bounds of the options are kept to, by the start value too", () => {
  const policy = policyWith({ budgetStart: 100, budgetMin: 2, budgetMax: 5 });
  assert.equal(policy.budget, 5);
  for (let i = 0; i < 20; i++) policy.committed(1);
  assert.equal(policy.budget, 2);
  policy.resume(1e9);
  assert.equal(policy.budget, 5);
  policy.resume(0.001);
  assert.equal(policy.budget, 2);
});

test("a flush may use the budget rounded to whole pages", () => {
  const policy = policyWith({});
  for (const [budget, pages] of [
    [1.49, 1],
    [1.5, 2],
    [7.501, 8],
  ] as const) {
    policy.resume(budget);
    assert.equal(policy.pages, pages);
  }
});

test("the fill is that of the whole file: live bytes of data and table pages, over all pages but the headers", () => {
  // Truncation comes after the controller and shortens the file, so there must be none.
  const options = { inlineThreshold: 251, targetFill: 0.6, truncateTail: 1000 };
  const store = Store.create(new MemoryFile(), options);
  const ids = Array.from({ length: 60 }, () => store.alloc(0));
  let expected = policyOf(store)!.budget;
  for (let flush = 0; flush < 12; flush++) {
    ids.forEach((id, i) => {
      store.write(id, 0, bytesOf(i * flush, i % 2 === 0 ? 200 : 2500));
    });
    if (flush === 6) for (const id of ids.splice(10)) store.free(id);
    store.flush();
    expected = Math.min(256, Math.max(1, expected * Math.exp(4 * (0.6 - fillOf(store)))));
    assert.ok(Math.abs(policyOf(store)!.budget - expected) < 1e-9, `flush ${flush}`);
    assert.equal(store.stats().budgetPages, Math.floor(expected));
    const { leafPages, dataPages, readyPages, retiringPages } = store.stats();
    if (flush === 5) assert.ok(Math.min(leafPages, dataPages, readyPages) > 0, "live pages and holes");
    if (flush === 6) assert.ok(retiringPages > 30, "most pages come free");
  }
});

test("a flush of an empty file takes no step", () => {
  const file = new MemoryFile();
  const store = Store.create(file);
  store.flush();
  store.flush();
  assert.equal(store.stats().filePages, 2);
  assert.equal(store.stats().budgetPages, 8);
  store.close();
  const next = Store.open(file);
  assert.equal(next.stats().budgetPages, 8);
  next.close();
});

/** Recomputed from the page table. */
function fillOf(store: Store): number {
  const { pages } = contextOf(store).state;
  let live = 0;
  for (let page = 0; page < pages.filePages; page++)
    if ([pageData, pageLeaf, pageInterior].includes(pages.state[page]! as 3)) live += pages.coverage[page]!;
  return live / ((pages.filePages - 2) * contentCapacity);
}
