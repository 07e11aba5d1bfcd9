/**
 * Read plans: how values of a stored type become plain data that a schema takes. Compiled once per pair of types; reading
 * by a plan compares no names.
 */

import type { OpaqueCodec, StructModel } from "../schema/model.ts";
import type { VariantDescriptor } from "../types/descriptor.ts";
import type { Scalar } from "./scalars.ts";
import type { Make } from "./zero.ts";

/** A plan, filled after it has been referred to, since types have cycles. */
export interface Cell {
  step: Step;
}

/** A stored field and the property it becomes; without one it is dropped. */
export interface FieldStep {
  readonly cell: Cell;
  readonly property: string | undefined;
}

export interface FieldsPlan {
  readonly fields: readonly FieldStep[];
  /** Properties that the file lacks. */
  readonly missing: readonly (readonly [property: string, make: Make])[];
}

export type VariantPlan =
  | { readonly to: "name"; readonly name: string; readonly fields: FieldsPlan }
  | { readonly to: "object"; readonly tag: string; readonly name: string; readonly fields: FieldsPlan }
  | { readonly to: "null" }
  | { readonly to: "content"; readonly cell: Cell };

export type Step =
  /** What is there is read, checked and dropped. */
  | { readonly op: "skip" }
  /** `convert` returns `undefined` for a value that the schema cannot hold. */
  | { readonly op: "scalar"; readonly convert: (value: Scalar) => unknown }
  | {
      readonly op: "fields";
      readonly to: "array" | "nothing" | StructModel;
      readonly fields: FieldsPlan;
    }
  /** A variant that is not in `variants` has no counterpart; the hint is the end of a sentence that says so. */
  | {
      readonly op: "enum";
      readonly variants: ReadonlyMap<VariantDescriptor, VariantPlan>;
      readonly hints: ReadonlyMap<VariantDescriptor, string>;
    }
  | { readonly op: "list"; readonly to: "array" | "bytes" | "text" | "json"; readonly element: Cell }
  | { readonly op: "map"; readonly to: "map" | "set"; readonly key: Cell; readonly value: Cell }
  /** A box or a small value around one value. */
  | { readonly op: "single"; readonly content: Cell }
  | { readonly op: "opaque"; readonly codec: OpaqueCodec<unknown> };

export const skip: Cell = { step: { op: "skip" } };
