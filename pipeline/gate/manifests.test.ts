import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeTable, exactHash } from "../data/files.ts";
import type { Manifest } from "../data/summary.ts";
import { madeUpRun, madeUpTable } from "../testing/rows.ts";
import { manifestFaults } from "./manifests.ts";

const table = madeUpTable("uniform", madeUpRun("uniform", "off", 2 ** 20, 3));
const machine = { cpu: "c", cores: 2, memoryGiB: 8, kernel: "k", fileSystem: "ext4", node: "v24" };
const manifest: Manifest = {
  study: "s",
  run: "main",
  commit: "0123456789abcdef0123456789abcdef01234567",
  dirty: false,
  date: "2026-01-01T00:00:00.000Z",
  command: "pnpm reproduce",
  repeats: 1,
  options: {},
  seeds: {},
  machine,
  tables: { uniform: { rows: 3, sha256: exactHash(table) } },
};

const faults = (change: Partial<Manifest>, folder = "data/s/main", there = table): string[] =>
  manifestFaults({ ...manifest, ...change }, folder, (name) =>
    name === "uniform" ? encodeTable(there) : undefined,
  );

test("a manifest that tells the truth has no faults", () => {
  assert.deepEqual(faults({}), []);
});

test("each lie is found", () => {
  assert.match(faults({ dirty: true })[0]!, /changes that were not committed/);
  assert.match(faults({ commit: "unknown" })[0]!, /names no commit/);
  assert.match(faults({}, "data/s/main-quick")[0]!, /it is of s\/main and lies in s\/main-quick/);
  const entry = manifest.tables.uniform!;
  assert.match(faults({ tables: { uniform: { ...entry, rows: 4 } } })[0]!, /uniform has 3 rows, not 4/);
  assert.match(faults({ tables: { uniform: entry, skewed: entry } })[0]!, /the table skewed is missing/);
  const other = madeUpTable("uniform", madeUpRun("uniform", "on", 2 ** 20, 3));
  assert.match(faults({}, "data/s/main", other)[0]!, /uniform is not the table that was measured/);
  const kept = { commit: manifest.commit, dirty: true, date: manifest.date, machine };
  assert.match(faults({ tables: { uniform: { ...entry, kept } } })[0]!, /uniform was measured with changes/);
});
