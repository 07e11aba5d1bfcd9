/**
 * What `k` offers for live values: plain copies, live copies, changes of several fields, and the fields themselves.
 *
 *  (1) Copies nest as deep as the value does.
 */

import type { Bytes, KMapOf, KSet, KVecOf, Text } from "../schema/containers.ts";
import { assign } from "./assign.ts";
import { blame, describe, typeMistake } from "./mistakes.ts";
import { claimMark, dropClaims, keepClaims, Node, pathOf } from "./node.ts";
import { foldTree, plainOf } from "./plain.ts";
import { StructNode } from "./struct-node.ts";

// biome-ignore lint/suspicious/noExplicitAny: any function at all
type Callable = (...args: any[]) => unknown;

/** What a live value is as plain data. */
export type Plain<T> = T extends Text
  ? string
  : T extends Bytes
    ? Uint8Array
    : T extends KVecOf<infer U, infer _>
      ? Plain<U>[]
      : T extends KMapOf<infer K, infer V, infer _>
        ? Map<K, Plain<V>>
        : T extends KSet<infer U>
          ? Set<U>
          : T extends Iterable<infer U> & { readonly length: number; readonly 0: unknown }
            ? Plain<U>[]
            : T extends object
              ? { -readonly [P in keyof T as T[P] extends Callable ? never : P]: Plain<T[P]> }
              : T;

/** What may be stored where a live value of type `T` is read. */
export type Input<T> =
  | T
  | (T extends Text
      ? string
      : T extends Bytes
        ? Uint8Array
        : T extends KVecOf<infer _, infer In>
          ? Iterable<In>
          : T extends KMapOf<infer K, infer V, infer In>
            ? Iterable<readonly [K, In | V]>
            : T extends KSet<infer U>
              ? Iterable<U>
              : T extends Callable
                ? never
                : T extends object
                  ? { readonly [P in RequiredFields<T>]: Input<T[P]> } & {
                      readonly [P in Exclude<keyof T, RequiredFields<T>>]?: Input<T[P]>;
                    }
                  : never);

type Container = KVecOf<never, never> | KMapOf<never, never, never> | KSet<never>;

/** Fields that have an empty value may be left out. */
type RequiredFields<T> = {
  [P in keyof T]: null extends T[P] ? never : T[P] extends Container ? never : P;
}[keyof T];

/** Values for some of the fields of a live object. */
export type Patch<T> = { readonly [P in keyof T]?: Input<T[P]> };

/** A deep copy as plain data: objects, arrays, maps, sets, strings. JSON values in it are frozen. */
export const toJS = <T>(value: T): Plain<T> => plainOf(value) as Plain<T>;

/** A deep copy of a live value that is in no file. What a class adds to its fields is not copied. */
export function clone<T>(value: T): T {
  if (!(value instanceof Node)) {
    if (typeof value !== "object" || value === null) return value;
    throw typeMistake(`expected a live value, not ${describe(value)}; structuredClone copies plain ones`);
  }
  const mark = claimMark();
  try {
    const copy = foldTree(value, (node, below) =>
      node.$type.isCell ? node.$toPlain(below) : node.$type.make(node.$toPlain(below)),
    ) as Node;
    keepClaims(mark, null);
    return copy as T;
  } catch (cause) {
    dropClaims(mark);
    throw cause;
  }
}

/**
 * Stores the given fields, all or none, in one transaction. A plain object replaces what is there, as assigning it does.
 * Throws `TypeError`, `RangeError`, and as the store does.
 */
export function patch<T extends object>(target: T, changes: Patch<T>): T {
  const node = structOf(target);
  if (typeof changes !== "object" || changes === null)
    throw typeMistake(`expected an object with the new values, not ${describe(changes)}`);
  const fields: (readonly [number, unknown])[] = [];
  for (const [property, value] of Object.entries(changes)) {
    const at = node.$layout.byProperty.get(property);
    if (at !== undefined) fields.push([at, value]);
    else if (property !== node.$layout.tag?.property) throw unknownField(node, property);
    else if (value !== node.$layout.tag.value) throw otherVariant(node, property);
  }
  const ledger = node.$doc;
  if (ledger === null) patchOutside(node, fields);
  else
    ledger.scopes.transaction(() => {
      for (const [at, value] of fields) assign(node, at, value);
    });
  return target;
}

/** Property and value of every persisted field, in the order of the schema. */
export function* entries<T extends object>(
  target: T,
): Generator<[keyof T & string, T[keyof T & string]], void, undefined> {
  const node = structOf(target);
  for (const [at, { property, type }] of node.$layout.fields.entries())
    yield [property as keyof T & string, type.read(node.$get(at)) as T[keyof T & string]];
}

function structOf(target: object): StructNode {
  if (target instanceof StructNode) return target;
  throw typeMistake(`expected a live struct, tuple or variant, not ${describe(target)}`);
}

function unknownField(node: StructNode, property: string): unknown {
  const path = pathOf(node);
  return blame(typeMistake(`${node.$layout.name} has no such field`), `${path}.${property}`);
}

function otherVariant(node: StructNode, property: string): unknown {
  const says = `a variant stays what it is, ${node.$layout.name}; store another value in its place`;
  return blame(typeMistake(says), `${pathOf(node)}.${property}`);
}

/** Without a file there is no transaction: what was stored before a mistake is put back. */
function patchOutside(node: StructNode, fields: readonly (readonly [number, unknown])[]): void {
  const done: [number, unknown][] = [];
  try {
    for (const [at, value] of fields) {
      const old = node.$typeAt(at).read(node.$get(at));
      assign(node, at, value);
      done.push([at, old]);
    }
  } catch (cause) {
    for (const [at, old] of done.reverse()) assign(node, at, old);
    throw cause;
  }
}
