import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../../engine/bench/index.ts";
import { madeUpRun, madeUpTable } from "../testing/rows.ts";
import { exactLines } from "../verdict.ts";
import { compareExact, compareMeasured, identicalColumns, NOT_COMMITTED, verdict } from "./compare.ts";
import type { Summary, SummaryValue } from "./summary.ts";

const rows = madeUpRun("uniform", "off", 2 ** 20, 5);
const table = (changed: readonly Row[] = rows) => madeUpTable("uniform", changed);
const withRow = (at: number, change: Partial<Row>): Row[] =>
  rows.map((row, index) => (index === at ? { ...row, ...change } : row));

test("times do not count", () => {
  const slower = table(madeUpRun("uniform", "off", 2 ** 20, 5, 3));
  const comparison = compareExact(table(), slower);
  assert.equal(comparison.differing, 0);
  assert.equal(comparison.first, undefined);
  assert.deepEqual(identicalColumns([comparison]), { same: 39, of: 39 });
});

test("one changed number is found, with its row, column and both values", () => {
  const comparison = compareExact(table(), table(withRow(3, { file_pages: 999, fragments: 1 })));
  assert.equal(comparison.differing, 1);
  assert.deepEqual(comparison.columns, ["file_pages", "fragments"]);
  const committed = rows[3]!.file_pages;
  assert.equal(comparison.first, `uniform off 1 MiB, flush 4: file_pages is 999, committed ${committed}`);
  assert.deepEqual(exactLines("s/main", [comparison], "abc"), [
    "s/main: 37 of 39 exact columns identical to abc (5 rows in 1 table).",
    `  uniform: 1 of 5 rows differ, in file_pages, fragments. First: ${comparison.first}.`,
  ]);
});

test("the first difference is the first row's, whatever the order of columns", () => {
  const changed = withRow(1, { truncations: 1 }).map((row, at) => (at === 4 ? { ...row, ops: 1 } : row));
  assert.match(compareExact(table(), table(changed)).first!, /flush 2: truncations is 1/);
});

test("missing, additional and uncommitted rows differ", () => {
  assert.equal(compareExact(table(), table(rows.slice(0, 3))).differing, 2);
  assert.equal(compareExact(table(rows.slice(0, 3)), table()).differing, 2);
  assert.equal(compareExact(table(rows.slice(0, 3)), table()).first, "5 rows, committed 3");
  const unknown = compareExact(undefined, table());
  assert.equal(unknown.differing, 5);
  assert.equal(unknown.first, NOT_COMMITTED);
});

const value = (number: number, low?: number, high?: number): SummaryValue => ({
  value: number,
  unit: "micros",
  kind: "measured",
  says: "median time of a flush",
  ...(low === undefined || high === undefined ? {} : { band: { low, high, runs: 5 } }),
});

test("times get a verdict only where both sides have a band", () => {
  assert.equal(verdict(value(10, 9, 11), value(12, 10.5, 13)), "same within noise");
  assert.equal(verdict(value(10, 9, 11), value(12, 11.5, 13)), "different");
  assert.equal(verdict(value(10, 9, 11), value(10, 9, 11)), "identical");
  assert.match(verdict(value(10), value(12, 11, 13)), /^no verdict/);
});

test("measured numbers are compared as ratios, and only with what was committed", () => {
  const summary = (values: Record<string, SummaryValue>) => ({ values }) as unknown as Summary;
  const ours = summary({ "uniform-8.off.flushMedian": value(12), "uniform-8.off.flush99": value(50) });
  const theirs = summary({ "uniform-8.off.flushMedian": value(8), "uniform-8.off.flush99": value(50) });
  assert.deepEqual(compareMeasured(theirs, ours), [
    {
      what: "uniform-8 off: median time of a flush",
      committed: 8,
      yours: 12,
      ratio: 1.5,
      verdict: "no verdict: five runs each make a band",
    },
  ]);
  assert.deepEqual(compareMeasured(undefined, ours), []);
});
