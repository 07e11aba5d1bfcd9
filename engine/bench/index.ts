/**
 * The benchmark's public surface: what there is to run, how to run it, and the tables it makes.
 */

export type { Column, ColumnKind, ColumnName, ColumnUnit, LabelColumn, NumberColumn } from "./columns.ts";
export { columns, columnsOf, exactColumns, exactColumnsOf } from "./columns.ts";
export type { Stage } from "./flush-time-rows.ts";
export { kladdeStores, runTable } from "./kladde-stores.ts";
export { RunError, type RunTableOptions } from "./run.ts";
export type { Run, RunOptions, Scenario, TableDefinition, Variant } from "./runs.ts";
export { runsOf, runTitle, tables } from "./runs.ts";
export type { Row, Section, Standing, Table } from "./table.ts";
export { readCsv, rowAt, sectionsOf, tableOf, writeCsv } from "./table.ts";

import type { runTable } from "./kladde-stores.ts";

export type RunTable = typeof runTable;
