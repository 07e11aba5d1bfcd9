import assert from "node:assert/strict";
import { test } from "node:test";
import type { Allowed, Relation } from "../data/summary.ts";
import { type Published, Results, shorten } from "./results.ts";

const claimOf = (left: number, relation: Relation, right: number, tolerance?: number) => {
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
  assert.equal(claimOf(2.3, "beyond", 2, 0.2).holds, true);
  assert.equal(claimOf(2.1, "beyond", 2, 0.2).holds, false);
});

test("a claim is judged by the numbers, not by what is left of them after rounding", () => {
  const claim = claimOf(1.0000001, "<=", 1);
  assert.equal(claim.left, 1);
  assert.equal(claim.holds, false);
});

test("a tolerance goes with nearness and only with it", () => {
  assert.throws(() => claimOf(1, "within", 1), TypeError);
  assert.throws(() => claimOf(1, "beyond", 1), TypeError);
  assert.throws(() => claimOf(1, "<", 2, 0.1), TypeError);
});

const space = {
  id: "space",
  number: "S1",
  group: "Space",
  what: "The size of the file",
  published: 6,
  ours: 6.3,
  unit: "ratio",
} as const;

function publish(allowed: Allowed, more: Partial<Published> = {}) {
  const results = new Results();
  results.published({ ...space, allowed, ...more });
  return { line: results.comparison[0]!, claim: results.claims.space! };
}

test("a published number is compared, claimed, and noted at its value", () => {
  const results = new Results();
  results.value("r.space", { value: 6.3, unit: "ratio", kind: "exact", says: "space" });
  results.published({ ...space, value: "r.space", allowed: { relative: 0.04 } });
  assert.equal(results.values["r.space"]?.published, 6);
  assert.equal(results.comparison[0]?.verdict, "differs");
  assert.equal(results.comparison[0]?.difference, 0.05);
  assert.equal(results.claims.space?.holds, false);
  assert.equal(results.claims.space?.tolerance, 0.24);
  assert.throws(() => results.published({ ...space, id: "b", value: "r.other", allowed: {} }), /no value/);
});

test("shares differ by points, and so does what may differ in its own unit", () => {
  const share = publish({ absolute: 0.03 }, { published: 0.18, ours: 0.2, unit: "share" });
  assert.equal(share.line.difference, 0.02);
  assert.equal(share.claim.holds, true);
  const ratio = publish({ absolute: 0.31 });
  assert.equal(ratio.line.difference, 0.3);
  assert.equal(ratio.claim.holds, true);
  assert.equal(publish({ absolute: 0.29 }).claim.holds, false);
});

test("a published number may have a range instead of a distance", () => {
  const holds = (allowed: Allowed) => publish(allowed).claim.holds;
  assert.equal(holds({ least: 6.3 }), true);
  assert.equal(holds({ least: 6.4 }), false);
  assert.equal(holds({ most: 6.3 }), true);
  assert.equal(holds({ most: 6.2 }), false);
  assert.equal(holds({ least: 6, most: 6.5 }), true);
  assert.equal(holds({ least: 6.4, most: 9 }), false);
  assert.equal(holds({ least: 1, most: 6.2 }), false);
  assert.equal(publish({ most: 7 }).line.difference, 0.05, "the difference is from the published number");
  assert.throws(() => publish({}), TypeError);
});

test("a number that differs as declared holds, and fails once it does not differ", () => {
  for (const [near, far] of [
    [{ relative: 0.06 }, { relative: 0.04 }],
    [{ least: 6 }, { least: 7 }],
    [{ most: 7 }, { most: 6 }],
    [
      { least: 6, most: 7 },
      { least: 5, most: 6 },
    ],
  ] as const) {
    const declared = publish(far, { differs: "Ours counts otherwise." });
    assert.equal(declared.line.verdict, "differs");
    assert.equal(declared.line.reason, "Ours counts otherwise.");
    assert.equal(declared.claim.holds, true);
    assert.match(declared.claim.says, /not as published\. Ours counts otherwise\.$/);
    const wrongly = publish(near, { differs: "Ours counts otherwise." });
    assert.equal(wrongly.line.verdict, "reproduced");
    assert.equal(wrongly.claim.holds, false);
  }
});

test("an id names one thing", () => {
  const results = new Results();
  const value = { value: 1, unit: "count", kind: "exact", says: "one" } as const;
  results.value("a.b-1", value);
  assert.throws(() => results.value("a.b-1", value), /taken/);
  assert.throws(() => results.value("a b", value), TypeError);
  assert.throws(() => results.value("x", { ...value, value: Number.NaN }), RangeError);
});

test("a claim on times holds when the bands are apart, and is open without them", () => {
  const times = (value: number, low?: number, high?: number) =>
    low === undefined || high === undefined ? { value } : { value, band: { low, high, runs: 5 } };
  const results = new Results();
  const parts = { says: "faster", relation: "<" } as const;
  results.measuredClaim("none", parts, times(1, 1, 2), times(5));
  results.measuredClaim("apart", parts, times(1, 1, 2), times(3, 3, 4));
  results.measuredClaim("overlap", parts, times(2, 1, 3), times(3, 2, 4));
  assert.deepEqual(results.claims.none, {
    says: "faster",
    kind: "measured",
    left: 1,
    relation: "<",
    right: 5,
    holds: null,
  });
  assert.deepEqual(results.claims.apart, {
    says: "faster",
    kind: "measured",
    left: 2,
    relation: "<",
    right: 3,
    holds: true,
  });
  assert.equal(results.claims.overlap?.holds, false);
  assert.throws(
    () => results.measuredClaim("near", { says: "s", relation: "within" }, times(1), times(1)),
    TypeError,
  );
});

test("numbers are kept with six digits, whole ones entirely", () => {
  assert.equal(shorten(1.23456789), 1.23457);
  assert.equal(shorten(123456789), 123456789);
  assert.equal(shorten(0.000123456789), 0.000123457);
});
