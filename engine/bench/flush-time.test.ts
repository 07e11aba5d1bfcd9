import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { exactColumnsOf } from "./columns.ts";
import { FakeStore, FakeStores } from "./fake-store.ts";
import type { TimedFlush } from "./flush-time.ts";
import { flushTimeRows } from "./flush-time-rows.ts";
import { runTable } from "./kladde-stores.ts";
import { RunError, runTableWith } from "./run.ts";
import { type Run, runsOf } from "./runs.ts";
import { readCsv, rowAt, type Standing, writeCsv } from "./table.ts";

const [run] = runsOf("flush-time", true);

/** Totals over flushes of scales that are powers of ten tell which are in them. */
const flushOf = (scale: number): TimedFlush => ({
  pages: 10 * scale,
  operations: 1000,
  operationMicros: 2000 * scale,
  elapsedMicros: 900 * scale,
  processorMicros: 500 * scale,
  write: { calls: 11 * scale, elapsedMicros: 200 * scale },
  read: { calls: 3 * scale, elapsedMicros: 30 * scale },
  sync: { calls: 1, elapsedMicros: 400 * scale },
  plain: { processorMicros: 70 * scale, elapsedMicros: 80 * scale, syncMicros: 390 * scale },
});

describe("the time of a flush", () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), "daybook-flush-time-"));
  });
  after(() => rmSync(directory, { recursive: true }));

  it("is split into stages, timed in the third quarter of a run and profiled in the last", () => {
    const microsByPart = new Map([
      ["fold", 7.4],
      ["garbage", 5],
    ] as const);
    const profiled = { flushes: 2, pages: 23, microsByPart };
    const rows = flushTimeRows(run!, { timed: [1e9, 1e7, 1e5, 1, 100].map(flushOf), profiled });
    assert.deepEqual(
      rows.map(({ flush, stage, calls, micros }) => [flush, stage, calls, micros]),
      [
        [1, "flush", 2, 900 * 101],
        [2, "processor", 2, 500 * 101],
        [3, "write", 11 * 101, 200 * 101],
        [4, "read", 3 * 101, 30 * 101],
        [5, "sync", 2, 400 * 101],
        [6, "rest", 2, 270 * 101],
        [7, "plain-processor", 1010, 70 * 101],
        [8, "plain-write", 1010, 80 * 101],
        [9, "plain-sync", 2, 390 * 101],
        [10, "operations", 2000, 2000 * 101],
        [11, "fold", 2, 7],
        [12, "reclaim", 2, 0],
        [13, "pack", 2, 0],
        [14, "cut", 2, 0],
        [15, "commit", 2, 0],
        [16, "file", 2, 0],
        [17, "garbage", 2, 5],
        [18, "other", 2, 0],
      ],
    );
    for (const [i, row] of rows.entries()) {
      assert.deepEqual([row.scenario, row.variant, row.size], ["flush-time", "on", 1024 * 1024]);
      assert.deepEqual([row.flushes, row.pages], [2, i < 10 ? 1010 : 23]);
    }
  });

  it("of the page store has the same exact columns twice, and stages that add up", async () => {
    const standings: (Standing | undefined)[] = [];
    const onProgress = (_run: Run, _rows: number, standing?: Standing) => standings.push(standing);
    const first = await runTable("flush-time", { directory, quick: true, onProgress });
    const second = await runTable("flush-time", { directory, quick: true, check: false });
    const exact = exactColumnsOf("flush-time");
    assert.equal(writeCsv(second, exact), writeCsv(first, exact));
    assert.deepEqual(readCsv("flush-time", writeCsv(first)), first);
    assert.deepEqual(readdirSync(directory), []);
    assert.equal(standings.length, 34);
    assert.equal(standings[33], undefined);
    assert.ok(standings[32]!.app_bytes >= 8 * 1024 * 1024);

    const rows = Array.from({ length: first.rowCount }, (_, i) => rowAt(first, i));
    const of = (stage: string) => rows.find((row) => row.stage === stage)!;
    assert.equal(of("flush").flushes + of("fold").flushes, 17);
    const { flushes, pages } = of("flush");
    assert.equal(flushes, 9);
    assert.equal(of("sync").calls, flushes);
    // A flush writes its pages and no others; sets of them may go in one call.
    assert.ok(pages > flushes * 20 && of("write").calls <= pages + 2 * flushes);
    assert.equal(of("plain-write").calls, pages);
    assert.equal(of("operations").calls, flushes * 1000);
    const parts = ["write", "read", "sync", "rest"].reduce((sum, stage) => sum + of(stage).micros, 0);
    assert.ok(Math.abs(parts - of("flush").micros) <= 4);
    for (const stage of ["write", "sync", "rest", "processor", "plain-write", "operations"]) {
      assert.ok(of(stage).micros > 0, `${stage} took no time`);
    }
    for (const stage of ["fold", "reclaim", "cut", "file"]) {
      assert.ok(of(stage).micros > 0 && of(stage).pages > 20 * 8, `no sample in ${stage}`);
    }
    assert.ok(Number.isNaN(of("flush").file_pages));
  });

  it("is measured on a store whose content is compared at the end", async () => {
    const stores = new FakeStores((contents) => {
      contents.get(7)?.fill(0, 100, 101);
      return new FakeStore(contents);
    });
    await assert.rejects(runTableWith(stores, "flush-time", { directory, quick: true }), (error) => {
      assert.ok(error instanceof RunError);
      assert.match(error.message, /^flush-time on 1 MiB, after 33 rows: reopened: allocation 7 differs/);
      return true;
    });
    assert.deepEqual(readdirSync(directory), []);
  });

  it("can be stopped", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const onProgress = () => {
      const until = performance.now() + 60;
      while (performance.now() < until);
      controller.abort(reason);
    };
    const stopped = runTableWith(new FakeStores(), "flush-time", {
      directory,
      quick: true,
      onProgress,
      signal: controller.signal,
    });
    await assert.rejects(stopped, reason);
    assert.deepEqual(readdirSync(directory), []);
  });
});
