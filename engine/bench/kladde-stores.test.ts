import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { exactColumns } from "./columns.ts";
import { kladdeStores, runTable } from "./kladde-stores.ts";
import { runOnce } from "./run.ts";
import { runsOf, tables } from "./runs.ts";
import { writeCsv } from "./table.ts";

describe("quick runs on the page store", () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), "daybook-quick-"));
  });
  after(() => rmSync(directory, { recursive: true }));

  // All of them, at their sizes, are the quick part of the main job; here the first run of each has a quarter of it.
  for (const { name } of tables) {
    const [run] = runsOf(name, true);
    it(`${name}: books balance, checks are clean, the reopened file is the model`, async () => {
      const small = { ...run!, sizeBytes: run!.sizeBytes / 4 };
      const rows = await runOnce(kladdeStores, small, { directory });
      assert.ok(rows.length > 3);
      assert.deepEqual(readdirSync(directory), []);
    });
  }

  it("give the same exact columns twice", async () => {
    const [first, second] = [
      await runTable("mixed", { directory, quick: true }),
      await runTable("mixed", { directory, quick: true, check: false }),
    ];
    assert.equal(writeCsv(second, exactColumns), writeCsv(first, exactColumns));
  });
});
