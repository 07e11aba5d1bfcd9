import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { differences, fingerprintOf, fingerprints } from "./fingerprints.ts";

describe("fingerprints without a store", () => {
  const small = fingerprints.filter(({ sizeMiB }) => sizeMiB <= 4);

  it("cover every workload", () => {
    assert.deepEqual(
      small.map(({ scenario, sizeMiB }) => `${scenario} ${sizeMiB}`),
      ["uniform 1", "skewed 1", "mixed 1", "append 1", "churn 1", "shrink 4", "typed 1"],
    );
  });

  for (const published of small) {
    it(`${published.scenario} at ${published.sizeMiB} MiB is as published`, () => {
      assert.deepEqual(fingerprintOf(published.scenario, published.sizeMiB), published);
    });
  }

  it("name every difference", () => {
    const published = small[0]!;
    assert.deepEqual(differences(published, published), []);
    assert.deepEqual(
      differences({ ...published, rows: 32, facts: { ...published.facts, writes: 1 } }, published),
      ["rows is 32, published is 33", "writes is 1, published is 32704"],
    );
  });
});
