/**
 * A list behind the whole behaviour of an array, for code that insists on `v[i] = x`.
 *
 *  (1) It is an array to `Array.isArray`, and changes the list with one record where the list has a method for it.
 *  (2) A list has no holes: writing behind the end, growing `length` and deleting before the end are refused.
 *
 * Cost: every access goes through a trap, some fifty times the list's own.
 */

import type { KVecOf } from "../schema/containers.ts";
import { rangeMistake, typeMistake } from "./mistakes.ts";
import { inspectKey } from "./show.ts";

type List = KVecOf<unknown, unknown>;

const facades = new WeakMap<List, unknown[]>();

/** Always the same one for a list. */
export function arrayOf(list: List): unknown[] {
  const known = facades.get(list);
  if (known !== undefined) return known;
  const target: unknown[] = [];
  // Printers look at the target behind the traps.
  Object.defineProperty(target, inspectKey, { value: () => list.slice(), configurable: true });
  const facade: unknown[] = new Proxy(
    target,
    trapsOf(
      list,
      methodsOf(list, () => facade),
    ),
  );
  facades.set(list, facade);
  return facade;
}

/** The methods of arrays that would store objects a second time, step by step. */
function methodsOf(list: List, self: () => unknown[]): Readonly<Record<string, unknown>> {
  return {
    push: (...values: unknown[]) => list.push(...values),
    pop: () => list.pop(),
    shift: () => list.shift(),
    unshift: (...values: unknown[]) => list.unshift(...values),
    splice: (...args: unknown[]) =>
      args.length === 0 ? [] : list.splice(...(args as [number, number, ...unknown[]])),
    sort: (compare?: (a: unknown, b: unknown) => number) => {
      list.sort(compare);
      return self();
    },
    reverse: () => {
      list.reverse();
      return self();
    },
    fill: (value: unknown, start?: number, end?: number) => {
      list.fill(value, start, end);
      return self();
    },
    copyWithin: (target: number, start: number, end?: number) => {
      const copy = list.slice().copyWithin(target, start, end);
      for (const [at, value] of copy.entries()) if (!Object.is(value, list.at(at))) list.set(at, value);
      return self();
    },
  };
}

/** The index that a property names; −1 if it names none. */
function indexOf(key: string | symbol): number {
  if (typeof key !== "string") return -1;
  const index = Number(key);
  return Number.isInteger(index) && index >= 0 && index < 2 ** 32 - 1 && String(index) === key ? index : -1;
}

function store(list: List, index: number, value: unknown): void {
  if (index > list.length)
    throw rangeMistake(
      `index ${index} is behind the end, at ${list.length}; a list has no holes, push what is between`,
    );
  if (index === list.length) list.push(value);
  else list.set(index, value);
}

function trapsOf(list: List, methods: Readonly<Record<string, unknown>>): ProxyHandler<unknown[]> {
  return {
    get(target, key, receiver) {
      const index = indexOf(key);
      if (index >= 0) return index < list.length ? list.at(index) : undefined;
      if (key === "length") return list.length;
      return typeof key === "string" && Object.hasOwn(methods, key)
        ? methods[key]
        : Reflect.get(target, key, receiver);
    },
    set(target, key, value) {
      const index = indexOf(key);
      if (index >= 0) store(list, index, value);
      else if (key === "length") list.length = value as number;
      else return Reflect.set(target, key, value);
      return true;
    },
    has(target, key) {
      const index = indexOf(key);
      return index >= 0 ? index < list.length : Reflect.has(target, key);
    },
    deleteProperty(target, key) {
      const index = indexOf(key);
      if (index < 0) return Reflect.deleteProperty(target, key);
      if (index === list.length - 1) list.pop();
      else if (index < list.length)
        throw typeMistake(`deleting index ${index} would leave a hole, which a list cannot have; use splice`);
      return true;
    },
    ownKeys(target) {
      return [...Array.from({ length: list.length }, (_, at) => String(at)), ...Reflect.ownKeys(target)];
    },
    getOwnPropertyDescriptor(target, key) {
      const index = indexOf(key);
      if (key === "length")
        return { value: list.length, writable: true, enumerable: false, configurable: false };
      if (index < 0) return Reflect.getOwnPropertyDescriptor(target, key);
      if (index >= list.length) return undefined;
      return { value: list.at(index), writable: true, enumerable: true, configurable: true };
    },
    defineProperty(target, key, descriptor) {
      const index = indexOf(key);
      if (index < 0 && key !== "length") return Reflect.defineProperty(target, key, descriptor);
      if (!("value" in descriptor)) throw typeMistake("the elements of a list cannot have accessors");
      if (index >= 0) store(list, index, descriptor.value);
      else list.length = descriptor.value as number;
      return true;
    },
    preventExtensions() {
      return false;
    },
  };
}
