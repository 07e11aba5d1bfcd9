/** Compaction mode over whole workloads, and with two mistakes of the reference implementation put back. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Store, type StoreOptions, type StoreStats } from "../kladde/index.ts";
import { loadMutated } from "../kladde/testing/mutate.ts";
import { MemoryFile } from "../storage/memory.ts";
import type { Scenario } from "./runs.ts";
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

type StoreClass = Pick<typeof Store, "create">;

const withFault = async (fault: typeof holdsToFloors): Promise<StoreClass> =>
  (await loadMutated<{ readonly Store: StoreClass }>(fault, "index.ts")).Store;

/** Statistics after every flush from the first measured one on. */
function run(
  maker: StoreClass,
  scenario: Scenario,
  sizeBytes: number,
  flushes: number,
  options: StoreOptions = {},
): StoreStats[] {
  const { drawing, marks } = draw(scenario, sizeBytes);
  const store = maker.create(new MemoryFile(), options);
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

describe("a small file that is overwritten all over", () => {
  test("is hardly ever in the mode; with quarantined pages for holes it always is, and larger", async (t) => {
    const ours = run(Store, "uniform", mib, 40);
    const theirs = run(await withFault(countsQuarantine), "uniform", mib, 40);
    const [last, other] = [ours.at(-1)!, theirs.at(-1)!];
    t.diagnostic(
      `${last.compactionFlushes} and ${other.compactionFlushes} of ${last.flushes} flushes in the mode, ` +
        `${last.filePages} and ${other.filePages} pages`,
    );
    assert.equal(last.compactionFlushes, 1);
    assert.ok(other.compactionFlushes > 0.9 * other.flushes);
    assert.ok(other.filePages > 1.03 * last.filePages);
  });
});

describe("three quarters of 4 MiB freed at once", () => {
  test("leave a file close to what is live within 30 flushes, by truncations", () => {
    const rows = run(Store, "shrink", 4 * mib, 31);
    const { compactionFlushes, truncations } = rows.at(-1)!;
    assert.ok(spaceOf(rows[0]!) > 4 && spaceOf(rows[30]!) < 1.3, `${spaceOf(rows[30]!)} times the live size`);
    // A budget of so many pages moves all of a small file at once.
    assert.ok(compactionFlushes > 0 && truncations > 0);
  });

  test("do not, where the mode is off", () => {
    const rows = run(Store, "shrink", 4 * mib, 31, { holeShare: 1 });
    assert.ok(spaceOf(rows[30]!) > 4);
  });

  test("take longer where the tail must pass the floors", async () => {
    const rows = run(Store, "shrink", 4 * mib, 12);
    const held = run(await withFault(holdsToFloors), "shrink", 4 * mib, 12);
    assert.ok(spaceOf(held.at(-1)!) > 1.1 * spaceOf(rows.at(-1)!));
  });
});
