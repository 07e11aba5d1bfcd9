import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Column } from "./schema.ts";

const content = mkdtempSync(join(tmpdir(), "daybook-load-"));
cpSync(fileURLToPath(new URL("../tests/fixtures/content", import.meta.url)), content, { recursive: true });
process.env.DAYBOOK_CONTENT = content;
const { loadChanges, loadSummary, parseCsv, pick } = await import("./load.ts");
const summaryFile = join(content, "evaluation/summary/sample.json");

test("a summary is read, checked, and read again when it changes", () => {
  assert.equal(loadSummary("sample", "page").values["a.space"]?.value, 3.31);
  assert.equal(loadChanges("sample")?.exact.length, 2);
  assert.equal(loadChanges("other"), undefined);
  const text = readFileSync(summaryFile, "utf8");
  writeFileSync(summaryFile, text.replace('"unit": "micros"', '"unit": "hours"'));
  assert.throws(
    () => loadSummary("sample", "page"),
    /sample\.json does not have the expected shape:[\s\S]*unit/,
  );
  writeFileSync(summaryFile, text.replace('"study": "sample"', '"study": "another"'));
  assert.throws(() => loadSummary("sample", "page"), /is the summary of "another", not of "sample"/);
  writeFileSync(summaryFile, text);
});

test("a missing summary is named, with the command that writes it", () => {
  assert.throws(
    () => loadSummary("other", "x.mdx"),
    /x\.mdx needs .*other\.json, which does not exist; "pnpm reproduce --only other"/,
  );
});

const columns: Column[] = [
  { key: "run", title: "Run", kind: "label" },
  { key: "space", title: "Space", kind: "exact", unit: "ratio" },
];

test("a CSV's numbers are numbers, its labels text", () => {
  assert.deepEqual(parseCsv("run,space\n1,2.5\nb,\n", columns, "x.csv"), [
    { run: "1", space: 2.5 },
    { run: "b", space: null },
  ]);
});

test("a short line is named", () => {
  assert.throws(() => parseCsv("run,space\na,1\nb\n", columns, "x.csv"), /x\.csv, line 3/);
});

test("an unknown id names page, file and what there is", () => {
  assert.equal(pick({ a: 1 }, "a", "value", "s", "p.mdx"), 1);
  assert.throws(
    () => pick({ a: 1, b: 2 }, "c", "value", "s", "p.mdx"),
    /p\.mdx: no value "c" in .*s\.json.*a, b/,
  );
  assert.throws(() => pick({ a: 1 }, "toString", "value", "s", "p.mdx"), /no value/);
  assert.throws(() => pick({ a: 1 }, undefined, "value", "s", "p.mdx"), /"undefined"/);
});
