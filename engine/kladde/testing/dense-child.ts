/**
 * Makes a dense file and looks into it with as little heap as its parent allows, and says how many bytes of arrays that
 * made: a child of `inspect/dense.test.ts`.
 */

import assert from "node:assert/strict";
import { inspectFile } from "../inspect/inspect.ts";
import { surveyFile } from "../inspect/survey.ts";
import { counted } from "./counted-memory.ts";
import { type DenseKind, denseFile } from "./dense-files.ts";
import { ReadingFile } from "./reading-file.ts";

/** What is found, and at what cost. */
export interface DenseReport {
  readonly fileBytes: number;
  readonly statements: number;
  readonly allocations: number;
  readonly rows: number;
  readonly faults: number;
  readonly findings: number;
  /** Bytes of arrays, those that were let go included. */
  readonly inspectBytes: number;
  readonly surveyBytes: number;
}

const [kind, pages] = process.argv.slice(2);
const file = new ReadingFile("dense", denseFile(kind as DenseKind, Number(pages)));
const [inspection, inspectBytes] = counted(() => inspectFile(file));
const [survey, surveyBytes] = counted(() => surveyFile(file));
let rows = 0;
for (const _ of survey.allocations()) rows++;
assert(survey.largest(10).length === Math.min(10, rows), "the largest are among them");
const { statements, allocations } = survey.head.table;
const { faults, findings } = inspection;
const report: DenseReport = {
  fileBytes: file.size(),
  statements,
  allocations,
  rows,
  faults,
  findings: findings.length,
  inspectBytes,
  surveyBytes,
};
process.stdout.write(JSON.stringify(report));
