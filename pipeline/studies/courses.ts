/**
 * The course of a quantity along a run: where it settles, peaks and rises; and what lies between points of a curve.
 *
 *  (1) Points are in the order of `at`, which grows.
 *  (2) What never happens is Infinity, so that an inequality over it fails rather than the derivation.
 *
 * Cost: each function goes over the points once or twice.
 */

import type { Row } from "../../engine/bench/index.ts";
import { median, progress, type Rows } from "./derive.ts";

export interface Point {
  readonly at: number;
  readonly value: number;
}

type Of = (row: Row) => number;

/** Against what has been written, in live sizes, unless another axis is given. */
export const courseOf = (rows: Rows, of: Of, along: Of = progress): Point[] =>
  rows.map((row) => ({ at: along(row), value: of(row) }));

/** From where on `holds` is true of every point to the end. */
export function heldFrom(points: readonly Point[], holds: (value: number) => boolean): number {
  const lastBroken = points.findLastIndex(({ value }) => !holds(value));
  return points[lastBroken + 1]?.at ?? Number.POSITIVE_INFINITY;
}

/** From where on the curve stays within `distance` of its last value. */
export function settledFrom(points: readonly Point[], distance: number): number {
  const end = points.at(-1);
  if (end === undefined) throw new RangeError("no points to settle");
  return heldFrom(points, (value) => Math.abs(value - end.value) <= distance);
}

/** The first point at `at` or behind it. */
export function pointAt(points: readonly Point[], at: number): Point {
  const found = points.find((point) => point.at >= at);
  if (found === undefined) throw new RangeError(`the curve ends at ${points.at(-1)?.at}, before ${at}`);
  return found;
}

/** How far it is from `at` to the first point behind it whose value is below `level`. */
export function distanceUntilBelow(points: readonly Point[], at: number, level: number): number {
  const found = points.find((point) => point.at > at && point.value < level);
  return (found?.at ?? Number.POSITIVE_INFINITY) - at;
}

/** Where the curve rises through `level`: each place with a value below it right before and one not below it. */
export function rises(points: readonly Point[], level: number): number[] {
  return points.flatMap(({ at, value }, index) => {
    const before = points[index - 1];
    return before !== undefined && before.value < level && value >= level ? [at] : [];
  });
}

/** Mean distance of neighbours; Infinity where there are no two of them. */
export function meanDistance(places: readonly number[]): number {
  const first = places[0];
  const last = places.at(-1);
  if (first === undefined || last === undefined || places.length < 2) return Number.POSITIVE_INFINITY;
  return (last - first) / (places.length - 1);
}

/** On the straight line through the two points around `at`, or the nearest two; the points may come in any order. */
export function interpolate(points: readonly Point[], at: number): number {
  const inOrder = points.toSorted((a, b) => a.at - b.at);
  const behind = inOrder.findIndex((point) => point.at >= at);
  const index = Math.max(1, behind < 0 ? inOrder.length - 1 : behind);
  const low = inOrder[index - 1];
  const high = inOrder[index];
  if (low === undefined || high === undefined) throw new RangeError("a line needs two points");
  if (high.at === low.at) return high.value;
  return low.value + ((at - low.at) / (high.at - low.at)) * (high.value - low.value);
}

/**
 * The `count` highest points of a curve that swings, in the order of x. A peak is the highest point of a stretch that
 * rises above the middle of the curve's extremes and ends where it has fallen to their lower quarter, so that ripples
 * near the top are one peak. What is high at the very start has not risen, what is high at the end has not fallen.
 */
export function peaks(points: readonly Point[], count: number): Point[] {
  const values = points.map((point) => point.value);
  const lowest = Math.min(...values);
  const range = Math.max(...values) - lowest;
  const found: Point[] = [];
  let top: Point | undefined;
  for (const point of points.slice(points.findIndex(({ value }) => value <= lowest + range / 4))) {
    if (point.value <= lowest + range / 4) {
      if (top !== undefined) found.push(top);
      top = undefined;
    } else if (point.value > lowest + range / 2 && (top === undefined || point.value > top.value))
      top = point;
  }
  return found
    .toSorted((a, b) => b.value - a.value)
    .slice(0, count)
    .toSorted((a, b) => a.at - b.at);
}

const LEAST_OPERATIONS = 500;
export const SMOOTHED_ROWS = 21;

/**
 * Operations per second along a run: of each row with enough of them, over all time since the row before, as the median
 * of the rows around it, so that single slow flushes of the machine do not hide the course.
 */
export function rateCourse(rows: Rows): Point[] {
  const rates = rows.slice(1).flatMap((row, index) => {
    const operations = row.ops - rows[index]!.ops;
    if (operations < LEAST_OPERATIONS) return [];
    return [{ at: progress(row), value: (operations / (row.flush_us + row.ops_us)) * 1e6 }];
  });
  const half = (SMOOTHED_ROWS - 1) / 2;
  const values = rates.map(({ value }) => value);
  return rates.map(({ at }, index) => ({
    at,
    value: median(values.slice(Math.max(0, index - half), index + half + 1)),
  }));
}

/**
 * Fewer points that draw the same curves: the ends, and from every stretch of equally many the lowest and the highest
 * of each quantity. What is short enough stays as it is.
 */
export function thinned<T>(
  items: readonly T[],
  quantities: readonly ((item: T) => number)[],
  most: number,
): readonly T[] {
  if (items.length <= most) return items;
  const stretches = Math.max(1, Math.floor((most - 2) / (2 * quantities.length)));
  const kept = new Set([0, items.length - 1]);
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * items.length) / stretches);
    const to = Math.floor(((stretch + 1) * items.length) / stretches);
    for (const of of quantities) for (const index of extremesOf(items, from, to, of)) kept.add(index);
  }
  return items.filter((_, index) => kept.has(index));
}

function extremesOf<T>(
  items: readonly T[],
  from: number,
  to: number,
  of: (item: T) => number,
): readonly [number, number] {
  let lowest = from;
  let highest = from;
  for (let index = from + 1; index < to; index++) {
    const value = of(items[index]!);
    if (value < of(items[lowest]!)) lowest = index;
    if (value > of(items[highest]!)) highest = index;
  }
  return [lowest, highest];
}
