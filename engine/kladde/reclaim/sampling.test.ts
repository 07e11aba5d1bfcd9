/** Which page the default policy picks: the score, the buckets, the sample and where it starts. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { contentCapacity } from "../format/layout.ts";
import {
  anyPage,
  data,
  leaf,
  type PlannedPage,
  plannedPolicy,
  plannedState,
} from "../testing/planned-pages.ts";
import { smallestCoverage } from "./buckets.ts";
import type { Candidates } from "./policy.ts";

/** The data page picked among `pages`, counted from 0; below 0: none. */
function picked(
  pages: readonly PlannedPage[],
  most: number = contentCapacity,
  above = 0,
  candidates: Candidates = anyPage,
): number {
  const victim = plannedPolicy(plannedState(pages)).dataVictim(above, most, candidates);
  return victim < 0 ? victim : victim - 2;
}

const without = (...pages: readonly number[]): Candidates => ({
  allows: (page) => !pages.includes(page - 2),
});

test("of one bucket, what is freed weighs against what is read and written, times the age", () => {
  // (1 − u) / (1 + u) is about 0.85 and 0.82: a twentieth more age makes up for it.
  assert.equal(picked([data(330, 100), data(400, 100)]), 0);
  assert.equal(picked([data(330, 100), data(400, 105)]), 1);
  assert.equal(picked([data(330, 1), data(400, 5), data(500, 5)]), 1);
  const score = (bytes: number, age: number): number => {
    const u = bytes / contentCapacity;
    return ((1 - u) * age) / (1 + u);
  };
  for (const [a, b] of [
    [300, 500],
    [256, 510],
    [420, 421],
  ] as const) {
    const ageOfB = Math.ceil(score(a, 1000) / score(b, 1));
    assert.equal(picked([data(a, 1000), data(b, ageOfB - 1)]), 0);
    assert.equal(picked([data(a, 1000), data(b, ageOfB + 1)]), 1);
  }
});

test("of equals the later one in the sample is taken", () => {
  assert.equal(picked([data(300, 7), data(300, 7), data(300, 7)]), 2);
});

test("a page that this flush has placed, of age 0, is taken only where nothing else is there", () => {
  assert.equal(picked([data(300, 0), data(500, 1), data(300, 0)]), 1);
  assert.equal(picked([data(300, 0)]), 0);
});

test("the sparsest bucket that has a candidate wins, however old others are", () => {
  assert.equal(picked([data(300, 1000), data(255, 1)]), 1);
  assert.equal(picked([data(300, 1000), data(255, 1)], contentCapacity, 0, without(1)), 0);
  assert.equal(picked([data(300, 1), data(255, 1)], contentCapacity, 0, without(0, 1)), -1);
});

test("a victim has at most so many bytes, and more than so many", () => {
  assert.equal(picked([data(1500), data(1501)], 1500), 0);
  assert.equal(picked([data(1501)], 1500), -1);
  assert.equal(picked([data(1500), data(1501, 99), data(1502)], 1502, 1500), 1);
  assert.equal(picked([data(1500)], 4081, 1500), -1);
  assert.equal(picked([data(smallestCoverage(3))], smallestCoverage(3) - 1), -1);
  assert.equal(picked([data(4081)]), 0);
});

test("an empty page is no victim, and leaves and data pages are two queues", () => {
  assert.equal(picked([data(0)]), -1);
  assert.equal(picked([leaf(300)]), -1);
  const policy = plannedPolicy(plannedState([leaf(300), data(300)]));
  assert.equal(policy.leafVictim(0, 4081, anyPage), 2);
  assert.equal(policy.dataVictim(0, 4081, anyPage), 3);
});

test("a sample is so many entries, cyclic, and its start moves on by one each time", () => {
  const ages = [10, 1, 1, 1, 2, 3];
  const policy = plannedPolicy(plannedState(ages.map((age) => data(300, age))), { sample: 2 });
  const picks = Array.from({ length: 7 }, () => policy.dataVictim(0, 4081, anyPage) - 2);
  // Samples 01, 12, 23, 34, 45, 50, 01.
  assert.deepEqual(picks, [0, 2, 3, 4, 5, 0, 0]);
});

test("both queues turn one counter, and a list without a candidate turns it too", () => {
  const pages = [data(300, 5), data(300, 1), data(300, 1), leaf(300, 1), leaf(300, 9), data(600)];
  const policy = plannedPolicy(plannedState(pages), { sample: 1 });
  const dataPick = (candidates: Candidates = anyPage): number => policy.dataVictim(0, 4081, candidates) - 2;
  assert.equal(dataPick(), 0);
  assert.equal(policy.leafVictim(0, 4081, anyPage) - 2, 4);
  assert.equal(dataPick(), 2);
  // The first bucket's sample is refused, so the second is sampled as well: two more.
  assert.equal(dataPick(without(0, 1, 2)), 5);
  assert.equal(dataPick(), 2);
});

test("a sparse old page among many sparse young ones is chosen within a bucket's length of choices", () => {
  const length = 500;
  for (const at of [0, 1, 250, 499]) {
    const pages = Array.from({ length }, (_, i) => data(300, i === at ? 1000 : 2));
    for (const sample of [1, 8, 64]) {
      const policy = plannedPolicy(plannedState(pages), { sample });
      let choices = 1;
      while (policy.dataVictim(0, 4081, anyPage) - 2 !== at && choices <= length) choices++;
      assert.ok(choices <= length, `page ${at} of ${length}, ${sample} sampled: not within ${choices}`);
    }
  }
});

test("what a page lost since it was queued counts at once", () => {
  const state = plannedState([data(300, 1), data(2000, 1)]);
  const policy = plannedPolicy(state);
  assert.equal(policy.dataVictim(0, 4081, anyPage), 2);
  state.uncover(3, 1999);
  assert.equal(policy.dataVictim(0, 4081, anyPage), 3);
  state.uncover(3, 1);
  assert.equal(policy.dataVictim(0, 4081, anyPage), 2);
});
