import assert from "node:assert/strict";
import { test } from "node:test";
import * as k from "../schema/k.ts";
import { seal } from "../schema/seal.ts";
import type { Descriptor } from "../types/descriptor.ts";
import {
  cyclic,
  enumOf,
  map,
  option,
  packed,
  packedVec,
  pointer,
  prim,
  small,
  string,
  struct,
  tuple,
  variant,
  vec,
} from "../types/testing/build.ts";
import { differencesMax } from "./difference-list.ts";
import { isUpgradable, resolve } from "./resolve.ts";
import { accessOfBytes, type Datum, NaiveEncoder } from "./testing/values.ts";
import { readUpgraded, ValueRefused } from "./upgrade.ts";
import { zeroOf } from "./zero.ts";

const layout = (schema: unknown): Descriptor => seal(schema).descriptor;
const between = (stored: Descriptor, wanted: unknown) => resolve(stored, seal(wanted).root);

const found = (stored: Descriptor, wanted: unknown): string[] =>
  between(stored, wanted).differences.map(({ at, message, bridge }) => `${at}: ${message} [${bridge}]`);

/** The value that `datum` spells by `stored`, read for `wanted`. */
function upgraded(stored: Descriptor, datum: Datum, wanted: unknown): unknown {
  const encoder = new NaiveEncoder();
  const root = encoder.root(stored, datum);
  return readUpgraded(between(stored, wanted), encoder.access(), root);
}

const text = (value: string | null): Datum => ({ pointsTo: value });
const list = (...values: Datum[]): Datum => ({ list: values });

test("what no upgrade can bridge is refused, with the path", () => {
  const refused: readonly (readonly [Descriptor, unknown, string])[] = [
    [prim("u32"), k.u16(), "value: expected u16, found u32 [none]"],
    [prim("i8"), k.u64(), "value: expected u64, found i8 [none]"],
    [prim("u32"), k.i32(), "value: expected i32, found u32 [none]"],
    [prim("u32"), k.f64(), "value: expected f64, found u32 [none]"],
    [prim("f64"), k.f32(), "value: expected f32, found f64 [none]"],
    [prim("bool"), k.u8(), "value: expected u8, found bool [none]"],
    [prim("u8"), k.bool(), "value: expected bool, found u8 [none]"],
    [prim("u32"), k.char(), "value: expected char, found u32 [none]"],
    [string(), k.bytes(), "value: expected bytes, found string [none]"],
    [vec(prim("u8")), k.string(), "value: expected string, found bytes [none]"],
    [vec(prim("u32")), k.map(k.u32(), k.u32()), "value: expected map(u32, u32), found vec(u32) [none]"],
    [map(prim("u32"), prim("u32")), k.vec(k.u32()), "value: expected vec(u32), found map(u32, u32) [none]"],
    [option(prim("u32")), k.u32(), "value: expected u32, found option(u32) [none]"],
    [pointer(prim("u32")), k.u32(), "value: expected u32, found box(u32) [none]"],
    [prim("u32"), k.box(k.u32()), "value: expected box(u32), found u32 [none]"],
    [string(), k.struct({ a: k.string() }), "value: expected Struct, found string [none]"],
    [
      struct("S", { notes: vec(struct("N", { title: string() })) }),
      k.struct({ notes: k.vec(k.struct({ title: k.u32() })) }),
      "notes[].title: expected u32, found string [none]",
    ],
    [
      enumOf("E", 1, variant(0, "A"), variant(1, "B")),
      k.oneOf("A", "C"),
      'value: the discriminant 1 belongs to "B" in the file, to "C" as expected; if it is "C" now, the schema must say so with was: { "C": "B" } [none]',
    ],
    [
      struct("S", {}),
      k.struct({ a: k.oneOf("x", { discriminants: { x: 1 } }) }),
      'value: the field "a" (OneOf) is missing in the file, and has neither a default nor a zero value [none]',
    ],
    [
      small(prim("u8"), pointer(packed(prim("u16")))),
      k.u8(),
      "value: expected u8, found small(u8): a small value whose content changes its type when it moves out [none]",
    ],
  ];
  for (const [stored, wanted, message] of refused) {
    assert.ok(found(stored, wanted).includes(message), found(stored, wanted).join("\n"));
    assert.equal(isUpgradable(between(stored, wanted), true), false);
  }
});

test("every integer widens to every kind that holds all its values, and to no other", () => {
  const bits = { u8: 8, u16: 16, u32: 32, u64: 64, i8: 8, i16: 16, i32: 32, i64: 64 } as const;
  const types = {
    u8: k.u8,
    u16: k.u16,
    u32: k.u32,
    u64: k.u64,
    i8: k.i8,
    i16: k.i16,
    i32: k.i32,
    i64: k.i64,
  };
  const rangeOf = (name: keyof typeof bits): [bigint, bigint] => {
    const size = BigInt(bits[name]);
    return name.startsWith("u") ? [0n, (1n << size) - 1n] : [-(1n << (size - 1n)), (1n << (size - 1n)) - 1n];
  };
  for (const from of Object.keys(bits) as (keyof typeof bits)[])
    for (const to of Object.keys(bits) as (keyof typeof bits)[]) {
      const [low, high] = rangeOf(from);
      const [least, most] = rangeOf(to);
      const holds = least <= low && high <= most;
      assert.equal(isUpgradable(between(prim(from), types[to]()), false), holds, `${from} to ${to}`);
      if (!holds) continue;
      for (const value of [low, high]) {
        const read = upgraded(
          prim(from),
          Number.isSafeInteger(Number(value)) ? Number(value) : value,
          types[to](),
        );
        assert.equal(read, bits[to] === 64 ? value : Number(value));
      }
    }
});

test("fields by name: reordered, renamed, new with a default, new with a zero, dropped on request", () => {
  const stored = struct("Old", { b: prim("u8"), gone: string(), a: string() });
  const wanted = k.struct({
    first: k.string().named("a"),
    second: k.u16().was("b"),
    limit: k.u32().default(10),
    tags: k.vec(k.string()),
  });
  assert.deepEqual(found(stored, wanted), [
    'value: the field "second" is called "b" in the file [upgrade]',
    'value: the file has a field "gone" (string) that is not expected [drop-fields]',
    "value: fields are in another order in the file [upgrade]",
    'value: the field "limit" (u32) is missing in the file [upgrade]',
    'value: the field "tags" (vec(string)) is missing in the file [upgrade]',
    "b: expected u16, found u8 [upgrade]",
  ]);
  assert.equal(isUpgradable(between(stored, wanted), false), false);
  assert.equal(isUpgradable(between(stored, wanted), true), true);
  assert.deepEqual(upgraded(stored, list(7, text("x"), text("y")), wanted), {
    first: "y",
    second: 7,
    limit: 10,
    tags: [],
  });
});

test("a name that both have wins over a name that one had", () => {
  const stored = struct("S", { a: prim("u8"), b: prim("u8") });
  const wanted = k.struct({ b: k.u8().was("a") });
  assert.deepEqual(upgraded(stored, list(1, 2), wanted), { b: 2 });
  assert.ok(found(stored, wanted).some((each) => each.includes('"a"') && each.endsWith("[drop-fields]")));
});

test("variants by name: renumbered, renamed, with fields changed; an unknown one only if it is used", () => {
  const stored = enumOf(
    "Old",
    2,
    variant(0, "Circle", { r: prim("f32") }),
    variant(5, "Old"),
    variant(9, "Gone", { x: prim("u8") }),
  );
  const wanted = k.enum(
    { Ring: { r: k.f64(), hole: k.f64() }, Circle: { r: k.f64() } },
    { tag: "type", was: { Ring: "Old" }, discriminants: { Ring: 6, Circle: 1 } },
  );
  assert.ok(isUpgradable(between(stored, wanted), false));
  assert.deepEqual(upgraded(stored, { variant: 0, fields: [1.5] }, wanted), { type: "Circle", r: 1.5 });
  assert.deepEqual(upgraded(stored, { variant: 1, fields: [] }, wanted), { type: "Ring", r: 0, hole: 0 });
  assert.throws(
    () =>
      upgraded(
        vec(stored),
        { pointsTo: list({ variant: 0, fields: [1] }, { variant: 2, fields: [1] }) },
        k.vec(wanted),
      ),
    (error) =>
      error instanceof ValueRefused && error.difference.at === "[1]" && error.message.includes('"Gone"'),
  );
  const names = k.oneOf("Circle", "Old");
  assert.equal(
    upgraded(enumOf("E", 1, variant(0, "Circle", { r: prim("f32") })), { variant: 0, fields: [1] }, names),
    "Circle",
  );
});

test("encodings differ, values do not", () => {
  const hi: Datum = { pointsTo: list("h", "i") };
  assert.equal(upgraded(vec(prim("char")), hi, k.string()), "hi");
  assert.deepEqual(upgraded(string(), text("hä"), k.vec(k.char())), ["h", "ä"]);
  assert.deepEqual(upgraded(vec(prim("u8")), { pointsTo: list(1, 255) }, k.vec(k.u64())), [1n, 255n]);
  assert.deepEqual(upgraded(packedVec(prim("u16")), { pointsTo: list(1, 300) }, k.vec(k.u16())), [1, 300]);
});

test("json is parsed, and what is not JSON does not suit the schema", () => {
  const stored = struct("S", { j: string() });
  const wanted = k.struct({ j: k.json(), n: k.u8() });
  assert.deepEqual(upgraded(stored, list(text('{"a":[1]}')), wanted), { j: { a: [1] }, n: 0 });
  assert.throws(
    () => upgraded(stored, list(text("{")), wanted),
    (error) =>
      error instanceof ValueRefused &&
      error.difference.at === "j" &&
      error.message.includes("the text is not JSON"),
  );
});

test("a number that a number cannot hold is refused, never rounded", () => {
  const stored = map(string(), prim("u64"));
  const wanted = k.map(k.string(), k.option(k.u64({ as: "number" })));
  const datum = (value: number | bigint): Datum => ({ pointsTo: list(list(true, text("a"), value)) });
  assert.deepEqual(upgraded(stored, datum(5), wanted), new Map([["a", 5]]));
  assert.throws(() => upgraded(stored, datum(2n ** 60n), wanted), /\["a"\]: 1152921504606846976 is beyond/);
});

test("sets and maps of units are the same; a set of keys from a map drops its values on request only", () => {
  const wanted = k.set(k.u8());
  const datum: Datum = { pointsTo: list(list(true, 5, list()), { dead: [9] }, list(true, 6, list())) };
  assert.deepEqual(found(map(prim("u8"), struct("Anything", {})), wanted), []);
  assert.deepEqual(upgraded(map(prim("u8"), struct("Anything", {})), datum, wanted), [5, 6]);
  const withValues = map(prim("u8"), struct("V", { v: prim("u8") }));
  assert.deepEqual(between(withValues, wanted).counts, {
    upgrade: 0,
    "drop-fields": 1,
    "if-unused": 0,
    none: 0,
  });
  assert.equal(isUpgradable(between(map(prim("u8"), prim("u8")), wanted), true), false);
});

test("keys that dropping fields makes equal are refused", () => {
  const stored = map(enumOf("E", 1, variant(0, "A", { x: prim("u8") })), prim("u8"));
  const wanted = k.map(k.oneOf("A"), k.u8());
  const datum = (...keys: number[]): Datum => ({
    pointsTo: list(...keys.map((x) => list(true, { variant: 0, fields: [x] }, 1))),
  });
  assert.ok(isUpgradable(between(stored, wanted), true));
  assert.deepEqual(upgraded(stored, datum(4), wanted), new Map([["A", 1]]));
  assert.throws(() => upgraded(stored, datum(4, 5), wanted), /two keys of the file become one/);
});

test("a vector of records that look like slots stays one if the schema says so", () => {
  const Slot = k.struct({ live: k.bool(), key: k.u8(), value: k.string() });
  const stored = layout(k.vec(Slot));
  const wanted = k.struct({ all: k.vec(k.struct({ live: k.bool(), key: k.u16(), value: k.string() })) });
  const datum = list({ pointsTo: list(list(false, 1, text("a")), list(true, 1, text("b"))) });
  assert.deepEqual(upgraded(struct("S", { all: stored }), datum, wanted), {
    all: [
      { live: false, key: 1, value: "a" },
      { live: true, key: 1, value: "b" },
    ],
  });
});

test("recursive types are resolved once, and deep values without recursion", () => {
  const Chain = k.struct({
    value: k.u32(),
    get next() {
      return k.box(Chain);
    },
  });
  const stored = cyclic("Chain", (chain) => ({ next: pointer(chain), value: prim("u8") }));
  const depth = 100_000;
  const access = accessOfBytes(
    new Map(
      Array.from({ length: depth }, (_, i) => {
        const bytes = new Uint8Array(5).fill(i % 7, 4);
        new DataView(bytes.buffer).setUint32(0, i + 1 < depth ? i + 2 : 0, true);
        return [i + 1, bytes] as const;
      }),
    ),
  );
  let at = readUpgraded(between(stored, Chain), access, 1) as { value: number; next: unknown } | null;
  let count = 0;
  for (; at !== null; at = at.next as typeof at) assert.equal(at.value, count++ % 7);
  assert.equal(count, depth);
});

test("opaque types: the compatible part of the version decides", () => {
  const codec = { encode: () => {}, decode: (bytes: Uint8Array) => [...bytes] };
  const of = (version: readonly [number, number, number], inlineSize = 2) =>
    k.opaque({ library: "lib", type: "T", version, inlineSize, codec });
  const upgradable = (from: readonly [number, number, number], to: readonly [number, number, number]) =>
    isUpgradable(between(layout(of(from)), of(to)), false);
  assert.ok(upgradable([1, 2, 3], [1, 9, 0]));
  assert.ok(upgradable([0, 2, 3], [0, 2, 0]));
  assert.ok(!upgradable([1, 2, 3], [2, 0, 0]));
  assert.ok(!upgradable([0, 2, 3], [0, 3, 0]));
  assert.ok(!upgradable([0, 1, 0], [1, 1, 0]));
  assert.ok(!isUpgradable(between(layout(of([1, 0, 0], 3)), of([1, 0, 0], 2)), false));
  assert.deepEqual(upgraded(layout(of([1, 0, 0])), { raw: [4, 5] }, k.option(of([1, 1, 0]))), [4, 5]);
});

test("zero values, and the types that have none", () => {
  const zero = (schema: unknown): unknown => zeroOf(seal(schema).root)?.();
  const Shape = k.enum({ Dot: {}, Box: { w: k.f64() } });
  assert.deepEqual(
    zero(
      k.struct({
        a: k.u64(),
        b: k.string().default("x"),
        c: k.tuple(k.bool(), k.char()),
        d: Shape,
        e: k.option(Shape),
        f: k.map(k.u8(), k.u8()),
      }),
    ),
    { a: 0n, b: "x", c: [false, "\0"], d: { kind: "Dot" }, e: null, f: new Map() },
  );
  assert.equal(zero(k.oneOf("a", "b")), "a");
  assert.equal(zeroOf(seal(k.oneOf("a", { discriminants: { a: 1 } })).root), undefined);
  assert.equal(zeroOf(seal(k.struct({ a: k.oneOf("a", { discriminants: { a: 1 } }) })).root), undefined);
});

test("differences have the path of what they are in", () => {
  const author = (fields: Record<string, Descriptor>) => struct("Author", fields);
  const stored = struct("Note", {
    title: string(),
    tags: vec(prim("u32")),
    authors: map(prim("u32"), author({ age: prim("u8"), name: string(), nick: string() })),
    shape: enumOf(
      "Shape",
      2,
      variant(0, "Circle", { r: prim("f64") }),
      variant(2, "Square"),
      variant(3, "Dot"),
    ),
    pair: tuple(prim("u8"), prim("u32")),
    "odd name": pointer(prim("i8")),
    more: vec(prim("u8")),
  });
  const Shape = k.enum({ Circle: { r: k.f32() }, Square: {} });
  const Author = k.struct({ name: k.string(), age: k.u8(), email: k.option(k.u8()) });
  const wanted = k.struct({
    title: k.string(),
    tags: k.vec(k.string()),
    authors: k.map(k.u64(), Author),
    shape: Shape,
    pair: k.tuple(k.u8(), k.u16()),
    "odd name": k.box(k.u8()),
  });
  assert.deepEqual(found(stored, wanted), [
    'value: the file has a field "more" (bytes) that is not expected [drop-fields]',
    "shape: discriminants take 1 bytes as expected, 2 in the file [upgrade]",
    'shape: the variant "Square" has the discriminant 1 as expected, 2 in the file [upgrade]',
    'shape: the file has a variant "Dot" that is not expected [if-unused]',
    "tags[]: expected string, found u32 [none]",
    "authors.keys(): expected u64, found u32 [upgrade]",
    'authors.values(): the file has a field "nick" (string) that is not expected [drop-fields]',
    "authors.values(): fields are in another order in the file [upgrade]",
    'authors.values(): the field "email" (option(u8)) is missing in the file [upgrade]',
    "shape.Circle.r: expected f32, found f64 [none]",
    "pair[1]: expected u16, found u32 [none]",
    '["odd name"]: expected u8, found i8 [none]',
  ]);
});

test("there may be more differences than anyone reads", () => {
  const many = struct("S", Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`f${i}`, prim("u8")])));
  const { differences, counts } = between(many, k.struct({}));
  assert.equal(differences.length, differencesMax + 1);
  assert.equal(counts["drop-fields"], 500);
});
