/**
 * How a published number is put beside ours: its place in the list, what it is, and how far ours may be.
 *
 * The numbers are those of the evaluation of the format's reference implementation, page "Consolidation under load". A
 * tolerance is what an implementation of the same rules may differ by without being wrong: it follows the same rules,
 * not the same bytes.
 */

import type { Row } from "../../../../engine/bench/index.ts";
import type { Allowed } from "../../../data/summary.ts";
import * as of from "../../derive.ts";
import type { Published, Results } from "../../results.ts";
import type { Series } from "../../series.ts";
import { sizeOf, workloadOf } from "../figure-parts.ts";
import { differences } from "./differences.ts";

export type Publish = (number: Omit<Published, "group" | "differs">) => void;

/**
 * Every number of a group, with the reason where it is known to differ. Where ours is no value yet, it becomes one, under
 * `ours.<id>`, so that pages can quote it.
 */
export const publisher =
  (results: Results, group: string): Publish =>
  (number) => {
    const { id, ours, unit, what, value = `ours.${id}` } = number;
    const differs = differences[id];
    if (number.value === undefined) results.value(value, { value: ours, unit, kind: "exact", says: what });
    results.published({ ...number, value, group, ...(differs === undefined ? {} : { differs }) });
  };

/** A reason that no number needs is a mistake. */
export function refuseUnknownDifferences({ comparison }: Results, reasons = differences): void {
  const known = new Set(comparison.map(({ id }) => id));
  const unknown = Object.keys(reasons).filter((id) => !known.has(id));
  if (unknown.length > 0) throw new Error(`no published number is called ${unknown.join(", ")}`);
}

export const near = (share: number): Allowed => ({ relative: share });
export const points = (distance: number): Allowed => ({ absolute: distance });
export const atLeast = (least: number): Allowed => ({ least });
export const atMost = (most: number): Allowed => ({ most });
export const between = (least: number, most: number): Allowed => ({ least, most });

export const inMean = ({ rows }: Series, quantity: (row: Row) => number): number =>
  of.meanOverSecondHalf(rows, quantity);
export const atEnd = ({ rows }: Series, quantity: (row: Row) => number): number => quantity(of.last(rows));

/** The least and the most of a quantity over runs. */
export function extremes(
  all: readonly Series[],
  quantity: (series: Series) => number,
): { least: number; most: number } {
  const values = all.map(quantity);
  if (values.length === 0) throw new Error("no runs to take extremes of");
  return { least: Math.min(...values), most: Math.max(...values) };
}

/** "uniform 8 MiB": the run without its variant, for sentences that say it otherwise. */
export const runOf = (series: Series): string => `${workloadOf(series)} ${sizeOf(series)}`;
