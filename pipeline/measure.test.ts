import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "../engine/bench/index.ts";
import { type Bench, Gathering, isMadeIn, type Job, jobsOf, measuredKey } from "./measure.ts";
import type { Part } from "./selection.ts";
import { madeUpRun, madeUpTable } from "./testing/rows.ts";

const MIB = 2 ** 20;
const runsOf = (table: string): Run[] =>
  (table === "large" ? [64] : [8, 64]).map(
    (size) => ({ table, sizeBytes: size * MIB, estimatedSeconds: size }) as Run,
  );
const bench = { runsOf } as unknown as Bench;
const part = {
  study: { id: "s" },
  run: { label: "main" },
  tables: ["both", "large"],
} as unknown as Part;

test("what is larger than 16 MiB is made once, however often the rest is repeated", () => {
  assert.deepEqual(
    jobsOf([part], 3, false, bench).map(({ table, repetition, estimatedSeconds }) => [
      table,
      repetition,
      estimatedSeconds,
    ]),
    [
      ["both", 1, 72],
      ["large", 1, 64],
      ["both", 2, 8],
      ["both", 3, 8],
    ],
  );
  const isMade = (table: string, sizeBytes: number) => isMadeIn(2, { table, sizeBytes });
  assert.equal(isMade("uniform", 16 * MIB), true);
  assert.equal(isMade("uniform", 16 * MIB + 1), false);
  assert.equal(isMade("flush-time", 64 * MIB), true);
});

const job = { part, table: "both", title: "both" } as unknown as Job;
const small = (change = 0) =>
  madeUpRun("both", "on", 8 * MIB, 4).map((row) => ({ ...row, statements: row.statements + change }));

test("a repetition is compared with those runs of the first that it made too", () => {
  const gathering = new Gathering();
  gathering.add(job, madeUpTable("both", madeUpRun("both", "on", 64 * MIB, 9), small()));
  gathering.add(job, madeUpTable("both", small()));
  assert.deepEqual(
    gathering
      .all()
      .get(measuredKey(part, "both"))
      ?.map(({ rowCount }) => rowCount),
    [13, 4],
  );
  assert.throws(
    () => gathering.add(job, madeUpTable("both", small(1))),
    /flush 1: statements is 502, then 501/,
  );
});
