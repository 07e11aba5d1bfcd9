/** Figures of work in short sessions, and of flushes after fewer operations. */

import { curves, sideBySide } from "../../figures/charts.ts";
import { describeValues } from "../../figures/describe.ts";
import type { FigureRow } from "../../figures/figure.ts";
import * as of from "../derive.ts";
import { type Results, shorten } from "../results.ts";
import { measure, type Series } from "../series.ts";
import { byVariant, column, courses, isOneOf, label, panel, sessionNumber } from "./figure-parts.ts";

export function sessions(results: Results, all: readonly Series[]): void {
  const chosen = all.filter(isOneOf("sessions"));
  const by = byVariant(chosen);
  const more = { along: sessionNumber, height: 170 };
  results.figure({
    id: "sessions",
    title: "One flush, then closed",
    caption:
      "Uniform, 8 MiB: opened, patched a thousand times, flushed and closed, again and again. What consolidation has learned is kept in the file (kept), or lost with each session (no-state).",
    kind: "exact",
    ...courses(chosen, ["budget", "space", "statements", "dataFill"], sessionNumber),
    chart: sideBySide([
      panel("budget", by, more),
      panel("space", by, more),
      panel("statements", by, more),
      panel("dataFill", by, more),
    ]),
  });
}

/** Operations between two flushes, from the variant's name. */
export const operationsOf = ({ variant }: Series): number => Number(variant.split("=")[1]);

/** The course over one run, for each number of operations per flush: space and writes, then time. */
export function interval(results: Results, all: readonly Series[]): void {
  const chosen = all.filter(isOneOf("interval"));
  const rows: FigureRow[] = chosen.map((series) => ({
    operations: operationsOf(series),
    space: shorten(of.steadySpace(series.rows)),
    writes: shorten(of.steadyWrites(series.rows)),
    micros: shorten(measure(series, of.microsInAll).value),
    workload: "uniform",
  }));
  const x = {
    field: "operations",
    title: "operations per flush",
    log: true,
    values: chosen.map(operationsOf),
  };
  const by = { field: "workload", domain: ["uniform"], are: "names" } as const;
  results.figure({
    id: "interval",
    title: "A small file, flushed more often",
    caption:
      "Uniform, 1 MiB: file size and bytes written per byte over the second half, and the time of an operation with its share of a flush, by the number of operations between two flushes.",
    description: describeValues(
      rows.map(({ operations, space, writes, micros }) => ({
        name: `${operations} operations per flush`,
        parts: [
          { name: "file size", value: Number(space) },
          { name: "writes", value: Number(writes) },
          { name: "microseconds per operation", value: Number(micros) },
        ],
      })),
      "file size, writes and time",
    ),
    kind: "measured",
    columns: [
      column("operations", "Operations per flush", "count"),
      column("space", "File size / live bytes", "ratio"),
      column("writes", "Written per byte", "ratio"),
      column("micros", "Time of an operation, flushes included", "micros", "measured"),
      label("workload", "Workload"),
    ],
    rows,
    chart: sideBySide(
      [
        ["space", "file size / live bytes"],
        ["writes", "written per byte"],
        ["micros", "µs per operation, flushes included"],
      ].map(([field, title]) =>
        curves({
          x,
          y: { field: field!, title: title!, zero: true },
          by,
          marked: true,
          width: 175,
          height: 190,
        }),
      ),
      "shared",
      3,
    ),
  });
}
