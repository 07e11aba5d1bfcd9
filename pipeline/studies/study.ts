/** What a study is: the runs it needs, and the results that follow from their rows. */

import type { Results } from "./results.ts";
import type { Series } from "./series.ts";

export interface Study {
  readonly id: string;
  readonly title: string;
  readonly question: string;
  /** Folders below `content/evaluation/data/<study>/`, and the benchmark's tables in each. */
  readonly runs: readonly StudyRun[];
  readonly derive: (data: StudyData) => Results;
}

export interface StudyRun {
  readonly label: string;
  readonly tables: readonly string[];
}

/** By run label, then every series of its tables in order. */
export type StudyData = ReadonlyMap<string, readonly Series[]>;
