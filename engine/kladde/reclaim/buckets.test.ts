import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { contentCapacity } from "../format/layout.ts";
import { Buckets, bucketCount, bucketOf, smallestCoverage } from "./buckets.ts";

const listsOf = (buckets: Buckets): number[][] =>
  buckets.lists.map(({ pages, count }) => [...pages.subarray(0, count)]);

const listOf = (buckets: Buckets, coverage: number): number[] => listsOf(buckets)[bucketOf(coverage)]!;

test("sixteen buckets begin at these coverages", () => {
  const expected = [0, 256, 511, 766, 1021, 1276, 1531, 1786, 2041, 2297, 2552, 2807, 3062, 3317, 3572, 3827];
  assert.equal(bucketCount, expected.length);
  assert.deepEqual(
    expected.map((_, bucket) => smallestCoverage(bucket)),
    expected,
  );
});

test("every coverage lies in the last bucket that begins at or below it", () => {
  for (let coverage = 0; coverage <= contentCapacity; coverage++) {
    let expected = 0;
    while (expected + 1 < bucketCount && smallestCoverage(expected + 1) <= coverage) expected++;
    assert.equal(bucketOf(coverage), expected, `coverage ${coverage}`);
  }
});

test("a page that stays in its bucket keeps its place; one that leaves is replaced by the last", () => {
  const buckets = new Buckets();
  for (const page of [10, 11, 12, 13]) buckets.enter(page, 300);
  buckets.update(11, 400);
  assert.deepEqual(listOf(buckets, 300), [10, 11, 12, 13]);
  buckets.update(11, 600);
  assert.deepEqual(listOf(buckets, 300), [10, 13, 12]);
  assert.deepEqual(listOf(buckets, 600), [11]);
  buckets.update(11, 300);
  assert.deepEqual(listOf(buckets, 300), [10, 13, 12, 11]);
});

test("a page leaves as soon as nothing needs it, and stays out until it enters again", () => {
  const buckets = new Buckets();
  buckets.enter(10, 300);
  buckets.update(10, 0);
  assert.equal(listsOf(buckets).flat().includes(10), false);
  buckets.update(10, 300);
  assert.deepEqual(listsOf(buckets).flat(), []);
  buckets.enter(11, 0);
  assert.deepEqual(listsOf(buckets).flat(), []);
  buckets.enter(10, 300);
  assert.equal(listsOf(buckets).flat().includes(10), true);
});

test("a page that never entered has no place, however high its number", () => {
  const buckets = new Buckets();
  buckets.update(1_000_000, 300);
  assert.equal(listsOf(buckets).flat().includes(1_000_000), false);
  assert.deepEqual(listsOf(buckets).flat(), []);
});

test("the lists are those of plain arrays after any changes", () => {
  const change = fc.record({
    enters: fc.boolean(),
    page: fc.oneof(fc.nat(30), fc.nat(2000)),
    coverage: fc.oneof(fc.constant(0), fc.nat(contentCapacity), fc.integer({ min: 200, max: 300 })),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 300 }), (changes) => {
      const buckets = new Buckets();
      const plain: number[][] = Array.from({ length: bucketCount }, () => []);
      for (const { enters, page, coverage } of changes) {
        if (enters) buckets.enter(page, coverage);
        else buckets.update(page, coverage);
        const held = plain.findIndex((list) => list.includes(page));
        if (held < 0 && !enters) continue;
        const stays = coverage > 0 && held === bucketOf(coverage) && !enters;
        if (stays) continue;
        if (held >= 0) {
          const list = plain[held]!;
          const last = list.pop()!;
          if (last !== page) list[list.indexOf(page)] = last;
        }
        if (coverage > 0) plain[bucketOf(coverage)]!.push(page);
      }
      assert.deepEqual(listsOf(buckets), plain);
    }),
  );
});
