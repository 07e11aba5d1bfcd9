/** Discriminants of enums: counted, given, checked, and in the order in which a table lists variants. */

import type { DiscriminantWidth } from "../types/descriptor.ts";
import type { VariantOptions } from "./definition.ts";
import { SchemaError } from "./error.ts";
import { listOf, requireNameText } from "./names.ts";

export interface Numbered {
  readonly name: string;
  readonly former: readonly string[];
  readonly discriminant: number;
}

const widths: readonly DiscriminantWidth[] = [1, 2, 4, 8];

const largestOf = (width: DiscriminantWidth): number =>
  width === 8 ? Number.MAX_SAFE_INTEGER : 2 ** (8 * width) - 1;

/** Ascending, with the width that holds them. */
export function numberVariants(
  names: readonly string[],
  { width, discriminants = {}, was = {} }: VariantOptions,
  at: string,
): { readonly width: DiscriminantWidth; readonly variants: readonly Numbered[] } {
  requireNames(names, { ...discriminants, ...was }, at);
  if (width !== undefined && !widths.includes(width))
    throw new SchemaError(`the width of discriminants is 1, 2, 4 or 8 bytes, not ${String(width)}`, at);
  let next = 0;
  const variants = names.map((name): Numbered => {
    const discriminant = discriminants[name] ?? next;
    requireDiscriminant(discriminant, name, width ?? 8, at);
    next = discriminant + 1;
    return { name, former: listOf(was[name]), discriminant };
  });
  variants.sort((a, b) => a.discriminant - b.discriminant);
  variants.forEach((variant, index) => {
    const before = variants[index - 1];
    if (before?.discriminant === variant.discriminant)
      throw new SchemaError(
        `the variants ${before.name} and ${variant.name} have the same discriminant, ${variant.discriminant}`,
        at,
      );
  });
  const largest = variants.at(-1)?.discriminant ?? 0;
  return { width: width ?? widths.find((bytes) => largest <= largestOf(bytes)) ?? 8, variants };
}

function requireNames(names: readonly string[], options: object, at: string): void {
  if (names.length === 0) throw new SchemaError("an enum without variants has no value", at);
  const known = new Set(names);
  if (known.size < names.length) {
    const twice = names.find((name, index) => names.indexOf(name) < index);
    throw new SchemaError(`the variant ${JSON.stringify(twice)} is given twice`, at);
  }
  for (const name of names) requireNameText(name, at);
  for (const name of Object.keys(options)) {
    if (!known.has(name))
      throw new SchemaError(`the options speak of a variant ${JSON.stringify(name)}, which there is not`, at);
  }
}

function requireDiscriminant(value: unknown, name: string, width: DiscriminantWidth, at: string): void {
  const largest = largestOf(width);
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= largest) return;
  throw new SchemaError(
    `the discriminant of ${name} must be a whole number from 0 to ${largest}, not ${String(value)}`,
    at,
  );
}
