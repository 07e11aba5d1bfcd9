/**
 * Derived quantities: what the pages quote, computed from the rows of one run.
 *
 *  (1) Pure: rows in, numbers out. Counters in a row run since measuring began; the rest is the state after its flush.
 *  (2) The second half of n rows is the rows from floor(n / 2); "steady" means taken over it.
 *  (3) "Writes" are bytes written to the device per byte the application wrote.
 *
 * Cost: each function goes over the rows once.
 */

import type { Row } from "../../engine/bench/index.ts";

export type Rows = readonly Row[];

export const PAGE_BYTES = 4096;
/** What a page holds of content; the rest is its frame. */
export const PAGE_CONTENT_BYTES = 4081;
const KIB = 1024;

export const last = (rows: Rows): Row => rowAt(rows, rows.length - 1);

function rowAt(rows: Rows, index: number): Row {
  const row = rows[index];
  if (row === undefined) throw new RangeError(`a run of ${rows.length} rows has no row ${index}`);
  return row;
}

/** How far the run is, in multiples of its nominal live size. */
export const progress = (row: Row): number => row.app_bytes / row.size;

export const space = (row: Row): number => (row.file_pages * PAGE_BYTES) / Math.max(row.alloc_bytes, 1);

export const livePages = (row: Row): number =>
  ((row.data_pages + row.table_pages) * PAGE_BYTES) / row.alloc_bytes;

export const dataFill = (row: Row): number => fill(row.live_data, row.data_pages);
export const tableFill = (row: Row): number => fill(row.live_table, row.table_pages);
export const wholeFill = (row: Row): number => fill(row.live_data + row.live_table, row.file_pages - 2);

const fill = (liveBytes: number, pages: number): number =>
  pages === 0 ? 1 : liveBytes / (pages * PAGE_CONTENT_BYTES);

export const pagesWritten = (row: Row): number => row.data_written + row.table_written + row.headers_written;

export const writtenBytes = (row: Row): number => pagesWritten(row) * PAGE_BYTES + row.journal_bytes;

/** From the start of measuring up to this row. */
export const amplification = (row: Row): number => writtenBytes(row) / Math.max(row.app_bytes, 1);

export const journalPerByte = (row: Row): number => row.journal_bytes / Math.max(row.app_bytes, 1);

/** Statements per KiB of live content. */
export const density = (row: Row): number => row.statements / (row.alloc_bytes / KIB);

/** Pages of the journal, which are the file's pages that nothing else accounts for. */
export const journalPages = (row: Row): number =>
  row.file_pages - 2 - row.data_pages - row.table_pages - row.free_pages;

export const secondHalf = (rows: Rows): Rows => rows.slice(Math.floor(rows.length / 2));

export function mean(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("no mean of nothing");
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export const meanOverSecondHalf = (rows: Rows, of: (row: Row) => number): number =>
  mean(secondHalf(rows).map(of));

export const steadySpace = (rows: Rows): number => meanOverSecondHalf(rows, space);

export function steadyWrites(rows: Rows): number {
  const from = rowAt(rows, Math.floor(rows.length / 2));
  const to = last(rows);
  return (writtenBytes(to) - writtenBytes(from)) / (to.app_bytes - from.app_bytes);
}

/** Pages written per row over the second half: automatic flushes count into the row after them. */
export const pagesPerFlush = (rows: Rows): number => perRow(rows, pagesWritten);

/** The share `q` of the values is at most the result (nearest rank below, no interpolation). */
export function percentile(values: readonly number[], q: number): number {
  if (values.length === 0) throw new RangeError("no percentile of nothing");
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(q * (sorted.length - 1))] as number;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

export const flushMicros = (rows: Rows): number[] => rows.map((row) => row.flush_us);

/** Over the second half: operations since the row before it, by all time since then. */
export function operationsPerSecond(rows: Rows): number {
  const middle = Math.floor(rows.length / 2);
  const timed = rows.slice(middle + 1);
  const operations = last(rows).ops - rowAt(rows, middle).ops;
  const micros = timed.reduce((sum, row) => sum + row.flush_us + row.ops_us, 0);
  return (operations / micros) * 1e6;
}

/** Time of an operation with its share of the flushes, over the second half. */
export const microsInAll = (rows: Rows): number => 1e6 / operationsPerSecond(rows);

/** Time of an operation between flushes, over the whole run, without the rows before the first. */
export function microsPerOperation(rows: Rows): number {
  const operations = last(rows).ops - rowAt(rows, 0).ops;
  return rows.slice(1).reduce((sum, row) => sum + row.ops_us, 0) / operations;
}

/** By how much a counter grows from row to row, on average over the second half. */
export function perRow(rows: Rows, counter: (row: Row) => number): number {
  const from = rowAt(rows, Math.floor(rows.length / 2));
  const to = last(rows);
  return (counter(to) - counter(from)) / (to.flush - from.flush);
}

/**
 * Mean live share of data pages under random overwriting, when a page is emptied as soon as that frees λ bytes for each
 * byte it moves. What is left of a page falls as e^−t from 1 to 1 / (1 + λ); the mean over that time is
 * λ / ((1 + λ) ln(1 + λ)).
 */
export const predictedFill = (churnFloor: number): number =>
  churnFloor / ((1 + churnFloor) * Math.log1p(churnFloor));

/** The share of a run's writes that another, which differs in one thing, does without. */
export const savedShare = (rows: Rows, without: Rows): number =>
  1 - steadyWrites(without) / steadyWrites(rows);

/** What the device was written for, in bytes per byte of the application; the parts sum to `amplification`. */
export interface WriteParts {
  readonly journal: number;
  /** New content, carried from the journal to data pages. */
  readonly content: number;
  /** Live content moved to empty pages, and ranges rewritten to shorten their description. */
  readonly consolidation: number;
  /** The rest of the data pages: the room left when a page is closed. */
  readonly other: number;
  readonly table: number;
  readonly headers: number;
}

export function writeParts(row: Row): WriteParts {
  const dataBytes = row.data_written * PAGE_BYTES;
  const content = Math.min(row.fresh_bytes, dataBytes);
  const consolidation = Math.min(row.evacuated_bytes + row.defrag_bytes, dataBytes - content);
  const perByte = (bytes: number): number => bytes / Math.max(row.app_bytes, 1);
  return {
    journal: perByte(row.journal_bytes),
    content: perByte(content),
    consolidation: perByte(consolidation),
    other: perByte(dataBytes - content - consolidation),
    table: perByte(row.table_written * PAGE_BYTES),
    headers: perByte(row.headers_written * PAGE_BYTES),
  };
}

/** Of a run of `flush-time`, whose rows are stages of flushes: the stage's time per page written. */
export function stagePerPage(rows: Rows, stage: string): number {
  const row = stageOf(rows, stage);
  return row.micros / row.pages;
}

/** The same, per call: per operation of `operations`, per flush of `flush`. */
export function stagePerCall(rows: Rows, stage: string): number {
  const row = stageOf(rows, stage);
  return row.micros / row.calls;
}

function stageOf(rows: Rows, stage: string): Row {
  const found = rows.find((row) => row.stage === stage);
  if (found === undefined)
    throw new RangeError(`no stage ${stage}: ${rows.map((row) => row.stage).join(", ")}`);
  return found;
}
