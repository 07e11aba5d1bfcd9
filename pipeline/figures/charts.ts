/**
 * The forms of chart that studies use, as Vega-Lite: curves, panels of curves, named points, stacked bars, percentiles.
 *
 *  (1) A field's domain is given in order, so that a colour means the same in every figure of a page.
 *  (2) What colour tells apart is told apart by width (sizes) or dashes (names) as well.
 */

import { dashes, series, softInk } from "./theme.ts";

/** A Vega-Lite specification without data, configuration and schema. */
export type Chart = Readonly<Record<string, unknown>>;

export interface Axis {
  readonly field: string;
  readonly title: string;
  readonly format?: string;
  readonly log?: boolean;
  readonly domain?: readonly [number, number];
  /** Where the axis is marked. */
  readonly values?: readonly number[];
  /** Only whole numbers are marked. */
  readonly whole?: boolean;
  /** Whether the axis begins at zero; left to the chart's form when not given. */
  readonly zero?: boolean;
  /** Whether the axis may go on to the next round number; it does when not given. */
  readonly nice?: boolean;
}

export interface SeriesBy {
  readonly field: string;
  readonly domain: readonly string[];
  /** Sizes grow: thin to thick. Names have no order: solid and dashed. */
  readonly are: "sizes" | "names";
}

export interface Curves {
  readonly x: Axis;
  readonly y: Axis;
  readonly by: SeriesBy;
  /** A second field, told by dashes alone, such as the variant beside sizes. */
  readonly style?: { readonly field: string; readonly domain: readonly string[] };
  /** A dot at every point. */
  readonly marked?: boolean;
  readonly width?: number;
  readonly height?: number;
}

const SHAPES = ["circle", "square", "triangle-right", "diamond"];

/** The figure's columns that a pointer is told about. */
const tooltip = { content: "data" };

export function curves({ x, y, by, style, marked = false, width = 300, height = 220 }: Curves): Chart {
  const dash = style ?? (by.are === "names" ? by : undefined);
  return {
    width,
    height,
    mark: { type: "line", tooltip, ...(marked ? { point: true } : {}) },
    encoding: {
      x: quantitative(x),
      y: quantitative(y),
      color: ordinal(by.field, by.domain, series),
      ...(by.are === "sizes" ? { strokeWidth: ordinal(by.field, by.domain, [1.1, 1.9, 3]) } : {}),
      ...(dash === undefined || dash.domain.length < 2
        ? {}
        : { strokeDash: ordinal(dash.field, dash.domain, dashes) }),
    },
  };
}

export function facets(chart: Chart, field: string, order: readonly string[]): Chart {
  return { facet: { column: { field, type: "nominal", sort: order, title: null } }, spec: chart };
}

/** Charts beside each other; each may carry a title. They share one legend, or have one each. */
export function sideBySide(charts: readonly Chart[], legends: "shared" | "own" = "shared", inRow = 2): Chart {
  const each = Object.fromEntries(
    ["color", "strokeDash", "strokeWidth"].map((name) => [name, "independent"]),
  );
  return {
    concat: charts,
    columns: inRow,
    ...(legends === "own" ? { resolve: { scale: each, legend: each } } : {}),
  };
}

/** A chart of the rows whose `field` is `value`, under a title of its own. */
export const partOf = (chart: Chart, field: string, value: string, title: string): Chart => ({
  title,
  transform: [{ filter: { field, equal: value } }],
  ...chart,
});

export interface Points {
  readonly x: Axis;
  readonly y: Axis;
  readonly by: { readonly field: string; readonly domain: readonly string[] };
  /** Those of the domain whose points a line joins, in the order of the column `order`. */
  readonly joined: readonly string[];
  readonly order: string;
  /** Those of the domain that are a line without points. */
  readonly bare?: readonly string[];
  /** A column with the text beside a point. */
  readonly label?: string;
  readonly width?: number;
  readonly height?: number;
}

/** Points told apart by colour and shape, with lines through those that belong together. */
export function points({
  x,
  y,
  by,
  joined,
  order,
  bare = [],
  label,
  width = 300,
  height = 240,
}: Points): Chart {
  const colour = { ...ordinal(by.field, by.domain, series), type: "nominal" };
  const place = { x: quantitative(x), y: quantitative(y) };
  const dotted = by.domain.filter((name) => !bare.includes(name));
  const only = (names: readonly string[]) => [{ filter: { field: by.field, oneOf: names } }];
  const line = {
    transform: only([...joined, ...bare]),
    mark: { type: "line", strokeWidth: 1.4 },
    encoding: { ...place, color: colour, order: { field: order, type: "quantitative" } },
  };
  const point = {
    transform: only(dotted),
    mark: { type: "point", tooltip, filled: true, size: 70, opacity: 1 },
    encoding: {
      ...place,
      color: colour,
      shape: { ...ordinal(by.field, by.domain, SHAPES), type: "nominal" },
    },
  };
  const text = {
    transform: only(dotted),
    mark: { type: "text", align: "left", baseline: "bottom", dx: 6, dy: -3 },
    encoding: { ...place, text: { field: label, type: "nominal" } },
  };
  return { width, height, layer: [line, point, ...(label === undefined ? [] : [text])] };
}

export interface StackedBars {
  readonly label: { readonly field: string; readonly order: readonly string[] };
  readonly part: { readonly field: string; readonly order: readonly string[] };
  /** A column with the part's place in its bar, from 0. */
  readonly place: string;
  readonly value: Axis;
  /** A column with the bar's sum, in every row of the bar. */
  readonly total: string;
}

export function stackedBars({ label, part, place, value, total }: StackedBars): Chart {
  const y = { field: label.field, type: "nominal", sort: label.order, title: null, axis: { ticks: false } };
  return {
    width: 520,
    height: { step: 30 },
    layer: [
      {
        mark: { type: "bar", tooltip, height: { band: 0.72 } },
        encoding: {
          y,
          x: { ...quantitative(value), stack: "zero", axis: { grid: true } },
          color: ordinal(part.field, part.order, series, { symbolType: "square", symbolStrokeWidth: 0 }),
          order: { field: place, type: "quantitative" },
        },
      },
      {
        transform: [{ filter: { field: place, equal: 0 } }],
        mark: { type: "text", align: "left", dx: 5 },
        encoding: { y, x: { field: total, type: "quantitative" }, text: { field: total, format: ".2f" } },
      },
    ],
  };
}

export interface Percentiles {
  readonly label: { readonly field: string; readonly order: readonly string[] };
  /** Columns with the values, smallest first; each is drawn with a shape of its own. */
  readonly of: { readonly field: string; readonly order: readonly string[] };
  readonly value: Axis;
}

export function percentiles({ label, of, value }: Percentiles): Chart {
  const y = {
    field: label.field,
    type: "nominal",
    sort: label.order,
    title: null,
    axis: { ticks: false, grid: true },
  };
  return {
    width: 520,
    height: { step: 26 },
    layer: [
      {
        mark: { type: "line", color: softInk, strokeWidth: 1.2 },
        encoding: { y, x: quantitative(value), detail: { field: label.field, type: "nominal" } },
      },
      {
        mark: { type: "point", tooltip, filled: true, size: 70, opacity: 1 },
        encoding: {
          y,
          x: quantitative(value),
          color: { ...ordinal(of.field, of.order, series), type: "nominal" },
          shape: { ...ordinal(of.field, of.order, SHAPES), type: "nominal" },
        },
      },
    ],
  };
}

function quantitative({
  field,
  title,
  format,
  log,
  domain,
  values,
  whole,
  zero,
  nice,
}: Axis): Record<string, unknown> {
  return {
    field,
    type: "quantitative",
    title,
    scale: {
      ...(log === true ? { type: "log" } : {}),
      ...(domain === undefined ? {} : { domain, nice: false }),
      ...(zero === undefined ? {} : { zero }),
      ...(nice === undefined ? {} : { nice }),
    },
    axis: {
      ...(format === undefined ? {} : { format }),
      ...(values === undefined ? {} : { values }),
      ...(whole === true ? { tickMinStep: 1 } : {}),
    },
  };
}

function ordinal(
  field: string,
  domain: readonly string[],
  range: readonly unknown[],
  legend: Record<string, unknown> = {},
): Record<string, unknown> {
  if (domain.length > range.length)
    throw new RangeError(`${field} has ${domain.length} values; ${range.length} can be told apart`);
  return {
    field,
    type: "ordinal",
    sort: domain,
    title: null,
    scale: { domain, range: range.slice(0, domain.length) },
    legend: domain.length < 2 ? null : legend,
  };
}

/**
 * The same chart for the interactive view: every panel of curves zooms by the wheel and moves by dragging. The static
 * drawing does without, since it would cut curves at the frame.
 */
export function withZoom(chart: Chart): Chart {
  let count = 0;
  const visit = (part: Chart): Chart => {
    if (Array.isArray(part.concat)) return { ...part, concat: part.concat.map(visit) };
    if (typeof part.spec === "object") return { ...part, spec: visit(part.spec as Chart) };
    if (part.layer !== undefined) return part;
    return { params: [{ name: `zoom${count++}`, select: "interval", bind: "scales" }], ...part };
  };
  return visit(chart);
}
