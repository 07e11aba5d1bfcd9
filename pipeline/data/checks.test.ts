import assert from "node:assert/strict";
import { test } from "node:test";
import type { Row } from "../../engine/bench/index.ts";
import { madeUpRun, madeUpTable } from "../testing/rows.ts";
import { faultsOf } from "./checks.ts";

const rows = madeUpRun("uniform", "off", 2 ** 20, 4);
const faultsWith = (at: number, change: Partial<Row>): string[] =>
  faultsOf(
    madeUpTable(
      "uniform",
      rows.map((row, index) => (index === at ? { ...row, ...change } : row)),
    ),
  );

test("a sound table has no faults; two runs are counted apart", () => {
  assert.deepEqual(faultsOf(madeUpTable("uniform", rows, madeUpRun("uniform", "off", 2 ** 23, 3))), []);
});

test("each rule finds its fault", () => {
  assert.deepEqual(faultsWith(2, { journal_bytes: 5 }), [
    `uniform off 1 MiB, row 3: journal_bytes falls from ${rows[1]!.journal_bytes} to 5`,
  ]);
  assert.match(faultsWith(1, { free_pages: 100 })[0]!, /row 2: \d+ pages are counted twice/);
  assert.match(faultsWith(3, { headers_written: 3 })[0]!, /row 4: 3 headers for 4 flushes/);
  assert.match(faultsWith(3, { evacuated_pages: 1 })[0]!, /evacuated_pages is 1 without consolidation/);
  assert.match(faultsWith(0, { flush: 2 })[0]!, /calls itself flush 2/);
});

test("with consolidation its columns may count", () => {
  const on = rows.map((row) => ({ ...row, variant: "on", evacuated_pages: row.flush }));
  assert.deepEqual(faultsOf(madeUpTable("uniform", on)), []);
});
