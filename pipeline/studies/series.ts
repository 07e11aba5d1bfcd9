/**
 * The series of a study: the rows of one run, with the times of every repetition.
 *
 *  (1) A run's exact rows are the same in every repetition; only its times differ.
 *  (2) A repetition may leave runs out, such as the largest: those have fewer repetitions, and perhaps no band.
 */

import {
  columnsOf,
  type Row,
  rowAt,
  type Section,
  sectionsOf,
  type Table,
} from "../../engine/bench/index.ts";
import { isSameRun } from "../data/files.ts";
import { median, type Rows } from "./derive.ts";

export const MIB = 1024 * 1024;

/** One workload, variant and size: its rows, and the same rows with the times of every repetition. */
export interface Series {
  readonly scenario: string;
  readonly variant: string;
  readonly sizeBytes: number;
  /** As in ids: `uniform-8`. */
  readonly name: string;
  readonly rows: Rows;
  readonly repetitions: readonly Rows[];
}

/** `times`: the tables of further repetitions; of them only the measured columns are looked at. */
export function seriesOf(table: Table, times: readonly Table[] = []): Series[] {
  return sectionsOf(table).map((section) => {
    const { scenario, variant, sizeBytes } = section;
    const rows = rowsOf(table, section);
    const others = times.flatMap((other) => {
      const there = sectionsOf(other).find((candidate) => isSameRun(candidate, section));
      return there === undefined ? [] : [withTimes(rows, other, there.from)];
    });
    const name = `${scenario}-${sizeBytes / MIB}`;
    return { scenario, variant, sizeBytes, name, rows, repetitions: [rows, ...others] };
  });
}

const rowsOf = (table: Table, { from, to }: Section): Row[] =>
  Array.from({ length: to - from }, (_, index) => rowAt(table, from + index));

function withTimes(rows: Rows, times: Table, from: number): Row[] {
  const measured = columnsOf(times.name).filter(({ kind }) => kind === "measured");
  return rows.map((row, at) => ({
    ...row,
    ...Object.fromEntries(measured.map(({ name }) => [name, times.columns[name][from + at]!])),
  }));
}

/** The one series of that name and variant; throws when a page would show another. */
export function pick(series: readonly Series[], name: string, variant: string): Series {
  const found = series.filter((each) => each.name === name && each.variant === variant);
  if (found.length !== 1) throw new Error(`${found.length} runs are called ${name} ${variant}, wanted one`);
  return found[0]!;
}

export interface Band {
  readonly low: number;
  readonly high: number;
  readonly runs: number;
}

/** Fewer repetitions than this make no band. */
export const BAND_RUNS = 5;

/** A quantity of times. */
export interface Measurement {
  readonly value: number;
  readonly band?: Band;
}

/** Over all repetitions: the median, and the band when there are enough of them. */
export function measure(series: Series, of: (rows: Rows) => number): Measurement {
  const values = series.repetitions.map(of);
  if (values.length < BAND_RUNS) return { value: of(series.rows) };
  return {
    value: median(values),
    band: { low: Math.min(...values), high: Math.max(...values), runs: values.length },
  };
}
