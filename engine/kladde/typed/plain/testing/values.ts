/**
 * For the tests of reading: random types and values, and an encoder that shares no code with what it tests.
 *
 * A datum is a value spelt out by its type: structs are arrays of data, enums a variant's index and fields, a pointer null or its
 * content, text a string. Every datum of a map's slots is one slot.
 */

import fc from "fast-check";
import { StoreError } from "../../../../errors.ts";
import type { Descriptor, PrimitiveDescriptor, StructDescriptor } from "../../types/descriptor.ts";
import { primitiveCodes } from "../../types/descriptor.ts";
import { checkDescriptor } from "../../types/rules.ts";
import {
  enumOf,
  map,
  opaque,
  option,
  packed,
  packedVec,
  pointer,
  prim,
  sequence,
  slotted,
  small,
  smallString,
  string,
  struct,
  tuple,
  variant,
  vec,
} from "../../types/testing/build.ts";
import type { Access } from "../access.ts";
import type { ValueNode } from "./tree.ts";

export type Datum =
  | number
  | bigint
  | boolean
  | string
  | null
  | { readonly list: readonly Datum[] }
  | { readonly variant: number; readonly fields: readonly Datum[] }
  | { readonly pointsTo: Datum | null }
  | { readonly spilled: boolean; readonly content: Datum }
  | { readonly dead: readonly number[] }
  | { readonly raw: readonly number[] };

const shapes = <T>(weights: readonly (readonly [number, fc.Arbitrary<T>])[]): fc.Arbitrary<T> =>
  fc.oneof(...weights.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const primitive = fc.constantFrom(...Object.keys(primitiveCodes)).map((name) => prim(name as "u8"));
const names = ["a", "bc", "über", "x y", "_", "Z9"] as const;
const fieldNames = fc.uniqueArray(fc.constantFrom(...names), { maxLength: 4 });

/** Types whose values may be keys of a map here. */
const keyTypes: readonly (() => Descriptor)[] = [
  () => prim("u64"),
  () => prim("i16"),
  () => prim("char"),
  () => prim("bool"),
  string,
  () => tuple(prim("i32"), string()),
  () => vec(prim("u8")),
  () => enumOf("Key", 1, variant(0, "none"), variant(7, "some", { value: prim("u16") })),
];

const fieldsOf = (element: fc.Arbitrary<Descriptor>): fc.Arbitrary<Record<string, Descriptor>> =>
  fieldNames.chain((keys) =>
    fc
      .tuple(...keys.map(() => element))
      .map((types) => Object.fromEntries(keys.map((key, i) => [key, types[i]!]))),
  );

const enumLike = (element: fc.Arbitrary<Descriptor>): fc.Arbitrary<Descriptor> =>
  fc
    .tuple(
      fc.constantFrom(1 as const, 2 as const, 4 as const, 8 as const),
      fc.array(fieldsOf(element), { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 40 }),
    )
    .map(([width, all, step]) =>
      enumOf("E", width, ...all.map((fields, i) => variant(i * step * 2, `V${i}`, fields))),
    );

const structLike = (element: fc.Arbitrary<Descriptor>): fc.Arbitrary<Descriptor> =>
  shapes([
    [3, fieldsOf(element).map((fields) => struct("S", fields))],
    [1, fc.array(element, { minLength: 1, maxLength: 3 }).map((types) => tuple(...types))],
  ]);

/** Slots are what has a fixed form; anything may stand in packed places. */
const types = fc.letrec((tie) => {
  const slot = tie("slot") as fc.Arbitrary<Descriptor>;
  const any = tie("any") as fc.Arbitrary<Descriptor>;
  return {
    slot: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      primitive,
      fc.constant(null).map(string),
      structLike(slot),
      enumLike(slot),
      slot.map((type) => option(type)),
      slot.map((type) => pointer(type)),
      any.map((type) => pointer(packed(type))),
      slot.map((type) => vec(type)),
      any.map((type) => packedVec(type)),
      fc.tuple(fc.constantFrom(...keyTypes), slot).map(([key, value]) => map(key(), value)),
      fc.integer({ min: 0, max: 9 }).map((bytes) => opaque("lib", "T", [1, 0, 0], bytes)),
    ),
    any: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      slot,
      fc.constant(null).map(smallString),
      any.map((type) => small(sequence(type), packedVec(type))),
      any.map((type) => small(type, pointer(packed(type)))),
      structLike(any),
      enumLike(any),
      slot.map((type) => slotted(type)),
    ),
  };
});

const isLegal = (type: Descriptor): boolean => {
  try {
    checkDescriptor(type);
    return true;
  } catch {
    return false;
  }
};

/** Types of all kinds, without cycles. */
export const arbitraryType = (types.any as fc.Arbitrary<Descriptor>).filter(isLegal);

const characters = fc.string({ unit: "binary", maxLength: 1, minLength: 1 });
const unsigned = (bits: number) => fc.bigInt(0n, (1n << BigInt(bits)) - 1n);
const signed = (bits: number) => fc.bigInt(-(1n << BigInt(bits - 1)), (1n << BigInt(bits - 1)) - 1n);

/** As a reader gives it: a number where that is exact. */
const narrowed = (value: bigint): number | bigint =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;

export function arbitraryScalar({
  code,
}: PrimitiveDescriptor): fc.Arbitrary<number | bigint | boolean | string> {
  if (code === primitiveCodes.bool) return fc.boolean();
  if (code === primitiveCodes.char) return characters;
  if (code === primitiveCodes.f32) return fc.float();
  if (code === primitiveCodes.f64) return fc.double();
  const bits = 8 << (code & 3);
  const edge = fc.bigInt(-(1n << 63n), (1n << 64n) - 1n).map((value) => value >> BigInt(63 - (bits - 1)));
  const inRange = code >= 4 ? signed(bits) : unsigned(bits);
  return fc
    .oneof(
      inRange,
      edge.filter((value) => BigInt[code >= 4 ? "asIntN" : "asUintN"](bits, value) === value),
    )
    .map(narrowed);
}

const isBytes = (type: Descriptor): boolean => type.kind === "primitive" && type.code === primitiveCodes.u8;
const isChar = (type: Descriptor): boolean => type.kind === "primitive" && type.code === primitiveCodes.char;

const isSlot = (type: Descriptor): boolean =>
  type.kind === "struct" && type.fields.map(({ name }) => name).join() === "live,key,value";

/** Null and empty are the same key. */
const keyOf = (slot: Descriptor, datum: Datum): string =>
  JSON.stringify(
    expected((slot as StructDescriptor).fields[1]!.type, (datum as { list: Datum[] }).list[1]!),
    (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value),
  );

/** Data of `type`; `isPacked` says how the sequence in it is encoded. */
export function arbitraryDatum(type: Descriptor, isPacked = true): fc.Arbitrary<Datum> {
  switch (type.kind) {
    case "primitive":
      return arbitraryScalar(type);
    case "struct":
      return fc.tuple(...type.fields.map((field) => arbitraryDatum(field.type))).map((list) => ({ list }));
    case "enum":
      return fc.oneof(
        ...type.variants.map(({ fields }, index) =>
          fc
            .tuple(...fields.map((field) => arbitraryDatum(field.type)))
            .map((data) => ({ variant: index, fields: data })),
        ),
      );
    case "opaque":
      return fc
        .array(fc.integer({ min: 0, max: 255 }), { minLength: type.inlineBytes, maxLength: type.inlineBytes })
        .map((raw) => ({ raw }));
    case "pointer":
      return fc.option(arbitraryDatum(type.target, false), { freq: 6 }).map((pointsTo) => ({ pointsTo }));
    case "sequence":
      if (isPacked && isChar(type.target)) return fc.string({ unit: "binary", maxLength: 40 });
      return !isPacked && isSlot(type.target) ? slotData(type.target) : listOf(type.target);
    case "packed":
      return arbitraryDatum(type.target, true);
    case "slotted":
      return arbitraryDatum(type.target);
    case "small":
      return fc
        .tuple(fc.boolean(), arbitraryDatum(type.content))
        .map(([spilled, content]) => ({ spilled, content }));
  }
}

const listOf = (element: Descriptor): fc.Arbitrary<Datum> =>
  fc.array(arbitraryDatum(element), { maxLength: 5 }).map((list) => ({ list }));

function slotData(slot: Descriptor): fc.Arbitrary<Datum> {
  const live = arbitraryDatum(slot).map((datum) => {
    const [, key, value] = (datum as { list: Datum[] }).list;
    return { list: [true, key!, value!] };
  });
  const dead = fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 8 }).map((bytes) => ({ dead: bytes }));
  return fc
    .uniqueArray(
      shapes<Datum>([
        [3, live],
        [1, dead],
      ]),
      {
        maxLength: 5,
        selector: (datum) => ("list" in (datum as object) ? keyOf(slot, datum) : {}),
      },
    )
    .map((list) => ({ list }));
}

/** Encodes by the book, with a new id for every allocation. */
export class NaiveEncoder {
  readonly allocations = new Map<number, number[]>();

  /** Returns the id of the root's allocation. */
  root(type: Descriptor, datum: Datum): number {
    const id = this.allocations.size + 1;
    this.allocations.set(id, []);
    this.allocations.set(id, this.encode(type, datum, naiveSlotBytes(type) < 0));
    return id;
  }

  access(): Access {
    return accessOfBytes(new Map([...this.allocations].map(([id, bytes]) => [id, Uint8Array.from(bytes)])));
  }

  encode(type: Descriptor, datum: Datum, isPacked: boolean): number[] {
    switch (type.kind) {
      case "primitive":
        return naiveScalar(type.code, datum as number, isPacked);
      case "struct":
        if ("dead" in (datum as object)) return deadSlot(datum as { dead: number[] }, naiveSlotBytes(type));
        return type.fields.flatMap((field, i) =>
          this.encode(field.type, (datum as { list: Datum[] }).list[i]!, isPacked),
        );
      case "enum": {
        const chosen = datum as { variant: number; fields: Datum[] };
        const { discriminant, fields } = type.variants[chosen.variant]!;
        const content = fields.flatMap((field, i) => this.encode(field.type, chosen.fields[i]!, isPacked));
        if (isPacked) return [...naiveVarint(BigInt(discriminant)), ...content];
        const bytes = [...littleEndian(BigInt(discriminant), type.width), ...content];
        return [...bytes, ...new Array<number>(naiveSlotBytes(type) - bytes.length).fill(0)];
      }
      case "opaque":
        return [...(datum as { raw: number[] }).raw];
      case "pointer": {
        const { pointsTo } = datum as { pointsTo: Datum | null };
        const id = pointsTo === null ? 0 : this.#allocate(type.target, pointsTo);
        return isPacked ? naiveVarint(BigInt(id)) : littleEndian(BigInt(id), 4);
      }
      case "sequence":
        if (typeof datum === "string") return [...Buffer.from(datum)];
        return (datum as { list: Datum[] }).list.flatMap((element) =>
          this.encode(type.target, element, isPacked),
        );
      case "packed":
        return this.encode(type.target, datum, true);
      case "slotted":
        return this.encode(type.target, datum, false);
      case "small":
        return this.#small(type.content, type.spilled, datum as { spilled: boolean; content: Datum });
    }
  }

  #small(content: Descriptor, spilled: Descriptor, datum: { spilled: boolean; content: Datum }): number[] {
    if (!datum.spilled) {
      const kept = this.allocations.size;
      const inline = this.encode(content, datum.content, true);
      if (inline.length <= 254) return [inline.length, ...inline];
      // It is encoded again, so what it points to is too.
      for (const id of this.allocations.keys()) if (id > kept) this.allocations.delete(id);
    }
    return [255, ...this.encode(spilled, { pointsTo: datum.content }, true)];
  }

  #allocate(target: Descriptor, datum: Datum): number {
    const id = this.allocations.size + 1;
    this.allocations.set(id, []);
    this.allocations.set(id, this.encode(target, datum, false));
    return id;
  }
}

const deadSlot = ({ dead }: { dead: number[] }, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, i) => (i === 0 ? 0 : (dead[i % 8] ?? 0)));

export function accessOfBytes(allocations: ReadonlyMap<number, Uint8Array>): Access {
  return {
    size: (id) => allocations.get(id)?.length ?? -1,
    read: (id, into) => {
      const bytes = allocations.get(id);
      if (bytes === undefined) throw new StoreError("corrupt", "nothing there", { id });
      into.set(bytes.subarray(0, into.length));
    },
  };
}

export const littleEndian = (value: bigint, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));

export function naiveVarint(value: bigint): number[] {
  return value < 128n ? [Number(value)] : [Number(value & 127n) | 128, ...naiveVarint(value >> 7n)];
}

export function naiveScalar(
  code: number,
  value: number | bigint | boolean | string,
  isPacked: boolean,
): number[] {
  if (typeof value === "boolean") return [value ? 1 : 0];
  if (typeof value === "string")
    return isPacked ? [...Buffer.from(value)] : littleEndian(BigInt(value.codePointAt(0)!), 4);
  if (code === primitiveCodes.f32) return [...new Uint8Array(Float32Array.of(Number(value)).buffer)];
  if (code === primitiveCodes.f64) return [...new Uint8Array(Float64Array.of(Number(value)).buffer)];
  const bytes = 1 << (code & 3);
  const whole = BigInt(value);
  if (!isPacked || bytes === 1) return littleEndian(BigInt.asUintN(64, whole), bytes);
  if (code < 4) return naiveVarint(whole);
  return naiveVarint(whole < 0n ? -2n * whole - 1n : 2n * whole);
}

export function naiveSlotBytes(type: Descriptor): number {
  const sum = (parts: readonly { readonly type: Descriptor }[]): number =>
    parts.reduce((total, { type: part }) => {
      const bytes = naiveSlotBytes(part);
      return total < 0 || bytes < 0 ? -1 : total + bytes;
    }, 0);
  switch (type.kind) {
    case "primitive":
      return [1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 1, 4][type.code]!;
    case "struct":
      return sum(type.fields);
    case "enum": {
      const sizes = type.variants.map(({ fields }) => sum(fields));
      return Math.min(...sizes) < 0 ? -1 : type.width + Math.max(...sizes);
    }
    case "opaque":
      return type.inlineBytes;
    case "pointer":
      return 4;
    case "slotted":
      return naiveSlotBytes(type.target);
    default:
      return -1;
  }
}

/** What a reader is to make of `datum`: comparable with `shown`. */
export function expected(type: Descriptor, datum: Datum, isPacked = true): unknown {
  switch (type.kind) {
    case "struct":
      return {
        struct: type.fields.map((field, i) => expected(field.type, (datum as { list: Datum[] }).list[i]!)),
      };
    case "enum": {
      const { variant: index, fields } = datum as { variant: number; fields: Datum[] };
      const chosen = type.variants[index]!;
      return {
        variant: chosen.name,
        fields: chosen.fields.map((field, i) => expected(field.type, fields[i]!)),
      };
    }
    case "opaque":
      return { opaque: (datum as { raw: number[] }).raw };
    case "pointer": {
      const content = (datum as { pointsTo: Datum | null }).pointsTo;
      const target = type.target.kind === "packed" ? type.target.target : type.target;
      const targetPacked = type.target.kind === "packed";
      if (target.kind === "sequence")
        return expected(
          target,
          content ?? (targetPacked && isChar(target.target) ? "" : { list: [] }),
          targetPacked,
        );
      return content === null ? null : { box: expected(target, content) };
    }
    case "sequence":
      if (typeof datum === "string") return { text: datum };
      return expectedList(type.target, (datum as { list: Datum[] }).list, isPacked);
    case "packed":
    case "slotted":
      return expected(type.target, datum);
    case "small": {
      const content = expected(type.content, (datum as { content: Datum }).content, true);
      return type.content.kind === "sequence" ? content : { small: content };
    }
    default:
      return datum;
  }
}

function expectedList(element: Descriptor, list: readonly Datum[], isPacked: boolean): unknown {
  if (isBytes(element)) return { bytes: list };
  if (isPacked || !isSlot(element)) return { list: list.map((each) => expected(element, each)) };
  const live = list.filter((each) => "list" in (each as object)) as { list: Datum[] }[];
  const [, key, value] = (element as StructDescriptor).fields;
  return {
    map: live.flatMap((each) => [expected(key!.type, each.list[1]!), expected(value!.type, each.list[2]!)]),
  };
}

/** A tree of nodes, comparable with `expected`. */
export function shown(node: ValueNode): unknown {
  const children = node.children.map(shown);
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "text":
      return { text: node.value };
    case "bytes":
    case "opaque":
      return { [node.kind]: [...(node.value as Uint8Array)] };
    case "none":
      return null;
    case "variant":
      return { variant: node.variant!.name, fields: children };
    case "box":
    case "small":
      return { [node.kind]: children[0] };
    case "elements":
      return { list: children };
    default:
      return { [node.kind]: children };
  }
}
