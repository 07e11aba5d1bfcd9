import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { counted } from "../testing/counted-memory.ts";
import { Bitmap } from "./bitmap.ts";

/** Numbers that crowd together, cross the sizes of words, summaries and chunks, and reach the end. */
const numbers = fc.oneof(
  fc.nat(70),
  fc.nat(3000),
  fc.nat(200_000),
  fc.constantFrom(31, 32, 1023, 1024, 32767, 32768, 2 ** 20 - 1, 2 ** 20, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1),
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
);

function members(set: Bitmap): number[] {
  const found: number[] = [];
  for (let i = set.next(0); i >= 0; i = set.next(i + 1)) found.push(i);
  return found;
}

const ascending = (set: Iterable<number>) => [...set].sort((a, b) => a - b);

test("agrees with a Set after any operations", () => {
  const operation = fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant("add" as const), i: numbers }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), i: numbers }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("take" as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("next" as const), i: numbers }) },
  );
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 200, size: "max" }), (operations) => {
      const set = new Bitmap();
      const model = new Set<number>();
      for (const step of operations) {
        if (step.kind === "add") {
          assert.equal(set.add(step.i), !model.has(step.i));
          model.add(step.i);
        } else if (step.kind === "delete") {
          assert.equal(set.delete(step.i), model.delete(step.i));
        } else if (step.kind === "take") {
          const lowest = ascending(model)[0] ?? -1;
          assert.equal(set.lowest(), lowest);
          assert.equal(set.takeLowest(), lowest);
          model.delete(lowest);
        } else {
          assert.equal(set.next(step.i), ascending(model).find((i) => i >= step.i) ?? -1);
          assert.equal(set.has(step.i), model.has(step.i));
        }
        assert.equal(set.count, model.size);
      }
      assert.deepEqual(members(set), ascending(model));
      for (const i of model) assert.ok(set.has(i));
    }),
    { numRuns: 200 },
  );
});

test("dense: filled, emptied from below, filled again", () => {
  const set = new Bitmap();
  for (let round = 0; round < 2; round++) {
    for (let i = 99_999; i >= 0; i--) set.add(i);
    assert.equal(set.count, 100_000);
    for (let i = 0; i < 100_000; i++) assert.equal(set.takeLowest(), i);
    assert.equal(set.takeLowest(), -1);
    assert.equal(set.count, 0);
  }
});

test("members may change during iteration", () => {
  const set = new Bitmap();
  for (let i = 0; i < 5000; i += 3) set.add(i);
  for (let i = set.next(0); i >= 0; i = set.next(i + 1)) {
    set.delete(i);
    if (i % 2 === 0 && i < 4000) set.add(i + 1);
  }
  assert.equal(set.count, 0);
});

test("the highest numbers cost a chunk, not the range below", () => {
  const before = process.memoryUsage().arrayBuffers;
  const set = new Bitmap();
  set.add(2 ** 32 - 1);
  set.add(2 ** 31);
  assert.deepEqual(members(set), [2 ** 31, 2 ** 32 - 1]);
  assert.equal(set.next(2 ** 32), -1);
  assert.ok(process.memoryUsage().arrayBuffers - before < 2 ** 20);
  set.clear();
  assert.equal(set.lowest(), -1);
});

test("members strewn over all there are cost no chunk each", () => {
  const set = new Bitmap();
  const [, bytes] = counted(() => {
    for (let i = 0; i < 2 ** 17; i += 7)
      for (let more = 0; more < 3; more++) set.add(i * 2 ** 15 + 9000 * more);
  });
  assert.ok(bytes < 2 ** 16, `${bytes} bytes of arrays`);
  assert.equal(members(set).length, set.count);
  assert.equal(set.count, 3 * Math.ceil(2 ** 17 / 7));
});
