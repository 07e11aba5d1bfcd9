/** The speed script measures what it says; how much that is, no test asks. */

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { fingerprintOf } from "../../fingerprints.ts";
import { measureMemory, measureOpening, measureOperations, removeDocument } from "./documents.ts";
import { mapReads, propertyReads } from "./reading.ts";
import { spreadOf, sumOf } from "./statistics.ts";

const sizeBytes = 2 ** 17;

describe("the speed of the typed layer", () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), "daybook-speed-"));
  });
  after(() => rmSync(directory, { recursive: true }));

  it("is told of the workload's own document, which can be removed", () => {
    const name = path.join(directory, "speed.kladde");
    const operations = measureOperations(name, sizeBytes);
    assert.ok(operations.perOperation.low > 0 && operations.operationsPerSecond > 0);
    const { keys, live } = fingerprintOf("typed", sizeBytes / 2 ** 20).facts;
    const opening = measureOpening(name);
    assert.equal(opening.strings, keys);
    assert.ok(opening.fileBytes > live! && opening.millis.low > 0);
    const memory = measureMemory(name);
    assert.equal(memory.strings, keys);
    assert.ok(memory.liveBytes > live!);
    assert.ok(memory.residentBytes > memory.heapBytes && memory.heapBytes > 0);
    removeDocument(name);
    assert.deepEqual(readdirSync(directory), []);
  });

  it("is told of reads, with what plain JavaScript takes", () => {
    for (const { ours, plain, ratio } of [...propertyReads(), ...mapReads(new Map([[1, "one"]]))]) {
      for (const { low, median, high } of [ours, plain, ratio])
        assert.ok(low > 0 && low <= median && median <= high);
    }
  });

  it("is told by medians and the middle eight tenths", () => {
    const values = [5, 1, 9, 3, 7, 2, 8, 4, 6, 10, 0];
    assert.deepEqual(spreadOf(values), { low: 1, median: 5, high: 9 });
    assert.equal(sumOf(values), 55);
    assert.throws(() => spreadOf([]), /nothing was measured/);
  });
});
