/** Variants by their discriminants, and discriminants as they are stored. */

import { readU16, readU32, readU64 } from "../../../codec/fixed.ts";
import type { EnumDescriptor, VariantDescriptor } from "../types/descriptor.ts";
import type { Range } from "./access.ts";
import { readVarint } from "./scalars.ts";

export class Variants {
  readonly #known = new Map<EnumDescriptor, ReadonlyMap<number, VariantDescriptor>>();

  of(type: EnumDescriptor, discriminant: number): VariantDescriptor | undefined {
    let variants = this.#known.get(type);
    if (variants === undefined) {
      variants = new Map(type.variants.map((variant) => [variant.discriminant, variant]));
      this.#known.set(type, variants);
    }
    return variants.get(discriminant);
  }
}

/** The discriminant at the range's position; packed, it is a varint. NaN if it is too large to belong to a variant. */
export function readDiscriminant(
  { width }: EnumDescriptor,
  { bytes, at, end }: Range,
  isPacked: boolean,
): number {
  if (isPacked) return readVarint(bytes, at, end, Number.MAX_SAFE_INTEGER);
  switch (width) {
    case 1:
      return bytes[at]!;
    case 2:
      return readU16(bytes, at);
    case 4:
      return readU32(bytes, at);
    case 8:
      return readU64(bytes, at);
  }
}
