import assert from "node:assert/strict";
import { test } from "node:test";
import { rowOf } from "../testing/rows.ts";
import * as of from "./derive.ts";

const near = (ours: number, expected: number): void =>
  assert.ok(Math.abs(ours - expected) < 1e-12, `${ours} is not ${expected}`);

/** A file of 512 pages: 2 headers, 300 data, 10 table, 199 free, 1 journal. */
const row = rowOf({
  size: 1_048_576,
  app_bytes: 524_288,
  file_pages: 512,
  data_pages: 300,
  table_pages: 10,
  free_pages: 199,
  live_data: 612_150,
  live_table: 20_405,
  alloc_bytes: 1_048_576,
  statements: 2048,
  data_written: 100,
  table_written: 20,
  headers_written: 4,
  journal_bytes: 540_000,
  fresh_bytes: 400_000,
  evacuated_bytes: 5000,
  defrag_bytes: 1000,
});

test("space and fills of one row, by hand", () => {
  near(of.progress(row), 0.5);
  near(of.space(row), 2); // 512 pages of 4096 bytes hold 1 MiB
  near(of.livePages(row), (310 * 4096) / 1_048_576);
  near(of.dataFill(row), 0.5); // 612150 of 300 times 4081
  near(of.tableFill(row), 0.5); // 20405 of 10 times 4081
  near(of.wholeFill(row), (612_150 + 20_405) / (510 * 4081));
  near(of.density(row), 2); // 2048 statements for 1024 KiB
  assert.equal(of.journalPages(row), 1);
});

test("nothing live and no pages are no division by zero", () => {
  const empty = rowOf({ file_pages: 2 });
  assert.equal(of.dataFill(empty), 1);
  assert.equal(of.tableFill(empty), 1);
  assert.equal(of.space(empty), 2 * 4096);
  assert.equal(of.amplification(empty), 0);
});

test("writes of one row, by hand, and its parts sum to them", () => {
  assert.equal(of.pagesWritten(row), 124);
  assert.equal(of.writtenBytes(row), 124 * 4096 + 540_000);
  near(of.amplification(row), (124 * 4096 + 540_000) / 524_288);
  const parts = of.writeParts(row);
  near(parts.content, 400_000 / 524_288);
  near(parts.consolidation, 6000 / 524_288);
  near(parts.other, (409_600 - 406_000) / 524_288);
  near(parts.table, (20 * 4096) / 524_288);
  near(parts.headers, (4 * 4096) / 524_288);
  near(
    Object.values(parts).reduce((sum, part) => sum + part, 0),
    of.amplification(row),
  );
});

test("content and moved bytes never exceed the data pages that hold them", () => {
  const tight = of.writeParts(
    rowOf({ app_bytes: 4096, data_written: 1, fresh_bytes: 5000, evacuated_bytes: 9 }),
  );
  assert.equal(tight.content, 1);
  assert.equal(tight.consolidation, 0);
  assert.equal(tight.other, 0);
});

const five = [0, 1, 2, 3, 4].map((at) =>
  rowOf({
    flush: at + 1,
    size: 4096,
    ops: 1000 * (at + 1),
    app_bytes: 4096 * (at + 1),
    alloc_bytes: 4096,
    file_pages: [3, 9, 4, 5, 6][at]!,
    data_written: [1, 2, 4, 8, 16][at]!,
    headers_written: at + 1,
    flush_us: [900, 100, 500, 300, 200][at]!,
    ops_us: [1, 10, 20, 30, 40][at]!,
  }),
);

test("the second half of five rows is the last three", () => {
  assert.deepEqual(
    of.secondHalf(five).map(({ flush }) => flush),
    [3, 4, 5],
  );
  near(of.steadySpace(five), 5);
  // From row 3 to row 5: 12 data pages and 2 headers for 2 pages' worth of bytes, over 2 flushes.
  near(of.steadyWrites(five), 7);
  near(of.pagesPerFlush(five), 7);
  // 2000 operations after row 3, in the times of rows 4 and 5.
  near(of.operationsPerSecond(five), (2000 / (300 + 30 + 200 + 40)) * 1e6);
  near(of.microsPerOperation(five), 100 / 4000);
});

test("percentiles take the value at floor(q (n - 1))", () => {
  const times = of.flushMicros(five);
  assert.equal(of.median(times), 300);
  assert.equal(of.percentile(times, 0), 100);
  assert.equal(of.percentile(times, 0.9), 500); // index 3
  assert.equal(of.percentile(times, 0.99), 500);
  assert.equal(of.percentile(times, 1), 900);
  assert.deepEqual(times, [900, 100, 500, 300, 200], "the values stay in their order");
  assert.throws(() => of.percentile([], 0.5), RangeError);
});

test("what a counter grows by per row, over the second half", () => {
  near(
    of.perRow(five, (row) => row.data_written),
    6,
  );
});

test("the predicted fill, and what a run saves against another", () => {
  assert.equal(of.predictedFill(0.5).toFixed(4), "0.8221");
  assert.equal(of.predictedFill(1).toFixed(4), "0.7213");
  assert.equal(of.predictedFill(2).toFixed(4), "0.6068");
  // Half the journal and half the pages: half the writes.
  const half = five.map((row) => ({ ...row, app_bytes: 2 * row.app_bytes }));
  near(of.savedShare(five, half), 0.5);
});
