import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Drawing } from "./drawing.ts";
import { operationKind } from "./interval.ts";
import { draw } from "./workloads.ts";

const mib = 1024 * 1024;

/** The first measured writes as (slot, length, offset). */
function firstWrites({ drawing, marks }: ReturnType<typeof draw>, count: number): number[][] {
  while (marks.next().value !== "begin");
  assert.equal(marks.next().value, "row");
  const { interval } = drawing;
  assert.ok(interval.kind.subarray(0, interval.count).every((kind) => kind === operationKind.write));
  return Array.from({ length: count }, (_, i) => [
    interval.slot[i]!,
    interval.length[i]!,
    interval.offset[i]!,
  ]);
}

/** Marks in order, runs of the same one as `fill×3`, with the operations counted at the last of each run. */
function outline({ drawing, marks }: ReturnType<typeof draw>): string[] {
  const runs: { mark: string; times: number; operations: number }[] = [];
  for (const mark of marks) {
    if (runs.at(-1)?.mark !== mark) runs.push({ mark, times: 0, operations: 0 });
    const run = runs.at(-1)!;
    run.times++;
    run.operations = drawing.operations;
  }
  return runs.map(({ mark, times, operations }) => `${mark}×${times} at ${operations}`);
}

describe("workloads", () => {
  it("uniform makes the published first writes", () => {
    assert.deepEqual(firstWrites(draw("uniform", mib), 5), [
      [31, 408, 14386],
      [55, 221, 649],
      [39, 446, 6277],
      [55, 16, 5468],
      [23, 31, 7558],
    ]);
  });

  it("skewed makes the published first writes, all hot", () => {
    assert.deepEqual(firstWrites(draw("skewed", mib), 5), [
      [5, 399, 4389],
      [3, 65, 8540],
      [2, 477, 4291],
      [3, 169, 4245],
      [5, 163, 671],
    ]);
  });

  it("counts the fill's allocations, so that the first row follows 936 writes", () => {
    const { drawing, marks } = draw("uniform", mib);
    const operations: number[] = [];
    for (const mark of marks) {
      operations.push(drawing.operations);
      if (mark !== "row") assert.equal(drawing.appBytes, 0);
      else if (operations.length === 3) assert.equal(drawing.interval.count, 936);
    }
    assert.deepEqual(operations.slice(0, 4), [64, 64, 1000, 2000]);
    assert.deepEqual(operations.slice(-2), [32_000, 32_768]);
  });

  it("flush in the fill where they should, and record a row at the end", () => {
    assert.deepEqual(outline(draw("uniform", 2 * mib)).slice(0, 2), ["fill×2 at 128", "begin×1 at 128"]);
    assert.deepEqual(outline(draw("mixed", 2 * mib)).slice(0, 2), ["fill×2 at 2048", "begin×1 at 2048"]);
    assert.deepEqual(outline(draw("append", mib)), ["begin×1 at 32", "row×66 at 65561"]);
    assert.deepEqual(outline(draw("churn", mib)), ["fill×4 at 1024", "begin×1 at 1073", "row×14 at 21596"]);
    assert.deepEqual(outline(draw("shrink", 4 * mib)), ["fill×4 at 49", "begin×1 at 64", "row×401 at 40116"]);
  });

  it("churn steps over multiples of 1000", () => {
    const { drawing, marks } = draw("churn", mib);
    const intervals: number[] = [];
    let last = 0;
    for (const mark of marks) {
      if (mark !== "row") continue;
      intervals.push(drawing.operations - last);
      last = drawing.operations;
    }
    assert.ok(intervals.slice(0, -1).every((operations) => operations % 1000 === 0));
    assert.ok(intervals.some((operations) => operations >= 2000));
  });

  it("shrink frees the doomed in its first row and patches a hundred times in each other", () => {
    const { drawing, marks } = draw("shrink", 4 * mib);
    while (marks.next().value !== "begin");
    marks.next();
    assert.deepEqual(kindsOf(drawing), { free: 52 });
    for (let row = 0; row < 400; row++) {
      assert.equal(marks.next().value, "row");
      assert.deepEqual(kindsOf(drawing), { write: 100 });
    }
    assert.equal(marks.next().done, true);
  });
});

function kindsOf({ interval }: Drawing): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of interval.kind.subarray(0, interval.count)) {
    const name = Object.entries(operationKind).find(([, value]) => value === kind)![0];
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
