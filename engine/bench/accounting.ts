/**
 * What must be true of every row, whatever the store does: a run whose books do not balance is not recorded.
 *
 *  (1) Every page of the file is a header, data, table, free or journal page. The journal has one page after a flush,
 *      or none in the file where that page lies past its end.
 *  (2) Counters never fall, and every flush wrote a header.
 *  (3) Allocations and their bytes are those of the model; of bytes that a layer above decides, the model knows bounds.
 *  (4) Without consolidation nothing is reclaimed.
 *  (5) A flush uses at most the pages of the budget it began with. The column is rounded down and a flush rounds to the
 *      nearest whole page, hence one more. An interval with automatic flushes has no row for each, so it is left out.
 */

import type { StoreStats } from "../kladde/index.ts";
import { columns, type NumberColumn } from "./columns.ts";
import type { RunOptions } from "./runs.ts";
import type { Row } from "./table.ts";

/** What the model says that the store must hold. */
export interface Expected {
  readonly allocations: number;
  readonly bytesLeast: number;
  readonly bytesMost: number;
}

export interface RowCircumstances {
  readonly row: Row;
  readonly stats: StoreStats;
  readonly options: RunOptions;
  readonly previous: Row | undefined;
  /** Pages of the budget when the interval began, rounded down. */
  readonly budgetBefore: number;
  readonly expected: Expected;
}

const counters = columns.filter(({ span }) => span === "since").map(({ name }) => name as NumberColumn);
const reclaiming: readonly NumberColumn[] = [
  ...columns.filter(({ reclaims }) => reclaims === true).map(({ name }) => name as NumberColumn),
  "kappa",
  "static_pages",
  "static_bytes",
];

/** What is wrong with a row, one phrase each; empty when the books balance. */
export function faultsOf(circumstances: RowCircumstances): string[] {
  const { row, options, previous, expected } = circumstances;
  const faults = [...pageFaults(circumstances), ...budgetFaults(circumstances)];
  if (row.headers_written < row.flush) {
    faults.push(`headers_written is ${row.headers_written} after ${row.flush} flushes`);
  }
  for (const name of counters) {
    const before = previous?.[name] ?? 0;
    if (row[name] < before) faults.push(`${name} fell from ${before} to ${row[name]}`);
  }
  if (row.allocations !== expected.allocations) {
    faults.push(`allocations is ${row.allocations}, the model has ${expected.allocations}`);
  }
  const { bytesLeast, bytesMost } = expected;
  if (row.alloc_bytes < bytesLeast || row.alloc_bytes > bytesMost) {
    const range = bytesLeast === bytesMost ? bytesLeast : `${bytesLeast} to ${bytesMost}`;
    faults.push(`alloc_bytes is ${row.alloc_bytes}, the model has ${range}`);
  }
  if (options.consolidate === false) {
    for (const name of reclaiming) {
      if (row[name] !== 0) faults.push(`${name} is ${row[name]} without consolidation`);
    }
  }
  return faults;
}

function pageFaults({ row, stats }: RowCircumstances): string[] {
  const journal = row.file_pages - 2 - row.data_pages - row.table_pages - row.free_pages;
  if (journal === stats.journalPages) return [];
  return [
    `file_pages is ${row.file_pages}, but 2 headers, ${row.data_pages} data, ${row.table_pages} table, ` +
      `${row.free_pages} free and ${stats.journalPages} journal pages are ${row.file_pages - journal + stats.journalPages}`,
  ];
}

function budgetFaults({ row, previous, budgetBefore }: RowCircumstances): string[] {
  const flushes = row.headers_written - (previous?.headers_written ?? 0);
  const used = row.budget_pages - (previous?.budget_pages ?? 0);
  if (flushes !== 1 || used <= budgetBefore + 1) return [];
  return [`the flush used ${used} pages of a budget of ${budgetBefore}`];
}
