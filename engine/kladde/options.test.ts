/** Options: what is refused, and that the ends of what is allowed work. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MemoryFile } from "../storage/memory.ts";
import { Store } from "./index.ts";
import { resolveOptions, type StoreOptions } from "./options.ts";
import { plainHistory } from "./testing/history.ts";
import { checkReclaim, failOnLostReferrers } from "./testing/reclaim-oracle.ts";
import { runSetting } from "./testing/run.ts";

failOnLostReferrers();

/** Of each option of reclamation: values at and inside its bounds, and others. */
const bounds: Readonly<Record<string, { good: readonly unknown[]; bad: readonly unknown[] }>> = {
  consolidate: { good: [true, false], bad: [0, "true", null] },
  consolidatorState: { good: [true, false], bad: [1, "", null] },
  churnFloor: {
    good: [Number.MIN_VALUE, 0.3, 1, 4, Number.MAX_VALUE],
    bad: [0, -1, Number.POSITIVE_INFINITY, Number.NaN, "1"],
  },
  targetFill: { good: [Number.MIN_VALUE, 0.5, 0.999], bad: [0, 1, -0.1, Number.NaN, "0.5"] },
  budgetStart: { good: [1, 8, 65536], bad: [0, 1.5, 65537, -1, Number.NaN, "8"] },
  budgetMin: { good: [1, 256], bad: [0, 0.5, 65537, Number.POSITIVE_INFINITY] },
  budgetMax: { good: [1, 65536], bad: [0, 2.5, 65537] },
  sample: { good: [1, 8, 65536], bad: [0, 8.5, 65537] },
  walk: { good: [0, 512, 2 ** 32], bad: [-1, 0.5, 2 ** 33, Number.POSITIVE_INFINITY] },
  defragShare: { good: [0, 0.01, 1, 65536], bad: [-0.1, 65537, Number.POSITIVE_INFINITY, Number.NaN] },
  mu: { good: [0, 0.02, 1, Number.POSITIVE_INFINITY], bad: [-0.01, Number.NaN, "0.02"] },
  holeShare: { good: [Number.MIN_VALUE, 0.25, 1], bad: [0, 1.01, -1, Number.NaN] },
  theta: { good: [0, 0.05, 0.99], bad: [1, -0.1, Number.NaN] },
  truncateTail: { good: [1, 16, 2 ** 32], bad: [0, 1.5, 2 ** 33] },
};

for (const [name, { good, bad }] of Object.entries(bounds))
  test(`${name} is kept within its bounds`, () => {
    for (const value of good)
      assert.equal((resolveOptions({ [name]: value }) as Record<string, unknown>)[name], value);
    for (const value of bad)
      assert.throws(() => resolveOptions({ [name]: value } as StoreOptions), {
        name: "TypeError",
        message: new RegExp(`^options: ${name} must be `),
      });
  });

describe("a store whose options are out of range", () => {
  const wrong = {
    churnFloor: 0,
    targetFill: 1,
    budgetMin: 9,
    budgetMax: 8,
    budgetStart: 0,
    sample: 0,
    walk: -1,
    defragShare: -1,
    mu: -1,
    holeShare: 0,
    truncateTail: 0,
    consolidatorState: 1,
    consolidate: "yes",
    theta: 1,
    ripeness: 3,
  };

  test("is neither made nor opened, and every problem is named", () => {
    const file = new MemoryFile();
    const isNamed = (error: unknown): boolean => {
      assert.ok(error instanceof TypeError);
      for (const name of Object.keys(wrong)) assert.match(error.message, new RegExp(`\\b${name}\\b`));
      return true;
    };
    assert.throws(() => Store.create(file, wrong as never), isNamed);
    assert.equal(file.size(), 0);
    Store.create(file).close();
    const before = file.bytes();
    assert.throws(() => Store.open(file, wrong as never), isNamed);
    assert.deepEqual(file.bytes(), before);
    Store.open(file).close();
  });

  test("is refused for bounds of the budget the wrong way round, alone or against a default", () => {
    assert.throws(() => resolveOptions({ budgetMin: 9, budgetMax: 8 }), /budgetMin, 9, .*budgetMax, 8$/);
    assert.throws(() => resolveOptions({ budgetMin: 257 }), /budgetMin, 257, .*budgetMax, 256$/);
    assert.equal(resolveOptions({ budgetMin: 8, budgetMax: 8, budgetStart: 1 }).budgetStart, 1);
  });
});

describe("the ends of what is allowed", () => {
  const ends: Readonly<Record<string, StoreOptions>> = {
    "no holes are tolerated": { holeShare: Number.MIN_VALUE, truncateTail: 1 },
    "no compaction": { holeShare: 1 },
    "every victim pays": { churnFloor: Number.MIN_VALUE, theta: 0.99, budgetStart: 65536, budgetMax: 65536 },
    "no victim pays": { churnFloor: Number.MAX_VALUE },
    "every rewrite pays": { mu: 0, defragShare: 65536, walk: 2 ** 32 },
    "no rewrite pays": { mu: Number.POSITIVE_INFINITY },
    "rewrites only in room left over": { mu: 0, defragShare: 0 },
    "no window": { walk: 0 },
    "all pages sampled": { sample: 65536 },
    "one page sampled": { sample: 1 },
    "one page a flush": { budgetMax: 1 },
    "always many pages": { budgetMin: 65536, budgetMax: 65536 },
  };

  for (const [name, options] of Object.entries(ends))
    test(name, () => {
      const history = { ...plainHistory, steps: 250, allocations: 30, smallBytes: 500, largeOneIn: 6 };
      for (const seed of [1, 2])
        for (const inlineThreshold of [0, 251])
          runSetting(seed, history, { options: { ...options, inlineThreshold }, oracle: checkReclaim });
    });
});
