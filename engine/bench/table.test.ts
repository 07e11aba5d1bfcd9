import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { columns, exactColumns, isLabel, numberColumns } from "./columns.ts";
import { type Row, readCsv, rowAt, sectionsOf, tableOf, writeCsv } from "./table.ts";

const row = (values: Partial<Row>): Row =>
  ({
    ...Object.fromEntries(numberColumns.map((name) => [name, 0])),
    scenario: "a",
    variant: "off",
    ...values,
  }) as Row;

describe("columns", () => {
  it("are the 41 of the benchmark, in order", () => {
    assert.equal(columns.length, 41);
    assert.equal(
      columns.map(({ name }) => name).join(","),
      "scenario,variant,size,flush,ops,app_bytes,file_pages,data_pages,table_pages,free_pages,live_data," +
        "live_table,alloc_bytes,allocations,statements,fragments,budget,data_written,table_written," +
        "headers_written,journal_bytes,fresh_bytes,evacuated_pages,evacuated_bytes,free_filled,budget_pages," +
        "table_rewrites,window_restated,defrag_rewrites,defrag_bytes,compaction_flushes,truncations,flush_us," +
        "ops_us,kappa,static_pages,static_bytes,mixed_pages,mixed_bytes,cold_bytes,cold_mixed_bytes",
    );
  });

  it("are measured only where a clock is read", () => {
    const measured = columns.filter((column) => !exactColumns.includes(column));
    assert.deepEqual(
      measured.map(({ name }) => name),
      ["flush_us", "ops_us"],
    );
  });
});

describe("tables as CSV", () => {
  it("read back to the same rows, whatever the numbers", () => {
    const number = fc.oneof(
      fc.maxSafeNat(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x + 0),
    );
    const label = fc.stringMatching(/^[a-z0-9=.-]{1,10}$/);
    const anyRow = fc.record(
      Object.fromEntries(columns.map(({ name }) => [name, isLabel(name) ? label : number])),
    );
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 8 }), (rows) => {
        const table = tableOf("t", rows as unknown as Row[]);
        const text = writeCsv(table);
        const read = readCsv("t", text);
        assert.deepEqual(read, table);
        assert.equal(writeCsv(read), text);
      }),
      { numRuns: 50 },
    );
  });

  it("read columns by name, in any order", () => {
    const names = columns.map(({ name }) => name).reverse();
    const text = `${names.join(",")}\n${names.map((name, i) => (isLabel(name) ? name : i)).join(",")}\n`;
    const table = readCsv("t", text);
    assert.equal(table.columns.scenario[0], "scenario");
    assert.equal(table.columns.flush[0], 37);
    assert.equal(rowAt(table, 0).cold_mixed_bytes, 0);
  });

  it("have the columns that a table of that name has, and in memory all", () => {
    const split = { stage: "sync", flushes: 17, pages: 1006, calls: 17, micros: 19_233 };
    const table = tableOf("flush-time", [row({ flush: 5, size: 8, ...split })]);
    const text = writeCsv(table);
    assert.equal(
      text,
      "scenario,variant,size,flush,stage,flushes,pages,calls,micros\na,off,8,5,sync,17,1006,17,19233\n",
    );
    assert.deepEqual(readCsv("flush-time", text), table);
    assert.throws(() => readCsv("uniform", text), /file_pages is missing.*"stage" is unknown/);
    assert.deepEqual(rowAt(table, 0).stage, "sync");
    assert.ok(Number.isNaN(rowAt(table, 0).file_pages));
    assert.equal(rowAt(tableOf("uniform", [row({})]), 0).stage, "");
  });

  it("can leave columns out", () => {
    const table = tableOf("t", [row({ flush: 1, flush_us: 17 })]);
    const text = writeCsv(table, exactColumns);
    assert.ok(!text.includes("flush_us"));
    const read = readCsv("t", text, exactColumns);
    assert.equal(read.columns.flush[0], 1);
    assert.ok(Number.isNaN(read.columns.flush_us[0]));
  });

  it("say where a text is wrong", () => {
    const text = writeCsv(tableOf("t", [row({}), row({})]));
    const [header, line] = text.split("\n") as [string, string];
    assert.throws(() => readCsv("t", ""), /t, line 1: scenario is missing/);
    assert.throws(() => readCsv("t", text.replace("kappa", "kapa")), /kappa is missing, "kapa" is unknown/);
    assert.throws(() => readCsv("t", text.replace("kappa", "flush")), /flush is there twice/);
    assert.throws(
      () => readCsv("t", `${header}\n${line}\n${line},0\n`),
      /t, line 3: 42 fields, the header has 41/,
    );
    assert.throws(
      () => readCsv("t", `${header}\n${line.replace(/0$/, "x")}\n`),
      /line 2: cold_mixed_bytes .* "x"/,
    );
    assert.throws(
      () => readCsv("t", `${header}\n${line.replace(/0$/, "")}\n`),
      /line 2: cold_mixed_bytes .* ""/,
    );
  });
});

describe("rows of a table", () => {
  it("fall into one section for each run", () => {
    const table = tableOf("t", [
      row({ size: 1 }),
      row({ size: 1 }),
      row({ size: 8 }),
      row({ size: 8, variant: "on" }),
    ]);
    assert.deepEqual(sectionsOf(table), [
      { scenario: "a", variant: "off", sizeBytes: 1, from: 0, to: 2 },
      { scenario: "a", variant: "off", sizeBytes: 8, from: 2, to: 3 },
      { scenario: "a", variant: "on", sizeBytes: 8, from: 3, to: 4 },
    ]);
    assert.deepEqual(sectionsOf(tableOf("t", [])), []);
  });

  it("cannot be asked for outside the table", () => {
    const table = tableOf("t", [row({ ops: 5 })]);
    assert.equal(rowAt(table, 0).ops, 5);
    for (const index of [-1, 1, 0.5, Number.NaN]) assert.throws(() => rowAt(table, index), RangeError);
  });
});
