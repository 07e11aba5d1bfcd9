/**
 * Two runs side by side: exact columns bit for bit, measured numbers as ratios.
 *
 *  (1) Rows are compared in order; a missing or additional row differs.
 *  (2) A measured number has a verdict only where both sides have a band; a single run says nothing about noise.
 */

import {
  type ColumnName,
  exactColumnsOf,
  rowAt,
  sectionsOf,
  type Table,
  tableOf,
} from "../../engine/bench/index.ts";
import { isSameRun } from "./files.ts";
import type { ExactChange, MeasuredChange, Summary, SummaryValue } from "./summary.ts";

/** Said of a table that is new. */
export const NOT_COMMITTED = "it is not committed";

export interface ExactComparison extends ExactChange {
  /** Columns that differ in any row, in the table's order. */
  readonly columns: readonly string[];
}

export function compareExact(committed: Table | undefined, ours: Table): ExactComparison {
  const rows = ours.rowCount;
  const exactNames = exactNamesOf(ours.name);
  if (committed === undefined) {
    return { table: ours.name, rows, differing: rows, columns: exactNames, first: NOT_COMMITTED };
  }
  const differing = new Set<number>();
  const columns: string[] = [];
  let first: { row: number; says: string } | undefined;
  for (const name of exactNames) {
    const there = committed.columns[name];
    const here = ours.columns[name];
    let differs = false;
    for (let row = 0; row < Math.min(rows, committed.rowCount); row++) {
      if (there[row] === here[row]) continue;
      differs = true;
      differing.add(row);
      if (first === undefined || row < first.row) {
        first = { row, says: `${where(ours, row)}: ${name} is ${here[row]}, committed ${there[row]}` };
      }
    }
    if (differs) columns.push(name);
  }
  const missing = Math.abs(rows - committed.rowCount);
  const says = first?.says ?? (missing > 0 ? `${rows} rows, committed ${committed.rowCount}` : undefined);
  return {
    table: ours.name,
    rows,
    differing: differing.size + missing,
    columns: missing > 0 ? exactNames : columns,
    ...(says === undefined ? {} : { first: says }),
  };
}

const exactNamesOf = (table: string): ColumnName[] => exactColumnsOf(table).map(({ name }) => name);

/** The runs of a table that another, of the same name, has as well. */
export function sharedRuns(table: Table, other: Table): Table {
  const there = sectionsOf(other);
  const shared = sectionsOf(table).filter((section) => there.some((one) => isSameRun(one, section)));
  const rows = shared.flatMap(({ from, to }) =>
    Array.from({ length: to - from }, (_, index) => rowAt(table, from + index)),
  );
  return tableOf(table.name, rows);
}

function where({ columns }: Table, row: number): string {
  const { scenario, variant, size, flush } = columns;
  return `${scenario[row]} ${variant[row]} ${size[row]! / 2 ** 20} MiB, flush ${flush[row]}`;
}

/** "39 of 39 exact columns identical": a column counts as identical when it is in every table that has it. */
export function identicalColumns(comparisons: readonly ExactComparison[]): { same: number; of: number } {
  const all = new Set(comparisons.flatMap(({ table }) => exactNamesOf(table)));
  const differing = new Set(comparisons.flatMap(({ columns }) => columns));
  return { same: all.size - differing.size, of: all.size };
}

/** Quantities worth a line each: how long a flush takes, and how much gets done. */
const TOLD = /\.(flushMedian|operationsPerSecond)$/;

export function compareMeasured(committed: Summary | undefined, ours: Summary): MeasuredChange[] {
  return Object.entries(ours.values).flatMap(([id, yours]) => {
    const theirs = committed?.values[id];
    if (!TOLD.test(id) || theirs === undefined || theirs.value === 0) return [];
    return [
      {
        what: `${id.split(".").slice(0, 2).join(" ")}: ${yours.says}`,
        committed: theirs.value,
        yours: yours.value,
        ratio: Number((yours.value / theirs.value).toPrecision(4)),
        verdict: verdict(theirs, yours),
      },
    ];
  });
}

export function verdict(theirs: SummaryValue, yours: SummaryValue): string {
  if (theirs.value === yours.value) return "identical";
  if (theirs.band === undefined || yours.band === undefined) return "no verdict: five runs each make a band";
  const overlap = yours.band.low <= theirs.band.high && theirs.band.low <= yours.band.high;
  return overlap ? "same within noise" : "different";
}
