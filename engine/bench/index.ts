/**
 * The benchmark's public surface: what there is to run, how to run it, and the tables it makes.
 */

export type { Column, ColumnKind, ColumnName, ColumnUnit, LabelColumn, NumberColumn } from "./columns.ts";
export { columns, exactColumns } from "./columns.ts";
export type { Run, RunOptions, Scenario, TableDefinition, Variant } from "./runs.ts";
export { runsOf, runTitle, tables } from "./runs.ts";
export type { Row, Section, Table } from "./table.ts";
export { readCsv, rowAt, sectionsOf, tableOf, writeCsv } from "./table.ts";

import type { Clock } from "../storage/storage.ts";
import type { Run } from "./runs.ts";
import type { Row, Table } from "./table.ts";

export interface RunTableOptions {
  /** Folder for the store's file; made if missing. The file is deleted after each run. */
  readonly directory: string;
  readonly quick?: boolean;
  /** Call `check()` after every flush; the default is `quick`. */
  readonly check?: boolean;
  readonly clock?: Clock;
  /** Called after every row and at the end of every run (`row` undefined there). */
  readonly onProgress?: (run: Run, rows: number, row?: Row) => void;
  readonly signal?: AbortSignal;
}

/** Runs all runs of a table, one after the other. Rejects with a `RunError` that names the run and what went wrong. */
export type RunTable = (table: string, options: RunTableOptions) => Promise<Table>;
