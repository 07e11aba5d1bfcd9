/**
 * The list that the page of columns shows is the declaration in the code, written out; `pnpm reproduce --no-bench`
 * writes it.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { columns, flushTimeColumns, flushTimeTable } from "../../engine/bench/columns.ts";

const file = new URL("../../content/evaluation/columns.json", import.meta.url);

const own = flushTimeColumns.filter((column) => !columns.includes(column));
const declared = [...columns, ...own].map(({ name, kind, unit, span, describes, split, reclaims }) => ({
  name,
  kind,
  unit,
  span,
  describes,
  reclaims: reclaims === true,
  ...(split === true ? { table: flushTimeTable } : {}),
}));

test("columns.json lists the columns as they are declared", () => {
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), declared);
});
