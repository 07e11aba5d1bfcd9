/**
 * Which part of the studies a command means.
 */

import { UsageError } from "./options.ts";
import type { Study, StudyRun } from "./studies/study.ts";

/** Tables of one run of a study. */
export interface Part {
  readonly study: Study;
  readonly run: StudyRun;
  readonly tables: readonly string[];
  /** All tables of the run. */
  readonly whole: boolean;
}

/** `names` are studies, or `study/name` with the name of a run or a table; none means everything. */
export function select(studies: readonly Study[], names: readonly string[]): Part[] {
  for (const name of names) refuseUnknown(studies, name);
  return studies.flatMap((study) =>
    study.runs.flatMap((run) => {
      const tables = run.tables.filter((table) => isWanted(names, study.id, run.label, table));
      return tables.length === 0 ? [] : [{ study, run, tables, whole: tables.length === run.tables.length }];
    }),
  );
}

function isWanted(names: readonly string[], study: string, run: string, table: string): boolean {
  const fitting = [study, `${study}/${run}`, `${study}/${table}`, `${study}/${run}/${table}`];
  return names.length === 0 || names.some((name) => fitting.includes(name));
}

function refuseUnknown(studies: readonly Study[], name: string): void {
  const found = studies.some((study) =>
    study.runs.some((run) => run.tables.some((table) => isWanted([name], study.id, run.label, table))),
  );
  if (found) return;
  const known = studies.flatMap(({ id, runs }) => [
    id,
    ...new Set(runs.flatMap(({ tables }) => tables.map((table) => `${id}/${table}`))),
  ]);
  throw new UsageError(`nothing is called ${JSON.stringify(name)}; there are ${known.join(", ")}`);
}
