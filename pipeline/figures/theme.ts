/**
 * The look of every figure, as a Vega-Lite configuration.
 *
 *  (1) Every colour is a CSS variable with a fallback, so one file follows the theme of the page around it and still
 *      shows when it is opened alone. Nothing may compute with a colour.
 *  (2) No information by colour alone: what colour tells apart, width or dashes tell apart too.
 *  (3) Titles and descriptions are added by `render`, so marks carry no labels of their own for screen readers.
 */

import type { Config } from "vega-lite";

export const ink = "var(--figure-ink, #1b1b1f)";
export const softInk = "var(--figure-ink-soft, #5b5b66)";
export const grid = "var(--figure-grid, #dcdce2)";
export const surface = "var(--figure-surface, #ffffff)";

/** Contrast with the fallback surface is at least 3 : 1 for each, and neighbours differ in lightness. */
export const series = [
  "var(--series-1, #0072b2)",
  "var(--series-2, #c44601)",
  "var(--series-3, #00805f)",
  "var(--series-4, #9a4fa0)",
  "var(--series-5, #8a6a00)",
  "var(--series-6, #5f6673)",
] as const;

/** Dashes for series that have no natural order; the first is solid. */
export const dashes: readonly (readonly number[])[] = [[], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [1, 3]];

const font = "var(--figure-font, system-ui, sans-serif)";

export const theme: Config = {
  aria: false,
  background: surface,
  font,
  padding: 4,
  view: { stroke: null },
  axis: {
    aria: false,
    domainColor: softInk,
    gridColor: grid,
    tickColor: softInk,
    labelColor: ink,
    titleColor: ink,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: "normal",
    titlePadding: 8,
    labelPadding: 4,
    tickSize: 4,
  },
  axisX: { grid: false },
  axisY: { domain: false, ticks: false },
  header: { labelColor: ink, titleColor: ink, labelFontSize: 13, labelFontWeight: "bold", labelPadding: 6 },
  legend: {
    aria: false,
    labelColor: ink,
    titleColor: softInk,
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: "normal",
    orient: "top",
    direction: "horizontal",
    offset: 8,
    columnPadding: 18,
    symbolStrokeWidth: 2,
    symbolType: "stroke",
    labelLimit: 400,
  },
  title: { aria: false, color: ink, fontSize: 13, anchor: "start" },
  range: { category: [...series] },
  line: { strokeWidth: 1.8, strokeJoin: "round", aria: false },
  bar: { aria: false },
  rule: { aria: false, color: softInk },
  text: { aria: false, color: ink, fontSize: 12 },
  point: { aria: false },
};
