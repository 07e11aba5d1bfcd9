import assert from "node:assert/strict";
import { test } from "node:test";
import { madeUpRun, madeUpTable } from "../testing/rows.ts";
import { measure, pick, Results, seriesOf, shorten } from "./study.ts";

const claimOf = (
  left: number,
  relation: "<" | "<=" | ">" | ">=" | "within",
  right: number,
  tolerance?: number,
) => {
  const results = new Results();
  results.claim("c", { says: "s", left, relation, right, ...(tolerance === undefined ? {} : { tolerance }) });
  return results.claims.c!;
};

test("every relation can hold and can fail", () => {
  assert.equal(claimOf(1, "<", 2).holds, true);
  assert.equal(claimOf(2, "<", 2).holds, false);
  assert.equal(claimOf(2, "<=", 2).holds, true);
  assert.equal(claimOf(2.1, "<=", 2).holds, false);
  assert.equal(claimOf(3, ">", 2).holds, true);
  assert.equal(claimOf(2, ">", 2).holds, false);
  assert.equal(claimOf(2, ">=", 2).holds, true);
  assert.equal(claimOf(1.9, ">=", 2).holds, false);
  assert.equal(claimOf(2.1, "within", 2, 0.2).holds, true);
  assert.equal(claimOf(1.9, "within", 2, 0.2).holds, true);
  assert.equal(claimOf(2.3, "within", 2, 0.2).holds, false);
});

test("a claim is judged by the numbers, not by what is left of them after rounding", () => {
  const claim = claimOf(1.0000001, "<=", 1);
  assert.equal(claim.left, 1);
  assert.equal(claim.holds, false);
});

test("a tolerance goes with within and only with it", () => {
  assert.throws(() => claimOf(1, "within", 1), TypeError);
  assert.throws(() => claimOf(1, "<", 2, 0.1), TypeError);
});

test("a published number is compared, claimed, and noted at its value", () => {
  const results = new Results();
  results.value("r.space", { value: 6.3, unit: "ratio", kind: "exact", says: "space" });
  results.published({
    id: "space",
    value: "r.space",
    what: "space",
    says: "as published",
    published: 6,
    ours: 6.3,
    unit: "ratio",
    tolerance: 0.04,
  });
  assert.equal(results.values["r.space"]?.published, 6);
  assert.equal(results.comparison[0]?.verdict, "differs");
  assert.equal(results.comparison[0]?.difference, 0.05);
  assert.equal(results.claims.space?.holds, false);
  assert.equal(results.claims.space?.tolerance, 0.24);
  results.published({
    id: "fill",
    what: "fill",
    says: "as published",
    published: 0.18,
    ours: 0.2,
    unit: "share",
    tolerance: 0.03,
  });
  assert.equal(results.comparison[1]?.difference, 0.02, "shares differ by points");
  assert.equal(results.claims.fill?.holds, true);
});

test("an id names one thing", () => {
  const results = new Results();
  const value = { value: 1, unit: "count", kind: "exact", says: "one" } as const;
  results.value("a.b-1", value);
  assert.throws(() => results.value("a.b-1", value), /taken/);
  assert.throws(() => results.value("a b", value), TypeError);
  assert.throws(() => results.value("x", { ...value, value: Number.NaN }), RangeError);
});

test("a claim on times needs a band, and holds only when the bands are apart", () => {
  const band = (low: number, high: number) => ({ low, high, runs: 5 });
  const results = new Results();
  const parts = { says: "faster", relation: "<" } as const;
  results.measuredClaim("none", parts, band(1, 2), undefined);
  results.measuredClaim("apart", parts, band(1, 2), band(3, 4));
  results.measuredClaim("overlap", parts, band(1, 3), band(2, 4));
  assert.equal(results.claims.none, undefined);
  assert.deepEqual(results.claims.apart, {
    says: "faster",
    kind: "measured",
    left: 2,
    relation: "<",
    right: 3,
    holds: true,
  });
  assert.equal(results.claims.overlap?.holds, false);
});

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

test("numbers are kept with six digits, whole ones entirely", () => {
  assert.equal(shorten(1.23456789), 1.23457);
  assert.equal(shorten(123456789), 123456789);
  assert.equal(shorten(0.000123456789), 0.000123457);
});
