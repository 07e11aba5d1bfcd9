/**
 * A figure: data, chart, words. Made into three files: the drawing, the data that is drawn, the specification.
 *
 *  (1) What is drawn is the CSV and nothing else: the specification carries it as text. The kept one can be zoomed,
 *      and differs in nothing else.
 *  (2) A field that the chart names and the data lacks is an error.
 */

import type { TopLevelSpec } from "vega-lite";
import type { Kind, SummaryColumn, SummaryFigure } from "../data/summary.ts";
import { type Chart, withZoom } from "./charts.ts";
import { render } from "./render.ts";
import { theme } from "./theme.ts";

export type FigureRow = Readonly<Record<string, string | number>>;

export interface Figure {
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  readonly description: string;
  readonly kind: Kind;
  readonly columns: readonly SummaryColumn[];
  readonly rows: readonly FigureRow[];
  /** How the rows were chosen, where they are not all. */
  readonly thinned?: string;
  readonly chart: Chart;
}

export interface DrawnFigure {
  readonly entry: SummaryFigure;
  /** File name and content. */
  readonly files: ReadonlyMap<string, string>;
}

export async function draw(figure: Figure, command: string): Promise<DrawnFigure> {
  const { id, title, caption, description, kind, columns, rows, thinned } = figure;
  const csv = figureCsv(columns, rows);
  const spec = specification(figure, csv);
  const interactive = specification({ ...figure, chart: withZoom(figure.chart) }, csv);
  const { svg, width, height } = await render(spec, { id, title, description });
  const names = { svg: `${id}.svg`, csv: `${id}.csv`, spec: `${id}.vl.json` };
  return {
    entry: {
      title,
      caption,
      description,
      kind,
      ...names,
      command,
      width,
      height,
      columns,
      rowCount: rows.length,
      ...(thinned === undefined ? {} : { thinned }),
    },
    files: new Map([
      [names.svg, svg],
      [names.csv, csv],
      [names.spec, JSON.stringify(interactive, undefined, 2) + "\n"],
    ]),
  };
}

export function specification(figure: Figure, csv: string): TopLevelSpec {
  const numbers = figure.columns.filter(({ kind }) => kind !== "label").map(({ key }) => [key, "number"]);
  const labels = figure.columns.filter(({ kind }) => kind === "label").map(({ key }) => [key, "string"]);
  checkFields(figure);
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    description: figure.description,
    // Colours are CSS variables, which only an SVG can follow.
    usermeta: { embedOptions: { renderer: "svg" } },
    data: {
      values: csv,
      format: { type: "csv", parse: Object.fromEntries([...labels, ...numbers]) },
    },
    ...figure.chart,
    config: theme,
  } as unknown as TopLevelSpec;
}

/** Every `field` of the chart, wherever it stands, is a column or made by a transform of the chart. */
function checkFields({ id, chart, columns }: Figure): void {
  const known = new Set(columns.map(({ key }) => key));
  const used = new Set<string>();
  visit(chart, (key, value) => {
    if (key === "as") for (const name of [value].flat()) known.add(String(name));
    else if ((key === "field" || key === "groupby") && !isFieldOfScale(value)) {
      for (const name of [value].flat()) if (typeof name === "string") used.add(name);
    }
  });
  const missing = [...used].filter((name) => !known.has(name));
  if (missing.length > 0) throw new Error(`figure ${id}: the data has no ${missing.join(", ")}`);
}

const isFieldOfScale = (value: unknown): boolean => typeof value === "object" && !Array.isArray(value);

function visit(node: unknown, each: (key: string, value: unknown) => void): void {
  if (Array.isArray(node)) for (const item of node) visit(item, each);
  else if (typeof node === "object" && node !== null) {
    for (const [key, value] of Object.entries(node)) {
      each(key, value);
      visit(value, each);
    }
  }
}

export function figureCsv(columns: readonly SummaryColumn[], rows: readonly FigureRow[]): string {
  const lines = rows.map((row) => columns.map(({ key }) => cell(row[key], key)).join(","));
  return [columns.map(({ key }) => key).join(","), ...lines].join("\n") + "\n";
}

function cell(value: string | number | undefined, key: string): string {
  if (value === undefined || (typeof value === "number" && !Number.isFinite(value))) {
    throw new RangeError(`a figure's ${key} is ${value}`);
  }
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
