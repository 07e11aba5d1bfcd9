/** Figures of measured times. */

import { curves, percentiles, stackedBars } from "../../figures/charts.ts";
import { type Bar, describeBars, describeCurves, describeValues } from "../../figures/describe.ts";
import type { Figure } from "../../figures/figure.ts";
import { rateCourse, SMOOTHED_ROWS, thinned } from "../courses.ts";
import * as of from "../derive.ts";
import { type Results, shorten } from "../results.ts";
import { measure, type Series } from "../series.ts";
import {
  byWorkload,
  column,
  isOn,
  isOneOf,
  keysOf,
  label,
  largest,
  nameOf,
  progress,
  runColumns,
  sizeOf,
  variantOf,
} from "./figure-parts.ts";

const chosenOf = (all: readonly Series[]): Series[] =>
  all.filter(isOneOf("uniform", "skewed", "append", "churn", "typed")).filter(isOn);

const RATES_DRAWN = 200;

export function throughput(results: Results, all: readonly Series[]): void {
  const chosen = largest(chosenOf(all));
  const courses = chosen.map((series) => ({ series, points: rateCourse(series.rows) }));
  results.figure({
    id: "throughput",
    title: "Operations per second",
    caption: `Operations divided by all time since the flush before, flushes included: the median of ${SMOOTHED_ROWS} rows around, at the largest size, with consolidation.`,
    description: describeCurves(
      courses.map(({ series, points }) => ({
        name: nameOf(series),
        points: points.map(({ at, value }) => ({ x: at, y: value })),
      })),
      { what: "operations per second", along: progress.words },
    ),
    kind: "measured",
    columns: [
      ...runColumns,
      progress.column,
      column("rate", "Operations per second", "operationsPerSecond", "measured"),
    ],
    rows: courses.flatMap(({ series, points }) =>
      thinned(points, [({ value }) => value], RATES_DRAWN).map(({ at, value }) => ({
        ...keysOf(series),
        x: shorten(at),
        rate: Math.round(value),
      })),
    ),
    thinned: `Of each run at most ${RATES_DRAWN} flushes: the first, the last, and the slowest and fastest of each stretch.`,
    chart: curves({
      x: { field: "x", ...progress.axis },
      y: { field: "rate", title: "operations per second", format: "~s", zero: true },
      by: byWorkload(chosen),
      width: 560,
    }),
  });
}

const QUANTILES = [
  { name: "median", q: 0.5 },
  { name: "90th percentile", q: 0.9 },
  { name: "99th percentile", q: 0.99 },
];

export function flushLatency(results: Results, all: readonly Series[]): void {
  const bars: Bar[] = chosenOf(all).map((series) => ({
    name: nameOf(series),
    parts: QUANTILES.map(({ name, q }) => ({
      name,
      value: measure(series, (rows) => of.percentile(of.flushMicros(rows), q)).value / 1000,
    })),
  }));
  results.figure({
    id: "flush-latency",
    title: "How long a flush takes",
    caption: "Time of the flushes that were asked for, sync included, with consolidation.",
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

const runOf = (series: Series): string => `${sizeOf(series)} ${variantOf(series)}`;

const perPage = (series: Series, ...stages: readonly string[]): number =>
  measure(series, (rows) => stages.reduce((sum, stage) => sum + of.stagePerPage(rows, stage), 0)).value;

/** Stacked bars of microseconds per page. */
function perPageFigure(
  results: Results,
  figure: Pick<Figure, "id" | "title" | "caption">,
  bars: readonly Bar[],
  parts: readonly string[],
): void {
  results.figure({
    ...figure,
    description: describeBars(bars, "microseconds per page written"),
    kind: "measured",
    columns: [
      label("run", "Run"),
      label("part", "Part"),
      column("place", "Place in the bar", "count"),
      column("perPage", "Time per page", "micros", "measured"),
      column("total", "All parts", "micros", "measured"),
    ],
    rows: bars.flatMap(({ name, parts: those }) => {
      const total = those.reduce((sum, { value }) => sum + value, 0);
      return those.map((part, place) => ({
        run: name,
        part: part.name,
        place,
        perPage: shorten(part.value),
        total: shorten(total),
      }));
    }),
    chart: stackedBars({
      label: { field: "run", order: bars.map(({ name }) => name) },
      part: { field: "part", order: parts },
      place: "place",
      value: { field: "perPage", title: "microseconds per page written" },
      total: "total",
    }),
  });
}

/** What a flush's time is spent on, and what plain writes of the same pages take, by name of the stage. */
const STAGES = [
  { name: "the store's own work", store: "rest" },
  { name: "reads", store: "read" },
  { name: "writes", store: "write", plain: "plain-write" },
  { name: "sync", store: "sync", plain: "plain-sync" },
] as const;

export function flushTime(results: Results, all: readonly Series[]): void {
  const bars: Bar[] = all.filter(isOneOf("flush-time")).flatMap((series) => [
    {
      name: runOf(series),
      parts: STAGES.map(({ name, store }) => ({ name, value: perPage(series, store) })),
    },
    {
      name: `${runOf(series)}: plain`,
      parts: STAGES.flatMap((stage) =>
        "plain" in stage ? [{ name: stage.name, value: perPage(series, stage.plain) }] : [],
      ),
    },
  ]);
  const figure = {
    id: "flush-time",
    title: "Where the time of a flush goes",
    caption:
      "Time of a flush of uniform per page it writes, by the clock; below each, the same pages written plainly, one call a page, and synced.",
  };
  perPageFigure(
    results,
    figure,
    bars,
    STAGES.map(({ name }) => name),
  );
}

/** What the store's own work is, by the parts that a profile tells apart. */
const PARTS = [
  { name: "taking what changed", stages: ["fold"] },
  { name: "reclaiming", stages: ["reclaim"] },
  { name: "packing", stages: ["pack"] },
  { name: "laying out the table", stages: ["cut"] },
  { name: "committing", stages: ["commit"] },
  { name: "garbage collection and the rest", stages: ["garbage", "other"] },
] as const;

export function flushParts(results: Results, all: readonly Series[]): void {
  const bars: Bar[] = all.filter(isOneOf("flush-time")).map((series) => ({
    name: runOf(series),
    parts: PARTS.map(({ name, stages }) => ({ name, value: perPage(series, ...stages) })),
  }));
  const figure = {
    id: "flush-parts",
    title: "What the store's own work is",
    caption:
      "Time of a flush per page it writes, calls of the file left out, by the part of the store that a sampling profiler found at work. The profiler's own cost is in it.",
  };
  perPageFigure(
    results,
    figure,
    bars,
    PARTS.map(({ name }) => name),
  );
}
