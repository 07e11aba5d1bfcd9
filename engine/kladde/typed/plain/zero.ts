/** Zero values: what a place holds of which nothing was said. */

import type { FieldModel, TypeModel } from "../schema/model.ts";

/** Makes a new value each time it is called. */
export type Make = () => unknown;

/** The zero value of `model`, as plain data; nothing if the type has none. */
export function zeroOf(model: TypeModel): Make | undefined {
  switch (model.kind) {
    case "number":
      return () => (model.as === "bigint" ? 0n : 0);
    case "bool":
      return () => false;
    case "char":
      return () => "\0";
    case "string":
    case "smallString":
    case "text":
      return () => "";
    case "bytes":
      return () => new Uint8Array(0);
    case "json":
    case "option":
    case "box":
      return () => null;
    case "unit":
      return () => undefined;
    case "map":
    case "sortedMap":
      return () => new Map();
    case "vec":
    case "packedVec":
    case "smallVec":
    case "set":
      return () => [];
    case "slotted":
      return zeroOf(model.element);
    case "opaque":
      return undefined;
    default:
      return zeroOfFields(model);
  }
}

function zeroOfFields(
  model: Extract<TypeModel, { readonly kind: "struct" | "tuple" | "enum" | "oneOf" }>,
): Make | undefined {
  if (model.kind === "struct") return filled(model.fields, {});
  if (model.kind === "tuple") {
    const make = filled(model.fields, {});
    return make === undefined ? undefined : () => Object.values(make() as object);
  }
  const first = model.variants.find(({ discriminant }) => discriminant === 0);
  if (first === undefined) return undefined;
  return model.kind === "oneOf" ? () => first.name : filled(first.fields, { [model.tag]: first.name });
}

function filled(fields: readonly FieldModel[], head: object): Make | undefined {
  const makes = fields.map((field) => [field.property, initialOf(field)] as const);
  if (makes.some(([, make]) => make === undefined)) return undefined;
  return () => ({ ...head, ...Object.fromEntries(makes.map(([property, make]) => [property, make!()])) });
}

/** What a field holds that an older file lacks. */
export const initialOf = ({ initial, type }: FieldModel): Make | undefined =>
  initial === undefined ? zeroOf(type) : () => initial.value;
