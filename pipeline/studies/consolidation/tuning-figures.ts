/** Figures of the two knobs: the churn floor λ, which sets the price of a freed byte, and the target fill τ. */

import { facets, points } from "../../figures/charts.ts";
import { describeValues, show } from "../../figures/describe.ts";
import type { FigureRow } from "../../figures/figure.ts";
import { interpolate } from "../courses.ts";
import * as of from "../derive.ts";
import { type Results, shorten } from "../results.ts";
import type { Series } from "../series.ts";
import { column, isOneOf, label, variantOf, workloadOf } from "./figure-parts.ts";

const tuned = isOneOf("tuning-uniform", "tuning-skewed");

/** The value of an option in a variant's name: 0.5 of `lambda=0.5`. */
export const settingOf = ({ variant }: Series): number => Number(variant.split("=")[1]);
export const hasFloor = ({ variant }: Series): boolean => variant.startsWith("lambda=");

const PREDICTED = "predicted";

export function churnFloor(results: Results, all: readonly Series[]): void {
  const measured = all.filter(tuned).filter(hasFloor);
  const rows: FigureRow[] = [
    ...Array.from({ length: 40 }, (_, index) => 0.25 + 0.0625 * index).map((lambda) => ({
      which: PREDICTED,
      lambda,
      fill: shorten(of.predictedFill(lambda)),
    })),
    ...measured.map((series) => ({
      which: workloadOf(series),
      lambda: settingOf(series),
      fill: shorten(of.meanOverSecondHalf(series.rows, of.dataFill)),
    })),
  ];
  const told = measured.map((series) => ({
    name: `${workloadOf(series)} ${variantOf(series)}`,
    parts: [
      { name: "measured", value: of.meanOverSecondHalf(series.rows, of.dataFill) },
      { name: PREDICTED, value: of.predictedFill(settingOf(series)) },
    ],
  }));
  results.figure({
    id: "churn-floor",
    title: "How full the churn floor keeps data pages",
    caption:
      "Live share of data pages, mean of the second half of a run of 8 MiB, by churn floor; the line is the prediction.",
    description: describeValues(told, "live share of data pages"),
    kind: "exact",
    columns: [
      label("which", "Workload"),
      column("lambda", "Churn floor", "ratio"),
      column("fill", "Data pages live", "share"),
    ],
    rows,
    chart: points({
      x: { field: "lambda", title: "churn floor λ", domain: [0, 2.75] },
      y: { field: "fill", title: "live share of data pages", format: "%", domain: [0.5, 1] },
      by: { field: "which", domain: ["uniform", "skewed", PREDICTED] },
      joined: [],
      bare: [PREDICTED],
      order: "lambda",
      width: 560,
    }),
  });
}

const FLOORS = "by churn floor λ";
const TARGETS = "by target fill τ";

export function tradeoff(results: Results, all: readonly Series[]): void {
  const chosen = all.filter(tuned);
  const rows = chosen.map((series) => ({
    workload: workloadOf(series),
    option: variantOf(series),
    by: hasFloor(series) ? FLOORS : TARGETS,
    setting: settingOf(series),
    writes: shorten(of.steadyWrites(series.rows)),
    space: shorten(of.steadySpace(series.rows)),
  }));
  results.figure({
    id: "tradeoff",
    title: "What a smaller file costs in writes",
    caption:
      "File size against bytes written, both over the second half of a run of 8 MiB. The line joins churn floors; λ = 1 is the default. The default target is τ = 0.8.",
    description: rows
      .map(
        ({ workload, option, writes, space }) =>
          `${workload} ${option}: writes ${show(writes)}, file size ${show(space)}.`,
      )
      .join(" "),
    kind: "exact",
    columns: [
      label("workload", "Workload"),
      label("option", "Option"),
      label("by", "By"),
      column("setting", "Setting", "ratio"),
      column("writes", "Written per byte", "ratio"),
      column("space", "File size / live bytes", "ratio"),
    ],
    rows,
    chart: facets(
      points({
        x: { field: "writes", title: "bytes written per byte of the application", zero: false },
        y: { field: "space", title: "file size / live bytes", zero: false },
        by: { field: "by", domain: [FLOORS, TARGETS] },
        joined: [FLOORS],
        order: "setting",
        label: "option",
      }),
      "workload",
      ["uniform", "skewed"],
    ),
  });
}

/** What the curve of churn floors gives at the writes of another run. */
export function spaceOnFloorCurve(floors: readonly Series[], writes: number): number {
  const curve = floors.map(({ rows }) => ({ at: of.steadyWrites(rows), value: of.steadySpace(rows) }));
  return interpolate(curve, writes);
}
