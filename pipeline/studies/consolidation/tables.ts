/** The tables of the page: runs side by side, each cell a quantity that `quantities.ts` declares. */

import type { SummaryColumn } from "../../data/summary.ts";
import * as of from "../derive.ts";
import { type Results, shorten } from "../results.ts";
import { measure, pick, type Series } from "../series.ts";
import { column, isOneOf, label, sizeOf, variantOf, workloadOf } from "./figure-parts.ts";
import { quantityOf } from "./quantities.ts";

interface RunTable {
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  readonly runs: (series: Series) => boolean;
  /** Columns that name a run. */
  readonly names: readonly (keyof typeof naming)[];
  /** Heads of the other columns, by quantity. */
  readonly columns: Readonly<Record<string, string>>;
}

const naming = {
  workload: { title: "Workload", of: workloadOf },
  variant: { title: "Variant", of: (series: Series) => variantOf(series).replaceAll(" ", "\u00a0") },
  size: { title: "Size", of: (series: Series) => sizeOf(series).replace(" ", "\u202f") },
} as const;

const main = isOneOf("uniform", "skewed", "mixed", "append", "churn", "shrink", "typed");

const TABLES: readonly RunTable[] = [
  {
    id: "runs",
    title: "Every run at its end",
    caption:
      "The last row of every run: file size in live bytes, live share of data and table pages, bytes written to the device per byte of the application, and the median time of a flush.",
    runs: main,
    names: ["workload", "variant", "size"],
    columns: {
      rows: "Flushes",
      space: "File size",
      dataFill: "Data pages live",
      tableFill: "Table pages live",
      writes: "Written per byte",
      flushMedian: "Median flush",
    },
  },
  {
    id: "writes",
    title: "What is written, per byte of the application",
    caption:
      "Over the whole run. In shrink the application writes next to nothing, so that what is moved, headers and table pages are most of it.",
    runs: main,
    names: ["workload", "variant", "size"],
    columns: {
      journal: "Journal",
      content: "New content",
      consolidation: "Consolidation",
      other: "Other",
      table: "Table pages",
      headers: "Headers",
      writes: "In all",
    },
  },
  {
    id: "times",
    title: "Time",
    caption:
      "Pages per flush and operations per second over the second half of a run, percentiles over all of it.",
    runs: main,
    names: ["workload", "variant", "size"],
    columns: {
      pagesPerFlush: "Pages per flush",
      flushMedian: "Median flush",
      flush90: "90th percentile",
      flush99: "99th percentile",
      operationMicros: "Operation between flushes",
      operationsPerSecond: "Operations per second",
    },
  },
  {
    id: "tuning",
    title: "One option changed",
    caption: "Uniform and skewed patches of 8 MiB; means and writes of the second half.",
    runs: isOneOf("tuning-uniform", "tuning-skewed"),
    names: ["workload", "variant"],
    columns: {
      steadySpace: "File size",
      steadyWrites: "Written per byte",
      dataFillMean: "Data pages live",
      wholeFillMean: "Whole file live",
    },
  },
  {
    id: "flush-times",
    title: "A flush, page by page",
    caption: "Uniform: time per page written, and the same pages written plainly and synced.",
    runs: isOneOf("flush-time"),
    names: ["size", "variant"],
    columns: {
      pagesPerFlush: "Pages per flush",
      perPage: "A flush",
      ownPerPage: "Its own work",
      writePerPage: "Writes",
      syncPerPage: "Sync",
      processorPerPage: "Processor, without sync",
      plainPerPage: "Plain writes and sync",
      timesPlain: "Times plain",
    },
  },
  {
    id: "intervals",
    title: "By the number of operations per flush",
    caption: "Uniform, 1 MiB, second half of the run.",
    runs: isOneOf("interval"),
    names: ["variant"],
    columns: {
      steadySpace: "File size",
      dataFillMean: "Data pages live",
      freePagesMean: "Free pages",
      pagesPerFlush: "Pages per flush",
      steadyWrites: "Written per byte",
      flushMedian: "Median flush",
      microsInAll: "Operation, flushes included",
    },
  },
];

export function addTables(results: Results, all: readonly Series[]): void {
  for (const table of TABLES) addRunTable(results, all.filter(table.runs), table);
  fillByFloor(results, all);
  descriptionByShare(results, all);
}

function addRunTable(
  results: Results,
  chosen: readonly Series[],
  { id, title, caption, names, columns }: RunTable,
): void {
  const first = chosen[0];
  if (first === undefined) throw new Error(`no run is in the table ${id}`);
  const heads = Object.entries(columns).map(([key, head]): SummaryColumn => {
    const { kind, unit } = quantityOf(first, key);
    return { key, title: head, kind, unit };
  });
  results.table(id, {
    title,
    caption,
    columns: [...names.map((name) => label(name, naming[name].title)), ...heads],
    rows: chosen.map((series) => ({
      ...Object.fromEntries(names.map((name) => [name, naming[name].of(series)])),
      ...Object.fromEntries(Object.keys(columns).map((key) => [key, cellOf(series, key)])),
    })),
  });
}

/** Of an exact quantity every repetition is the same, so that measuring it gives it. */
const cellOf = (series: Series, key: string): number =>
  shorten(measure(series, quantityOf(series, key).of).value);

export const FLOORS = [0.5, 1, 2] as const;

function fillByFloor(results: Results, all: readonly Series[]): void {
  const fill = (workload: string, floor: number): number =>
    cellOf(pick(all, `tuning-${workload}-8`, `lambda=${floor}`), "dataFillMean");
  results.table("fill-by-floor", {
    title: "Live share of data pages, by churn floor",
    caption: "As predicted, and measured over the second half of runs of 8 MiB.",
    columns: [
      label("floor", "Churn floor λ"),
      ...["Predicted", "Uniform", "Skewed"].map((head) => ({
        ...column(head.toLowerCase(), head, "share"),
        decimals: 1,
      })),
    ],
    rows: FLOORS.map((floor) => ({
      floor: String(floor),
      predicted: shorten(of.predictedFill(floor)),
      uniform: fill("uniform", floor),
      skewed: fill("skewed", floor),
    })),
  });
}

export const SHARES = [1, 4, 16] as const;

function descriptionByShare(results: Results, all: readonly Series[]): void {
  const rowOf = (share: string, series: Series) => ({
    share,
    density: cellOf(series, "densityMean"),
    space: cellOf(series, "steadySpace"),
    writes: cellOf(series, "writes"),
  });
  results.table("description-by-share", {
    title: "Description, by the share for defragmentation",
    caption:
      "Append, 16 MiB: statements per KiB and file size, means of the second half; bytes written per byte, whole run. Without consolidation there is no share.",
    columns: [
      label("share", "Pages per flush"),
      column("density", "Statements", "statementsPerKiB"),
      column("space", "File size", "ratio"),
      column("writes", "Written per byte", "ratio"),
    ],
    rows: [
      rowOf("no consolidation", pick(all, "append-16", "off")),
      ...SHARES.map((share) => rowOf(String(share), pick(all, "tuning-append-16", `share=${share}`))),
    ],
  });
}
