/**
 * What a schema value holds before it is sealed.
 *
 *  (1) A schema value is an object of `value.ts` or a class of a struct; either says what it is under `definitionKey`.
 *  (2) Shapes are kept as they were given: their getters run when a schema is sealed, not before.
 *  (3) What belongs to a field rather than to its type is kept apart from the definition, in `Placement`.
 */

import type { DiscriminantWidth } from "../types/descriptor.ts";
import type { ElementModel, NumberModel, OpaqueCodec, SimpleModel } from "./model.ts";

export const definitionKey: unique symbol = Symbol("daybook.schema");

export type Shape = Readonly<Record<string, unknown>>;

export interface VariantOptions {
  /** Bytes of the discriminant in a slot; by default the fewest that hold all of them. */
  readonly width?: DiscriminantWidth | undefined;
  /** By default one more than the variant before, from 0. */
  readonly discriminants?: Readonly<Record<string, number | undefined>> | undefined;
  /** Names that variants had in older files. */
  readonly was?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
}

export interface OpaqueOptions {
  readonly library: string;
  readonly type: string;
  /** Major, minor, patch. */
  readonly version: readonly [number, number, number];
  /** Bytes of every value. */
  readonly inlineSize: number;
  readonly codec: OpaqueCodec<unknown>;
}

export type Definition =
  | { readonly kind: "number"; readonly code: NumberModel["code"]; readonly as: NumberModel["as"] }
  | { readonly kind: SimpleModel["kind"] }
  | { readonly kind: "struct"; readonly shape: Shape; readonly name: string | undefined }
  | {
      readonly kind: "enum";
      readonly variants: Shape;
      readonly name: string;
      readonly tag: string;
      readonly options: VariantOptions;
    }
  | { readonly kind: "oneOf"; readonly names: readonly string[]; readonly options: VariantOptions }
  | { readonly kind: "tuple"; readonly elements: readonly unknown[] }
  | { readonly kind: ElementModel["kind"]; readonly element: unknown }
  | { readonly kind: "box"; readonly element: unknown; readonly packed: boolean }
  | { readonly kind: "map" | "sortedMap"; readonly key: unknown; readonly value: unknown }
  | { readonly kind: "opaque"; readonly options: OpaqueOptions };

type Selected<D, Kind> = D extends { readonly kind: infer K } ? (Kind extends K ? D : never) : never;

export type DefinitionOf<Kind extends Definition["kind"]> = Selected<Definition, Kind>;

export interface Placement {
  readonly persisted?: string;
  readonly former?: readonly string[];
  readonly initial?: { readonly value: unknown };
}

/** A schema value taken apart. `type` is what was there before anything was said about its place, and its identity. */
export interface Parts {
  readonly type: object;
  readonly definition: Definition;
  readonly placement: Placement;
}

/** `undefined`: not a schema. */
export function partsOf(value: unknown): Parts | undefined {
  if (typeof value === "function") {
    const definition: unknown = Reflect.get(value, definitionKey);
    return definition === undefined
      ? undefined
      : { type: value, definition: definition as Definition, placement: {} };
  }
  if (typeof value !== "object" || value === null) return undefined;
  return Reflect.get(value, definitionKey) as Parts | undefined;
}
