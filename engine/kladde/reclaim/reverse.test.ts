import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ReverseIndex } from "./reverse.ts";

/** Ranges of `page`, the newest first. */
function rangesOf(index: ReverseIndex, page: number): [id: number, from: number, to: number][] {
  const ranges: [number, number, number][] = [];
  for (let slot = index.first(page); slot !== 0; slot = index.next[slot]!)
    ranges.push([index.id[slot]!, index.from[slot]!, index.to[slot]!]);
  return ranges;
}

test("what is noted side by side is one range", () => {
  const index = new ReverseIndex();
  index.note(7, 1, 0, 100);
  index.note(7, 1, 100, 130);
  index.note(7, 1, 200, 210);
  index.note(7, 2, 210, 220);
  assert.deepEqual(rangesOf(index, 7), [
    [2, 210, 220],
    [1, 200, 210],
    [1, 0, 130],
  ]);
});

test("pages do not know of each other, and a page never noted has nothing", () => {
  const index = new ReverseIndex();
  index.note(7, 1, 0, 100);
  index.note(8, 1, 100, 200);
  assert.deepEqual(rangesOf(index, 7), [[1, 0, 100]]);
  assert.deepEqual(rangesOf(index, 8), [[1, 100, 200]]);
  assert.deepEqual(rangesOf(index, 5_000_000), []);
  index.forget(5_000_000);
  assert.deepEqual(rangesOf(index, 0), []);
});

test("the highest page number, id and offset have room", () => {
  const index = new ReverseIndex();
  index.note(70_000, 0xffffffff, 0xfffffff0, 0xffffffff);
  assert.deepEqual(rangesOf(index, 70_000), [[0xffffffff, 0xfffffff0, 0xffffffff]]);
});

test("any notes and forgettings leave each page its own ranges, in any order of pages", () => {
  const step = fc.record({
    forgets: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
    page: fc.nat(6),
    id: fc.integer({ min: 1, max: 3 }),
    bytes: fc.integer({ min: 1, max: 50 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 1000, size: "max" }), (steps) => {
      const index = new ReverseIndex();
      /** Bytes noted, by page: `id` and offset as one number. */
      const plain = new Map<number, Set<number>>();
      let offset = 0;
      for (const { forgets, page, id, bytes } of steps) {
        if (forgets) {
          index.forget(page);
          plain.delete(page);
          continue;
        }
        index.note(page, id, offset, offset + bytes);
        const noted = plain.get(page) ?? new Set();
        for (let i = 0; i < bytes; i++) noted.add(id * 1e6 + offset + i);
        plain.set(page, noted);
        offset += bytes;
      }
      for (let page = 0; page <= 6; page++) {
        const found: number[] = [];
        for (const [id, from, to] of rangesOf(index, page))
          for (let at = from; at < to; at++) found.push(id * 1e6 + at);
        assert.deepEqual(
          found.sort((a, b) => a - b),
          [...(plain.get(page) ?? [])].sort((a, b) => a - b),
        );
      }
    }),
    { numRuns: 40 },
  );
});

test("a range that is forgotten makes room for the next", () => {
  const index = new ReverseIndex();
  for (let i = 0; i < 200; i++) index.note(1, 1, 10 * i, 10 * i + 5);
  const columns = index.id.length;
  for (let round = 0; round < 50; round++) {
    index.forget(1);
    for (let i = 0; i < 200; i++) index.note(1, 1, 10 * i, 10 * i + 5);
  }
  assert.equal(index.id.length, columns);
});
