import assert from "node:assert/strict";
import { test } from "node:test";
import { SplitMix32 } from "./random.ts";

test("the same seed gives the same values, on every machine", () => {
  const random = new SplitMix32(1);
  const values = [random.next(), random.next(), random.next()];
  const again = new SplitMix32(1);
  assert.deepEqual([again.next(), again.next(), again.next()], values);
  assert.deepEqual(values, [1580013426, 350525680, 3524174333]);
  assert.notEqual(new SplitMix32(2).next(), values[0]);
});

test("values are uniform enough to test with", () => {
  const random = new SplitMix32(42);
  const counts = new Array<number>(10).fill(0);
  for (let i = 0; i < 100_000; i++) counts[random.below(10)]!++;
  for (const count of counts) assert.ok(Math.abs(count - 10_000) < 500, `${counts}`);
  assert.equal(random.below(1), 0);
});
