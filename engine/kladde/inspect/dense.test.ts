/** What an inspection keeps of files that say as much as bytes can: little more than the bytes. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { DenseReport } from "../testing/dense-child.ts";
import type { DenseKind } from "../testing/dense-files.ts";
import { findingsMax } from "./findings.ts";

/** Heap that a child has, two thirds of it taken by the program; an object for each statement would need more. */
const heapMebibytes = 28;
const child = fileURLToPath(new URL("../testing/dense-child.ts", import.meta.url));

function look(kind: DenseKind, pages: number): DenseReport {
  const words = [`--max-old-space-size=${heapMebibytes}`, child, kind, String(pages)];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  assert.equal(status, 0, stderr.slice(-2000));
  return JSON.parse(stdout) as DenseReport;
}

/** Pages that make more statements than an inspection may open a store for. */
const kinds = {
  growths: 400,
  tombstones: 240,
  sparse: 400,
} as const satisfies Partial<Record<DenseKind, number>>;

for (const [kind, pages] of Object.entries(kinds) as [DenseKind, number][])
  test(`${kind}: arrays of three times the file, and next to no heap`, (t) => {
    const { fileBytes, inspectBytes, surveyBytes, statements, ...found } = look(kind, pages);
    t.diagnostic(`${statements} statements in ${fileBytes} bytes: ${inspectBytes} and ${surveyBytes}`);
    assert.ok(statements > 480_000, `${statements} statements`);
    assert.equal(found.faults, 0);
    assert.equal(found.rows, found.allocations);
    assert.ok(inspectBytes <= 2 * fileBytes + 2 ** 20, `${inspectBytes} bytes to inspect ${fileBytes}`);
    assert.ok(surveyBytes <= 3 * fileBytes + 2 ** 21, `${surveyBytes} bytes to survey ${fileBytes}`);
  });

test("what breaks a rule everywhere is listed up to a limit, and counted beyond", () => {
  for (const kind of ["contradictions", "lengthless"] as const) {
    const { findings, faults, statements } = look(kind, 20);
    assert.equal(findings, findingsMax + 1, kind);
    assert.equal(faults > findingsMax, kind === "contradictions", `${faults} faults`);
    assert.ok(statements > findingsMax);
  }
});
