/** Figures of what is written, and of the description that writing leaves behind. */

import { sideBySide, stackedBars } from "../../figures/charts.ts";
import { type Bar, describeBars } from "../../figures/describe.ts";
import * as of from "../derive.ts";
import { type Results, shorten } from "../results.ts";
import { MIB, type Series } from "../series.ts";
import {
  byVariant,
  byWorkload,
  column,
  courses,
  isOneOf,
  label,
  nameOf,
  panel,
  styleByVariant,
} from "./figure-parts.ts";

const PARTS: readonly (readonly [keyof of.WriteParts, string])[] = [
  ["journal", "journal"],
  ["content", "new content"],
  ["consolidation", "consolidation"],
  ["other", "other"],
  ["table", "table pages"],
  ["headers", "headers"],
];

export function writeBreakdown(results: Results, all: readonly Series[]): void {
  const chosen = all
    .filter(isOneOf("uniform", "skewed", "append", "churn", "typed"))
    .filter(({ sizeBytes }) => sizeBytes >= 8 * MIB);
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

export function description(results: Results, all: readonly Series[]): void {
  const chosen = all.filter(isOneOf("append", "churn"));
  const by = byWorkload(chosen);
  const style = styleByVariant(chosen);
  results.figure({
    id: "description",
    title: "How long the description grows, and how far the file swings",
    caption:
      "Statements per KiB of live content (left) and file size divided by live bytes (right): logs that rotate, and values that are replaced, with consolidation (on) and without (off).",
    kind: "exact",
    ...courses(chosen, ["density", "space"]),
    chart: sideBySide([panel("density", by, style), panel("space", by, { ...style, axis: { zero: true } })]),
  });
}

export function typed(results: Results, all: readonly Series[]): void {
  const chosen = all.filter(isOneOf("typed"));
  const by = byWorkload(chosen);
  results.figure({
    id: "typed",
    title: "A map of strings",
    caption:
      "File size divided by live bytes (left) and statements per KiB of live content (right), after every thousandth operation.",
    kind: "exact",
    ...courses(chosen, ["space", "density"]),
    chart: sideBySide([panel("space", by, { axis: { zero: true } }), panel("density", by)]),
  });
}

export function defragShare(results: Results, all: readonly Series[]): void {
  const chosen = all.filter(isOneOf("tuning-append"));
  const by = byVariant(chosen);
  results.figure({
    id: "defrag-share",
    title: "What a larger share for defragmentation buys",
    caption:
      "Logs of 16 MiB: statements per KiB of live content (left) and bytes written per byte so far (right), when a flush may rewrite 1, 4 or 16 pages' worth of bytes to shorten their description.",
    kind: "exact",
    ...courses(chosen, ["density", "writes"]),
    chart: sideBySide([panel("density", by), panel("writes", by)]),
  });
}
