/**
 * What must be true of every row, whatever the workload: the rows check themselves before anybody reads them.
 *
 *  (1) Counters never fall within a run, and rows are numbered from 1.
 *  (2) Every page of the file is counted once: headers, data, table, free, and what is left is the journal's.
 *  (3) There is a header for every flush.
 *  (4) Without consolidation the columns of reclamation stay zero.
 */

import {
  columns,
  type NumberColumn,
  type Row,
  rowAt,
  sectionsOf,
  type Table,
} from "../../engine/bench/index.ts";
import { journalPages } from "../studies/derive.ts";

const counters = columns.filter(({ span }) => span === "since").map(({ name }) => name as NumberColumn);
const reclaiming = columns.filter(({ reclaims }) => reclaims).map(({ name }) => name as NumberColumn);

/** Faults in words, with their row; empty when all is well. */
export function faultsOf(table: Table): string[] {
  return sectionsOf(table).flatMap(({ scenario, variant, sizeBytes, from, to }) => {
    const faults: string[] = [];
    let before: Row | undefined;
    for (let at = from; at < to; at++) {
      const row = rowAt(table, at);
      const where = `${scenario} ${variant} ${sizeBytes / 2 ** 20} MiB, row ${at - from + 1}`;
      faults.push(...faultsOfRow(row, before, at - from + 1).map((fault) => `${where}: ${fault}`));
      before = row;
    }
    return faults;
  });
}

function faultsOfRow(row: Row, before: Row | undefined, number: number): string[] {
  const faults: string[] = [];
  if (row.flush !== number) faults.push(`it calls itself flush ${row.flush}`);
  for (const name of counters) {
    if (before !== undefined && row[name] < before[name]) {
      faults.push(`${name} falls from ${before[name]} to ${row[name]}`);
    }
  }
  const left = journalPages(row);
  if (left < 0) faults.push(`${-left} pages are counted twice: more pages than the file has`);
  if (row.headers_written < row.flush) faults.push(`${row.headers_written} headers for ${row.flush} flushes`);
  if (row.variant === "off") {
    for (const name of reclaiming)
      if (row[name] !== 0) faults.push(`${name} is ${row[name]} without consolidation`);
  }
  return faults;
}
