/**
 * A study's results, collected under ids: values, tables, figures, claims, and published numbers beside ours.
 *
 *  (1) Results are a function of the tables alone; nothing in them is typed that a run measured. Published numbers
 *      are typed, beside the place they were published at.
 *  (2) An id names one thing for ever: pages refer to it.
 *  (3) A claim on exact numbers is always judged; one on measured numbers only over bands of five runs or more, and
 *      says so where there are none.
 *  (4) A published number that ours is not near to is a broken claim, unless it is declared to differ, with a reason.
 *      One that is declared to differ and does not is a broken claim too.
 */

import type {
  Allowed,
  Comparison,
  Relation,
  SummaryClaim,
  SummaryTable,
  SummaryValue,
  Unit,
} from "../data/summary.ts";
import type { Figure } from "../figures/figure.ts";
import type { Measurement } from "./series.ts";

/** A published number: what it was, and where ours may lie. */
export interface Published {
  readonly id: string;
  /** Its place in the list of published numbers, such as "S3", and the title of that part of the list. */
  readonly number: string;
  readonly group: string;
  /** The value that it is the published counterpart of, where there is one. */
  readonly value?: string;
  readonly what: string;
  readonly published: number;
  readonly ours: number;
  readonly unit: Unit;
  readonly allowed: Allowed;
  /** Why ours lies elsewhere, where it does. */
  readonly differs?: string;
}

export interface ClaimParts {
  readonly says: string;
  readonly left: number;
  readonly relation: Relation;
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
    addOnce(this.claims, id, judged(parts, "exact"));
  }

  /** A claim on times: it must hold between the bands' nearest ends; without a band on both sides nobody can tell. */
  measuredClaim(
    id: string,
    { says, relation }: Pick<ClaimParts, "says" | "relation">,
    left: Measurement,
    right: Measurement,
  ): void {
    if (relation === "within" || relation === "beyond")
      throw new TypeError("a claim on measured numbers compares, it does not equate");
    const less = relation.startsWith("<");
    if (left.band === undefined || right.band === undefined) {
      const open = judged({ says, relation, left: left.value, right: right.value }, "measured");
      addOnce(this.claims, id, { ...open, holds: null });
      return;
    }
    const parts = {
      says,
      relation,
      left: less ? left.band.high : left.band.low,
      right: less ? right.band.low : right.band.high,
    };
    addOnce(this.claims, id, judged(parts, "measured"));
  }

  /** Compares one of our numbers with a published one, and claims that they agree, or that they differ as declared. */
  published(number: Published): void {
    const { id, value, what, published, ours, unit, allowed, differs } = number;
    checkFinite(id, published);
    if (value !== undefined) this.#markPublished(value, published);
    const agreement = agreementOf(published, ours, allowed);
    const agrees = holds(agreement);
    this.comparison.push({
      id,
      number: number.number,
      group: number.group,
      what,
      published,
      ours: shorten(ours),
      unit,
      difference: shorten(isAbsolute(unit, allowed) ? ours - published : ours / published - 1),
      allowed,
      verdict: agrees ? "reproduced" : "differs",
      ...(differs === undefined ? {} : { reason: differs }),
    });
    const says =
      differs === undefined
        ? `${what}: as published, within what is allowed.`
        : `${what}: not as published. ${differs}`;
    this.claim(id, {
      says,
      ...(differs === undefined ? agreement : { ...agreement, relation: opposite[agreement.relation] }),
      published: String(published),
    });
  }

  #markPublished(id: string, published: number): void {
    const value = this.values[id];
    if (value === undefined) throw new Error(`no value is called ${id}`);
    this.values[id] = { ...value, published };
  }
}

/** Differences of shares are told in points, and so are those that a number may have in points. */
const isAbsolute = (unit: Unit, allowed: Allowed): boolean => unit === "share" || "absolute" in allowed;

type Inequality = Pick<ClaimParts, "left" | "relation" | "right" | "tolerance">;

function agreementOf(published: number, ours: number, allowed: Allowed): Inequality {
  if ("relative" in allowed) {
    return {
      left: ours,
      relation: "within",
      right: published,
      tolerance: allowed.relative * Math.abs(published),
    };
  }
  if ("absolute" in allowed) {
    return { left: ours, relation: "within", right: published, tolerance: allowed.absolute };
  }
  const { least, most } = allowed;
  if (least === undefined && most === undefined) throw new TypeError("a range needs an end");
  if (least === undefined) return { left: ours, relation: "<=", right: most! };
  if (most === undefined) return { left: ours, relation: ">=", right: least };
  return { left: ours, relation: "within", right: (least + most) / 2, tolerance: (most - least) / 2 };
}

const opposite: Readonly<Record<Relation, Relation>> = {
  "<": ">=",
  "<=": ">",
  ">": "<=",
  ">=": "<",
  within: "beyond",
  beyond: "within",
};

function judged(parts: ClaimParts, kind: SummaryClaim["kind"]): SummaryClaim {
  const { says, left, relation, right, tolerance, published } = parts;
  if ((relation === "within" || relation === "beyond") !== (tolerance !== undefined)) {
    throw new TypeError(`"${says}": a tolerance goes with "within" and "beyond", and they with a tolerance`);
  }
  return {
    says,
    kind,
    left: shorten(checkFinite(says, left)),
    relation,
    right: shorten(checkFinite(says, right)),
    ...(tolerance === undefined ? {} : { tolerance: shorten(tolerance) }),
    holds: holds(parts),
    ...(published === undefined ? {} : { published }),
  };
}

function holds({ left, relation, right, tolerance = 0 }: Inequality): boolean {
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
    case "beyond":
      return Math.abs(left - right) > tolerance;
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
