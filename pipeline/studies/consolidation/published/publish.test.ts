import assert from "node:assert/strict";
import { test } from "node:test";
import { Results } from "../../results.ts";
import {
  atMost,
  between,
  extremes,
  near,
  points,
  publisher,
  refuseUnknownDifferences,
  runOf,
} from "./publish.ts";

const space = {
  number: "S1",
  id: "space",
  what: "The file",
  published: 2,
  ours: 2.1,
  unit: "ratio",
} as const;

test("a published number is in its group, and ours becomes a value where it is none", () => {
  const results = new Results();
  const publish = publisher(results, "Space");
  publish({ ...space, allowed: near(0.1) });
  assert.equal(results.comparison[0]?.group, "Space");
  assert.equal(results.comparison[0]?.verdict, "reproduced");
  assert.deepEqual(results.values["ours.space"], {
    value: 2.1,
    unit: "ratio",
    kind: "exact",
    says: "The file",
    published: 2,
  });
  results.value("run.space", { value: 2.1, unit: "ratio", kind: "exact", says: "space" });
  publish({ ...space, id: "other", value: "run.space", allowed: atMost(2) });
  assert.equal(results.values["run.space"]?.published, 2);
  assert.equal("ours.other" in results.values, false);
});

test("a reason for a number that nobody published is refused", () => {
  const results = new Results();
  publisher(results, "Space")({ ...space, allowed: between(2, 3) });
  assert.throws(
    () => refuseUnknownDifferences(results, { space: "a", spcae: "b" }),
    /no published number is called spcae/,
  );
  refuseUnknownDifferences(results, { space: "a" });
});

test("extremes are of at least one run, and a run is named without its variant", () => {
  const series = {
    scenario: "uniform",
    variant: "on",
    sizeBytes: 2 ** 23,
    name: "uniform-8",
    rows: [],
    repetitions: [],
  };
  assert.deepEqual(
    extremes([series, { ...series, sizeBytes: 2 ** 20 }], ({ sizeBytes }) => sizeBytes),
    { least: 2 ** 20, most: 2 ** 23 },
  );
  assert.throws(() => extremes([], () => 1), /no runs/);
  assert.equal(runOf(series), "uniform 8 MiB");
  assert.deepEqual(points(0.1), { absolute: 0.1 });
});
