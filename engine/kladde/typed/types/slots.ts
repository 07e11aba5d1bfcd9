/** Sizes of slots: the bytes that a type's fixed encoding takes, if it has one. */

import type { Descriptor, FieldDescriptor } from "./descriptor.ts";
import { foldInline } from "./graph.ts";

/** Bytes by primitive code. */
const primitiveBytes = [1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 1, 4] as const;

/** Bytes of an allocation id in a slot. */
export const pointerBytes = 4;

/** What `slotBytes` says of a type that has only a packed form. */
export const packedOnly = -1;

/**
 * Bytes of a slot of `type`; `packedOnly` if it has none. The graph must be finished. Pass one `memo` to ask for many
 * types of one graph; throws `TypeError` if the type contains itself inline.
 */
export function slotBytes(type: Descriptor, memo = new Map<Descriptor, number>()): number {
  if (foldInline(type, memo, bytesOf) !== undefined)
    throw new TypeError("a type that contains itself inline has no size; put a box or a vector in between");
  return memo.get(type)!;
}

type Known = (part: Descriptor) => number;

function bytesOf(type: Descriptor, known: Known): number {
  switch (type.kind) {
    case "primitive":
      return primitiveBytes[type.code];
    case "struct":
      return sumOf(type.fields, known);
    case "enum":
      return enumBytes(
        type.width,
        type.variants.map(({ fields }) => sumOf(fields, known)),
      );
    case "pointer":
      return pointerBytes;
    case "slotted":
      return known(type.target);
    case "opaque":
      return type.inlineBytes;
    default:
      return packedOnly;
  }
}

function sumOf(fields: readonly FieldDescriptor[], known: Known): number {
  let sum = 0;
  for (const field of fields) {
    const bytes = known(field.type);
    if (bytes === packedOnly) return packedOnly;
    sum += bytes;
  }
  return sum;
}

/** The discriminant, and room for the largest variant. */
function enumBytes(width: number, variants: readonly number[]): number {
  let largest = 0;
  for (const bytes of variants) {
    if (bytes === packedOnly) return packedOnly;
    if (bytes > largest) largest = bytes;
  }
  return width + largest;
}
