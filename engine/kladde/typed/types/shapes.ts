/**
 * Layouts that stand for something: what containers, strings, options and tuples are made of.
 *
 * Nothing in a file says that a vector of slots is a map; a struct of exactly that shape is taken for one.
 */

import type { Descriptor, StructDescriptor } from "./descriptor.ts";
import { primitiveCodes } from "./descriptor.ts";

const primitiveNames: readonly string[] = Object.keys(primitiveCodes);

export const primitiveName = (code: number): string => primitiveNames[code]!;

const isPrimitive = (type: Descriptor, name: keyof typeof primitiveCodes): boolean =>
  type.kind === "primitive" && type.code === primitiveCodes[name];

/** What a sequence's or a small value's content holds: characters, that is text. */
export const isText = (type: Descriptor): boolean =>
  type.kind === "sequence" && isPrimitive(type.target, "char");

/** Slots of a map: whether each is alive, its key, its value. */
export function isMapSlot(type: Descriptor): type is StructDescriptor {
  if (type.kind !== "struct" || type.fields.length !== 3) return false;
  const [live, key, value] = type.fields;
  return (
    live!.name === "live" && isPrimitive(live!.type, "bool") && key!.name === "key" && value!.name === "value"
  );
}

/** `None` or `Some` of one value. */
export function isOption(type: Descriptor): boolean {
  if (type.kind !== "enum" || type.variants.length !== 2) return false;
  const [empty, full] = type.variants;
  const given = full!.fields;
  return (
    empty!.name === "None" &&
    empty!.fields.length === 0 &&
    full!.name === "Some" &&
    given.length === 1 &&
    given[0]!.name === "0"
  );
}

/** Fields named by their positions; a struct without fields is none, but a unit. */
export const isTuple = (type: Descriptor): boolean =>
  type.kind === "struct" && type.fields.length > 0 && type.fields.every(({ name }, i) => name === String(i));

/** What a schema calls a type of this shape; types that are called differently differ. */
export function containerOf(type: Descriptor): string {
  if (type.kind === "primitive") return primitiveName(type.code);
  if (type.kind === "small") return isText(type.content) ? "smallString" : `small ${type.content.kind}`;
  if (type.kind !== "pointer") return type.kind;
  const packed = type.target.kind === "packed";
  const content = type.target.kind === "packed" ? type.target.target : type.target;
  if (content.kind !== "sequence") return packed ? "packedBox" : "box";
  if (packed) return isText(content) ? "string" : "packedVec";
  if (isMapSlot(content.target)) return "map";
  return isPrimitive(content.target, "u8") ? "bytes" : "vec";
}
