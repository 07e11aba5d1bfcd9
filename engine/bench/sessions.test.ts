import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { Store } from "../kladde/index.ts";
import { openNodeFile } from "../storage/node.ts";
import type { StorageFile } from "../storage/storage.ts";
import { FakeStore, FakeStores } from "./fake-store.ts";
import { kladdeStores } from "./kladde-stores.ts";
import { RunError, type RunTableOptions, runOnce } from "./run.ts";
import { type RunOptions, runsOf, sessionsOf } from "./runs.ts";
import { draw } from "./workloads.ts";

const mib = 1024 * 1024;
const [kept, noState] = runsOf("sessions", true);

describe("a run of sessions", () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), "daybook-sessions-"));
  });
  after(() => rmSync(directory, { recursive: true }));
  const options = (more: Partial<RunTableOptions> = {}): RunTableOptions => ({ directory, ...more });

  it("has 200 sessions of a thousand writes at 8 MiB, those of uniform", () => {
    assert.equal(sessionsOf(8 * mib), 200);
    const sessions = draw("sessions", mib);
    const uniform = draw("uniform", mib);
    const writes = ({ drawing, marks }: ReturnType<typeof draw>): number[] => {
      const found: number[] = [];
      let rows = 0;
      for (const mark of marks) {
        const { count, slot, offset, length } = drawing.interval;
        if (mark !== "row") continue;
        for (let i = 0; i < count; i++) found.push(slot[i]!, offset[i]!, length[i]!);
        if (++rows === 26) break;
      }
      return found.slice(0, 25 * 1000 * 3);
    };
    const all = writes(sessions);
    assert.equal(all.length, 25 * 1000 * 3);
    assert.deepEqual(all, writes(uniform));
    assert.equal(sessions.drawing.operations, 64 + 25_000);
  });

  it("opens with the variant's options, and at the end with the default ones", async () => {
    const stores = new FakeStores();
    const opened: (RunOptions | undefined)[] = [];
    const open = stores.open.bind(stores);
    stores.open = (file: StorageFile, given?: RunOptions) => {
      opened.push(given);
      return open(file);
    };
    const rows = await runOnce(stores, noState!, options());
    assert.equal(rows.length, 25);
    assert.deepEqual(opened, [...Array(25).fill({ consolidatorState: false }), undefined]);
    assert.deepEqual(readdirSync(directory), []);
  });

  it("counts on over sessions, though every store begins at zero", async () => {
    const rows = await runOnce(new FakeStores(), kept!, options());
    for (const [i, row] of rows.entries()) {
      assert.equal(row.flush, i + 1);
      assert.equal(row.ops, 64 + 1000 * (i + 1));
      assert.equal(row.headers_written, i + 1);
      assert.equal(row.journal_bytes, row.app_bytes);
    }
  });

  it("is in the table under its own name", async () => {
    const [row] = await runOnce(new FakeStores(), kept!, options());
    assert.deepEqual([row!.scenario, row!.variant, row!.size], ["sessions", "kept", mib]);
  });

  it("checks after every flush and every opening", async () => {
    let checks = 0;
    class Counting extends FakeStore {
      override check() {
        checks++;
      }
    }
    await runOnce(new FakeStores((contents) => new Counting(contents)), kept!, options());
    assert.equal(checks, 1 + 1 + 2 * 25 + 1); // fill, begin, sessions, reopened
  });

  it("holds a session to the budget it opened with", async () => {
    let opened = 0;
    class Forgetful extends FakeStore {
      readonly #session = opened++;
      override stats() {
        const stats = super.stats();
        // The third session opens with a budget of 9; a flush doubles it and uses all of the doubled one.
        if (this.#session !== 3) return { ...stats, budgetPages: 100 };
        const flushed = stats.flushes > 0;
        return { ...stats, budgetPages: flushed ? 18 : 9, budgetPagesUsed: flushed ? 18 : 0 };
      }
    }
    const stores = new FakeStores((contents) => new Forgetful(contents));
    await assert.rejects(runOnce(stores, kept!, options()), (error) => {
      assert.ok(error instanceof RunError);
      assert.match(error.message, /after 2 rows: row 3: the flush used 18 pages of a budget of 9/);
      return true;
    });
    assert.deepEqual(readdirSync(directory), []);
  });

  it("fails where a session loses bytes", async () => {
    let opened = 0;
    const stores = new FakeStores((contents) => {
      if (++opened === 26) contents.get(7)!.fill(0);
      return new FakeStore(contents);
    });
    await assert.rejects(runOnce(stores, kept!, options()), /allocation 7 differs /);
  });

  it("has nothing left for the close to flush", async () => {
    // Counters of all sessions but the last come from before its close; the file's own count of flushes tells.
    const epochs: number[] = [];
    const stores = { ...kladdeStores };
    stores.open = (file, given) => {
      const before = Store.openReadOnly(openNodeFile(file.name, "read"));
      epochs.push(before.header.epoch);
      before.close();
      return kladdeStores.open(file, given);
    };
    const rows = await runOnce(stores, kept!, options({ check: false }));
    assert.equal(epochs.length, 26);
    assert.equal(epochs[25]! - epochs[0]!, 25);
    assert.equal(rows.at(-1)!.headers_written, 25);
  });
});
