/** Rows and tables made up for tests: what is not given is zero. */

import { columns, type Row, type Table, tableOf } from "../../engine/bench/index.ts";

export function rowOf(given: Partial<Row>): Row {
  const row: Record<string, string | number> = {};
  for (const { name, unit } of columns) row[name] = unit === "label" ? "" : 0;
  return { ...(row as Row), ...given };
}

/** A run that passes the checks of rows: `count` flushes of a workload that patches `sizeBytes` of live data. */
export function madeUpRun(
  scenario: string,
  variant: string,
  sizeBytes: number,
  count: number,
  slow = 1,
): Row[] {
  return Array.from({ length: count }, (_, at) => {
    const flush = at + 1;
    const dataPages = Math.ceil(sizeBytes / 4081) + flush;
    return rowOf({
      scenario,
      variant,
      size: sizeBytes,
      flush,
      ops: flush * 1000,
      app_bytes: flush * 256_000,
      file_pages: 3 + dataPages + 2 + flush,
      data_pages: dataPages,
      table_pages: 2,
      free_pages: flush,
      live_data: sizeBytes,
      live_table: 4000,
      alloc_bytes: sizeBytes,
      allocations: 64,
      statements: 500 + flush,
      fragments: 500 + flush,
      budget: 8,
      data_written: flush * 60,
      table_written: flush * 4,
      headers_written: flush,
      journal_bytes: flush * 268_000,
      fresh_bytes: flush * 240_000,
      flush_us: Math.round(slow * (4000 + ((flush * 37) % 11) * 100)),
      ops_us: Math.round(slow * 2500),
    });
  });
}

export const madeUpTable = (name: string, ...runs: readonly (readonly Row[])[]): Table =>
  tableOf(name, runs.flat());
