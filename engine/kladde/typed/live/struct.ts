/**
 * Classes of live structs: made once per schema, with an accessor per field.
 *
 *  (1) An object that is made by the application is filled before its constructor returns; one that is made for content
 *      in a file is filled by whoever made it.
 *  (2) A class gets its accessors when its schema is sealed, at the latest with the first object.
 */

import type { StructModel } from "../schema/model.ts";
import type { BoxNode } from "./box-node.ts";
import type { Layout } from "./layout.ts";
import { blame, describe, typeMistake } from "./mistakes.ts";
import { structToJson } from "./plain.ts";
import { inspectKey, inspectNode } from "./show.ts";
import { accessorsAt, slotsClass } from "./slots.ts";
import type { StructNode } from "./struct-node.ts";
import type { Type } from "./type.ts";

type Construct = StructModel["construct"];

/** Whether the next object is filled by whoever makes it. Taken back by the constructor at once. */
let isBare = false;

/** Asked once by the constructor of each object. */
export function takeBare(): boolean {
  const wasBare = isBare;
  isBare = false;
  return wasBare;
}

/** A class for a tuple or a variant. */
export function variantClass(layout: Layout, type: Type): Construct {
  const Slots = slotsClass(layout.fields.length);
  class Variant extends Slots {
    override get $type(): Type {
      return type;
    }

    get length(): number {
      return layout.fields.length;
    }

    *[Symbol.iterator](): Generator<unknown, void, undefined> {
      for (const [at, { type: field }] of layout.fields.entries()) yield field.read(this.$get(at));
    }
  }
  if (layout.tag !== null) {
    // Only tuples are iterable.
    delete (Variant.prototype as Partial<Variant>)[Symbol.iterator];
    delete (Variant.prototype as Partial<{ length: number }>).length;
    const { property, value } = layout.tag;
    const get = (): string => value;
    const set = (next: unknown): void => {
      throw typeMistake(
        `the ${property} of a value cannot change to ${describe(next)}; store a new value, { ${property}: …, … }, in its place`,
      );
    };
    Object.defineProperty(Variant.prototype, property, { get, set, enumerable: true, configurable: true });
  }
  installLayout(Variant, layout, type);
  return Variant;
}

/** Gives `construct` the layout, and an accessor for each field that its own members do not replace. */
export function installLayout(construct: Construct, layout: Layout, type: Type): void {
  const prototype = construct.prototype as object;
  Object.defineProperty(prototype, "$layout", { value: layout, configurable: true });
  Object.defineProperty(prototype, "$type", { value: type, configurable: true });
  if (!("toJSON" in prototype))
    Object.defineProperty(prototype, "toJSON", { value: structToJson, writable: true, configurable: true });
  if (!(inspectKey in prototype))
    Object.defineProperty(prototype, inspectKey, { value: inspectNode, writable: true, configurable: true });
  for (const [at, { property, type: field }] of layout.fields.entries()) {
    if (Object.hasOwn(prototype, property)) continue;
    const { get, set } = isBox(field) ? boxAccessors(at) : accessorsAt(at);
    Object.defineProperty(prototype, property, { get, set, enumerable: true, configurable: true });
  }
}

const isBox = (type: Type): boolean => type.isCell;

function boxAccessors(position: number): {
  get(this: StructNode): unknown;
  set(this: StructNode, value: unknown): void;
} {
  return {
    get() {
      return (this.$get(position) as BoxNode).$value;
    },
    set(value) {
      (this.$get(position) as BoxNode).$set(value);
    },
  };
}

/**
 * An object as its class alone makes it, not yet of any schema. Throws what the class's constructor throws; at the end of
 * the stack that happens before the constructor asks.
 */
export function makeBare(construct: Construct): object {
  isBare = true;
  try {
    return new (construct as unknown as new () => object)();
  } finally {
    isBare = false;
  }
}

/** An object without contents, to be filled by the caller. */
export function makeInstance(construct: Construct, layout: Layout): StructNode {
  const node = makeBare(construct) as StructNode;
  if (layout.fields.length > 32) addManySlots(node);
  if (layout.textEntries > 0) node.$text = noTexts(layout.textEntries);
  return node;
}

/** Adds the slots that the shape lacks, and the list of texts. */
export function addManySlots(node: StructNode): void {
  const { fields, textEntries } = node.$layout;
  for (let at = 32; at < fields.length; at++) node.$put(at, undefined);
  if (textEntries > 0 && node.$text === null) node.$text = noTexts(textEntries);
}

/** Objects with one text are the most frequent by far, and a literal is made in a fraction of the time. */
const noTexts = (entries: number): number[] => (entries === 2 ? [0, 0] : new Array<number>(entries).fill(0));

/** Fills a new object with the values that fields without a given one have. */
export function zeroStruct(node: StructNode): void {
  const { fields } = node.$layout;
  for (let at = 0; at < fields.length; at++) {
    const { property, type, initial } = fields[at]!;
    try {
      node.$init(at, initial === undefined ? type.zero() : type.make(initial.value));
    } catch (cause) {
      throw blame(cause, `.${property}`);
    }
  }
}

/** Fills a new object from a plain one. Throws `TypeError`, `RangeError`. */
export function fillStruct(node: StructNode, input: unknown): void {
  const { fields, byProperty, name, tag } = node.$layout;
  if (typeof input !== "object" || input === null || Array.isArray(input))
    throw typeMistake(`expected an object (${name}), not ${describe(input)}`);
  const keys = Object.keys(input);
  // A promise, an iterator or a map would be taken for an object without properties.
  if (keys.length === 0 && Object.prototype.toString.call(input) !== "[object Object]")
    throw typeMistake(`expected an object (${name}), not ${describe(input)}`);
  for (const key of keys) if (!byProperty.has(key) && key !== tag?.property) throw unknownKey(name, key);
  for (let at = 0; at < fields.length; at++) {
    const { property, type, initial } = fields[at]!;
    const given = (input as Record<string, unknown>)[property];
    try {
      if (given !== undefined) node.$init(at, type.make(given));
      else if (initial !== undefined) node.$init(at, type.make(initial.value));
      else if (type.isOptional) node.$init(at, type.zero());
      else throw typeMistake(`missing in the ${name}`);
    } catch (cause) {
      throw blame(cause, `.${property}`);
    }
  }
}

function unknownKey(name: string, key: string): Error {
  const hint = /^\$/.test(key) ? "; a spread of a live object copies its insides, use k.toJS" : "";
  return blame(typeMistake(`${name} has no such field${hint}`), `.${key}`) as Error;
}
