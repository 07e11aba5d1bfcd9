import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ChunkQueue } from "./chunks.ts";

type Row = [id: number, from: number, bytes: number, pending: number, isRewrite: number];

const rowsOf = ({ id, from, bytes, pending, isRewrite, head, end }: ChunkQueue): Row[] =>
  Array.from({ length: end - head }, (_, i) => {
    const row = head + i;
    return [id[row]!, from[row]!, bytes[row]!, pending[row]!, isRewrite[row]!];
  });

const byKey = (a: Row, b: Row): number => a[0] - b[0] || a[1] - b[1];

test("chunks pushed late come into key order with those before, whatever order they came in", () => {
  const key = fc.tuple(fc.integer({ min: 1, max: 6 }), fc.nat(9));
  const keys = fc.uniqueArray(key, { maxLength: 40, selector: ([id, from]) => id * 100 + from });
  fc.assert(
    fc.property(keys, fc.nat(40), fc.nat(40), (drawn, late, taken) => {
      const rows = drawn.map(([id, from], i): Row => [id, from, 1 + i, 1000 + i, i % 2]);
      const before = rows.slice(0, Math.min(late, rows.length)).sort(byKey);
      const queue = new ChunkQueue();
      for (const row of before) queue.push(...row);
      const removed = before.splice(0, Math.min(taken, before.length));
      for (let i = 0; i < removed.length; i++) queue.remove(queue.head);
      const first = queue.end;
      const added = rows.slice(late);
      for (const row of added) queue.push(...row);
      queue.mergeFrom(first);
      assert.deepEqual(rowsOf(queue), [...before, ...added].sort(byKey));
    }),
  );
});

test("the first of the next few that fits is found, and taking it keeps the order of the others", () => {
  const queue = new ChunkQueue();
  [50, 40, 30, 20].forEach((bytes, i) => {
    queue.push(i + 1, 0, bytes, i, 0);
  });
  assert.equal(queue.firstFitting(30, 2), -1);
  const row = queue.firstFitting(30, 3);
  assert.equal(queue.id[row], 3);
  queue.remove(row);
  assert.deepEqual(
    rowsOf(queue).map(([id]) => id),
    [1, 2, 4],
  );
  queue.putFirst(9, 5, 7, 8, 1);
  assert.deepEqual(rowsOf(queue)[0], [9, 5, 7, 8, 1]);
});

test("the first that is not a rewrite is cut, so far as it looks ahead, else the first", () => {
  const queue = new ChunkQueue();
  [1, 1, 0].forEach((isRewrite, i) => {
    queue.push(i + 1, 0, 100, i, isRewrite);
  });
  assert.equal(queue.id[queue.firstToCut(3)], 3);
  assert.equal(queue.id[queue.firstToCut(2)], 1);
});
