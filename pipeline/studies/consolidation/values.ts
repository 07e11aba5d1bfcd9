/**
 * The numbers and tables of "Consolidation under load": for every run the same quantities, by the same names.
 *
 * An id is `<workload>-<MiB>.<variant>.<quantity>`, such as `uniform-8.off.space`.
 */

import type { Kind, SummaryColumn, Unit } from "../../data/summary.ts";
import * as of from "../derive.ts";
import { MIB, measure, type Results, type Series, shorten } from "../study.ts";

interface Quantity {
  readonly name: string;
  readonly says: string;
  readonly unit: Unit;
  readonly of: (rows: of.Rows) => number;
}

const atEnd =
  (quantity: (row: ReturnType<typeof of.last>) => number) =>
  (rows: of.Rows): number =>
    quantity(of.last(rows));

const part = (name: keyof of.WriteParts) => atEnd((row) => of.writeParts(row)[name]);

const exactQuantities: readonly Quantity[] = [
  { name: "rows", says: "rows, one per flush that was asked for", unit: "count", of: (rows) => rows.length },
  { name: "operations", says: "operations", unit: "count", of: atEnd((row) => row.ops) },
  { name: "appBytes", says: "bytes the application wrote", unit: "bytes", of: atEnd((row) => row.app_bytes) },
  { name: "liveBytes", says: "live bytes at the end", unit: "bytes", of: atEnd((row) => row.alloc_bytes) },
  {
    name: "filePages",
    says: "pages of the file at the end",
    unit: "pages",
    of: atEnd((row) => row.file_pages),
  },
  { name: "freePages", says: "free pages at the end", unit: "pages", of: atEnd((row) => row.free_pages) },
  { name: "space", says: "file size at the end, in live bytes", unit: "ratio", of: atEnd(of.space) },
  {
    name: "spaceHighest",
    says: "largest file size after a flush, in live bytes",
    unit: "ratio",
    of: (rows) => Math.max(...rows.map(of.space)),
  },
  { name: "livePages", says: "live pages at the end, in live bytes", unit: "ratio", of: atEnd(of.livePages) },
  { name: "dataFill", says: "live share of data pages at the end", unit: "share", of: atEnd(of.dataFill) },
  { name: "tableFill", says: "live share of table pages at the end", unit: "share", of: atEnd(of.tableFill) },
  {
    name: "wholeFill",
    says: "live share of the whole file at the end",
    unit: "share",
    of: atEnd(of.wholeFill),
  },
  {
    name: "writes",
    says: "bytes written to the device per byte of the application, over the whole run",
    unit: "ratio",
    of: atEnd(of.amplification),
  },
  {
    name: "steadySpace",
    says: "file size in live bytes, mean of the second half",
    unit: "ratio",
    of: of.steadySpace,
  },
  {
    name: "steadyWrites",
    says: "bytes written per byte of the application, second half",
    unit: "ratio",
    of: of.steadyWrites,
  },
  {
    name: "pagesPerFlush",
    says: "pages written per flush, second half",
    unit: "pages",
    of: of.pagesPerFlush,
  },
  {
    name: "densityFirst",
    says: "statements per KiB of content after the first flush",
    unit: "statementsPerKiB",
    of: (rows) => of.density(rows[0]!),
  },
  {
    name: "density",
    says: "statements per KiB of content at the end",
    unit: "statementsPerKiB",
    of: atEnd(of.density),
  },
  {
    name: "densityMean",
    says: "statements per KiB of content, mean of the second half",
    unit: "statementsPerKiB",
    of: (rows) => of.meanOverSecondHalf(rows, of.density),
  },
  { name: "journal", says: "journal bytes per byte of the application", unit: "ratio", of: part("journal") },
  {
    name: "content",
    says: "new content in data pages per byte of the application",
    unit: "ratio",
    of: part("content"),
  },
  {
    name: "consolidation",
    says: "content moved per byte of the application",
    unit: "ratio",
    of: part("consolidation"),
  },
  {
    name: "other",
    says: "room left in closed pages per byte of the application",
    unit: "ratio",
    of: part("other"),
  },
  { name: "table", says: "table pages per byte of the application", unit: "ratio", of: part("table") },
  { name: "headers", says: "headers per byte of the application", unit: "ratio", of: part("headers") },
];

const flushPercentile =
  (q: number) =>
  (rows: of.Rows): number =>
    of.percentile(of.flushMicros(rows), q);

const measuredQuantities: readonly Quantity[] = [
  {
    name: "flushMedian",
    says: "median time of a flush, sync included",
    unit: "micros",
    of: flushPercentile(0.5),
  },
  { name: "flush90", says: "90th percentile of a flush's time", unit: "micros", of: flushPercentile(0.9) },
  { name: "flush99", says: "99th percentile of a flush's time", unit: "micros", of: flushPercentile(0.99) },
  {
    name: "flushMean",
    says: "mean time of a flush, second half",
    unit: "micros",
    of: (rows) => of.mean(of.flushMicros(of.secondHalf(rows))),
  },
  {
    name: "operationsPerSecond",
    says: "operations per second, flushes included, second half",
    unit: "operationsPerSecond",
    of: of.operationsPerSecond,
  },
  {
    name: "operationMicros",
    says: "time of an operation between flushes",
    unit: "micros",
    of: of.microsPerOperation,
  },
];

export function addValues(results: Results, all: readonly Series[]): void {
  for (const series of all) {
    const id = (quantity: string): string => `${series.name}.${series.variant}.${quantity}`;
    for (const { name, says, unit, of } of exactQuantities) {
      results.value(id(name), { value: of(series.rows), unit, kind: "exact", says });
    }
    for (const { name, says, unit, of } of measuredQuantities) {
      results.value(id(name), { ...measure(series, of), unit, kind: "measured", says });
    }
  }
}

const runColumns: readonly SummaryColumn[] = [
  { key: "workload", title: "Workload", kind: "label" },
  { key: "variant", title: "Variant", kind: "label" },
  { key: "size", title: "Size", kind: "exact", unit: "bytes" },
];

interface TableColumn {
  readonly key: string;
  readonly title: string;
  readonly kind: Kind;
}

const endColumns: readonly TableColumn[] = [
  { key: "rows", title: "Flushes", kind: "exact" },
  { key: "space", title: "File size", kind: "exact" },
  { key: "dataFill", title: "Data pages live", kind: "exact" },
  { key: "tableFill", title: "Table pages live", kind: "exact" },
  { key: "writes", title: "Written per byte", kind: "exact" },
  { key: "flushMedian", title: "Median flush", kind: "measured" },
];

const partColumns: readonly TableColumn[] = [
  { key: "journal", title: "Journal", kind: "exact" },
  { key: "content", title: "New content", kind: "exact" },
  { key: "consolidation", title: "Consolidation", kind: "exact" },
  { key: "other", title: "Other", kind: "exact" },
  { key: "table", title: "Table pages", kind: "exact" },
  { key: "headers", title: "Headers", kind: "exact" },
  { key: "writes", title: "In all", kind: "exact" },
];

const timeColumns: readonly TableColumn[] = [
  { key: "pagesPerFlush", title: "Pages per flush", kind: "exact" },
  { key: "flushMedian", title: "Median flush", kind: "measured" },
  { key: "flush90", title: "90th percentile", kind: "measured" },
  { key: "flush99", title: "99th percentile", kind: "measured" },
  { key: "operationMicros", title: "Operation between flushes", kind: "measured" },
  { key: "operationsPerSecond", title: "Operations per second", kind: "measured" },
];

export function addTables(results: Results, all: readonly Series[]): void {
  addRunTable(
    results,
    all,
    "runs",
    "Every run at its end",
    endColumns,
    "The last row of every run: file size in live bytes, live share of data and table pages, bytes written to the device per byte of the application.",
  );
  addRunTable(
    results,
    all,
    "writes",
    "What is written, per byte of the application",
    partColumns,
    "Over the whole run. In shrink the application writes next to nothing, so that headers and table pages are most of it.",
  );
  addRunTable(
    results,
    all,
    "times",
    "Time",
    timeColumns,
    "Pages per flush and operations per second over the second half of a run, percentiles over all of it.",
  );
}

function addRunTable(
  results: Results,
  all: readonly Series[],
  id: string,
  title: string,
  columns: readonly TableColumn[],
  caption: string,
): void {
  results.table(id, {
    title,
    caption,
    columns: [...runColumns, ...columns.map((column) => ({ ...column, unit: unitOf(column.key) }))],
    rows: all.map((series) => ({
      workload: series.scenario,
      variant: series.variant,
      size: series.sizeBytes,
      ...Object.fromEntries(columns.map(({ key }) => [key, quantityOf(series, key)])),
    })),
  });
}

const quantities = new Map([...exactQuantities, ...measuredQuantities].map((each) => [each.name, each]));

function quantityNamed(name: string): Quantity {
  const quantity = quantities.get(name);
  if (quantity === undefined) throw new Error(`no quantity is called ${name}`);
  return quantity;
}

const unitOf = (name: string): Unit => quantityNamed(name).unit;

/** Of an exact quantity every repetition is the same, so that measuring it gives it. */
const quantityOf = (series: Series, name: string): number =>
  shorten(measure(series, quantityNamed(name).of).value);

export const mebibytes = (bytes: number): string => `${bytes / MIB} MiB`;
