/**
 * A figure in words, made from its data: for readers who do not see it, and for a quick look.
 *
 * A curve is told by its ends and, where they are elsewhere, its extremes; a bar by its total and parts.
 */

export interface Curve {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface Words {
  /** "the space amplification" */
  readonly what: string;
  /** "live sizes written" */
  readonly along: string;
}

export function describeCurves(curves: readonly Curve[], { what, along }: Words): string {
  const each = curves.map(({ name, points }) => `${name}: ${describeCurve(points)}.`);
  return `${capital(what)} against ${along}. ${each.join(" ")}`;
}

function describeCurve(points: Curve["points"]): string {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined) return "no points";
  const highest = points.reduce((best, point) => (point.y > best.y ? point : best));
  const lowest = points.reduce((best, point) => (point.y < best.y ? point : best));
  const ends = `from ${show(first.y)} at ${show(first.x)} to ${show(last.y)} at ${show(last.x)}`;
  const inside = [
    isEnd(highest.y, first.y, last.y) ? "" : `highest ${show(highest.y)} at ${show(highest.x)}`,
    isEnd(lowest.y, first.y, last.y) ? "" : `lowest ${show(lowest.y)} at ${show(lowest.x)}`,
  ].filter((part) => part !== "");
  return [ends, ...inside].join(", ");
}

const isEnd = (value: number, first: number, last: number): boolean =>
  show(value) === show(first) || show(value) === show(last);

export interface Bar {
  readonly name: string;
  readonly parts: readonly { readonly name: string; readonly value: number }[];
}

/** Stacked bars: the total, then the parts that are not zero, largest first. */
export function describeBars(bars: readonly Bar[], what: string): string {
  const each = bars.map(({ name, parts }) => {
    const total = parts.reduce((sum, part) => sum + part.value, 0);
    const told = parts
      .filter((part) => show(part.value) !== "0")
      .toSorted((a, b) => b.value - a.value)
      .map((part) => `${part.name} ${show(part.value)}`);
    return `${name}: ${show(total)}, of which ${told.join(", ")}.`;
  });
  return `${capital(what)}. ${each.join(" ")}`;
}

/** Values side by side, such as percentiles. */
export function describeValues(bars: readonly Bar[], what: string): string {
  const each = bars.map(
    ({ name, parts }) => `${name}: ${parts.map((part) => `${part.name} ${show(part.value)}`).join(", ")}.`,
  );
  return `${capital(what)}. ${each.join(" ")}`;
}

/** Three significant digits, no exponent, whole thousands grouped. */
export function show(value: number): string {
  if (Math.abs(value) < 0.0005) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return Number(value.toFixed(Math.min(digits, 4))).toLocaleString("en-GB", { maximumFractionDigits: 4 });
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
