/**
 * `KVec`: a list whose elements are in the file, with the members of an array.
 *
 *  (1) What reads follows `Array`; what gives many elements gives a plain array.
 *  (2) There are no holes: what writes outside throws `RangeError`.
 *  (3) What leaves the list is an object outside the file, unless the same transaction stores it again.
 */

import type { KVecOf } from "../schema/containers.ts";
import { assign } from "./assign.ts";
import { ListNode } from "./list-node.ts";
import { blame, describe, rangeMistake, typeMistake } from "./mistakes.ts";
import { claimMark, Node, pathOf, place } from "./node.ts";
import { jsonOf } from "./plain.ts";
import { arrayOf } from "./vec-array.ts";

/** Array members that only read: they run on a plain array of the elements. */
type Reading =
  | "concat"
  | "entries"
  | "every"
  | "filter"
  | "find"
  | "findIndex"
  | "findLast"
  | "findLastIndex"
  | "flatMap"
  | "forEach"
  | "includes"
  | "indexOf"
  | "join"
  | "keys"
  | "lastIndexOf"
  | "map"
  | "reduce"
  | "reduceRight"
  | "slice"
  | "some"
  | "toReversed"
  | "toSorted"
  | "toSpliced"
  | "with";

const reading: readonly Reading[] = [
  "concat",
  "entries",
  "every",
  "filter",
  "find",
  "findIndex",
  "findLast",
  "findLastIndex",
  "flatMap",
  "forEach",
  "includes",
  "indexOf",
  "join",
  "keys",
  "lastIndexOf",
  "map",
  "reduce",
  "reduceRight",
  "slice",
  "some",
  "toReversed",
  "toSorted",
  "toSpliced",
  "with",
];

export interface Vec extends Pick<KVecOf<unknown, unknown>, Reading> {}

/** What a relative index of `Array` means in a list of `length`. */
const relative = (index: number | undefined, length: number, otherwise: number): number => {
  if (index === undefined) return otherwise;
  const whole = Math.trunc(Number(index)) || 0;
  return whole < 0 ? Math.max(0, length + whole) : Math.min(whole, length);
};

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the static block defines what the interface names
export class Vec extends ListNode implements KVecOf<unknown, unknown> {
  get length(): number {
    return this.$values.length;
  }

  set length(length: number) {
    if (!Number.isInteger(length) || length < 0 || length > this.length)
      throw blame(rangeMistake(this.#noLength(length)), pathOf(this));
    this.$splice(length, this.length - length, []);
  }

  get [Symbol.toStringTag](): string {
    return "KVec";
  }

  at(index: number): unknown {
    const whole = Math.trunc(Number(index)) || 0;
    const from = whole < 0 ? this.length + whole : whole;
    return from >= 0 && from < this.length ? this.$element.read(this.$values[from]) : undefined;
  }

  set(index: number, value: unknown): this {
    assign(this, this.#inside(index, this.length - 1), value);
    return this;
  }

  push(...values: unknown[]): number {
    this.#insert(this.length, values);
    return this.length;
  }

  pop(): unknown {
    return this.length === 0 ? undefined : this.$splice(this.length - 1, 1, [])[0];
  }

  shift(): unknown {
    return this.length === 0 ? undefined : this.$splice(0, 1, [])[0];
  }

  unshift(...values: unknown[]): number {
    this.#insert(0, values);
    return this.length;
  }

  splice(start: number, ...args: [deleteCount?: number, ...values: unknown[]]): unknown[] {
    const [deleteCount, ...values] = args;
    const from = relative(start, this.length, 0);
    const rest = this.length - from;
    // As in arrays, a count that is left out differs from one that is undefined.
    const removed =
      args.length === 0 ? rest : Math.min(rest, Math.max(0, Math.trunc(Number(deleteCount)) || 0));
    const mark = claimMark();
    const stored = this.$make(values, mark, (cause, at) => this.#blame(cause, from + at));
    return this.$splice(from, removed, stored, mark);
  }

  insert(index: number, ...values: unknown[]): this {
    this.#insert(this.#inside(index, this.length), values);
    return this;
  }

  removeAt(index: number): unknown {
    return this.$splice(this.#inside(index, this.length - 1), 1, [])[0];
  }

  clear(): void {
    this.$splice(0, this.length, []);
  }

  fill(value: unknown, start?: number, end?: number): this {
    const from = relative(start, this.length, 0);
    const to = Math.max(from, relative(end, this.length, this.length));
    const mark = claimMark();
    const inputs = new Array<unknown>(to - from).fill(value);
    const stored = this.$make(inputs, mark, (cause, at) => this.#blame(cause, from + at));
    this.$splice(from, to - from, stored, mark);
    return this;
  }

  sort(compare?: (a: unknown, b: unknown) => number): this {
    if (compare !== undefined && typeof compare !== "function")
      throw typeMistake(`the comparison must be a function, not ${describe(compare)}`);
    const seen = this.#seen();
    const order = seen.map((_, at) => at);
    // The default order of arrays is that of the elements' texts.
    const texts = compare === undefined ? seen.map(String) : [];
    const byText = (a: number, b: number) => (texts[a]! < texts[b]! ? -1 : texts[a]! > texts[b]! ? 1 : 0);
    order.sort(compare === undefined ? byText : (a, b) => compare(seen[a], seen[b]));
    if (this.length !== order.length) throw typeMistake("the list was changed while it was sorted");
    this.$permute(0, order);
    return this;
  }

  reverse(): this {
    this.$permute(
      0,
      this.$values.map((_, at) => this.length - 1 - at),
    );
    return this;
  }

  swap(a: number, b: number): void {
    const last = this.length - 1;
    const low = Math.min(this.#inside(a, last), this.#inside(b, last));
    const high = Math.max(a, b);
    const order = Array.from({ length: high - low + 1 }, (_, at) => low + at);
    order[0] = high;
    order[order.length - 1] = low;
    this.$permute(low, order);
  }

  assign(values: Iterable<unknown>): this {
    const inputs = inputsOf(values, this);
    if (inputs.some((input) => input instanceof Node && input.$parent === this)) return this.#keep(inputs);
    const mark = claimMark();
    const stored = this.$make(inputs, mark, (cause, at) => this.#blame(cause, at));
    this.$splice(0, this.length, stored, mark);
    return this;
  }

  /** Some of the new elements are in the list now: all are taken out, so that these can come back. */
  #keep(inputs: readonly unknown[]): this {
    const ledger = this.$doc;
    const replace = (by: readonly unknown[]) => {
      this.clear();
      this.#insert(0, by);
    };
    if (ledger !== null) {
      ledger.scopes.transaction(() => replace(inputs));
      return this;
    }
    const former = this.#seen();
    try {
      replace(inputs);
    } catch (cause) {
      this.#insert(0, former);
      throw cause;
    }
    return this;
  }

  *values(): IterableIterator<unknown> {
    for (let at = 0; at < this.$values.length; at++) yield this.$element.read(this.$values[at]);
  }

  [Symbol.iterator](): IterableIterator<unknown> {
    return this.values();
  }

  toJSON(): unknown {
    return jsonOf(this);
  }

  asArray(): unknown[] {
    return arrayOf(this);
  }

  /** The elements as the application sees them, in a new array. */
  #seen(): unknown[] {
    // Only boxes are seen as something else than what is stored.
    if (!this.$element.isCell) return this.$values.slice();
    return this.$values.map((value) => this.$element.read(value));
  }

  /** Fills a new list that is part of nothing yet. */
  $fill(inputs: readonly unknown[]): void {
    const isText = this.$element.holding === "text";
    for (let at = 0; at < inputs.length; at++) {
      let stored: unknown;
      try {
        stored = this.$element.make(inputs[at]);
      } catch (cause) {
        throw blame(cause, `[${at}]`);
      }
      this.$values.push(stored);
      if (stored instanceof Node) place(stored, this, at);
      if (isText) {
        this.$ids.push(0);
        this.$lengths.push(0);
      }
    }
  }

  #insert(at: number, values: readonly unknown[]): void {
    const mark = claimMark();
    const stored = this.$make(values, mark, (cause, step) => this.#blame(cause, at + step));
    this.$splice(at, 0, stored, mark);
  }

  #inside(index: number, last: number): number {
    if (typeof index === "number" && Number.isInteger(index) && index >= 0 && index <= last) return index;
    const mistake =
      typeof index === "number"
        ? rangeMistake(`index ${index} is outside the list, which has ${this.length} elements`)
        : typeMistake(`the index must be a number, not ${describe(index)}`);
    throw blame(mistake, pathOf(this));
  }

  #noLength(length: number): string {
    return Number.isInteger(length) && length >= 0
      ? `the list has ${this.length} elements and cannot grow to ${length}; push what is to come`
      : `${describe(length)} is no length`;
  }

  #blame(cause: unknown, at: number): unknown {
    return blame(cause, `${pathOf(this)}[${at}]`);
  }

  static {
    for (const name of reading)
      Object.defineProperty(Vec.prototype, name, {
        value(this: Vec, ...args: never[]): unknown {
          return (this.#seen()[name] as (...args: never[]) => unknown)(...args);
        },
        writable: true,
        configurable: true,
      });
  }
}

/** What to store, from anything that can be iterated over. A mistake is blamed on `target`, if it is there already. */
export function inputsOf(values: unknown, target?: Node): unknown[] {
  if (
    typeof values === "string" ||
    typeof values !== "object" ||
    values === null ||
    !(Symbol.iterator in values)
  )
    throw blame(
      typeMistake(`expected an array or another iterable, not ${describe(values)}`),
      target ? pathOf(target) : "",
    );
  return [...(values as Iterable<unknown>)];
}
