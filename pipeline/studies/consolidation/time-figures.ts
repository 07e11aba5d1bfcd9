/** Figures of measured times. */

import { curves, percentiles, stackedBars } from "../../figures/charts.ts";
import { type Bar, describeBars, describeCurves, describeValues } from "../../figures/describe.ts";
import { rateCourse, SMOOTHED_ROWS, thinned } from "../courses.ts";
import * as of from "../derive.ts";
import { type Results, shorten } from "../results.ts";
import { measure, type Series } from "../study.ts";
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
} from "./figure-parts.ts";

const chosenOf = (all: readonly Series[]): Series[] =>
  all.filter(isOneOf("uniform", "skewed", "append", "churn")).filter(isOn);

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

/** What a flush's time is spent on, and what plain writes of the same pages take, by name of the stage. */
const STAGES = [
  { name: "the store's own work", store: "rest" },
  { name: "reads", store: "read" },
  { name: "writes", store: "write", plain: "plain-write" },
  { name: "sync", store: "sync", plain: "plain-sync" },
] as const;

export function flushTime(results: Results, all: readonly Series[]): void {
  const perPage = (series: Series, stage: string): number =>
    measure(series, (rows) => of.stagePerPage(rows, stage)).value;
  const bars: Bar[] = all.filter(isOneOf("flush-time")).flatMap((series) => [
    {
      name: sizeOf(series),
      parts: STAGES.map(({ name, store }) => ({ name, value: perPage(series, store) })),
    },
    {
      name: `${sizeOf(series)} plain`,
      parts: STAGES.flatMap((stage) =>
        "plain" in stage ? [{ name: stage.name, value: perPage(series, stage.plain) }] : [],
      ),
    },
  ]);
  results.figure({
    id: "flush-time",
    title: "Where the time of a flush goes",
    caption:
      "Time of a flush per page it writes, over the second half of uniform with consolidation; below each, the same pages written plainly, one after the other, and synced.",
    description: describeBars(bars, "microseconds per page written"),
    kind: "measured",
    columns: [
      label("run", "Run"),
      label("part", "Part"),
      column("place", "Place in the bar", "count"),
      column("perPage", "Time per page", "micros", "measured"),
      column("total", "All parts", "micros", "measured"),
    ],
    rows: bars.flatMap(({ name, parts }) => {
      const total = parts.reduce((sum, { value }) => sum + value, 0);
      return parts.map((part, place) => ({
        run: name,
        part: part.name,
        place,
        perPage: shorten(part.value),
        total: shorten(total),
      }));
    }),
    chart: stackedBars({
      label: { field: "run", order: bars.map(({ name }) => name) },
      part: { field: "part", order: STAGES.map(({ name }) => name) },
      place: "place",
      value: { field: "perPage", title: "microseconds per page written" },
      total: "total",
    }),
  });
}
