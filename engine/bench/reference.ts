/**
 * Comparison of a table with rows that another implementation made of the same runs.
 *
 *  (1) Rows are compared one to one, run by run; another number of rows, or of runs, is a difference of its own.
 *  (2) The columns of the workload must be equal. Pages and bytes written may deviate: by 1 % in a run's last row,
 *      by 2 % on average over its rows. How many rows are equal in all columns is counted.
 */

import { type Column, exactColumns, isLabel, type NumberColumn } from "./columns.ts";
import { type Row, rowAt, type Section, sectionsOf, type Table } from "./table.ts";

/** Columns of the reference: all but the times and those of policies it does not have. */
export const referenceColumns: readonly Column[] = exactColumns.filter(
  ({ name }) => name !== "kappa" && name !== "static_pages" && name !== "static_bytes",
);

/** Decided by the workload alone. */
export const workloadColumns = ["ops", "app_bytes", "alloc_bytes", "allocations"] as const;

const quantities: Readonly<Record<string, (row: Row) => number>> = {
  file_pages: (row) => row.file_pages,
  data_pages: (row) => row.data_pages,
  table_pages: (row) => row.table_pages,
  data_written: (row) => row.data_written,
  table_written: (row) => row.table_written,
  journal_bytes: (row) => row.journal_bytes,
  "bytes written": (row) =>
    (row.data_written + row.table_written + row.headers_written) * 4096 + row.journal_bytes,
};
const lastRowTolerance = 0.01;
const meanTolerance = 0.02;

export interface RunComparison {
  readonly title: string;
  readonly rows: number;
  /** Rows equal in all columns of the reference. */
  readonly equalRows: number;
  /** Columns that differ in some row, with the number of rows and the first of them. */
  readonly differing: readonly { readonly column: string; readonly rows: number; readonly first: number }[];
  /** What must not be; empty when the run passes. */
  readonly faults: readonly string[];
}

export function compareWithReference(ours: Table, reference: Table): RunComparison[] {
  const theirs = sectionsOf(reference);
  const mine = sectionsOf(ours);
  if (mine.length !== theirs.length) {
    throw new RangeError(`${ours.name} has ${mine.length} runs, the reference ${theirs.length}`);
  }
  return mine.map((section, i) => compareRun(ours, section, reference, theirs[i]!));
}

function compareRun(ours: Table, section: Section, reference: Table, other: Section): RunComparison {
  const title = titleOf(section);
  const rows = section.to - section.from;
  if (title !== titleOf(other))
    throw new RangeError(`${title} stands where the reference has ${titleOf(other)}`);
  if (rows !== other.to - other.from) {
    const faults = [`${rows} rows, the reference has ${other.to - other.from}`];
    return { title, rows, equalRows: 0, differing: [], faults };
  }
  const pairs = Array.from({ length: rows }, (_, i): [Row, Row] => [
    rowAt(ours, section.from + i),
    rowAt(reference, other.from + i),
  ]);
  const equalRows = pairs.filter(([a, b]) =>
    referenceColumns.every(({ name }) => a[name] === b[name]),
  ).length;
  const faults = [...workloadFaults(pairs), ...quantityFaults(pairs)];
  return { title, rows, equalRows, differing: differingColumns(pairs), faults };
}

const titleOf = ({ scenario, variant, sizeBytes }: Section): string =>
  `${scenario} ${variant} ${sizeBytes / 1024 / 1024} MiB`;

function differingColumns(pairs: readonly [Row, Row][]): RunComparison["differing"] {
  const numbers = referenceColumns
    .filter(({ name }) => !isLabel(name))
    .map(({ name }) => name as NumberColumn);
  return numbers.flatMap((column) => {
    const at = pairs.flatMap(([a, b], i) => (a[column] === b[column] ? [] : [i]));
    return at.length === 0 ? [] : [{ column, rows: at.length, first: at[0]! + 1 }];
  });
}

function workloadFaults(pairs: readonly [Row, Row][]): string[] {
  return workloadColumns.flatMap((column) => {
    const at = pairs.findIndex(([a, b]) => a[column] !== b[column]);
    if (at < 0) return [];
    const [a, b] = pairs[at]!;
    return [`${column} is ${a[column]} in row ${at + 1}, the reference has ${b[column]}`];
  });
}

function quantityFaults(pairs: readonly [Row, Row][]): string[] {
  return Object.entries(quantities).flatMap(([name, of]) => {
    const deviations = pairs.map(([a, b]) => Math.abs(of(a) - of(b)) / Math.max(of(b), 1));
    const last = deviations.at(-1) ?? 0;
    const mean = deviations.reduce((sum, one) => sum + one, 0) / Math.max(deviations.length, 1);
    const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
    return [
      ...(last > lastRowTolerance ? [`${name} is ${percent(last)} off in the last row`] : []),
      ...(mean > meanTolerance ? [`${name} is ${percent(mean)} off on average`] : []),
    ];
  });
}
