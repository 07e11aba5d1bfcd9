/**
 * The numbers of "Consolidation under load": what is told of every run, each under one name.
 *
 *  (1) A quantity is a function of a run's rows; which table has which is declared once, in `quantitiesOf`.
 *  (2) An id is `<table>-<MiB>.<variant>.<quantity>`, such as `uniform-8.off.space`.
 */

import type { Kind, Unit } from "../../data/summary.ts";
import * as of from "../derive.ts";
import type { Series } from "../series.ts";

export interface Quantity {
  readonly name: string;
  readonly says: string;
  readonly unit: Unit;
  readonly kind: Kind;
  readonly of: (rows: of.Rows) => number;
}

type Quantities = Readonly<Record<string, Omit<Quantity, "name" | "kind">>>;
export type OfRow = (row: ReturnType<typeof of.last>) => number;

const atEnd =
  (quantity: OfRow) =>
  (rows: of.Rows): number =>
    quantity(of.last(rows));
const inMean =
  (quantity: OfRow) =>
  (rows: of.Rows): number =>
    of.meanOverSecondHalf(rows, quantity);
/** Pages in bytes, over live bytes. */
export const overLive =
  (pages: OfRow): OfRow =>
  (row) =>
    (pages(row) * of.PAGE_BYTES) / row.alloc_bytes;
const part = (name: keyof of.WriteParts) => atEnd((row) => of.writeParts(row)[name]);
const flushPercentile =
  (q: number) =>
  (rows: of.Rows): number =>
    of.percentile(of.flushMicros(rows), q);

const ends: Quantities = {
  rows: { says: "flushes that were asked for", unit: "count", of: (rows) => rows.length },
  operations: { says: "operations", unit: "count", of: atEnd((row) => row.ops) },
  filePages: { says: "pages of the file at the end", unit: "pages", of: atEnd((row) => row.file_pages) },
  freePages: { says: "free pages at the end", unit: "pages", of: atEnd((row) => row.free_pages) },
  space: { says: "file size at the end, in live bytes", unit: "ratio", of: atEnd(of.space) },
  dataFill: { says: "live share of data pages at the end", unit: "share", of: atEnd(of.dataFill) },
  tableFill: { says: "live share of table pages at the end", unit: "share", of: atEnd(of.tableFill) },
  wholeFill: { says: "live share of the whole file at the end", unit: "share", of: atEnd(of.wholeFill) },
  statements: { says: "statements at the end", unit: "count", of: atEnd((row) => row.statements) },
  density: {
    says: "statements per KiB of content at the end",
    unit: "statementsPerKiB",
    of: atEnd(of.density),
  },
  budget: {
    says: "pages a flush may open for reclamation, at the end",
    unit: "pages",
    of: atEnd((row) => row.budget),
  },
};

const modes: Quantities = {
  compactionFlushes: {
    says: "flushes in compaction mode",
    unit: "count",
    of: atEnd((row) => row.compaction_flushes),
  },
};

const sizes: Quantities = {
  dataSize: {
    says: "data pages at the end, in live bytes",
    unit: "ratio",
    of: atEnd(overLive((row) => row.data_pages)),
  },
  tableSize: {
    says: "table pages at the end, in live bytes",
    unit: "ratio",
    of: atEnd(overLive((row) => row.table_pages)),
  },
  freeSize: {
    says: "free pages at the end, in live bytes",
    unit: "ratio",
    of: atEnd(overLive((row) => row.free_pages)),
  },
};

const written: Quantities = {
  writes: {
    says: "bytes written to the device per byte of the application, over the whole run",
    unit: "ratio",
    of: atEnd(of.amplification),
  },
  journal: { says: "journal bytes per byte of the application", unit: "ratio", of: part("journal") },
  content: {
    says: "new content in data pages per byte of the application",
    unit: "ratio",
    of: part("content"),
  },
  consolidation: {
    says: "content moved per byte of the application",
    unit: "ratio",
    of: part("consolidation"),
  },
  other: { says: "room left in closed pages per byte of the application", unit: "ratio", of: part("other") },
  table: { says: "table pages per byte of the application", unit: "ratio", of: part("table") },
  headers: { says: "headers per byte of the application", unit: "ratio", of: part("headers") },
};

const steady: Quantities = {
  steadySpace: {
    says: "file size in live bytes, mean of the second half",
    unit: "ratio",
    of: of.steadySpace,
  },
  steadyWrites: {
    says: "bytes written per byte of the application, second half",
    unit: "ratio",
    of: of.steadyWrites,
  },
  dataFillMean: {
    says: "live share of data pages, mean of the second half",
    unit: "share",
    of: inMean(of.dataFill),
  },
  wholeFillMean: {
    says: "live share of the whole file, mean of the second half",
    unit: "share",
    of: inMean(of.wholeFill),
  },
  densityMean: {
    says: "statements per KiB of content, mean of the second half",
    unit: "statementsPerKiB",
    of: inMean(of.density),
  },
};

const pace: Quantities = {
  pagesPerFlush: {
    says: "pages written per flush, second half",
    unit: "pages",
    of: of.pagesPerFlush,
  },
  freePagesMean: {
    says: "free pages, mean of the second half",
    unit: "pages",
    of: inMean((row) => row.free_pages),
  },
  budgetUsed: {
    says: "pages of the budget used per flush, second half",
    unit: "pages",
    of: (rows) => of.perRow(rows, (row) => row.budget_pages),
  },
};

const times: Quantities = {
  flushMedian: { says: "median time of a flush, sync included", unit: "micros", of: flushPercentile(0.5) },
  flush90: { says: "90th percentile of a flush's time", unit: "micros", of: flushPercentile(0.9) },
  flush99: { says: "99th percentile of a flush's time", unit: "micros", of: flushPercentile(0.99) },
  flushMean: {
    says: "mean time of a flush, second half",
    unit: "micros",
    of: (rows) => of.mean(of.flushMicros(of.secondHalf(rows))),
  },
  operationsPerSecond: {
    says: "operations per second, flushes included, second half",
    unit: "operationsPerSecond",
    of: of.operationsPerSecond,
  },
  operationMicros: {
    says: "time of an operation between flushes",
    unit: "micros",
    of: of.microsPerOperation,
  },
  microsInAll: {
    says: "time of an operation with its share of the flushes, second half",
    unit: "micros",
    of: of.microsInAll,
  },
};

const stagePerPage =
  (...stages: readonly string[]) =>
  (rows: of.Rows): number =>
    stages.reduce((sum, stage) => sum + of.stagePerPage(rows, stage), 0);

const stagePages: Quantities = {
  pagesPerFlush: {
    says: "pages written per flush",
    unit: "pages",
    of: (rows) => rows[0]!.pages / rows[0]!.flushes,
  },
};

const stages: Quantities = {
  perPage: {
    says: "time of a flush per page written, sync included",
    unit: "micros",
    of: stagePerPage("flush"),
  },
  processorPerPage: {
    says: "processor time of a flush per page written, sync excluded",
    unit: "micros",
    of: stagePerPage("processor"),
  },
  ownPerPage: {
    says: "time per page that is neither reading, writing nor syncing",
    unit: "micros",
    of: stagePerPage("rest"),
  },
  reclaimPerPage: {
    says: "time of reclaiming per page written, under a profiler",
    unit: "micros",
    of: stagePerPage("reclaim"),
  },
  foldPerPage: {
    says: "time of taking what changed per page written, under a profiler",
    unit: "micros",
    of: stagePerPage("fold"),
  },
  cutPerPage: {
    says: "time of laying out the address table per page written, under a profiler",
    unit: "micros",
    of: stagePerPage("cut"),
  },
  readPerPage: { says: "time of reads per page written", unit: "micros", of: stagePerPage("read") },
  writePerPage: { says: "time of writes per page written", unit: "micros", of: stagePerPage("write") },
  syncPerPage: { says: "time of the sync per page written", unit: "micros", of: stagePerPage("sync") },
  plainProcessorPerPage: {
    says: "processor time of plain writes of the same pages, per page",
    unit: "micros",
    of: stagePerPage("plain-processor"),
  },
  plainPerPage: {
    says: "time of plain writes and a sync of the same pages, per page",
    unit: "micros",
    of: stagePerPage("plain-write", "plain-sync"),
  },
  timesPlain: {
    says: "time of a flush divided by that of plain writes and a sync of the same pages",
    unit: "ratio",
    of: (rows) => stagePerPage("flush")(rows) / stagePerPage("plain-write", "plain-sync")(rows),
  },
  operationMicros: {
    says: "time of an operation between flushes",
    unit: "micros",
    of: (rows) => of.stagePerCall(rows, "operations"),
  },
};

const named = (kind: Kind, ...groups: readonly Quantities[]): Quantity[] =>
  groups.flatMap((group) => Object.entries(group).map(([name, quantity]) => ({ name, kind, ...quantity })));

const whole = [...named("exact", ends, modes, sizes, written, steady, pace), ...named("measured", times)];
const tuned = named("exact", { writes: written.writes! }, steady);
const visited = named("exact", ends, { writes: written.writes!, budgetUsed: pace.budgetUsed! });
const flushed = named("exact", stagePages).concat(named("measured", stages));
const intervals = [...named("exact", steady, pace), ...named("measured", times)];

/** All that is told of a run, by its table. */
export function quantitiesOf({ scenario }: Series): readonly Quantity[] {
  if (scenario.startsWith("tuning-")) return tuned;
  if (scenario === "sessions") return visited;
  if (scenario === "interval") return intervals;
  if (scenario === "flush-time") return flushed;
  return whole;
}

export function quantityOf(series: Series, name: string): Quantity {
  const found = quantitiesOf(series).find((quantity) => quantity.name === name);
  if (found === undefined) throw new Error(`nothing is told of ${series.name} under the name ${name}`);
  return found;
}

/** Ids have no equals sign: `tuning-uniform-8.lambda-0.5.steadySpace`. */
export const idOf = (series: Series, quantity: string): string =>
  `${series.name}.${series.variant.replace("=", "-")}.${quantity}`;
