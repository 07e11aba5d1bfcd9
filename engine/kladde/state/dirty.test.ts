/** The dirty ranges beside a set of single places, for ids and offsets of every width. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DirtyRanges } from "./dirty.ts";

interface Range {
  readonly id: number;
  readonly from: number;
  readonly to: number;
}

const rowsOf = ({ count, id, from, to }: DirtyRanges): Range[] =>
  Array.from({ length: count }, (_, row) => ({ id: id[row]!, from: from[row]!, to: to[row]! }));

/** By id and offset, joined where they overlap or touch. */
function joined(ranges: readonly Range[]): Range[] {
  const result: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.id - b.id || a.from - b.from)) {
    const last = result.at(-1);
    if (last === undefined || last.id !== range.id || last.to < range.from) result.push(range);
    else result[result.length - 1] = { ...last, to: Math.max(last.to, range.to) };
  }
  return result;
}

const number = fc.oneof(fc.nat(20), fc.nat(2 ** 16), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
const range = fc
  .tuple(number, number, fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 2 ** 20 })))
  .map(([id, from, length]) => ({ id, from, to: Math.min(from + length, 2 ** 32 - 1) }))
  .filter(({ from, to }) => from < to);

test("ranges come out in key order, joined where they overlap or touch", () => {
  const dirty = new DirtyRanges();
  fc.assert(
    fc.property(fc.array(range, { maxLength: 600 }), (ranges) => {
      dirty.clear();
      for (const { id, from, to } of ranges) dirty.add(id, from, to, 0);
      dirty.merge();
      assert.deepEqual(rowsOf(dirty), joined(ranges));
    }),
  );
});

test("runs that ascend are merged into one", () => {
  const dirty = new DirtyRanges();
  for (const first of [3, 1, 2])
    for (let id = first; id < 3000; id += 3) dirty.add(id, id * 65_536 + first, id * 65_536 + first + 1, id);
  dirty.merge();
  assert.equal(dirty.count, 2999);
  assert.ok(rowsOf(dirty).every(({ id }, row) => id === row + 1));
});
