import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MemoryFile } from "../storage/memory.ts";
import { columnsOf, exactColumnsOf } from "./columns.ts";
import { operationsPerRow } from "./drawing.ts";
import { kladdeStores } from "./kladde-stores.ts";
import { runsOf, runTitle, seedOf, tables } from "./runs.ts";

const titles = (name: string, quick = false): string[] => runsOf(name, quick).map(runTitle);

describe("the runs", () => {
  it("of the workloads are those with reclamation, then those without", () => {
    for (const name of ["uniform", "skewed", "mixed"]) {
      assert.deepEqual(
        titles(name),
        ["on 1", "on 8", "on 64", "off 1", "off 8"].map((run) => `${name} ${run} MiB`),
      );
      assert.deepEqual(titles(name, true), [`${name} on 1 MiB`, `${name} off 1 MiB`]);
    }
    for (const name of ["append", "churn"]) {
      assert.deepEqual(titles(name), [`${name} on 16 MiB`, `${name} off 16 MiB`]);
    }
    assert.deepEqual(
      titles("flush-time"),
      ["on 1", "on 8", "on 64", "off 8"].map((run) => `flush-time ${run} MiB`),
    );
    assert.deepEqual(titles("shrink"), [
      "shrink on 64 MiB",
      "shrink no-compaction 64 MiB",
      "shrink off 64 MiB",
    ]);
    assert.deepEqual([titles("typed"), titles("typed", true)], [["typed on 16 MiB"], ["typed on 1 MiB"]]);
    assert.equal(runsOf("shrink", true)[0]!.sizeBytes, 4 * 1024 * 1024);
  });

  it("of the tuning change one option each", () => {
    const changes = (name: string) => runsOf(name).map(({ variant, options }) => [variant, options]);
    const curves = [
      ["lambda=0.5", { churnFloor: 0.5 }],
      ["lambda=1", { churnFloor: 1 }],
      ["lambda=2", { churnFloor: 2 }],
      ["tau=0.6", { targetFill: 0.6 }],
      ["tau=0.5", { targetFill: 0.5 }],
    ];
    assert.deepEqual(changes("tuning-uniform"), curves);
    assert.deepEqual(changes("tuning-skewed"), curves);
    assert.deepEqual(changes("tuning-append"), [
      ["share=1", { defragShare: 1 }],
      ["share=4", { defragShare: 4 }],
      ["share=16", { defragShare: 16 }],
    ]);
    assert.ok(runsOf("tuning-skewed").every(({ sizeBytes }) => sizeBytes === 8 * 1024 * 1024));
    assert.ok(runsOf("tuning-append").every(({ sizeBytes }) => sizeBytes === 16 * 1024 * 1024));
  });

  it("have options that a store takes, and titles and seeds of their own", () => {
    for (const quick of [false, true]) {
      const runs = tables.flatMap(({ name }) => runsOf(name, quick));
      assert.equal(new Set(runs.map(runTitle)).size, runs.length);
      for (const { options, seed, scenario, sizeBytes, estimatedSeconds } of runs) {
        kladdeStores.create(new MemoryFile(), options).close();
        assert.equal(seed, seedOf(scenario, sizeBytes));
        assert.ok(estimatedSeconds > 0);
      }
    }
  });

  it("flush after a thousand operations, but in the study of intervals", () => {
    for (const { name } of tables) {
      const per = runsOf(name).map((run) => run.operationsPerRow ?? operationsPerRow);
      if (name === "interval") assert.deepEqual(per, [30, 100, 300, 1000]);
      else assert.ok(per.every((operations) => operations === 1000));
    }
  });

  it("of flush-time have columns of their own, the others those of flushes", () => {
    for (const { name } of tables) assert.equal(columnsOf(name).length, name === "flush-time" ? 9 : 41);
    assert.deepEqual(
      exactColumnsOf("flush-time").map(({ name }) => name),
      ["scenario", "variant", "size", "flush", "stage", "flushes", "pages", "calls"],
    );
    assert.equal(exactColumnsOf("uniform").length, 39);
  });
});
