/**
 * A sealed schema: what the live layer compiles its codecs and objects from.
 *
 *  (1) One model per type identity: equal constructors over equal arguments are one object, every declared struct and enum
 *      is its own. Getters have been evaluated; the graph may have cycles.
 *  (2) `descriptor` is the type's layout, shared by models that differ only in how JavaScript sees them.
 */

import type { Descriptor, DiscriminantWidth, OpaqueDescriptor } from "../types/descriptor.ts";

interface Common {
  readonly descriptor: Descriptor;
  /** Bytes of a slot; -1 if the type has only a packed form. */
  readonly slotBytes: number;
}

/** `bigint` or `number`: how a 64-bit integer reads. The bytes are the same. */
export interface NumberModel extends Common {
  readonly kind: "number";
  readonly code: "u8" | "u16" | "u32" | "u64" | "i8" | "i16" | "i32" | "i64" | "f32" | "f64";
  readonly as: "number" | "bigint";
}

export interface SimpleModel extends Common {
  readonly kind: "bool" | "char" | "unit" | "string" | "smallString" | "text" | "bytes" | "json";
}

export interface FieldModel {
  /** Name of the JavaScript property. */
  readonly property: string;
  /** Name in the file. */
  readonly persisted: string;
  /** Names it had in older files. */
  readonly former: readonly string[];
  /** Initial value, and that of a field an older file lacks; absent: none declared. */
  readonly initial?: { readonly value: unknown };
  readonly type: TypeModel;
}

/** Struct; `construct` makes instances of the schema value, which is a class. */
export interface StructModel extends Common {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly FieldModel[];
  /** The class that a live object is an instance of: the schema value itself, or what extends it. */
  readonly construct: abstract new (
    ...args: never[]
  ) => object;
}

/** Fields have the properties `0`, `1`, and so on. */
export interface TupleModel extends Common {
  readonly kind: "tuple";
  readonly fields: readonly FieldModel[];
}

export interface VariantModel {
  readonly name: string;
  readonly former: readonly string[];
  readonly discriminant: number;
  readonly fields: readonly FieldModel[];
}

/** `tag` is the property that holds the variant's name, by default `kind`. */
export interface EnumModel extends Common {
  readonly kind: "enum";
  readonly name: string;
  readonly tag: string;
  readonly width: DiscriminantWidth;
  readonly variants: readonly VariantModel[];
}

/** An enum of variants without fields that reads as a string literal. */
export interface OneOfModel extends Common {
  readonly kind: "oneOf";
  readonly width: DiscriminantWidth;
  readonly variants: readonly VariantModel[];
}

/** One argument. `slotted` forces the slotted form inside packed values and reads as its element. */
export interface ElementModel extends Common {
  readonly kind: "option" | "vec" | "packedVec" | "smallVec" | "set" | "slotted";
  readonly element: TypeModel;
}

export interface BoxModel extends Common {
  readonly kind: "box";
  readonly element: TypeModel;
  /** Whether the content is packed. */
  readonly packed: boolean;
}

export interface MapModel extends Common {
  readonly kind: "map" | "sortedMap";
  readonly key: TypeModel;
  readonly value: TypeModel;
}

/** What an application gives for a type that only it understands. */
export interface OpaqueCodec<T> {
  /** `bytes` is exactly the inline size long and must not be kept. */
  encode(value: T, bytes: Uint8Array): void;
  decode(bytes: Uint8Array): T;
}

export interface OpaqueModel extends Common {
  readonly kind: "opaque";
  readonly descriptor: OpaqueDescriptor;
  readonly codec: OpaqueCodec<unknown>;
}

export type TypeModel =
  | NumberModel
  | SimpleModel
  | StructModel
  | TupleModel
  | EnumModel
  | OneOfModel
  | ElementModel
  | BoxModel
  | MapModel
  | OpaqueModel;

/** What sealing a schema value gives; kept on the value. */
export interface SealedSchema {
  readonly root: TypeModel;
  readonly descriptor: Descriptor;
  /** 16 bytes. */
  readonly fingerprint: Uint8Array;
  /** The canonical descriptor table. */
  readonly table: Uint8Array;
}
