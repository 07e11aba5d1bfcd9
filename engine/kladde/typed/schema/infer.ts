/**
 * Static types of schema values.
 *
 *  (1) A constructor returns an interface over the schemas it was given; what it reads as (`~live`) and accepts (`~init`)
 *      is computed inside the interface, so that the compiler finishes a recursive type only when it is asked.
 *  (2) Members that begin with `~` are for the compiler: no value has them.
 *  (3) What a type reads as, it also accepts.
 */

import type { Bytes, KMap, KMapOf, KSet, KTuple, KVec, KVecOf, Text } from "./containers.ts";

/** What reading a value of the schema gives. */
export type Infer<S> = S extends abstract new (
  ...args: never[]
) => infer I
  ? I
  : S extends { readonly "~live": unknown }
    ? S["~live"]
    : never;

/** What may be written where the schema stands. Indexed, not inferred: inference compares recursive types to the end. */
export type Init<S> = S extends { readonly "~init": unknown } ? S["~init"] : never;

/**
 * A function that gives a first value. A conditional type of the whole function, not of its result: the compiler then
 * knows the result while it reads the function, and takes "draft" for the literal, not for any string.
 */
export type InitOf<S> = S extends { readonly "~init": unknown } ? () => S["~init"] : never;

/** Anything made by `k`. */
export interface AnySchema extends Modifiers {
  readonly "~schema": true;
}

/** A type that a map may have as its key. */
export interface AnyKey extends AnySchema {
  readonly "~key": true;
}

export interface Modifiers {
  /** Initial value, and that of a field which an older file lacks. */
  default<S>(this: S, value: Init<S>): Defaulted<S>;
  /** The name in the file, where it differs from the property's. */
  named<S>(this: S, name: string): Field<S>;
  /** Names that the field had in older files. */
  was<S>(this: S, ...names: readonly string[]): Field<S>;
  /** Fixed width inside packed values, so that it can change without moving what follows. */
  slotted<S>(this: S): Field<S>;
  /** 16 bytes that are equal for equal layouts with equal names. */
  fingerprint(): Uint8Array;
  /** The descriptor table that files of this type hold. */
  table(): Uint8Array;
  /** Bytes of a slot; `undefined` if the type has only a packed form. */
  readonly slotSize: number | undefined;
}

type Flag<S, Name extends string> = S extends { readonly [N in Name]: true } ? true : false;

export interface Field<S> extends AnySchema {
  readonly "~live": Infer<S>;
  readonly "~init": Init<S>;
  readonly "~optional": Flag<S, "~optional">;
  readonly "~plain": Flag<S, "~plain">;
  readonly "~nullable": Flag<S, "~nullable">;
}

export interface Defaulted<S> extends AnySchema {
  readonly "~live": Infer<S>;
  readonly "~init": Init<S>;
  readonly "~optional": true;
  readonly "~plain": Flag<S, "~plain">;
  readonly "~nullable": Flag<S, "~nullable">;
}

/** Reads as what it accepts, and is never shared: numbers, strings, JSON, opaque values. */
export interface ValueSchema<T> extends AnySchema {
  readonly "~live": T;
  readonly "~init": T;
  readonly "~plain": true;
}

export interface KeySchema<T> extends ValueSchema<T> {
  readonly "~key": true;
}

export interface UnitSchema extends ValueSchema<undefined> {
  readonly "~optional": true;
}

export interface TextSchema extends AnySchema {
  readonly "~live": Text;
  readonly "~init": string | Text;
}

export interface BytesSchema extends AnySchema {
  readonly "~live": Bytes;
  readonly "~init": Uint8Array | Bytes;
}

/** Fields that a plain object may leave out: those with an empty value or a default. */
type OptionalIn<Shape> = {
  [P in keyof Shape]: Shape[P] extends { readonly "~optional": true } ? P : never;
}[keyof Shape];

type RequiredIn<Shape> = Exclude<keyof Shape, OptionalIn<Shape>>;

/** Which properties a plain object has, and which of them it must have. */
type Presence<Shape> = { [P in RequiredIn<Shape>]: true } & { [P in OptionalIn<Shape>]?: true };

type Arguments<Shape, Input> = [RequiredIn<Shape>] extends [never] ? [init?: Input] : [init: Input];

/**
 * A class: its instances are what a file's values read as, and `new` makes one that is in no file yet.
 * The mapped types here and below are written out, because a name for them is all that an editor would show.
 */
export interface StructSchema<Shape> extends AnySchema {
  new (
    ...init: Arguments<Shape, StructSchema<Shape>["~init"]>
  ): { -readonly [P in keyof Shape]: Infer<Shape[P]> };
  readonly "~init": {
    -readonly [P in keyof Presence<Shape>]: P extends keyof Shape ? Init<Shape[P]> : never;
  };
}

export interface EnumSchema<Variants, Tag extends string> extends AnySchema {
  readonly "~live": {
    [N in keyof Variants]: {
      [P in Tag | keyof Variants[N]]: P extends Tag
        ? N
        : P extends keyof Variants[N]
          ? Infer<Variants[N][P]>
          : never;
    };
  }[keyof Variants];
  readonly "~init": {
    [N in keyof Variants]: {
      -readonly [P in keyof ({ [T in Tag]: true } & Presence<Variants[N]>)]: P extends Tag
        ? N
        : P extends keyof Variants[N]
          ? Init<Variants[N][P]>
          : never;
    };
  }[keyof Variants];
}

export interface TupleSchema<Elements extends readonly unknown[]> extends AnySchema {
  readonly "~live": KTuple<{ -readonly [I in keyof Elements]: Infer<Elements[I]> }>;
  readonly "~init":
    | { readonly [I in keyof Elements]: Init<Elements[I]> }
    | KTuple<{ -readonly [I in keyof Elements]: Infer<Elements[I]> }>;
}

/** `null` is the empty one. */
export interface NullableSchema<T> extends AnySchema {
  readonly "~live": Infer<T> | null;
  readonly "~init": Init<T> | null;
  readonly "~optional": true;
  readonly "~nullable": true;
  readonly "~plain": Flag<T, "~plain">;
}

type Plain = { readonly "~plain": true };

export interface VecSchema<T> extends AnySchema {
  readonly "~live": T extends Plain ? KVec<Infer<T>> : KVecOf<Infer<T>, Init<T>>;
  readonly "~init": Iterable<Init<T>>;
  readonly "~optional": true;
}

export interface MapSchema<K, V> extends AnySchema {
  readonly "~live": V extends Plain ? KMap<Infer<K>, Infer<V>> : KMapOf<Infer<K>, Infer<V>, Init<V>>;
  readonly "~init": Iterable<readonly [Infer<K>, Init<V>]>;
  readonly "~optional": true;
}

export interface SetSchema<T> extends AnySchema {
  readonly "~live": KSet<Infer<T>>;
  readonly "~init": Iterable<Infer<T>>;
  readonly "~optional": true;
}
