/**
 * The columns of the benchmark's tables: the one declaration that writing, comparing, checking and documenting use.
 *
 *  (1) A table of flushes has all of `columns`, in this order; a column that does not apply to a run is 0. The table
 *      `flush-time`, which splits the time of a flush, has `flushTimeColumns` instead. The first four are in both:
 *      they say which row it is.
 *  (2) *Exact* columns are a function of options, seed and code: compared bit for bit. *Measured* ones are times.
 *  (3) `since` columns count from the begin of measuring (after the fill) and never fall within a run; `now` columns
 *      are the state after the flush of their row; `row` columns belong to the row alone.
 *
 * A `reclaims` column counts the work of consolidation and stays 0 in a run without it.
 */

import type { StoreStats } from "../kladde/index.ts";

export type ColumnKind = "exact" | "measured";
export type ColumnUnit = "label" | "bytes" | "pages" | "count" | "micros" | "ratio";
export type ColumnSpan = "run" | "since" | "now" | "row";

interface Declaration {
  readonly kind: ColumnKind;
  readonly unit: ColumnUnit;
  readonly span: ColumnSpan;
  /** One phrase, for the documentation of columns. */
  readonly describes: string;
  /** Where the value comes from the store alone. */
  readonly of?: (stats: StoreStats) => number;
  readonly reclaims?: true;
  /** Only the table `flush-time` has it. */
  readonly split?: true;
}

const exact = "exact";
const measured = "measured";

const declarations = {
  scenario: {
    kind: exact,
    unit: "label",
    span: "run",
    describes: "workload or study: the name of the table",
  },
  variant: { kind: exact, unit: "label", span: "run", describes: "options of the store, by name" },
  size: { kind: exact, unit: "bytes", span: "run", describes: "nominal live size" },
  flush: { kind: exact, unit: "count", span: "row", describes: "row number, from 1" },
  ops: {
    kind: exact,
    unit: "count",
    span: "since",
    describes: "operations since the run's start, the allocations of the fill included",
  },
  app_bytes: { kind: exact, unit: "bytes", span: "since", describes: "bytes written by the application" },
  file_pages: {
    kind: exact,
    unit: "pages",
    span: "now",
    describes: "length of the file, headers included",
    of: (s) => s.filePages,
  },
  data_pages: {
    kind: exact,
    unit: "pages",
    span: "now",
    describes: "live data pages",
    of: (s) => s.dataPages,
  },
  table_pages: {
    kind: exact,
    unit: "pages",
    span: "now",
    describes: "live leaves and interior pages, without headers",
    of: (s) => s.leafPages + s.interiorPages,
  },
  free_pages: {
    kind: exact,
    unit: "pages",
    span: "now",
    describes: "free pages, those an older header may still need included",
    of: (s) => s.readyPages + s.retiringPages,
  },
  live_data: {
    kind: exact,
    unit: "bytes",
    span: "now",
    describes: "bytes of data pages that the current state relies on",
    of: (s) => s.liveDataBytes,
  },
  live_table: {
    kind: exact,
    unit: "bytes",
    span: "now",
    describes: "bytes of table pages that the current state relies on",
    of: (s) => s.liveTableBytes,
  },
  alloc_bytes: {
    kind: exact,
    unit: "bytes",
    span: "now",
    describes: "sum of the sizes of live allocations, without the store's own",
    of: (s) => s.allocationBytes,
  },
  allocations: {
    kind: exact,
    unit: "count",
    span: "now",
    describes: "live allocations, without the store's own",
    of: (s) => s.allocations,
  },
  statements: {
    kind: exact,
    unit: "count",
    span: "now",
    describes: "live statements",
    of: (s) => s.statements,
  },
  fragments: {
    kind: exact,
    unit: "count",
    span: "now",
    describes: "entries of the fragment map",
    of: (s) => s.fragments,
  },
  budget: {
    kind: exact,
    unit: "pages",
    span: "now",
    describes: "pages a flush may open for reclamation, rounded down; its start value without consolidation",
    of: (s) => s.budgetPages,
  },
  data_written: {
    kind: exact,
    unit: "pages",
    span: "since",
    describes: "data pages written",
    of: (s) => s.dataPagesWritten,
  },
  table_written: {
    kind: exact,
    unit: "pages",
    span: "since",
    describes: "leaves and interior pages written",
    of: (s) => s.tablePagesWritten,
  },
  headers_written: {
    kind: exact,
    unit: "pages",
    span: "since",
    describes: "headers written: one per flush, automatic flushes too",
    of: (s) => s.headersWritten,
  },
  journal_bytes: {
    kind: exact,
    unit: "bytes",
    span: "since",
    describes: "bytes appended to the journal stream, page trailers not included",
    of: (s) => s.journalBytes,
  },
  fresh_bytes: {
    kind: exact,
    unit: "bytes",
    span: "since",
    describes: "application content taken by folds",
    of: (s) => s.freshBytes,
  },
  evacuated_pages: {
    kind: exact,
    unit: "pages",
    span: "since",
    describes: "data pages whose live bytes were moved away",
    of: (s) => s.evacuatedPages,
    reclaims: true,
  },
  evacuated_bytes: {
    kind: exact,
    unit: "bytes",
    span: "since",
    describes: "live bytes moved, parts of pages included",
    of: (s) => s.evacuatedBytes,
    reclaims: true,
  },
  free_filled: {
    kind: exact,
    unit: "pages",
    span: "since",
    describes: "emptied pages whose live bytes fitted into room that was left anyway",
    of: (s) => s.freeFilledPages,
    reclaims: true,
  },
  budget_pages: {
    kind: exact,
    unit: "pages",
    span: "since",
    describes: "pages of the budget that were used",
    of: (s) => s.budgetPagesUsed,
    reclaims: true,
  },
  table_rewrites: {
    kind: exact,
    unit: "pages",
    span: "since",
    describes: "leaves rewritten to reclaim them",
    of: (s) => s.tableRewrites,
    reclaims: true,
  },
  window_restated: {
    kind: exact,
    unit: "count",
    span: "since",
    describes: "fragments restated by the rotating window",
    of: (s) => s.windowRestated,
    reclaims: true,
  },
  defrag_rewrites: {
    kind: exact,
    unit: "count",
    span: "since",
    describes: "ranges rewritten to shorten their description",
    of: (s) => s.defragRewrites,
    reclaims: true,
  },
  defrag_bytes: {
    kind: exact,
    unit: "bytes",
    span: "since",
    describes: "bytes of those ranges",
    of: (s) => s.defragBytes,
    reclaims: true,
  },
  compaction_flushes: {
    kind: exact,
    unit: "count",
    span: "since",
    describes: "flushes in compaction mode",
    of: (s) => s.compactionFlushes,
    reclaims: true,
  },
  truncations: {
    kind: exact,
    unit: "count",
    span: "since",
    describes: "times the file was made shorter",
    of: (s) => s.truncations,
  },
  flush_us: {
    kind: measured,
    unit: "micros",
    span: "row",
    describes: "time of this row's flush, sync included",
  },
  ops_us: {
    kind: measured,
    unit: "micros",
    span: "row",
    describes: "time of the operations before this row's flush, without drawing them",
  },
  kappa: {
    kind: exact,
    unit: "ratio",
    span: "now",
    describes: "price of space after the flush; 0 in a policy that has none",
  },
  static_pages: {
    kind: exact,
    unit: "pages",
    span: "now",
    describes: "pages of the static share; 0 in a policy that has none",
  },
  static_bytes: {
    kind: exact,
    unit: "bytes",
    span: "now",
    describes: "live bytes of the static share; 0 in a policy that has none",
  },
  mixed_pages: {
    kind: exact,
    unit: "pages",
    span: "now",
    describes: "data pages that hold at least two classes of data; workload mixed only",
  },
  mixed_bytes: {
    kind: exact,
    unit: "bytes",
    span: "now",
    describes: "live bytes on such pages; workload mixed only",
  },
  cold_bytes: {
    kind: exact,
    unit: "bytes",
    span: "now",
    describes: "cold bytes on all data pages; workload mixed only",
  },
  cold_mixed_bytes: {
    kind: exact,
    unit: "bytes",
    span: "now",
    describes: "cold bytes on pages that hold another class too; workload mixed only",
  },
  stage: {
    kind: exact,
    unit: "label",
    span: "row",
    describes: "what the time was spent on",
    split: true,
  },
  flushes: {
    kind: exact,
    unit: "count",
    span: "row",
    describes: "flushes the row is a total of: those of a quarter of the run",
    split: true,
  },
  pages: {
    kind: exact,
    unit: "pages",
    span: "row",
    describes: "pages these flushes wrote",
    split: true,
  },
  calls: {
    kind: exact,
    unit: "count",
    span: "row",
    describes: "what the time is shared by: flushes, calls of the file, operations",
    split: true,
  },
  micros: {
    kind: measured,
    unit: "micros",
    span: "row",
    describes: "time of all these flushes that the stage took",
    split: true,
  },
} satisfies Record<string, Declaration>;

export type ColumnName = keyof typeof declarations;
export type LabelColumn = "scenario" | "variant" | "stage";
export type NumberColumn = Exclude<ColumnName, LabelColumn>;

export interface Column extends Declaration {
  readonly name: ColumnName;
}

/** Of any table. */
export const allColumns: readonly Column[] = Object.entries(declarations).map(([name, declaration]) => ({
  ...declaration,
  name: name as ColumnName,
}));

/** Of a table of flushes. */
export const columns: readonly Column[] = allColumns.filter(({ split }) => split !== true);

export const exactColumns: readonly Column[] = columns.filter((column) => column.kind === "exact");

/** The name of the table that splits the time of a flush. */
export const flushTimeTable = "flush-time";

/** Of that table. */
export const flushTimeColumns: readonly Column[] = [
  ...columns.slice(0, 4),
  ...allColumns.filter(({ split }) => split === true),
];

export const columnsOf = (table: string): readonly Column[] =>
  table === flushTimeTable ? flushTimeColumns : columns;

export const exactColumnsOf = (table: string): readonly Column[] =>
  columnsOf(table).filter((column) => column.kind === "exact");

export const isLabel = (name: ColumnName): name is LabelColumn => declarations[name].unit === "label";

export const numberColumns = columns
  .map((column) => column.name)
  .filter((name) => !isLabel(name)) as NumberColumn[];

/** Columns the store alone decides, with the function that reads them. */
export const storeColumns = columns.flatMap(({ name, span, of }) =>
  of === undefined ? [] : [{ name: name as NumberColumn, span, of }],
);
