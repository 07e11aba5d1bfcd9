/**
 * The study "Consolidation under load": what a copy-on-write page store costs, in space and in writes, while it works.
 *
 * Published numbers are those of the evaluation of the format's reference implementation, page "Consolidation under
 * load"; a tolerance is what an implementation of the same rules may differ by without being wrong.
 */

import { Results, type Study, type StudyData } from "../study.ts";
import { compareWithPublished } from "./claims.ts";
import { drawFigures } from "./figures.ts";
import { addTables, addValues } from "./values.ts";

const TABLES = ["uniform", "skewed", "mixed", "append", "churn", "shrink"];

export const consolidation: Study = {
  id: "consolidation",
  title: "Consolidation under load",
  question: "What does a store that never overwrites live data cost, in space and in writes?",
  runs: [{ label: "main", tables: TABLES }],
  derive,
};

function derive(data: StudyData): Results {
  const main = data.get("main");
  if (main === undefined) throw new Error("the study needs the run main");
  const results = new Results();
  addValues(results, main);
  addTables(results, main);
  compareWithPublished(results, main);
  drawFigures(results, main);
  return results;
}
