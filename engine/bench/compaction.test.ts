/**
 * Compaction mode over whole workloads, and with two mistakes of the reference implementation put back: for those the
 * file runs itself in another process, whose engine has the fault.
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Store, type StoreOptions, type StoreStats } from "../kladde/index.ts";
import { MemoryFile } from "../storage/memory.ts";
import { apply } from "./store.ts";
import { draw } from "./workloads.ts";

const mib = 1024 * 1024;

const countsQuarantine = {
  name: "pages in quarantine count as holes",
  file: "reclaim/compaction.ts",
  from: "return pages.ready.count - above >",
  to: "return pages.ready.count + pages.retiring.length - above >",
};

const holdsToFloors = {
  name: "the tail is held to the floors",
  file: "reclaim/budget.ts",
  from: "  if (offer.holdsTail) return true;\n",
  to: "",
};

const measurements = {
  uniform: () => run("uniform", mib, 40),
  shrink: () => run("shrink", 4 * mib, 31),
};

/** Statistics after every flush from the first measured one on. */
function run(
  scenario: "uniform" | "shrink",
  sizeBytes: number,
  flushes: number,
  options: StoreOptions = {},
): StoreStats[] {
  const { drawing, marks } = draw(scenario, sizeBytes);
  const store = Store.create(new MemoryFile(), options);
  const ids: number[] = [];
  const rows: StoreStats[] = [];
  for (const mark of marks) {
    apply(store, ids, drawing.interval);
    store.flush();
    if (mark === "row") rows.push(store.stats());
    if (rows.length === flushes) break;
  }
  return rows;
}

const spaceOf = ({ filePages, allocationBytes }: StoreStats): number => (filePages * 4096) / allocationBytes;

function runWithFault(what: keyof typeof measurements, fault: typeof holdsToFloors): StoreStats[] {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "./engine/kladde/testing/mutated-process.ts", fileURLToPath(import.meta.url)],
    {
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
      encoding: "utf8",
      maxBuffer: 2 ** 26,
      env: {
        ...process.env,
        NODE_TEST_CONTEXT: undefined,
        ENGINE_FAULT: JSON.stringify(fault),
        MEASURE: what,
      },
    },
  );
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as StoreStats[];
}

function tests(): void {
  test("a small file that is overwritten all over is hardly ever in the mode", (t) => {
    const last = run("uniform", mib, 40).at(-1)!;
    const other = runWithFault("uniform", countsQuarantine).at(-1)!;
    t.diagnostic(
      `${last.compactionFlushes} of ${last.flushes} flushes in the mode, ${last.filePages} pages; ` +
        `with quarantined pages for holes ${other.compactionFlushes}, ${other.filePages} pages`,
    );
    assert.equal(last.compactionFlushes, 1);
    assert.ok(other.compactionFlushes > 0.9 * other.flushes);
    assert.ok(other.filePages > 1.03 * last.filePages);
  });

  describe("three quarters of 4 MiB freed at once", () => {
    const rows = measurements.shrink();

    test("leave a file close to what is live within 30 flushes, by truncations", () => {
      const { compactionFlushes, truncations } = rows.at(-1)!;
      assert.ok(
        spaceOf(rows[0]!) > 4 && spaceOf(rows[30]!) < 1.3,
        `${spaceOf(rows[30]!)} times the live size`,
      );
      // A budget of so many pages moves all of a small file at once.
      assert.ok(compactionFlushes > 0 && truncations > 0);
    });

    test("do not, where the mode is off", () => {
      assert.ok(spaceOf(run("shrink", 4 * mib, 31, { holeShare: 1 })[30]!) > 4);
    });

    test("take longer where the tail must pass the floors", () => {
      const held = runWithFault("shrink", holdsToFloors);
      assert.ok(spaceOf(held[11]!) > 1.1 * spaceOf(rows[11]!));
    });
  });
}

const what = process.env.MEASURE;
if (what === "uniform" || what === "shrink") console.log(JSON.stringify(measurements[what]()));
else tests();
