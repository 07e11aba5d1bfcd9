/** Figures of what is written, and of the description that writing leaves behind. */

import { curves, sideBySide, stackedBars } from "../../figures/charts.ts";
import { type Bar, describeBars } from "../../figures/describe.ts";
import * as of from "../derive.ts";
import { MIB, type Results, type Series, shorten } from "../study.ts";
import {
  along,
  column,
  curveRows,
  isOneOf,
  label,
  nameOf,
  progressAxis,
  progressColumn,
  sizeColumn,
  styleByVariant,
  told,
  variantColumn,
  variantsOf,
  workloadColumn,
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

export function description(results: Results, all: readonly Series[]): void {
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
