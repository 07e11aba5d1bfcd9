import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { numberColumns } from "./columns.ts";
import { runTable } from "./kladde-stores.ts";
import { Model } from "./model.ts";
import { compareWithReference, referenceColumns, workloadColumns } from "./reference.ts";
import { type Run, runsOf } from "./runs.ts";
import { type Row, readCsv, sectionsOf, type Table, tableOf } from "./table.ts";
import { draw } from "./workloads.ts";

const folder = process.env.KLADDE_REFERENCE;
const skip = folder === undefined && "KLADDE_REFERENCE is not set";
if (folder === undefined) {
  console.warn(
    "NOT COMPARED with the reference implementation: KLADDE_REFERENCE, the folder of its tables, is not set.",
  );
}

/** The reference made these without consolidation. */
const compared = ["uniform", "skewed", "mixed", "append", "churn", "shrink"];
const isCompared = ({ variant }: Run): boolean => variant === "off";

const referenceTable = (name: string): Table =>
  readCsv(name, gunzipSync(readFileSync(path.join(folder!, `${name}.csv.gz`))).toString(), referenceColumns);

describe("the reference implementation's rows", { skip }, () => {
  for (const name of compared) {
    it(`of ${name} have the operations, bytes and allocations of our workload, in every row`, () => {
      const reference = referenceTable(name);
      const sections = sectionsOf(reference);
      const runs = runsOf(name).filter(isCompared);
      assert.equal(sections.length, runs.length);
      for (const [i, { from, to, sizeBytes, variant }] of sections.entries()) {
        const run = runs[i]!;
        assert.deepEqual([variant, sizeBytes], [run.variant, run.sizeBytes]);
        const { drawing, marks } = draw(run.scenario, run.sizeBytes);
        const model = new Model();
        let row = from;
        for (const mark of marks) {
          model.apply(drawing.interval);
          if (mark !== "row") continue;
          const ours = [drawing.operations, drawing.appBytes, model.allocationBytes, model.allocations];
          assert.deepEqual(
            ours,
            workloadColumns.map((column) => reference.columns[column][row]),
          );
          row++;
        }
        assert.equal(row, to);
      }
    });
  }
});

describe("our store's rows beside the reference implementation's", { skip }, () => {
  for (const name of compared) {
    it(`${name}: as many rows, the workload's columns equal, pages and bytes within the tolerance`, async (t) => {
      const directory = mkdtempSync(path.join(tmpdir(), "daybook-reference-"));
      try {
        const ours = await runTable(name, { directory, only: isCompared });
        const faults: string[] = [];
        for (const run of compareWithReference(ours, referenceTable(name))) {
          t.diagnostic(
            `${run.title}: ${run.equalRows} of ${run.rows} rows are equal in all ${referenceColumns.length} columns`,
          );
          for (const { column, rows, first } of run.differing) {
            t.diagnostic(`  ${column} differs in ${rows} rows, first in row ${first}`);
          }
          faults.push(...run.faults.map((fault) => `${run.title}: ${fault}`));
        }
        assert.deepEqual(faults, []);
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    });
  }
});

describe("the comparison with reference rows", () => {
  const rowsOf = (change: (row: Record<string, number>, index: number) => void): Table => {
    const rows = Array.from({ length: 10 }, (_, index) => {
      const row: Record<string, number> = Object.fromEntries(numberColumns.map((name) => [name, 1000]));
      change(row, index);
      return { ...row, scenario: "uniform", variant: "off", size: 1024 * 1024 } as unknown as Row;
    });
    return tableOf("uniform", rows);
  };
  const same = rowsOf(() => {});

  it("finds equal tables equal, times aside", () => {
    const ours = rowsOf((row, index) => {
      row.flush_us = index;
    });
    assert.deepEqual(compareWithReference(ours, same), [
      { title: "uniform off 1 MiB", rows: 10, equalRows: 10, differing: [], faults: [] },
    ]);
  });

  it("counts rows and columns that differ within the tolerance", () => {
    const ours = rowsOf((row, index) => {
      if (index >= 7) row.data_pages = 1010;
    });
    const [run] = compareWithReference(ours, same);
    assert.equal(run!.equalRows, 7);
    assert.deepEqual(run!.differing, [{ column: "data_pages", rows: 3, first: 8 }]);
    assert.deepEqual(run!.faults, []);
  });

  it("faults deviations beyond the tolerance, and the workload's own columns at once", () => {
    const last = rowsOf((row, index) => {
      if (index === 9) row.file_pages = 1011;
    });
    assert.deepEqual(compareWithReference(last, same)[0]!.faults, [
      "file_pages is 1.10 % off in the last row",
    ]);
    const mean = rowsOf((row, index) => {
      if (index < 9) row.table_pages = 1030;
    });
    assert.deepEqual(compareWithReference(mean, same)[0]!.faults, ["table_pages is 2.70 % off on average"]);
    const workload = rowsOf((row, index) => {
      if (index === 3) row.ops = 1001;
    });
    assert.deepEqual(compareWithReference(workload, same)[0]!.faults, [
      "ops is 1001 in row 4, the reference has 1000",
    ]);
  });

  it("faults another number of rows, and refuses other runs", () => {
    const fewer = tableOf("uniform", []);
    assert.throws(() => compareWithReference(fewer, same), /0 runs, the reference 1/);
    const longer = rowsOf(() => {});
    const short: Table = { ...longer, rowCount: 9 };
    assert.deepEqual(compareWithReference(short, same)[0]!.faults, ["9 rows, the reference has 10"]);
  });
});
