import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import type { StoreStats } from "../kladde/index.ts";
import { FakeStore, FakeStores } from "./fake-store.ts";
import { fingerprints } from "./fingerprints.ts";
import { RunError, type RunTableOptions, runOnce, runTableWith } from "./run.ts";
import { type Run, runsOf } from "./runs.ts";
import { rowAt, sectionsOf } from "./table.ts";

/** A microsecond passes with every look. */
const tickingClock = () => {
  let now = 0;
  return { nowMicros: () => now++ };
};

describe("the harness", () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), "daybook-run-"));
  });
  after(() => rmSync(directory, { recursive: true }));

  const options = (more: Partial<RunTableOptions> = {}): RunTableOptions => ({
    directory,
    quick: true,
    clock: tickingClock(),
    ...more,
  });
  const isOff = ({ variant }: Run): boolean => variant === "off";
  const quickUniform = runsOf("uniform", true).find(isOff);

  for (const name of ["uniform", "skewed", "mixed", "append", "churn", "shrink"]) {
    it(`makes the rows of ${name} where its workload wants them`, async () => {
      const stores = new FakeStores();
      const table = await runTableWith(stores, name, options({ only: isOff }));
      const [run] = runsOf(name, true);
      const sizeMiB = run!.sizeBytes / 1024 / 1024;
      const published = fingerprints.find((one) => one.scenario === name && one.sizeMiB === sizeMiB)!;
      assert.equal(table.rowCount, published.rows);
      const last = rowAt(table, table.rowCount - 1);
      assert.equal(last.ops, published.operations);
      assert.equal(last.app_bytes, published.appBytes);
      assert.equal(last.flush, published.rows);
      assert.equal(last.headers_written, published.rows);
      assert.equal(last.data_written > 0, true);
      assert.deepEqual(readdirSync(directory), []);
    });
  }

  it("subtracts what the fill cost, and reads the clock three times an interval", async () => {
    const [first] = await runOnce(new FakeStores(), quickUniform!, options());
    assert.equal(first!.journal_bytes, first!.app_bytes);
    assert.equal(first!.flush_us, 1);
    assert.equal(first!.ops_us, 1);
    assert.equal(first!.kappa, 0);
    assert.equal(first!.size, 1024 * 1024);
  });

  it("reports every row and the end", async () => {
    const seen: (number | string)[] = [];
    const onProgress: RunTableOptions["onProgress"] = (_, rows, row) =>
      seen.push(row?.flush ?? `end ${rows}`);
    await runTableWith(new FakeStores(), "churn", options({ onProgress }));
    const run = [...Array.from({ length: 14 }, (_, i) => i + 1), "end 14"];
    assert.deepEqual(seen, [...run, ...run]);
  });

  it("counts how classes share pages in mixed, and only there", async () => {
    const rows = await runOnce(new FakeStores(), runsOf("mixed", true)[0]!, options());
    // Four allocations of 1 KiB to a page of the fake; classes are drawn for each.
    assert.equal(rows[0]!.cold_bytes, 433 * 1024);
    assert.ok(rows[0]!.mixed_pages > 100 && rows[0]!.mixed_pages < 256);
    assert.ok(rows[0]!.cold_mixed_bytes < rows[0]!.cold_bytes);
    const [uniform] = await runOnce(new FakeStores(), quickUniform!, options());
    assert.equal(uniform!.cold_bytes, 0);
  });

  it("checks the store after every flush, where asked to", async () => {
    let checks = 0;
    class Counting extends FakeStore {
      override check() {
        checks++;
      }
    }
    const stores = new FakeStores((contents) => new Counting(contents));
    await runOnce(stores, quickUniform!, options());
    assert.equal(checks, 1 + 1 + 33 + 1); // fill, begin, rows, reopened
    checks = 0;
    await runOnce(stores, quickUniform!, options({ check: false }));
    assert.equal(checks, 0);
  });

  it("starts afresh over what a killed run left", async () => {
    const left = path.join(directory, "uniform-off-1024.kladde");
    writeFileSync(left, "left over");
    const stores = new FakeStores();
    const sizes: number[] = [];
    const create = stores.create.bind(stores);
    stores.create = (file, given) => {
      sizes.push(file.size());
      return create(file, given);
    };
    await runOnce(stores, quickUniform!, options());
    assert.deepEqual(sizes, [0]);
    assert.ok(!existsSync(left));
  });

  type Change = (run: Run) => Run;
  const failing: [string, (contents: Map<number, Uint8Array>) => FakeStore, RegExp, Change?][] = [
    [
      "a page that is in no book",
      withStats((stats) => ({ readyPages: stats.readyPages + 1 })),
      /uniform off 1 MiB, after 0 rows: row 1: file_pages is 260, but 2 headers, .* are 261/,
    ],
    [
      "a counter that falls",
      withStats((stats) => ({ truncations: stats.flushes === 9 ? 0 : 5 })),
      /after 6 rows: row 7: truncations fell from 0 to -5/,
    ],
    [
      "a flush without a header",
      withStats((stats) => ({ headersWritten: Math.min(stats.flushes, 20) })),
      /after 18 rows: row 19: headers_written is 18 after 19 flushes/,
    ],
    [
      "another number of allocations",
      withStats((stats) => ({ allocations: stats.allocations + 1 })),
      /row 1: allocations is 65, the model has 64/,
    ],
    [
      "another number of bytes",
      withStats((stats) => ({ allocationBytes: stats.allocationBytes - 1 })),
      /row 1: alloc_bytes is 1048575, the model has 1048576/,
    ],
    [
      "reclamation without consolidation",
      withStats((stats) => ({ windowRestated: stats.flushes })),
      /row 1: window_restated is 1 without consolidation/,
    ],
    [
      "a budget overspent",
      withStats((stats) => ({ budgetPages: 3, budgetPagesUsed: stats.flushes > 4 ? 5 : 0 })),
      /row 3: the flush used 5 pages of a budget of 3/,
      (run) => ({ ...run, options: {} }),
    ],
    ["a failing check", () => new FailingCheck(new Map()), /after 0 rows: the check found a fault/],
    [
      "a byte lost",
      reopenedWith((contents) => contents.get(7)?.fill(0, 100, 101)),
      /allocation 7 differs .* offset 100 /,
    ],
    [
      "an allocation lost",
      reopenedWith((contents) => contents.delete(7)),
      /63 allocations, the model has 64/,
    ],
    [
      "an allocation cut short",
      reopenedWith((contents) => contents.set(7, contents.get(7)!.slice(1))),
      /allocation 7 has 16383 bytes, the model has 16384/,
    ],
  ];
  for (const [what, make, message, change = (run: Run) => run] of failing) {
    it(`fails on ${what}, and cleans up`, async () => {
      await assert.rejects(runOnce(new FakeStores(make), change(quickUniform!), options()), (error) => {
        assert.ok(error instanceof RunError);
        assert.match(error.message, message);
        return true;
      });
      assert.deepEqual(readdirSync(directory), []);
    });
  }

  it("lets an interval with automatic flushes use a budget for each of them", async () => {
    const make = withStats((stats) => ({
      budgetPages: 3,
      headersWritten: 2 * stats.flushes,
      budgetPagesUsed: 6 * stats.flushes,
    }));
    const rows = await runOnce(new FakeStores(make), { ...quickUniform!, options: {} }, options());
    assert.equal(rows[32]!.budget_pages, 6 * 33);
  });

  it("fails where a file keeps what it was told not to keep, or loses what it was told to", async () => {
    const stores = new FakeStores();
    stores.keepsState = true;
    const told = /the file keeps what reclamation learned/;
    await assert.rejects(runOnce(stores, quickUniform!, options()), told);
    const noState = { ...quickUniform!, options: { consolidatorState: false } };
    await assert.rejects(runOnce(stores, noState, options()), told);
    const usual = { ...quickUniform!, options: {} };
    await runOnce(stores, usual, options());
    stores.keepsState = false;
    await runOnce(stores, noState, options());
    await assert.rejects(runOnce(stores, usual, options()), /holds nothing of what reclamation learned/);
  });

  it("makes only the runs asked for", async () => {
    const table = await runTableWith(new FakeStores(), "uniform", options({ only: isOff }));
    assert.deepEqual(
      sectionsOf(table).map(({ variant, from, to }) => [variant, from, to]),
      [["off", 0, 33]],
    );
  });

  it("flushes as often as the interval says, over the same writes", async () => {
    const table = await runTableWith(new FakeStores(), "interval", options());
    const sections = sectionsOf(table);
    // 0.25 MiB: 16 allocations, and writes of 256.5 bytes on average until 2 MiB are written.
    assert.deepEqual(
      sections.map(({ variant, from, to }) => [variant, to - from]),
      [
        ["every=30", 271],
        ["every=100", 82],
        ["every=300", 28],
        ["every=1000", 9],
      ],
    );
    const lastRows = sections.map(({ to }) => rowAt(table, to - 1));
    assert.deepEqual(new Set(lastRows.map(({ ops }) => ops)).size, 1);
    assert.deepEqual(
      sections.map(({ from }) => rowAt(table, from + 1).ops),
      [60, 200, 600, 2000],
    );
  });

  it("stops at a signal with its reason, and cleans up", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const onProgress = () => {
      const until = performance.now() + 60;
      while (performance.now() < until);
      controller.abort(reason);
    };
    const stopped = runOnce(
      new FakeStores(),
      quickUniform!,
      options({ onProgress, signal: controller.signal }),
    );
    await assert.rejects(stopped, reason);
    assert.deepEqual(readdirSync(directory), []);
  });

  it("does not know other tables", async () => {
    await assert.rejects(
      runTableWith(new FakeStores(), "unfiorm", options()),
      /no table "unfiorm": there are uniform/,
    );
  });
});

class FailingCheck extends FakeStore {
  override check() {
    throw new Error("the check found a fault");
  }
}

function withStats(change: (stats: StoreStats) => Partial<StoreStats>) {
  class Changed extends FakeStore {
    override stats(): StoreStats {
      const stats = super.stats();
      return { ...stats, ...change(stats) };
    }
  }
  return (contents: Map<number, Uint8Array>) => new Changed(contents);
}

/** Damages the contents when they are opened again. */
function reopenedWith(damage: (contents: Map<number, Uint8Array>) => void) {
  return (contents: Map<number, Uint8Array>) => {
    if (contents.size > 0) damage(contents);
    return new FakeStore(contents);
  };
}
