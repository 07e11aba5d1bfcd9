/** What a schema may not say, beyond what the format forbids. */

import { makeBare } from "../live/struct.ts";
import { type OpaqueOptions, partsOf } from "./definition.ts";
import { SchemaError } from "./error.ts";
import type { FieldModel, StructModel, TypeModel } from "./model.ts";
import { requireNameText } from "./names.ts";

/** Keys are compared by value, so they are values that compare: no floats, nothing that can change. */
export function requireKey(model: TypeModel, container: "map" | "set", at: string): void {
  const fits =
    model.kind === "number" ? model.code !== "f32" && model.code !== "f64" : keyKinds.has(model.kind);
  if (fits) return;
  const what =
    model.kind === "number" ? `${model.code}, a float, whose values do not all equal themselves` : model.kind;
  throw new SchemaError(
    `the keys of a ${container} are integers, bool, char, string or oneOf, not ${what}`,
    at,
  );
}

const keyKinds: ReadonlySet<TypeModel["kind"]> = new Set(["bool", "char", "string", "oneOf"]);

/** `null` is the empty option and the empty box, so the content must have no `null` of its own. */
export function requireContent(model: TypeModel, container: "option" | "box", at: string): void {
  const content = model.kind === "slotted" ? model.element : model;
  if (content.kind === "slotted") requireContent(content, container, at);
  if (content.kind !== "option" && content.kind !== "box" && content.kind !== "json") return;
  throw new SchemaError(
    `${container}(${content.kind}) would have two meanings of null; put the inner one into a struct`,
    at,
  );
}

export function requireOpaque(
  { library, type, version, inlineSize, codec }: OpaqueOptions,
  at: string,
): void {
  for (const name of [library, type]) {
    if (typeof name !== "string") throw new SchemaError("opaque: library and type must be strings", at);
    requireNameText(name, at);
  }
  if (!Array.isArray(version) || version.length !== 3 || !version.every(isCount))
    throw new SchemaError("opaque: version must be three whole numbers, such as [1, 0, 0]", at);
  if (!isCount(inlineSize)) throw new SchemaError("opaque: inlineSize must be a number of bytes", at);
  if (typeof codec?.encode !== "function" || typeof codec.decode !== "function")
    throw new SchemaError("opaque: codec must have the functions encode and decode", at);
}

const isCount = (value: unknown): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffff_ffff;

/**
 * A class may not define what its shape defines: a method or accessor would be hidden, a class field would hide what is
 * in the file. Makes an object of the class to see; reading a file makes them in the same way.
 */
export function requireClassWithout(
  type: StructModel["construct"],
  fields: readonly FieldModel[],
  at: string,
): void {
  if (!isExtension(type)) return;
  const own = ownOf(type, at);
  for (let level: unknown = type; isExtension(level); level = Object.getPrototypeOf(level)) {
    const { prototype } = level;
    const field = fields.find(({ property }) => Object.hasOwn(prototype, property));
    if (field !== undefined)
      throw new SchemaError(`the class defines ${field.property}, which is a field of its shape`, at);
  }
  const hidden = fields.find(({ property }) => Object.hasOwn(own, property));
  if (hidden !== undefined)
    throw new SchemaError(
      `the class sets ${hidden.property} for itself, which would hide the field of its shape; give the value with ` +
        ".default() in the shape, or only declare the type",
      at,
    );
}

function ownOf(type: StructModel["construct"], at: string): object {
  try {
    return makeBare(type);
  } catch (cause) {
    throw new SchemaError(
      "the class's constructor fails without arguments, which is how reading a file calls it; leave the constructor out",
      at,
      cause,
    );
  }
}

/** A class that extends a schema, rather than the class that the schema is. */
const isExtension = (level: unknown): level is { readonly prototype: object } =>
  typeof level === "function" && partsOf(Object.getPrototypeOf(level)) !== undefined;

/** What a value is, for a message. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "function") return `the function ${value.name || "without a name"}; was it called?`;
  if (typeof value === "object") {
    const name = value.constructor?.name ?? "";
    return name === "" || name === "Object" ? "a plain object" : `an instance of ${name}`;
  }
  return typeof value === "string" ? `the string ${JSON.stringify(value)}` : String(value);
}
