/**
 * The constructors of schema values, exported as the namespace `k`.
 *
 *  (1) Nothing is checked across schemas before one is sealed; what can be seen from one call is refused by it.
 *  (2) A call costs a small object; types, layouts and tables are made when a schema is first used.
 */

import { structClass } from "../live/struct-class.ts";
import { type Definition, definitionKey, type OpaqueOptions, type VariantOptions } from "./definition.ts";
import { SchemaError } from "./error.ts";
import type {
  AnyKey,
  AnySchema,
  BytesSchema,
  EnumSchema,
  KeySchema,
  MapSchema,
  NullableSchema,
  SetSchema,
  StructSchema,
  TextSchema,
  TupleSchema,
  UnitSchema,
  ValueSchema,
  VecSchema,
} from "./infer.ts";
import type { NumberModel, OpaqueCodec } from "./model.ts";
import { structModelOf } from "./seal.ts";
import { addMethods, SchemaValue } from "./value.ts";

export type { Infer, Init } from "./infer.ts";

/** The static type is written once, at each constructor; a schema value has its methods by `addMethods`. */
const make = <S>(definition: Definition): S => new SchemaValue(definition) as unknown as S;

const integer = <T>(code: NumberModel["code"], as: NumberModel["as"] = "number"): KeySchema<T> =>
  make({ kind: "number", code, as });

export const u8 = (): KeySchema<number> => integer("u8");
export const u16 = (): KeySchema<number> => integer("u16");
export const u32 = (): KeySchema<number> => integer("u32");
export const i8 = (): KeySchema<number> => integer("i8");
export const i16 = (): KeySchema<number> => integer("i16");
export const i32 = (): KeySchema<number> => integer("i32");

export interface WideOptions {
  /** How the integer reads; the bytes are the same. */
  readonly as?: "bigint" | "number" | undefined;
}

function wide<T>(code: "u64" | "i64", { as = "bigint" }: WideOptions): KeySchema<T> {
  if (as !== "bigint" && as !== "number") throw new SchemaError(`${code}: "as" must be "bigint" or "number"`);
  return integer(code, as);
}

export function u64(options: { readonly as: "number" }): KeySchema<number>;
export function u64(options?: { readonly as?: "bigint" | undefined }): KeySchema<bigint>;
export function u64(options: WideOptions = {}): unknown {
  return wide("u64", options);
}

export function i64(options: { readonly as: "number" }): KeySchema<number>;
export function i64(options?: { readonly as?: "bigint" | undefined }): KeySchema<bigint>;
export function i64(options: WideOptions = {}): unknown {
  return wide("i64", options);
}

export const f32 = (): ValueSchema<number> => make({ kind: "number", code: "f32", as: "number" });
export const f64 = (): ValueSchema<number> => make({ kind: "number", code: "f64", as: "number" });
export const bool = (): KeySchema<boolean> => make({ kind: "bool" });
/** One code point. */
export const char = (): KeySchema<string> => make({ kind: "char" });
export const unit = (): UnitSchema => make({ kind: "unit" });
export const string = (): KeySchema<string> => make({ kind: "string" });
/** At most 254 bytes inside the value around it, more in an allocation of their own; in packed places only. */
export const smallString = (): ValueSchema<string> => make({ kind: "smallString" });
/** The bytes of a string, as an object that is edited in place. */
export const text = (): TextSchema => make({ kind: "text" });
export const bytes = (): BytesSchema => make({ kind: "bytes" });
/** A string that holds JSON; rewritten whole on each change. */
export const json = <T>(): ValueSchema<T> => make({ kind: "json" });

/** The shape is bound loosely: a tighter bound makes the compiler finish a recursive shape to check it. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type Loose = Record<string, any>;

export interface NameOptions {
  /** Name of the type, for people who read the file. */
  readonly name?: string | undefined;
}

/** A class: extend it to add methods and what is not persisted. Subclasses take no further constructor parameters. */
export function struct<Shape extends Loose>(shape: Shape, options: NameOptions = {}): StructSchema<Shape> {
  requireShape("struct", shape);
  const { name } = options;
  const type = structClass(Object.keys(shape).length, structModelOf);
  Object.defineProperty(type, "name", { value: name ?? "Struct", configurable: true });
  Object.defineProperty(type, definitionKey, { value: { kind: "struct", shape, name } });
  addMethods(type);
  return type as unknown as StructSchema<Shape>;
}

export interface EnumOptions<Name extends PropertyKey, Tag extends string> extends NameOptions {
  /** The property that says which variant a value is. */
  readonly tag?: Tag | undefined;
  /** Bytes of the discriminant in a slot; by default the fewest that hold all of them. */
  readonly width?: 1 | 2 | 4 | 8 | undefined;
  /** By default one more than the variant before, from 0. Say them before files exist. */
  readonly discriminants?: { readonly [N in Name]?: number | undefined } | undefined;
  /** Names that variants had in older files. */
  readonly was?: { readonly [N in Name]?: string | readonly string[] | undefined } | undefined;
}

function enumeration<Variants extends Loose, Tag extends string = "kind">(
  variants: Variants,
  options: EnumOptions<keyof Variants, Tag> = {},
): EnumSchema<Variants, Tag> {
  requireShape("enum", variants);
  const { name = "Enum", tag = "kind", ...rest } = options;
  return make({ kind: "enum", variants, name, tag, options: rest as VariantOptions });
}

export type OneOfOptions<Name extends string> = Omit<EnumOptions<Name, string>, "tag" | "name">;

/** Strings of a fixed set, stored as a discriminant. */
export function oneOf<const Names extends readonly string[]>(...names: Names): KeySchema<Names[number]>;
export function oneOf<const Names extends readonly string[]>(
  ...namesAndOptions: [...Names, OneOfOptions<NoInfer<Names[number]>>]
): KeySchema<Names[number]>;
export function oneOf(...words: readonly unknown[]): unknown {
  const last = words.at(-1);
  const options = (typeof last === "object" && last !== null ? last : {}) as VariantOptions;
  const names = options === last ? words.slice(0, -1) : words;
  if (names.some((name) => typeof name !== "string")) throw new SchemaError("oneOf: names must be strings");
  return make({ kind: "oneOf", names: names as readonly string[], options });
}

export const tuple = <Elements extends readonly AnySchema[]>(...elements: Elements): TupleSchema<Elements> =>
  make({ kind: "tuple", elements });

/** A value or `null`, which takes the room of the value. */
export const option = <T extends AnySchema>(element: T): NullableSchema<T> =>
  make({ kind: "option", element });

export interface BoxOptions {
  /** Whether the content is as short as it can be; then it may hold small strings and vectors. */
  readonly packed?: boolean | undefined;
}

/** A value in an allocation of its own, or `null`, which takes no room but the pointer's. */
export const box = <T extends AnySchema>(
  element: T,
  { packed = false }: BoxOptions = {},
): NullableSchema<T> => make({ kind: "box", element, packed });

export const vec = <T extends AnySchema>(element: T): VecSchema<T> => make({ kind: "vec", element });
/** Elements as short as they can be, one behind the other. */
export const packedVec = <T extends AnySchema>(element: T): VecSchema<T> =>
  make({ kind: "packedVec", element });
/** A packed vector that stays inside the value around it while it is short; in packed places only. */
export const smallVec = <T extends AnySchema>(element: T): VecSchema<T> =>
  make({ kind: "smallVec", element });
export const set = <T extends AnyKey>(element: T): SetSchema<T> => make({ kind: "set", element });

export const map = <K extends AnyKey, V extends AnySchema>(key: K, value: V): MapSchema<K, V> =>
  make({ kind: "map", key, value });
/** A map that iterates by ascending keys; the file is the same. */
export const sortedMap = <K extends AnyKey, V extends AnySchema>(key: K, value: V): MapSchema<K, V> =>
  make({ kind: "sortedMap", key, value });

/** A type that only the application understands: `codec` turns values into exactly `inlineSize` bytes and back. */
export const opaque = <T>(
  options: Omit<OpaqueOptions, "codec"> & { readonly codec: OpaqueCodec<T> },
): ValueSchema<T> => make({ kind: "opaque", options: options as OpaqueOptions });

export { enumeration as enum };

function requireShape(name: string, shape: unknown): void {
  if (typeof shape !== "object" || shape === null || Array.isArray(shape))
    throw new SchemaError(`${name}: a shape must be an object whose properties are schemas`);
}
