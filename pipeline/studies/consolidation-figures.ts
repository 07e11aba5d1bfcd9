/**
 * The figures of "Consolidation under load". A figure shows every run it is given, so that further variants and sizes
 * are further curves: colour and width tell sizes, dashes tell variants.
 */

import type { Row } from "../../engine/bench/index.ts";
import type { Kind, SummaryColumn, Unit } from "../data/summary.ts";
import { curves, facets, percentiles, sideBySide, stackedBars } from "../figures/charts.ts";
import {
  type Bar,
  type Curve,
  describeBars,
  describeCurves,
  describeValues,
  type Words,
} from "../figures/describe.ts";
import type { FigureRow } from "../figures/figure.ts";
import * as of from "./derive.ts";
import { MIB, measure, type Results, type Series, shorten } from "./study.ts";

type Of = (row: Row) => number;

export function drawFigures(results: Results, all: readonly Series[]): void {
  spaceAmplification(results, all);
  liveFraction(results, all);
  writeBreakdown(results, all);
  throughput(results, all);
  flushLatency(results, all);
  shrink(results, all);
  description(results, all);
  mixed(results, all);
}

const along = "bytes written by the application, in live sizes";
const progressAxis = { field: "x", title: "written, in live sizes", nice: false, zero: true };
const label = (key: string, title: string): SummaryColumn => ({ key, title, kind: "label" });
const column = (key: string, title: string, unit: Unit, kind: Kind = "exact"): SummaryColumn => ({
  key,
  title,
  kind,
  unit,
});
const progressColumn = column("x", "Written, in live sizes", "ratio");
const workloadColumn = label("workload", "Workload");
const variantColumn = label("variant", "Variant");
const sizeColumn = label("size", "Size");

const sizeOf = ({ sizeBytes }: Series): string => `${sizeBytes / MIB} MiB`;
const nameOf = (series: Series): string => `${series.scenario} ${series.variant} ${sizeOf(series)}`;
const isOneOf =
  (...scenarios: string[]) =>
  ({ scenario }: Series): boolean =>
    scenarios.includes(scenario);
const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

const sizesOf = (chosen: readonly Series[]): string[] =>
  distinct(chosen.toSorted((a, b) => a.sizeBytes - b.sizeBytes).map(sizeOf));

/** Consolidation first: the solid line. */
const variantsOf = (chosen: readonly Series[]): string[] =>
  distinct(chosen.map(({ variant }) => variant)).toSorted((a, b) => Number(b === "on") - Number(a === "on"));

const keysOf = (series: Series): FigureRow => ({
  workload: series.scenario,
  variant: series.variant,
  size: sizeOf(series),
});

function curveRows(series: Series, fields: Readonly<Record<string, Of>>): FigureRow[] {
  return series.rows.map((row) => ({
    ...keysOf(series),
    x: shorten(of.progress(row)),
    ...Object.fromEntries(Object.entries(fields).map(([key, quantity]) => [key, shorten(quantity(row))])),
  }));
}

function told(chosen: readonly Series[], quantity: Of, words: Words, x: Of = of.progress): string {
  const each: Curve[] = chosen.map((series) => ({
    name: nameOf(series),
    points: series.rows.map((row) => ({ x: x(row), y: quantity(row) })),
  }));
  return describeCurves(each, words);
}

const bySize = (chosen: readonly Series[]) =>
  ({ field: "size", domain: sizesOf(chosen), are: "sizes" }) as const;
const styleByVariant = (chosen: readonly Series[]) => ({ field: "variant", domain: variantsOf(chosen) });

function spaceAmplification(results: Results, all: readonly Series[]): void {
  const chosen = all.filter(isOneOf("uniform", "skewed"));
  results.figure({
    id: "space-amplification",
    title: "File size under load",
    caption: "File size divided by live bytes, after every flush, against what has been written.",
    description: told(chosen, of.space, { what: "file size divided by live bytes", along }),
    kind: "exact",
    columns: [
      workloadColumn,
      variantColumn,
      sizeColumn,
      progressColumn,
      column("space", "File size / live bytes", "ratio"),
    ],
    rows: chosen.flatMap((series) => curveRows(series, { space: of.space })),
    chart: facets(
      curves({
        x: progressAxis,
        y: { field: "space", title: "file size / live bytes" },
        by: bySize(chosen),
        style: styleByVariant(chosen),
      }),
      "workload",
      ["uniform", "skewed"],
    ),
  });
}

/** The largest size of a workload and variant. */
function largest(chosen: readonly Series[]): Series[] {
  return chosen.filter((series) =>
    chosen.every(
      (other) =>
        other.scenario !== series.scenario ||
        other.variant !== series.variant ||
        other.sizeBytes <= series.sizeBytes,
    ),
  );
}

function liveFraction(results: Results, all: readonly Series[]): void {
  const chosen = largest(all.filter(isOneOf("uniform", "skewed")));
  const share = (field: string, title: string) =>
    curves({
      x: progressAxis,
      y: { field, title, format: "%", domain: [0, 1] },
      by: { field: "workload", domain: ["uniform", "skewed"], are: "names" },
    });
  results.figure({
    id: "live-fraction",
    title: "How much of a page is live",
    caption: "Live share of data pages (left) and of table pages (right), at the largest size.",
    description: [
      told(chosen, of.dataFill, { what: "live share of data pages", along }),
      told(chosen, of.tableFill, { what: "live share of table pages", along }),
    ].join(" "),
    kind: "exact",
    columns: [
      workloadColumn,
      variantColumn,
      sizeColumn,
      progressColumn,
      column("dataFill", "Data pages live", "share"),
      column("tableFill", "Table pages live", "share"),
    ],
    rows: chosen.flatMap((series) => curveRows(series, { dataFill: of.dataFill, tableFill: of.tableFill })),
    chart: sideBySide([
      share("dataFill", "live share of data pages"),
      share("tableFill", "live share of table pages"),
    ]),
  });
}

const PARTS: readonly (readonly [keyof of.WriteParts, string])[] = [
  ["journal", "journal"],
  ["content", "new content"],
  ["consolidation", "consolidation"],
  ["other", "other"],
  ["table", "table pages"],
  ["headers", "headers"],
];

function writeBreakdown(results: Results, all: readonly Series[]): void {
  const chosen = all.filter(({ scenario, sizeBytes }) => scenario !== "shrink" && sizeBytes >= 8 * MIB);
  const bars: Bar[] = chosen.map((series) => {
    const parts = of.writeParts(of.last(series.rows));
    return { name: nameOf(series), parts: PARTS.map(([key, name]) => ({ name, value: parts[key] })) };
  });
  const rows = bars.flatMap(({ name, parts }) => {
    const total = parts.reduce((sum, { value }) => sum + value, 0);
    return parts.map((part, place) => ({
      run: name,
      part: part.name,
      place,
      written: shorten(part.value),
      total: shorten(total),
    }));
  });
  results.figure({
    id: "write-breakdown",
    title: "What is written for a byte",
    caption:
      "Bytes written to the device per byte of the application, over the whole run, by what they are for.",
    description: describeBars(bars, "bytes written per byte of the application"),
    kind: "exact",
    columns: [
      label("run", "Run"),
      label("part", "Part"),
      column("place", "Place in the bar", "count"),
      column("written", "Bytes per byte", "ratio"),
      column("total", "All parts of the run", "ratio"),
    ],
    rows,
    chart: stackedBars({
      label: { field: "run", order: bars.map(({ name }) => name) },
      part: { field: "part", order: PARTS.map(([, name]) => name) },
      place: "place",
      value: { field: "written", title: "bytes written per byte of the application" },
      total: "total",
    }),
  });
}

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

function throughput(results: Results, all: readonly Series[]): void {
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

function flushLatency(results: Results, all: readonly Series[]): void {
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

const SHRINK_FLUSHES = 60;

function shrink(results: Results, all: readonly Series[]): void {
  const chosen = all
    .filter(isOneOf("shrink"))
    .map((series) => ({ ...series, rows: series.rows.slice(0, SHRINK_FLUSHES), end: of.last(series.rows) }));
  const size =
    ({ end }: { end: Row }): Of =>
    (row) =>
      (row.file_pages * of.PAGE_BYTES) / end.alloc_bytes;
  const variants = variantsOf(chosen);
  results.figure({
    id: "shrink",
    title: "After most of the file is freed",
    caption: `File size divided by the live bytes that stay, over the first ${SHRINK_FLUSHES} flushes; the first one commits the frees.`,
    description: describeCurves(
      chosen.map((series) => ({
        name: nameOf(series),
        points: series.rows.map((row) => ({ x: row.flush, y: size(series)(row) })),
      })),
      { what: "file size divided by the live bytes that stay", along: "flushes" },
    ),
    kind: "exact",
    columns: [
      variantColumn,
      column("flush", "Flush", "count"),
      column("space", "File size / live bytes", "ratio"),
    ],
    rows: chosen.flatMap((series) =>
      series.rows.map((row) => ({
        variant: series.variant,
        flush: row.flush,
        space: shorten(size(series)(row)),
      })),
    ),
    chart: curves({
      x: { field: "flush", title: "flush", whole: true },
      y: { field: "space", title: "file size / live bytes", zero: true },
      by: { field: "variant", domain: variants, are: "names" },
      width: 560,
    }),
  });
}

function description(results: Results, all: readonly Series[]): void {
  const chosen = all.filter(isOneOf("append", "churn"));
  const by = { field: "workload", domain: ["append", "churn"], are: "names" } as const;
  const panel = (field: string, title: string) => {
    const variants = variantsOf(chosen);
    const y = { field, title, zero: true };
    return curves({
      x: progressAxis,
      y,
      by,
      ...(variants.length > 1 ? { style: styleByVariant(chosen) } : {}),
    });
  };
  results.figure({
    id: "description",
    title: "How long the description grows, and how far the file swings",
    caption:
      "Statements per KiB of live content (left) and file size divided by live bytes (right): logs that rotate, and values that are replaced.",
    description: [
      told(chosen, of.density, { what: "statements per KiB", along }),
      told(chosen, of.space, { what: "file size divided by live bytes", along }),
    ].join(" "),
    kind: "exact",
    columns: [
      workloadColumn,
      variantColumn,
      sizeColumn,
      progressColumn,
      column("density", "Statements per KiB", "statementsPerKiB"),
      column("space", "File size / live bytes", "ratio"),
    ],
    rows: chosen.flatMap((series) => curveRows(series, { density: of.density, space: of.space })),
    chart: sideBySide([
      panel("density", "statements per KiB of content"),
      panel("space", "file size / live bytes"),
    ]),
  });
}

function mixed(results: Results, all: readonly Series[]): void {
  const chosen = all.filter(isOneOf("mixed"));
  const onMixedPages: Of = (row) => row.mixed_bytes / row.alloc_bytes;
  const coldOnMixed: Of = (row) => (row.cold_bytes === 0 ? 0 : row.cold_mixed_bytes / row.cold_bytes);
  const panel = (field: string, title: string, share = true) =>
    curves({
      x: progressAxis,
      y: { field, title, ...(share ? { format: "%", domain: [0, 1] as const } : { zero: true }) },
      by: bySize(chosen),
      style: styleByVariant(chosen),
      height: 170,
    });
  results.figure({
    id: "mixed",
    title: "Data of different age on the same page",
    caption:
      "Hot, cool and cold values lie side by side after the fill. File size, live share of data pages, and how much of the content shares its page with another class.",
    description: [
      told(chosen, of.space, { what: "file size divided by live bytes", along }),
      told(chosen, of.dataFill, { what: "live share of data pages", along }),
      told(chosen, onMixedPages, { what: "share of the content on pages with several classes", along }),
      told(chosen, coldOnMixed, { what: "share of cold content on pages with several classes", along }),
    ].join(" "),
    kind: "exact",
    columns: [
      workloadColumn,
      variantColumn,
      sizeColumn,
      progressColumn,
      column("space", "File size / live bytes", "ratio"),
      column("dataFill", "Data pages live", "share"),
      column("mixed", "Content on mixed pages", "share"),
      column("coldMixed", "Cold content on mixed pages", "share"),
    ],
    rows: chosen.flatMap((series) =>
      curveRows(series, {
        space: of.space,
        dataFill: of.dataFill,
        mixed: onMixedPages,
        coldMixed: coldOnMixed,
      }),
    ),
    chart: sideBySide([
      panel("space", "file size / live bytes", false),
      panel("dataFill", "live share of data pages"),
      panel("mixed", "content on mixed pages"),
      panel("coldMixed", "cold content on mixed pages"),
    ]),
  });
}
