/** Figures of measured times. */

import { curves, facets, percentiles } from "../../figures/charts.ts";
import { type Bar, describeCurves, describeValues } from "../../figures/describe.ts";
import type { FigureRow } from "../../figures/figure.ts";
import * as of from "../derive.ts";
import { measure, type Results, type Series, shorten } from "../study.ts";
import {
  along,
  column,
  isOneOf,
  keysOf,
  label,
  largest,
  nameOf,
  progressAxis,
  progressColumn,
  sizeColumn,
  variantColumn,
  variantsOf,
  workloadColumn,
} from "./figure-parts.ts";

const SMOOTHED_ROWS = 21;
const LEAST_OPERATIONS = 500;

/** Median over the rows around, so that single slow flushes of the machine do not hide the course. */
function throughputRows(series: Series): FigureRow[] {
  const rates = series.rows
    .slice(1)
    .map((row, index) => ({ row, operations: row.ops - series.rows[index]!.ops }))
    .filter(({ operations }) => operations >= LEAST_OPERATIONS)
    .map(({ row, operations }) => ({ row, rate: (operations / (row.flush_us + row.ops_us)) * 1e6 }));
  const half = (SMOOTHED_ROWS - 1) / 2;
  return rates.map(({ row }, at) => ({
    ...keysOf(series),
    x: shorten(of.progress(row)),
    rate: Math.round(of.median(rates.slice(Math.max(0, at - half), at + half + 1).map(({ rate }) => rate))),
  }));
}

export function throughput(results: Results, all: readonly Series[]): void {
  const workloads = ["uniform", "skewed", "append", "churn"];
  const chosen = largest(all.filter(isOneOf(...workloads)));
  const rowsOf = chosen.map(throughputRows);
  const variants = variantsOf(chosen);
  results.figure({
    id: "throughput",
    title: "Operations per second",
    caption: `Operations divided by all time since the flush before, flushes included: the median of ${SMOOTHED_ROWS} rows around, at the largest size.`,
    description: describeCurves(
      chosen.map((series, at) => ({
        name: nameOf(series),
        points: rowsOf[at]!.map(({ x, rate }) => ({ x: Number(x), y: Number(rate) })),
      })),
      { what: "operations per second", along },
    ),
    kind: "measured",
    columns: [
      workloadColumn,
      variantColumn,
      sizeColumn,
      progressColumn,
      column("rate", "Operations per second", "operationsPerSecond", "measured"),
    ],
    rows: rowsOf.flat(),
    chart: {
      ...(variants.length > 1
        ? facets(throughputCurves(workloads), "variant", variants)
        : throughputCurves(workloads, 560)),
    },
  });
}

const throughputCurves = (workloads: readonly string[], width = 300) =>
  curves({
    x: progressAxis,
    y: { field: "rate", title: "operations per second", format: "~s" },
    by: { field: "workload", domain: workloads, are: "names" },
    width,
  });

const QUANTILES = [
  { name: "median", q: 0.5 },
  { name: "90th percentile", q: 0.9 },
  { name: "99th percentile", q: 0.99 },
];

export function flushLatency(results: Results, all: readonly Series[]): void {
  const chosen = all.filter(({ scenario }) => scenario !== "shrink");
  const bars: Bar[] = chosen.map((series) => ({
    name: nameOf(series),
    parts: QUANTILES.map(({ name, q }) => ({
      name,
      value: measure(series, (rows) => of.percentile(of.flushMicros(rows), q)).value / 1000,
    })),
  }));
  results.figure({
    id: "flush-latency",
    title: "How long a flush takes",
    caption: "Time of the flushes that were asked for, sync included.",
    description: describeValues(bars, "milliseconds per flush"),
    kind: "measured",
    columns: [
      label("run", "Run"),
      label("which", "Which"),
      { key: "millis", title: "Milliseconds", kind: "measured" },
    ],
    rows: bars.flatMap(({ name, parts }) =>
      parts.map((part) => ({ run: name, which: part.name, millis: shorten(part.value) })),
    ),
    chart: percentiles({
      label: { field: "run", order: bars.map(({ name }) => name) },
      of: { field: "which", order: QUANTILES.map(({ name }) => name) },
      value: { field: "millis", title: "milliseconds per flush" },
    }),
  });
}
