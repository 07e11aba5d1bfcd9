/**
 * The study "Consolidation under load": what a copy-on-write page store costs, in space, in writes and in time, while it
 * gives space back.
 *
 * Its parts: quantities, tables and figures of the runs; published numbers beside ours; sentences that are checked.
 */

import { Results } from "../results.ts";
import type { Study, StudyData } from "../study.ts";
import { drawFigures } from "./figures.ts";
import { ownClaims } from "./own-claims.ts";
import { publishedDescription } from "./published/description.ts";
import { publishedFrees } from "./published/frees.ts";
import { refuseUnknownDifferences } from "./published/publish.ts";
import { publishedSpace } from "./published/space.ts";
import { publishedTime } from "./published/time.ts";
import { publishedTuning } from "./published/tuning.ts";
import { publishedTyped } from "./published/typed.ts";
import { publishedWriting } from "./published/writing.ts";
import { addTables } from "./tables.ts";
import { addValues } from "./values.ts";

const TABLES = [
  "uniform",
  "skewed",
  "mixed",
  "append",
  "churn",
  "shrink",
  "typed",
  "tuning-uniform",
  "tuning-skewed",
  "tuning-append",
  "sessions",
  "interval",
  "flush-time",
];

export const consolidation: Study = {
  id: "consolidation",
  title: "Consolidation under load",
  question:
    "What does a store that never overwrites live data cost, in space, in writes and in time, while it gives space back?",
  runs: [{ label: "main", tables: TABLES }],
  derive,
};

function derive(data: StudyData): Results {
  const main = data.get("main");
  if (main === undefined) throw new Error("the study needs the run main");
  const results = new Results();
  const parts = [
    addValues,
    addTables,
    publishedSpace,
    publishedTuning,
    publishedWriting,
    publishedFrees,
    publishedDescription,
    publishedTime,
    publishedTyped,
    ownClaims,
    drawFigures,
  ];
  for (const part of parts) part(results, main);
  refuseUnknownDifferences(results);
  return results;
}
