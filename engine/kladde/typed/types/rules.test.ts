import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Descriptor } from "./descriptor.ts";
import { checkDescriptor, decodeTable, encodeTable, packedOnly, slotBytes } from "./index.ts";
import {
  cyclic,
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
} from "./testing/build.ts";
import { graphs, packedGraphs } from "./testing/random.ts";
import { vectors } from "./testing/vectors.ts";

const u32 = prim("u32");
const unit = struct("Unit", {});
const text = sequence(prim("char"));
const within = (type: Descriptor): Descriptor => struct("Note", { author: struct("Person", { x: type }) });

/** A type that breaks one rule, its path, and what the message says. */
const broken: [string, Descriptor, string, RegExp][] = [
  ["2", sequence(u32), "value", /sequence type cannot be the root/],
  ["2", packed(u32), "value", /packed type cannot be the root/],
  ["3", within(packed(u32)), "author", /packed wrapper stands only behind a pointer/],
  ["3", within(sequence(u32)), "author", /sequence stands only behind a pointer/],
  ["3", within(vec(sequence(u32))), "author.x", /sequence stands only/],
  ["3", packedVec(small(u32, text)), "[]", /sequence stands only/],
  ["3", within(opaque("l", "t", [1, 0, 0], 1, packed(u32))), "author.x", /packed wrapper stands only/],
  ["4", packedVec(struct("P", { s: slotted(smallString()) })), "[].s", /only a packed form cannot be forced/],
  ["4", packedVec(slotted(struct("P", { s: smallString() }))), "[]", /only a packed form cannot be forced/],
  ["5", cyclic("S", (self) => ({ s: self })), "value", /contains itself inline/],
  ["5", cyclic("S", (self) => ({ s: option(slotted(self)) })), "value", /contains itself inline/],
  ["5", vec(cyclic("S", (self) => ({ n: u32, s: tuple(self) }))), "[]", /contains itself inline/],
  ["6", vec(smallString()), "[]", /small value has no slot/],
  ["6", struct("S", { a: smallString(), b: vec(struct("T", { s: smallString() })) }), "b[].s", /no slot/],
  ["6", pointer(struct("T", { s: smallString() })), "s", /no slot/],
  ["6", map(u32, smallString()), "values()", /no slot/],
  ["7", vec(unit), "value", /no bytes/],
  ["7", packedVec(tuple(unit, opaque("l", "t", [1, 0, 0], 0))), "value", /no bytes/],
  ["7", within(enumOf("E", 1, variant(0, "A"), variant(1, "A"))), "author.x", /two variants are named "A"/],
  ["7", within(enumOf("E", 1, variant(2, "A"), variant(2, "B"))), "author.x", /discriminant 2/],
  ["7", within(enumOf("E", 1, variant(256, "A"))), "author.x", /discriminant 256 does not fit 1 byte$/],
  ["7", within(enumOf("E", 4, variant(2 ** 32, "A"))), "author.x", /does not fit 4 bytes/],
  ["7", within(enumOf("E", 1, variant(2, "A"), variant(1, "B"))), "author.x", /do not ascend/],
  ["7", within(twoFields()), "author.x", /two fields are named "x"/],
  ["7", within(enumOf("E", 1, { ...variant(0, "A"), fields: twoFields().fields })), "author.x", /two fields/],
  ["1", within(enumOf("E", 3 as 4, variant(0, "A"))), "author.x", /1, 2, 4 or 8 bytes, not 3/],
  ["1", within({ kind: "primitive", code: 12 as 11 }), "author.x", /12 is no primitive/],
  ["1", struct("S", { "\ud800": u32 }), "value", /lone surrogate/],
  ["1", enumOf("E", 1, variant(0, "\udc00")), "value", /lone surrogate/],
  ["1", struct("\ud800", { x: u32 }), "value", /lone surrogate/],
  ["1", opaque("l", "t", [1, -1, 0], 0), "value", /version/],
  ["1", opaque("l", "t", [1, 1, 0], 2 ** 32), "value", /2\^32 − 1/],
  [
    "7",
    within(tuple(opaque("l", "t", [1, 1, 0], 2 ** 32 - 1), u32)),
    "value",
    /a slot takes more than 2\^32 − 1/,
  ],
];

function twoFields(): Descriptor & { readonly kind: "struct" } {
  const field = { name: "x", type: u32 };
  return { kind: "struct", name: "S", fields: [field, field] };
}

for (const [rule, root, path, message] of broken) {
  test(`rule ${rule}: ${String(message)} at ${path}`, () => {
    assert.throws(
      () => checkDescriptor(root),
      (error: unknown) => {
        assert.ok(error instanceof TypeError);
        assert.match(error.message, message);
        assert.equal(error.message.slice(0, error.message.indexOf(": ")), path);
        return true;
      },
    );
  });
}

test("tables that break a rule are refused as corrupt", () => {
  for (const [rule, root, , message] of broken) {
    if (rule === "1" || String(message).includes("ascend")) continue;
    assert.throws(() => decodeTable(encodeTable(root)), { code: "corrupt", message }, `${rule}: ${message}`);
  }
});

test("entries that the root does not reach keep the rules too", () => {
  // u32, and a struct that contains itself.
  const bytes = Uint8Array.of(2, 2, 128, 1, 0x53, 1, 1, 0x73, 1);
  assert.throws(() => decodeTable(bytes), {
    code: "corrupt",
    message: /entry 1 \(S\): a type contains itself/,
  });
});

test("published types and random graphs keep the rules", () => {
  for (const { root, table } of vectors) if (table !== undefined) checkDescriptor(root());
  fc.assert(
    fc.property(fc.oneof(graphs, packedGraphs), (root) => {
      checkDescriptor(root);
    }),
  );
});

test("parameters of opaque types start afresh, and so does what a pointer points to", () => {
  checkDescriptor(struct("S", { a: opaque("l", "t", [1, 0, 0], 4, smallString()) }));
  checkDescriptor(struct("S", { a: packedVec(smallString()), b: pointer(packed(smallString())) }));
  checkDescriptor(packedVec(struct("P", { s: smallString(), v: vec(u32), b: pointer(u32) })));
});

test("slots whose size is exponential in the table are refused, with and without bytes", () => {
  for (const leaf of [u32, unit]) {
    let type: Descriptor = leaf;
    for (let level = 0; level < 64; level++) type = struct(`L${level}`, { a: type, b: type });
    assert.throws(
      () => checkDescriptor(type),
      /TypeError: value(\.[ab])*: a (slot takes|value has) more than/,
    );
  }
});

test("slot sizes", () => {
  const sizes: [Descriptor, number][] = [
    [struct("All", Object.fromEntries(["u8", "u16", "u32", "u64"].map((n) => [n, prim(n as "u8")]))), 15],
    [struct("All", Object.fromEntries(["i8", "i16", "i32", "i64"].map((n) => [n, prim(n as "i8")]))), 15],
    [tuple(prim("f32"), prim("f64"), prim("bool"), prim("char")), 17],
    [string(), 4],
    [option(prim("u64")), 9],
    [enumOf("E", 8, variant(0, "A"), variant(1, "B", { x: u32, y: string() })), 16],
    [enumOf("E", 2), 2],
    [enumOf("E", 1, variant(0, "A", { x: u32 }), variant(1, "B", { x: prim("u8") })), 5],
    [unit, 0],
    [slotted(u32), 4],
    [opaque("l", "t", [1, 2, 3], 17, smallString()), 17],
    [smallString(), packedOnly],
    [option(tuple(u32, smallString())), packedOnly],
    [pointer(packed(smallString())), 4],
  ];
  for (const [type, bytes] of sizes) assert.equal(slotBytes(type), bytes);
  assert.throws(() => slotBytes(cyclic("S", (self) => ({ self }))), TypeError);
});
