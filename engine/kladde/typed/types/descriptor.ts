/**
 * Type descriptors: the graph a file's schema table holds, and the form in which every layer of the typed store thinks of
 * a layout.
 *
 *  (1) A graph may have cycles; every one of them passes through a pointer.
 *  (2) Variants are ordered by ascending discriminant, fields as they are laid out.
 *  (3) Names of structs and enums are for people only; names of fields and variants are identity.
 */

/** Codes of primitives, which are also their descriptors' bytes. */
export const primitiveCodes = {
  u8: 0,
  u16: 1,
  u32: 2,
  u64: 3,
  i8: 4,
  i16: 5,
  i32: 6,
  i64: 7,
  f32: 8,
  f64: 9,
  bool: 10,
  char: 11,
} as const;

export type PrimitiveName = keyof typeof primitiveCodes;
export type PrimitiveCode = (typeof primitiveCodes)[PrimitiveName];

export interface PrimitiveDescriptor {
  readonly kind: "primitive";
  readonly code: PrimitiveCode;
}

export interface FieldDescriptor {
  readonly name: string;
  readonly type: Descriptor;
}

export interface StructDescriptor {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly FieldDescriptor[];
}

/** Bytes of a discriminant in a slot. */
export type DiscriminantWidth = 1 | 2 | 4 | 8;

export interface VariantDescriptor {
  /** A safe integer; tables with larger ones are refused. */
  readonly discriminant: number;
  readonly name: string;
  readonly fields: readonly FieldDescriptor[];
}

export interface EnumDescriptor {
  readonly kind: "enum";
  readonly name: string;
  readonly width: DiscriminantWidth;
  readonly variants: readonly VariantDescriptor[];
}

export interface OpaqueDescriptor {
  readonly kind: "opaque";
  readonly library: string;
  readonly type: string;
  /** Major, minor, patch. */
  readonly version: readonly [number, number, number];
  readonly inlineBytes: number;
  readonly parameters: readonly Descriptor[];
}

/** Pointer: an allocation id. Sequence: elements until a range ends. Packed, slotted: force an encoding. */
export interface WrapperDescriptor {
  readonly kind: "pointer" | "sequence" | "packed" | "slotted";
  readonly target: Descriptor;
}

export interface SmallDescriptor {
  readonly kind: "small";
  readonly content: Descriptor;
  readonly spilled: Descriptor;
}

export type Descriptor =
  | PrimitiveDescriptor
  | StructDescriptor
  | EnumDescriptor
  | OpaqueDescriptor
  | WrapperDescriptor
  | SmallDescriptor;
