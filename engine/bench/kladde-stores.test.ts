import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { exactColumns } from "./columns.ts";
import { runTable } from "./kladde-stores.ts";
import { tables } from "./runs.ts";
import { writeCsv } from "./table.ts";

describe("quick runs on the page store", () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), "daybook-quick-"));
  });
  after(() => rmSync(directory, { recursive: true }));

  for (const { name } of tables) {
    it(`${name}: books balance, checks are clean, the reopened file is the model`, async () => {
      const table = await runTable(name, { directory, quick: true });
      assert.ok(table.rowCount > 10);
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
