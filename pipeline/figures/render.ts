/**
 * From a Vega-Lite specification to an SVG that can stand in a page: headless, without a canvas.
 *
 *  (1) The same specification gives the same bytes, whatever was drawn before in this process.
 *  (2) Every warning of Vega-Lite or Vega is an error, and so is a field that the data does not have: both would
 *      otherwise draw an empty or wrong chart.
 *  (3) Nothing is loaded: the data is in the specification.
 *  (4) Ids begin with the figure's id, so that several figures can share a page.
 *  (5) Title and description are the image's; marks have none.
 */

import * as vega from "vega";
import { compile, type TopLevelSpec } from "vega-lite";

/** Missing from Vega's declarations: text widths are estimated, the same on every machine. */
const { textMetrics } = vega as unknown as { textMetrics: { canvas(use: boolean): void } };

export interface Labels {
  readonly id: string;
  readonly title: string;
  readonly description: string;
}

export interface Drawing {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

export async function render(spec: TopLevelSpec, labels: Labels): Promise<Drawing> {
  textMetrics.canvas(false);
  vega.resetSVGDefIds();
  const complaints: string[] = [];
  const logger = collectingLogger(complaints);
  const refuseComplaints = (): void => {
    if (complaints.length > 0) throw new Error(`figure ${labels.id}: ${complaints.join("; ")}`);
  };
  const compiled = compile(spec, { logger });
  refuseComplaints();
  const view = new vega.View(vega.parse(compiled.spec), { renderer: "none", logger, loader: closedLoader() });
  try {
    const drawn = await view.toSVG();
    refuseComplaints();
    return finish(drawn, labels);
  } finally {
    view.finalize();
  }
}

/** Collects warnings and errors: thrown from where Vega logs them, they would be lost inside its own promises. */
function collectingLogger(complaints: string[]): vega.LoggerInterface {
  const note = (...parts: readonly unknown[]): vega.LoggerInterface => {
    complaints.push(parts.map(String).join(" "));
    return logger;
  };
  const logger: vega.LoggerInterface = {
    level: ((level?: number) => (level === undefined ? vega.Warn : logger)) as vega.LoggerInterface["level"],
    error: note,
    warn: note,
    info: () => logger,
    debug: () => logger,
  };
  return logger;
}

function closedLoader(): vega.Loader {
  const refuse = async (uri: string): Promise<never> => {
    throw new Error(`a figure must not load ${uri}`);
  };
  return { load: refuse, sanitize: refuse, http: refuse, file: refuse } as unknown as vega.Loader;
}

function finish(drawn: string, labels: Labels): Drawing {
  const rounded = roundCoordinates(slim(withoutRoles(drawn)));
  const fault = /NaN|undefined|Infinity/.exec(rounded);
  if (fault) {
    const around = rounded.slice(Math.max(0, fault.index - 60), fault.index + 60);
    throw new Error(`figure ${labels.id}: the drawing holds ${fault[0]}, near ${around}`);
  }
  const size = /<svg [^>]*?\bwidth="(\d+(?:\.\d+)?)" height="(\d+(?:\.\d+)?)"/.exec(rounded);
  if (!size) throw new Error(`figure ${labels.id}: the drawing has no size`);
  const svg = labelled(scopeIds(rounded, labels.id), labels);
  return { svg: svg + "\n", width: Math.ceil(Number(size[1])), height: Math.ceil(Number(size[2])) };
}

/** The image is one thing for a screen reader; Vega marks its groups nevertheless. */
const withoutRoles = (svg: string): string => svg.replace(/ (?:role|aria-[a-z]+)="[^"]*"/g, "");

const DEFAULTS =
  / (?:class|pointer-events|stroke-miterlimit)="[^"]*"| (?:fill-)?opacity="1"| stroke-width="1"| transform="translate\(0,0\)"/g;
const INVISIBLE = /<path(?: class="[^"]*")? d="(?:M0,0h0v0h0Z)?"[^>]*\/>|<path[^>]* display="none"[^>]*\/>/g;
const FONTS = / font-(?:family|size)="[^"]*"/g;

/**
 * Leaves out what does not show: attributes that say what holds anyway, paths without extent, and the font of every text
 * where it is the drawing's, which the image then says once. That is about a third of an image.
 */
export function slim(svg: string): string {
  const shown = svg.replace(INVISIBLE, "").replace(DEFAULTS, "");
  const commonest = mostFrequent(
    [...shown.matchAll(/<text[^>]*>/g)].map(([text]) => (text.match(FONTS) ?? []).join("")),
  );
  if (commonest === "") return shown;
  return shown
    .replace(/<text[^>]*>/g, (text) =>
      (text.match(FONTS) ?? []).join("") === commonest ? text.replace(FONTS, "") : text,
    )
    .replace(/^<svg/, `<svg${commonest}`);
}

function mostFrequent(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? "";
}

const GEOMETRY = /( (?:d|transform|x|y|x1|x2|y1|y2|cx|cy|r|rx|ry|width|height|points|viewBox)=")([^"]*)"/g;
const FRACTION = /-?\d+\.\d+(?:e[-+]?\d+)?|-?\d+e[-+]?\d+/g;

/** One decimal is a tenth of a pixel: finer digits do not show, and only differ between machines. */
export function roundCoordinates(svg: string): string {
  return svg.replace(GEOMETRY, (_all, name: string, value: string) => {
    const short = value.replace(FRACTION, (digits) => String(Math.round(Number(digits) * 10) / 10 || 0));
    return `${name}${short}"`;
  });
}

/** Renames every id inside the drawing to the figure's id and a number, in the order of appearance. */
export function scopeIds(svg: string, figure: string): string {
  const names = new Map<string, string>();
  return svg.replace(/(\bid="|url\(#|href="#)([\w-]+)/g, (_all, before: string, id: string) => {
    const name = names.get(id) ?? `${figure}-part-${names.size}`;
    names.set(id, name);
    return before + name;
  });
}

function labelled(svg: string, { id, title, description }: Labels): string {
  const head = `<title id="${id}-title">${escaped(title)}</title><desc id="${id}-desc">${escaped(description)}</desc>`;
  return svg
    .replace(/^<svg /, `<svg role="img" aria-labelledby="${id}-title ${id}-desc" `)
    .replace(/^(<svg [^>]*>)/, (open) => open + head);
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
