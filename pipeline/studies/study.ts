/**
 * What a study is: the runs it needs, and how its results follow from their tables.
 *
 *  (1) Results are a function of the tables alone; nothing in them is typed that a run measured. Published numbers
 *      are typed, beside the place they were published at.
 *  (2) An id names one thing for ever: pages refer to it.
 *  (3) A claim on exact numbers is always evaluated; one on measured numbers only over a band of five runs or more.
 */

import { type Row, rowAt, sectionsOf, type Table } from "../../engine/bench/index.ts";
import type { Comparison, SummaryClaim, SummaryTable, SummaryValue, Unit } from "../data/summary.ts";
import type { Figure } from "../figures/figure.ts";
import { median, type Rows } from "./derive.ts";

export interface Study {
  readonly id: string;
  readonly title: string;
  readonly question: string;
  /** Folders below `content/evaluation/data/<study>/`, and the benchmark's tables in each. */
  readonly runs: readonly StudyRun[];
  readonly derive: (data: StudyData) => Results;
}

export interface StudyRun {
  readonly label: string;
  readonly tables: readonly string[];
}

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

/** By run label, then every series of its tables in order. */
export type StudyData = ReadonlyMap<string, readonly Series[]>;

export const MIB = 1024 * 1024;

/** `times`: the tables of further repetitions; exact columns in them are not looked at. */
export function seriesOf(table: Table, times: readonly Table[] = []): Series[] {
  return sectionsOf(table).map(({ scenario, variant, sizeBytes, from, to }) => {
    const rows = sliceRows(table, from, to);
    const others = times.map((other) => withTimes(rows, other, from));
    const name = `${scenario}-${sizeBytes / MIB}`;
    return { scenario, variant, sizeBytes, name, rows, repetitions: [rows, ...others] };
  });
}

const sliceRows = (table: Table, from: number, to: number): Row[] =>
  Array.from({ length: to - from }, (_, index) => rowAt(table, from + index));

function withTimes(rows: Rows, times: Table, from: number): Row[] {
  const { flush_us, ops_us } = times.columns;
  return rows.map((row, at) => ({ ...row, flush_us: flush_us[from + at]!, ops_us: ops_us[from + at]! }));
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

/** A measured quantity over all repetitions: the median, and the band when there are enough of them. */
export function measure(series: Series, of: (rows: Rows) => number): { value: number; band?: Band } {
  const values = series.repetitions.map(of);
  if (values.length < BAND_RUNS) return { value: of(series.rows) };
  return {
    value: median(values),
    band: { low: Math.min(...values), high: Math.max(...values), runs: values.length },
  };
}

/** A published number: what it was, and how far ours may be from it. */
export interface Published {
  readonly id: string;
  /** The value that it is the published counterpart of, where there is one. */
  readonly value?: string;
  readonly what: string;
  /** The sentence of the claim. */
  readonly says: string;
  readonly published: number;
  readonly ours: number;
  readonly unit: Unit;
  /** Relative; absolute when the unit is a share. */
  readonly tolerance: number;
}

export interface ClaimParts {
  readonly says: string;
  readonly left: number;
  readonly relation: SummaryClaim["relation"];
  readonly right: number;
  readonly tolerance?: number;
  readonly published?: string;
}

/** Collects a study's results, each under an id that nothing else has. */
export class Results {
  readonly values: Record<string, SummaryValue> = {};
  readonly tables: Record<string, SummaryTable> = {};
  readonly figures: Figure[] = [];
  readonly claims: Record<string, SummaryClaim> = {};
  readonly comparison: Comparison[] = [];

  value(id: string, value: SummaryValue): void {
    const { band } = value;
    addOnce(this.values, id, {
      ...value,
      value: shorten(checkFinite(id, value.value)),
      ...(band === undefined ? {} : { band: { ...band, low: shorten(band.low), high: shorten(band.high) } }),
    });
  }

  table(id: string, table: SummaryTable): void {
    addOnce(this.tables, id, table);
  }

  figure(figure: Figure): void {
    if (this.figures.some(({ id }) => id === figure.id))
      throw new Error(`two figures are called ${figure.id}`);
    this.figures.push(figure);
  }

  claim(id: string, parts: ClaimParts): void {
    addOnce(this.claims, id, evaluate(parts, "exact"));
  }

  /** A claim on times: it must hold between the bands' nearest ends, and is left out where there is no band. */
  measuredClaim(
    id: string,
    { says, relation }: Pick<ClaimParts, "says" | "relation">,
    left?: Band,
    right?: Band,
  ): void {
    if (left === undefined || right === undefined) return;
    if (relation === "within")
      throw new TypeError("a claim on measured numbers compares, it does not equate");
    const less = relation.startsWith("<");
    const parts = {
      says,
      relation,
      left: less ? left.high : left.low,
      right: less ? right.low : right.high,
    };
    addOnce(this.claims, id, evaluate(parts, "measured"));
  }

  /** Compares one of our numbers with a published one, and claims that they agree. */
  published({ id, value, what, says, published, ours, unit, tolerance }: Published): void {
    checkFinite(id, ours);
    if (value !== undefined) this.#markPublished(value, published);
    const absolute = unit === "share";
    const difference = absolute ? ours - published : ours / published - 1;
    const verdict = Math.abs(difference) <= tolerance ? "reproduced" : "differs";
    this.comparison.push({
      id,
      what,
      published,
      ours: shorten(ours),
      unit,
      difference: shorten(difference),
      tolerance,
      verdict,
    });
    this.claim(id, {
      says,
      left: ours,
      relation: "within",
      right: published,
      tolerance: absolute ? tolerance : tolerance * published,
      published: String(published),
    });
  }

  #markPublished(id: string, published: number): void {
    const value = this.values[id];
    if (value === undefined) throw new Error(`no value is called ${id}`);
    this.values[id] = { ...value, published };
  }
}

function evaluate(parts: ClaimParts, kind: SummaryClaim["kind"]): SummaryClaim {
  const { says, left, relation, right, tolerance, published } = parts;
  if ((relation === "within") !== (tolerance !== undefined)) {
    throw new TypeError(`"${says}": a tolerance goes with "within", and "within" with a tolerance`);
  }
  return {
    says,
    kind,
    left: shorten(left),
    relation,
    right: shorten(right),
    ...(tolerance === undefined ? {} : { tolerance: shorten(tolerance) }),
    holds: holds(left, relation, right, tolerance ?? 0),
    ...(published === undefined ? {} : { published }),
  };
}

function holds(left: number, relation: SummaryClaim["relation"], right: number, tolerance: number): boolean {
  switch (relation) {
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    case ">=":
      return left >= right;
    case "within":
      return Math.abs(left - right) <= tolerance;
    default:
      return relation satisfies never;
  }
}

function addOnce<T>(into: Record<string, T>, id: string, entry: T): void {
  if (!/^[\w.-]+$/.test(id))
    throw new TypeError(`${JSON.stringify(id)} is no id: letters, digits, ".", "-" only`);
  if (id in into) throw new Error(`the id ${id} is taken`);
  into[id] = entry;
}

function checkFinite(id: string, value: number): number {
  if (!Number.isFinite(value)) throw new RangeError(`${id} is ${value}`);
  return value;
}

/** Six significant digits, whole numbers as they are: what is shown and kept, so that files can be read. */
export const shorten = (value: number): number =>
  Number.isInteger(value) ? value : Number(value.toPrecision(6));
