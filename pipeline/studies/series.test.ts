import assert from "node:assert/strict";
import { test } from "node:test";
import { madeUpRun, madeUpTable } from "../testing/rows.ts";
import { measure, pick, seriesOf } from "./series.ts";

test("a table falls into its runs, each with the times of every repetition", () => {
  const runs = [madeUpRun("uniform", "off", 2 ** 20, 4), madeUpRun("uniform", "off", 2 ** 23, 3)];
  const slow = [2, 3, 4, 5].map((factor) =>
    madeUpTable(
      "uniform",
      madeUpRun("uniform", "off", 2 ** 20, 4, factor),
      madeUpRun("uniform", "off", 2 ** 23, 3, factor),
    ),
  );
  const series = seriesOf(madeUpTable("uniform", ...runs), slow);
  assert.deepEqual(
    series.map(({ name, rows }) => [name, rows.length]),
    [
      ["uniform-1", 4],
      ["uniform-8", 3],
    ],
  );
  const second = pick(series, "uniform-8", "off");
  const flushSum = (rows: typeof second.rows) => rows.reduce((sum, row) => sum + row.flush_us, 0);
  const once = flushSum(second.rows);
  const { value, band } = measure(second, flushSum);
  assert.equal(value, 3 * once, "the median of one to five times as slow");
  assert.deepEqual(band, { low: once, high: 5 * once, runs: 5 });
  assert.equal(measure({ ...second, repetitions: second.repetitions.slice(0, 4) }, flushSum).band, undefined);
  assert.throws(() => pick(series, "uniform-64", "off"), /0 runs/);
});

test("a repetition may leave runs out", () => {
  const both = [madeUpRun("uniform", "on", 2 ** 20, 4), madeUpRun("uniform", "on", 2 ** 26, 9)];
  const small = [2, 3, 4, 5].map((slow) =>
    madeUpTable("uniform", madeUpRun("uniform", "on", 2 ** 20, 4, slow)),
  );
  const [first, second] = seriesOf(madeUpTable("uniform", ...both), small);
  const longest = (rows: readonly { flush_us: number }[]) => Math.max(...rows.map((row) => row.flush_us));
  assert.equal(measure(first!, longest).band?.runs, 5);
  assert.equal(second!.repetitions.length, 1);
  assert.equal(measure(second!, longest).band, undefined);
});
