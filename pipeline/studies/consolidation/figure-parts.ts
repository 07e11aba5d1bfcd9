/**
 * What the figures of this study share: names of runs, columns, and the quantities that are drawn as curves.
 *
 *  (1) A quantity is declared once, here: its column, its axis, its words, and how it follows from a row.
 *  (2) Colour and width tell sizes, dashes tell variants; where there are no sizes, colour and dashes tell names.
 *  (3) Words are made of all rows, also where fewer are drawn.
 */

import type { Row } from "../../../engine/bench/index.ts";
import type { Kind, SummaryColumn, Unit } from "../../data/summary.ts";
import { type Axis, type Chart, curves, type SeriesBy } from "../../figures/charts.ts";
import { type Curve, describeCurves } from "../../figures/describe.ts";
import type { Figure, FigureRow } from "../../figures/figure.ts";
import { thinned } from "../courses.ts";
import * as of from "../derive.ts";
import { shorten } from "../results.ts";
import { MIB, type Series } from "../series.ts";

export type Of = (row: Row) => number;

export const label = (key: string, title: string): SummaryColumn => ({ key, title, kind: "label" });
export const column = (key: string, title: string, unit: Unit, kind: Kind = "exact"): SummaryColumn => ({
  key,
  title,
  kind,
  unit,
});
export const runColumns = [label("workload", "Workload"), label("variant", "Variant"), label("size", "Size")];

interface Quantity {
  readonly title: string;
  readonly unit: Unit;
  readonly words: string;
  readonly of: Of;
  readonly axis: Omit<Axis, "field">;
}

const share = { format: "%", domain: [0, 1] } as const;

export const quantities = {
  space: {
    title: "File size / live bytes",
    unit: "ratio",
    words: "file size divided by live bytes",
    of: of.space,
    axis: { title: "file size / live bytes" },
  },
  dataFill: {
    title: "Data pages live",
    unit: "share",
    words: "live share of data pages",
    of: of.dataFill,
    axis: { title: "live share of data pages", ...share },
  },
  tableFill: {
    title: "Table pages live",
    unit: "share",
    words: "live share of table pages",
    of: of.tableFill,
    axis: { title: "live share of table pages", ...share },
  },
  budget: {
    title: "Budget",
    unit: "pages",
    words: "pages of the budget",
    of: (row) => row.budget,
    axis: { title: "budget, pages per flush", log: true, domain: [1, 256], values: [1, 4, 16, 64, 256] },
  },
  density: {
    title: "Statements per KiB",
    unit: "statementsPerKiB",
    words: "statements per KiB",
    of: of.density,
    axis: { title: "statements per KiB of content", zero: true },
  },
  statements: {
    title: "Statements",
    unit: "count",
    words: "statements",
    of: (row) => row.statements,
    axis: { title: "statements", format: "~s" },
  },
  writes: {
    title: "Written per byte so far",
    unit: "ratio",
    words: "bytes written per byte of the application so far",
    of: of.amplification,
    axis: { title: "written per byte so far", zero: true },
  },
  mixed: {
    title: "Content on mixed pages",
    unit: "share",
    words: "share of the content on pages with several classes",
    of: (row) => row.mixed_bytes / row.alloc_bytes,
    axis: { title: "content on mixed pages", ...share },
  },
  coldMixed: {
    title: "Cold content on mixed pages",
    unit: "share",
    words: "share of cold content on pages with several classes",
    of: (row) => (row.cold_bytes === 0 ? 0 : row.cold_mixed_bytes / row.cold_bytes),
    axis: { title: "cold content on mixed pages", ...share },
  },
} satisfies Readonly<Record<string, Quantity>>;

export type QuantityName = keyof typeof quantities;
const quantityOf = (name: QuantityName): Quantity => quantities[name];

/** What curves run along. */
export interface Along {
  readonly column: SummaryColumn;
  readonly words: string;
  readonly of: Of;
  readonly axis: Omit<Axis, "field">;
}

export const progress: Along = {
  column: column("x", "Written, in live sizes", "ratio"),
  words: "bytes written by the application, in live sizes",
  of: of.progress,
  axis: { title: "written, in live sizes", nice: false, zero: true },
};

export const sessionNumber: Along = {
  column: column("session", "Session", "count"),
  words: "sessions",
  of: (row) => row.flush,
  axis: { title: "session", nice: false, whole: true },
};

/** A tuning run is a run of its workload. */
export const workloadOf = ({ scenario }: Series): string => scenario.replace(/^tuning-/, "");
export const sizeOf = ({ sizeBytes }: Series): string => `${sizeBytes / MIB} MiB`;

const SIGNS: Readonly<Record<string, string>> = { lambda: "λ =", tau: "τ =" };

/** `lambda=0.5` as readers know it: λ = 0.5. */
export const variantOf = ({ variant }: Series): string =>
  variant.replace(/^(\w+)=/, (_all, name: string) => `${SIGNS[name] ?? name} `);

export const nameOf = (series: Series): string =>
  `${workloadOf(series)} ${variantOf(series)} ${sizeOf(series)}`;

export const isOneOf =
  (...scenarios: string[]) =>
  ({ scenario }: Series): boolean =>
    scenarios.includes(scenario);
export const isOn = ({ variant }: Series): boolean => variant === "on";

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** In order of size. */
const sizesOf = (chosen: readonly Series[]): string[] =>
  distinct(chosen.toSorted((a, b) => a.sizeBytes - b.sizeBytes).map(sizeOf));

/** With consolidation first: the solid line. */
const variantsOf = (chosen: readonly Series[]): string[] =>
  distinct(chosen.toSorted((a, b) => Number(isOn(b)) - Number(isOn(a))).map(variantOf));

export const bySize = (chosen: readonly Series[]): SeriesBy => ({
  field: "size",
  domain: sizesOf(chosen),
  are: "sizes",
});
export const byVariant = (chosen: readonly Series[]): SeriesBy => ({
  field: "variant",
  domain: variantsOf(chosen),
  are: "names",
});
export const byWorkload = (chosen: readonly Series[]): SeriesBy => ({
  field: "workload",
  domain: distinct(chosen.map(workloadOf)),
  are: "names",
});
export const styleByVariant = (chosen: readonly Series[]) => ({ style: byVariant(chosen) });
export const styleByWorkload = (chosen: readonly Series[]) => ({ style: byWorkload(chosen) });

export const keysOf = (series: Series): FigureRow => ({
  workload: workloadOf(series),
  variant: variantOf(series),
  size: sizeOf(series),
});

/** A run of at most this many rows is drawn whole. */
const DRAWN_ROWS = 270;

const THINNED =
  `Of a run with more than ${DRAWN_ROWS} flushes at most that many are drawn: the first, the last, and those where a ` +
  "drawn quantity is lowest or highest in its stretch of the run. The study's tables hold every flush.";

type Drawn = Pick<Figure, "columns" | "rows" | "description" | "thinned">;

/** Columns, rows and words of quantities along their runs. */
export function courses(chosen: readonly Series[], names: readonly QuantityName[], along = progress): Drawn {
  const quantitiesOf = names.map((name) => quantityOf(name).of);
  const rows = chosen.flatMap((series) =>
    thinned(series.rows, quantitiesOf, DRAWN_ROWS).map((row) => ({
      ...keysOf(series),
      [along.column.key]: shorten(along.of(row)),
      ...Object.fromEntries(names.map((name) => [name, shorten(quantityOf(name).of(row))])),
    })),
  );
  const all = chosen.reduce((sum, series) => sum + series.rows.length, 0);
  return {
    columns: [...runColumns, along.column, ...names.map(columnOf)],
    rows,
    description: names.map((name) => told(chosen, name, along)).join(" "),
    ...(rows.length < all ? { thinned: THINNED } : {}),
  };
}

const columnOf = (name: QuantityName): SummaryColumn =>
  column(name, quantityOf(name).title, quantityOf(name).unit);

function told(chosen: readonly Series[], name: QuantityName, along: Along): string {
  const { words, of } = quantityOf(name);
  const each: Curve[] = chosen.map((series) => ({
    name: nameOf(series),
    points: series.rows.map((row) => ({ x: along.of(row), y: of(row) })),
  }));
  return describeCurves(each, { what: words, along: along.words });
}

interface PanelOptions {
  readonly style?: Pick<SeriesBy, "field" | "domain">;
  readonly along?: Along;
  readonly width?: number;
  readonly height?: number;
  /** Instead of the quantity's own. */
  readonly axis?: Partial<Axis>;
}

/** Curves of one quantity. */
export function panel(
  name: QuantityName,
  by: SeriesBy,
  { along = progress, axis = {}, ...more }: PanelOptions = {},
): Chart {
  return curves({
    x: { field: along.column.key, ...along.axis },
    y: { field: name, ...quantityOf(name).axis, ...axis },
    by,
    ...more,
  });
}

/** The largest size of each workload and variant. */
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
