/** Every schema that must be refused is, with the place and what to do; and a refused one leaves nothing behind. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SchemaError } from "./error.ts";
import * as k from "./k.ts";
import { seal } from "./seal.ts";

const codec = { encode: () => {}, decode: () => 0 };
const opaque = { library: "l", type: "t", version: [1, 0, 0], inlineSize: 4, codec } as const;
// biome-ignore lint/suspicious/noExplicitAny: what the compiler refuses must be refused without it, too
const loosely = (value: unknown): any => value;

const refused: readonly (readonly [what: string, make: () => unknown, message: RegExp])[] = [
  ["a whole number as name", () => k.struct({ 0: k.u8(), 10: k.u8() }), /^Struct: the name "0" .* k\.tuple/],
  ["a whole number as variant", () => k.enum({ 7: {} }), /the name "7" is a whole number/],
  ["a name with $", () => k.struct({ $a: k.u8() }), /the name "\$a" begins with \$/],
  ["a variant's field with $", () => k.enum({ A: { $0: k.u8() } }), /Enum<A>: the name "\$0" begins/],
  ["what objects have", () => k.struct({ constructor: k.u8() }), /\.named\("constructor"\)/],
  ["toJSON", () => k.struct({ toJSON: k.u8() }), /\.named\("toJSON"\)/],
  ["a symbol", () => k.struct({ [Symbol.iterator]: k.u8() }), /a symbol cannot/],
  ["half a surrogate pair", () => k.struct({ "\ud800": k.u8() }), /surrogate/],
  ["the same in a persisted name", () => k.struct({ a: k.u8().named("\udc00") }), /surrogate/],
  [
    "one persisted name for two fields",
    () => k.struct({ a: k.u8(), b: k.u8().named("a") }),
    /a and b both have the name "a"/,
  ],
  [
    "a former name that is another's name",
    () => k.struct({ a: k.u8(), b: k.u8().was("a") }),
    /a and b both have the name "a"/,
  ],
  ["a former name twice", () => k.struct({ a: k.u8().was("x", "x") }), /a says the name "x" twice/],
  [
    "one persisted name in a variant",
    () => k.enum({ A: { a: k.u8(), b: k.u8().named("a") } }),
    /Enum<A>: a and b/,
  ],
  ["a field named like the tag", () => k.enum({ A: { kind: k.u8() } }), /Enum<A>: the field kind/],
  ["option of option", () => k.option(k.option(k.u8())), /option\(option\) would have two meanings of null/],
  ["option of box", () => k.struct({ a: k.option(k.box(k.u8())) }), /Struct\.a: option\(box\)/],
  ["box of option", () => k.box(k.option(k.u8())), /box\(option\)/],
  ["box of box", () => k.box(k.box(k.u8())), /box\(box\)/],
  ["option of JSON", () => k.option(k.json()), /option\(json\)/],
  ["option of a slotted option", () => k.option(k.option(k.u8()).slotted()), /option\(option\)/],
  ["a vector of nothing", () => k.vec(k.unit()), /zero|no bytes|size/i],
  ["a packed vector of nothing", () => k.packedVec(k.struct({})), /zero|no bytes|size/i],
  ["a small vector of nothing", () => k.packedVec(k.smallVec(k.tuple())), /zero|no bytes|size/i],
  ["a small string in a vector", () => k.vec(k.smallString()), /packed|slot/],
  ["a small string in a map", () => k.map(k.u8(), k.smallString()), /packed|slot/],
  ["a small vector in a box", () => k.box(k.smallVec(k.u8())), /packed|slot/],
  ["a slotted small string", () => k.packedVec(k.smallString().slotted()), /packed|slot/],
  [
    "a struct within itself",
    () => {
      const Self = k.struct({
        get self(): unknown {
          return Self;
        },
      });
      return Self;
    },
    /finite|itself/,
  ],
  [
    "an option of itself",
    () => {
      const Self = k.struct({
        get self(): unknown {
          return k.option(Self);
        },
      });
      return k.vec(Self);
    },
    /finite|itself/,
  ],
  [
    "a new type each time",
    () => {
      const next = () =>
        k.struct({
          get next(): unknown {
            return next();
          },
        });
      return next();
    },
    /more than 10000 types/,
  ],
  ["a map by floats", () => k.map(loosely(k.f32()), k.u8()), /<key>: the keys of a map .* not f32, a float/],
  ["a set of floats", () => k.set(loosely(k.f64())), /the keys of a set .* not f64/],
  ["a map by structs", () => k.sortedMap(loosely(k.struct({ a: k.u8() })), k.u8()), /not struct/],
  ["a map by texts", () => k.map(loosely(k.text()), k.u8()), /not text/],
  ["a map by JSON", () => k.map(loosely(k.json()), k.u8()), /not json/],
  [
    "what is nested too deep",
    () => Array.from({ length: 300 }).reduce<Parameters<typeof k.vec>[0]>((inner) => k.vec(inner), k.u8()),
    /nest deeper than 200/,
  ],
  ["an enum of nothing", () => k.enum({}), /without variants/],
  ["oneOf of nothing", () => k.oneOf(), /without variants/],
  ["a name twice", () => k.oneOf("a", "b", "a"), /the variant "a" is given twice/],
  [
    "a number that does not fit",
    () => k.enum({ A: {} }, { width: 1, discriminants: { A: 256 } }),
    /0 to 255, not 256/,
  ],
  [
    "a counted number that does not fit",
    () => k.oneOf("a", "b", { width: 1, discriminants: { a: 255 } }),
    /of b must/,
  ],
  ["a negative number", () => k.enum({ A: {} }, { discriminants: { A: -1 } }), /whole number from 0/],
  ["a fraction", () => k.enum({ A: {} }, { discriminants: { A: 0.5 } }), /whole number from 0/],
  ["an unsafe number", () => k.enum({ A: {} }, { discriminants: { A: 2 ** 53 } }), /whole number from 0/],
  ["a bigint", () => k.enum({ A: {} }, { discriminants: { A: loosely(1n) } }), /whole number from 0/],
  [
    "one number twice",
    () => k.enum({ A: {}, B: {} }, { discriminants: { A: 1, B: 1 } }),
    /A and B have the same/,
  ],
  ["a width there is not", () => k.enum({ A: {} }, { width: loosely(3) }), /1, 2, 4 or 8 bytes, not 3/],
  [
    "a number for nothing",
    () => k.enum({ A: {} }, { discriminants: loosely({ B: 1 }) }),
    /a variant "B", which/,
  ],
  ["a former name for nothing", () => k.oneOf("a", { was: loosely({ b: "c" }) }), /a variant "b", which/],
  [
    "a value in a shape",
    () => k.struct({ a: { b: 5 as unknown } }),
    /Struct\.a: expected a schema made by k, found a/,
  ],
  [
    "a number in a shape",
    () => k.struct({ a: k.vec(k.struct({ b: 5 })) }),
    /Struct\.a\[\]\.b: expected .* found 5/,
  ],
  [
    "a constructor that was not called",
    () => k.struct({ a: k.string }),
    /the function string; was it called\?/,
  ],
  [
    "nothing at all",
    () => k.enum({ A: { x: undefined } }),
    /Enum<A>\.x: expected a schema made by k, found undefined/,
  ],
  ["a schema as variant", () => k.enum({ A: k.u8() }), /Enum<A>: the fields of a variant must be/],
  ["null as variant", () => k.enum({ A: null }), /Enum<A>: the fields of a variant must be/],
  ["a default of an element", () => k.vec(k.u8().default(1)), /\[\]: \.default\(\) is about a field/],
  ["a name of an element", () => k.tuple(k.u8().named("x")), /\[0\]: \.named\(\) is about a field/],
  ["a former name of a root", () => k.u8().was("x"), /\.was\(\) is about a field/],
  [
    "a getter that throws",
    () =>
      k.struct({
        get a(): unknown {
          throw new ReferenceError("not yet");
        },
      }),
    /Struct\.a: the getter threw/,
  ],
  [
    "a getter that uses its schema",
    () => {
      const A = k.struct({
        get a(): unknown {
          return k.vec(k.u8().default(A.fingerprint().length));
        },
      });
      return A;
    },
    /not use them, before they are sealed/,
  ],
  [
    "a class that hides a field",
    () =>
      class Hidden extends k.struct({ a: loosely(k.u8()) }) {
        override get a(): object {
          return {};
        }
      },
    /Hidden: the class defines a,/,
  ],
  [
    "a version of two numbers",
    () => k.opaque({ ...opaque, version: loosely([1, 2]) }),
    /three whole numbers/,
  ],
  ["a size that is none", () => k.opaque({ ...opaque, inlineSize: -1 }), /inlineSize/],
  ["a codec that is none", () => k.opaque({ ...opaque, codec: loosely({}) }), /encode and decode/],
  ["a library that is no string", () => k.opaque({ ...opaque, library: loosely(1) }), /must be strings/],
  [
    "a vector of an opaque type without bytes",
    () => k.vec(k.opaque({ ...opaque, inlineSize: 0 })),
    /zero|no bytes|size/i,
  ],
  ["what is no schema", () => ({}), /expected a schema made by k, found a plain object/],
];

for (const [what, make, message] of refused) {
  test(`${what} is refused, again and again`, () => {
    const schema = make();
    for (const _time of ["first", "second"]) {
      assert.throws(
        () => seal(schema),
        (error) => {
          assert.ok(error instanceof SchemaError && error instanceof TypeError, String(error));
          assert.equal(error.code, "schema");
          assert.match(error.message, message);
          assert.ok(error.message.startsWith(error.at));
          return true;
        },
      );
    }
  });
}

test("a call that cannot be right is refused at once", () => {
  assert.throws(() => k.struct(loosely(null)), /a shape must be an object/);
  assert.throws(() => k.enum(loosely([])), /a shape must be an object/);
  assert.throws(() => k.u64(loosely({ as: "string" })), /"as" must be/);
  assert.throws(() => k.u8().named(loosely(5)), /a name must be a string/);
  assert.throws(() => k.u8().was(loosely(5)), /a name must be a string/);
  assert.throws(() => k.oneOf(loosely(5)), /names must be strings/);
});

test("what a refused schema shares with a good one works afterwards", () => {
  const Part = k.struct({ a: k.u8() });
  const list = k.vec(Part);
  const triple = () => k.tuple(k.i8(), k.i16(), k.i8());
  const Bad = k.struct({ list, triple: triple(), bad: k.vec(k.smallString()) });
  assert.throws(() => seal(Bad), SchemaError);
  assert.equal(seal(triple()).root.slotBytes, 4);
  assert.equal(seal(list).root.slotBytes, 4);
  assert.equal(seal(Part).root.slotBytes, 1);
  assert.equal(seal(k.vec(list)).root.slotBytes, 4);
});

test("a schema whose getter comes too early can be sealed later", () => {
  let late: ReturnType<typeof k.u8> | undefined;
  const Early = k.struct({
    get a() {
      if (late === undefined) throw new ReferenceError("not yet");
      return late;
    },
  });
  assert.throws(() => Early.fingerprint(), SchemaError);
  late = k.u8();
  assert.equal(Early.slotSize, 1);
});
