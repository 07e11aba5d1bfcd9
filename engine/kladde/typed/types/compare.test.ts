import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeTable } from "./decode.ts";
import type { Descriptor } from "./descriptor.ts";
import { encodeTable, fingerprintOf, sameLayout, typeName } from "./index.ts";
import {
  enumOf,
  map,
  opaque,
  option,
  packed,
  packedVec,
  pointer,
  prim,
  smallString,
  string,
  struct,
  trap,
  tuple,
  variant,
  vec,
} from "./testing/build.ts";
import { graphs } from "./testing/random.ts";
import { vectors } from "./testing/vectors.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const print = (type: Descriptor): string => hex(fingerprintOf(type));

/** The answer is the same in both directions. */
function same(a: Descriptor, b: Descriptor): boolean {
  const answer = sameLayout(a, b);
  assert.equal(sameLayout(b, a), answer);
  return answer;
}

const point = (fields = { x: prim("i32"), y: prim("i32") } as Record<string, Descriptor>, name = "Point") =>
  struct(name, fields);

test("names of types do not matter, nor does the order in which variants are written", () => {
  assert.equal(print(point()), print(point(undefined, "Coordinate")));
  assert.ok(same(point(), point(undefined, "Coordinate")));
  const table = encodeTable(enumOf("E", 2, variant(1, "A"), variant(2, "B")));
  const swapped = Uint8Array.from(table);
  // Behind count, tag, name, width and the number of variants: two variants of four bytes each.
  swapped.set(table.subarray(10, 14), 6);
  swapped.set(table.subarray(6, 10), 10);
  assert.notDeepEqual(swapped, table);
  assert.deepEqual(decodeTable(swapped), decodeTable(table));
  assert.equal(print(decodeTable(swapped)), print(decodeTable(table)));
});

test("everything else matters, for the fingerprint and for the comparison", () => {
  const others: Descriptor[] = [
    point({ y: prim("i32"), x: prim("i32") }),
    point({ x: prim("i32"), z: prim("i32") }),
    point({ x: prim("i32"), y: prim("u32") }),
    point({ x: prim("i32") }),
    point({ x: prim("i32"), y: prim("i32"), z: prim("i32") }),
  ];
  for (const other of others) {
    assert.notEqual(print(other), print(point()));
    assert.equal(same(other, point()), false);
  }
  const base = enumOf("E", 1, variant(0, "A"), variant(1, "B"));
  const enums: Descriptor[] = [
    enumOf("E", 2, variant(0, "A"), variant(1, "B")),
    enumOf("E", 1, variant(0, "A"), variant(2, "B")),
    enumOf("E", 1, variant(0, "A"), variant(1, "C")),
    enumOf("E", 1, variant(0, "A")),
    enumOf("E", 1, variant(0, "A"), variant(1, "B", { x: prim("u8") })),
    enumOf("E", 1, variant(0, "B"), variant(1, "A")),
  ];
  for (const other of enums) {
    assert.notEqual(print(other), print(base));
    assert.equal(same(other, base), false);
  }
});

test("versions of opaque types are compatible within a major number, below 1 within a minor one", () => {
  const version = (major: number, minor: number, patch: number): Descriptor =>
    opaque("lib", "T", [major, minor, patch], 8);
  assert.ok(same(version(1, 2, 3), version(1, 4, 0)));
  assert.equal(print(version(1, 2, 3)), print(version(1, 4, 0)));
  assert.ok(same(version(0, 2, 3), version(0, 2, 9)));
  for (const [a, b] of [
    [version(1, 2, 3), version(2, 2, 3)],
    [version(0, 2, 3), version(0, 3, 3)],
    [version(0, 1, 0), version(1, 0, 0)],
    [version(1, 2, 3), opaque("lib", "U", [1, 2, 3], 8)],
    [version(1, 2, 3), opaque("lab", "T", [1, 2, 3], 8)],
    [version(1, 2, 3), opaque("lib", "T", [1, 2, 3], 4)],
    [version(1, 2, 3), opaque("lib", "T", [1, 2, 3], 8, prim("u8"))],
  ] as const) {
    assert.equal(same(a, b), false);
    assert.notEqual(print(a), print(b));
  }
});

/** A copy in which nothing is shared except what would otherwise never end. */
function unshared(type: Descriptor, open = new Map<Descriptor, Descriptor>()): Descriptor {
  const known = open.get(type);
  if (known !== undefined) return known;
  const copy = { ...type } as { -readonly [K in keyof Descriptor]: unknown } & Record<string, unknown>;
  const inner = new Map(open).set(type, copy as unknown as Descriptor);
  const fields = (list: readonly { readonly name: string; readonly type: Descriptor }[]) =>
    list.map((field) => ({ ...field, type: unshared(field.type, inner) }));
  if (type.kind === "struct") copy.fields = fields(type.fields);
  else if (type.kind === "enum")
    copy.variants = type.variants.map((one) => ({ ...one, fields: fields(one.fields) }));
  else if (type.kind === "opaque") copy.parameters = type.parameters.map((one) => unshared(one, inner));
  else if (type.kind === "small") {
    copy.content = unshared(type.content, inner);
    copy.spilled = unshared(type.spilled, inner);
  } else if (type.kind !== "primitive") copy.target = unshared(type.target, inner);
  return copy as unknown as Descriptor;
}

test("sharing outside cycles does not matter; on a cycle it changes the fingerprint, never the comparison", () => {
  for (const { name, root } of vectors) {
    const copy = unshared(root());
    assert.ok(sameLayout(copy, root()), name);
    if (!name.startsWith("the trap")) assert.equal(print(copy), print(root()), name);
  }
  assert.notEqual(print(trap(true)), print(trap(false)));
  assert.ok(same(trap(true), trap(false)));
  assert.equal(print(unshared(trap(true))), print(trap(false)));
});

test("the comparison agrees with the fingerprint, except where sharing makes equal layouts look different", () => {
  fc.assert(
    fc.property(graphs, graphs, (a, b) => {
      assert.ok(same(a, decodeTable(encodeTable(a))));
      if (print(a) === print(b)) assert.ok(same(a, b));
      if (!same(a, b)) assert.notEqual(print(a), print(b));
    }),
  );
});

test("types have the names that schemas give them", () => {
  const names: readonly (readonly [Descriptor, string])[] = [
    [string(), "string"],
    [vec(prim("u8")), "bytes"],
    [packedVec(prim("u32")), "packedVec(u32)"],
    [option(prim("u32")), "option(u32)"],
    [map(prim("u8"), string()), "map(u8, string)"],
    [pointer(packed(string())), "packedBox(string)"],
    [pointer(prim("i8")), "box(i8)"],
    [smallString(), "smallString"],
    [tuple(prim("u8"), vec(string())), "tuple(u8, vec(string))"],
    [enumOf("Shape", 1, variant(0, "Dot")), "Shape"],
  ];
  for (const [type, name] of names) assert.equal(typeName(type), name);
});

test("a name is short, however much a type holds", () => {
  let type: Descriptor = prim("u8");
  for (let level = 0; level < 6; level++) type = tuple(...Array.from({ length: 8 }, () => type));
  assert.ok(typeName(type).length < 200);
  for (let level = 0; level < 40; level++) type = tuple(type, type);
  assert.ok(typeName(vec(type)).length < 200);
});

test("names of types", () => {
  const names: [Descriptor, string][] = [
    [map(prim("u64"), vec(option(string()))), "map(u64, vec(option(string)))"],
    [tuple(prim("i8"), prim("bool")), "tuple(i8, bool)"],
    [struct("Tuple0", {}), "Tuple0"],
    [packedVec(smallString()), "packedVec(smallString)"],
    [pointer(struct("Note", {})), "box(Note)"],
    [opaque("lib", "T", [1, 2, 3], 8, string()), "opaque lib/T 1.2.3(string)"],
    [tuple(...Array.from({ length: 9 }, () => prim("u8"))), `tuple(${"u8, ".repeat(8)}…)`],
    [vec(vec(vec(vec(vec(vec(vec(vec(prim("u8"))))))))), "vec(vec(vec(vec(vec(vec(vec(…)))))))"],
  ];
  for (const [type, name] of names) assert.equal(typeName(type), name);
});
