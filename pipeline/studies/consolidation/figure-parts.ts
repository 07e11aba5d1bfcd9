/**
 * What the figures of this study share: axes, columns, names of runs, rows and words of curves.
 *
 * A figure shows every run it is given, so that further variants and sizes are further curves: colour and width tell
 * sizes, dashes tell variants.
 */

import type { Row } from "../../../engine/bench/index.ts";
import type { Kind, SummaryColumn, Unit } from "../../data/summary.ts";
import { type Curve, describeCurves, type Words } from "../../figures/describe.ts";
import type { FigureRow } from "../../figures/figure.ts";
import * as of from "../derive.ts";
import { MIB, type Series, shorten } from "../study.ts";

export type Of = (row: Row) => number;

export const along = "bytes written by the application, in live sizes";
export const progressAxis = { field: "x", title: "written, in live sizes", nice: false, zero: true };
export const label = (key: string, title: string): SummaryColumn => ({ key, title, kind: "label" });
export const column = (key: string, title: string, unit: Unit, kind: Kind = "exact"): SummaryColumn => ({
  key,
  title,
  kind,
  unit,
});
export const progressColumn = column("x", "Written, in live sizes", "ratio");
export const workloadColumn = label("workload", "Workload");
export const variantColumn = label("variant", "Variant");
export const sizeColumn = label("size", "Size");

export const sizeOf = ({ sizeBytes }: Series): string => `${sizeBytes / MIB} MiB`;
export const nameOf = (series: Series): string => `${series.scenario} ${series.variant} ${sizeOf(series)}`;
export const isOneOf =
  (...scenarios: string[]) =>
  ({ scenario }: Series): boolean =>
    scenarios.includes(scenario);
export const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

export const sizesOf = (chosen: readonly Series[]): string[] =>
  distinct(chosen.toSorted((a, b) => a.sizeBytes - b.sizeBytes).map(sizeOf));

/** Consolidation first: the solid line. */
export const variantsOf = (chosen: readonly Series[]): string[] =>
  distinct(chosen.map(({ variant }) => variant)).toSorted((a, b) => Number(b === "on") - Number(a === "on"));

export const keysOf = (series: Series): FigureRow => ({
  workload: series.scenario,
  variant: series.variant,
  size: sizeOf(series),
});

export function curveRows(series: Series, fields: Readonly<Record<string, Of>>): FigureRow[] {
  return series.rows.map((row) => ({
    ...keysOf(series),
    x: shorten(of.progress(row)),
    ...Object.fromEntries(Object.entries(fields).map(([key, quantity]) => [key, shorten(quantity(row))])),
  }));
}

export function told(chosen: readonly Series[], quantity: Of, words: Words, x: Of = of.progress): string {
  const each: Curve[] = chosen.map((series) => ({
    name: nameOf(series),
    points: series.rows.map((row) => ({ x: x(row), y: quantity(row) })),
  }));
  return describeCurves(each, words);
}

export const bySize = (chosen: readonly Series[]) =>
  ({ field: "size", domain: sizesOf(chosen), are: "sizes" }) as const;
export const styleByVariant = (chosen: readonly Series[]) => ({
  field: "variant",
  domain: variantsOf(chosen),
});

/** The largest size of a workload and variant. */
export function largest(chosen: readonly Series[]): Series[] {
  return chosen.filter((series) =>
    chosen.every(
      (other) =>
        other.scenario !== series.scenario ||
        other.variant !== series.variant ||
        other.sizeBytes <= series.sizeBytes,
    ),
  );
}
