/** What a walk over a value tells, in the order of the value's bytes. */

import type { StoreError } from "../../../errors.ts";
import type {
  Descriptor,
  OpaqueDescriptor,
  PrimitiveDescriptor,
  VariantDescriptor,
} from "../types/descriptor.ts";
import type { Scalar } from "./scalars.ts";

/**
 * `map` is entered with keys and values taking turns. A box is entered if it is not empty; `small` is a small
 * value that holds one other value. Struct and variant lie in their surroundings and have no allocation of their own.
 */
export type Composite = "struct" | "variant" | "elements" | "map" | "box" | "small";

/** An allocation of `bytes` as claimed that belongs to a value and cannot be read. */
export interface Lost {
  readonly id: number;
  readonly bytes: number;
  readonly cause: StoreError;
}

/**
 * `id` is the allocation that holds the content (0: none, or inside a small value), `bytes` its size as claimed; `type` the
 * type of the place, without a wrapper that only forces an encoding.
 */
export interface ValueSink {
  scalar(type: PrimitiveDescriptor, value: Scalar): void;
  /** `isCut` (lenient only): the value goes on, but was read only so far. */
  text(type: Descriptor, value: string, id: number, bytes: number, isCut: boolean): void;
  bytes(type: Descriptor, value: Uint8Array, id: number, bytes: number, isCut: boolean): void;
  opaque(type: OpaqueDescriptor, value: Uint8Array): void;
  /** An empty box. */
  none(type: Descriptor): void;
  enter(kind: Composite, type: Descriptor, id: number, bytes: number, variant?: VariantDescriptor): void;
  leave(): void;
  /**
   * Lenient: a value that cannot be read, because its bytes are lost or make no sense. After it, values that were to
   * follow may be missing.
   */
  broken(type: Descriptor, lost?: Lost): void;
  /** Lenient: as `isCut`, of the value entered last. */
  cut(): void;
}
