/** A caller's mistakes: a clear error that names the value, before anything is journaled, and the document unchanged. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../../../storage/memory.ts";
import { All, type Any, kladde, openAll, Part, part } from "../testing/all-types.ts";
import { plainOf } from "./plain.ts";

type Row = readonly [name: string, step: (doc: Any) => unknown, message: RegExp];

const lone = "a\ud800b";

const rows: readonly Row[] = [
  ["a string for a number", (doc) => (doc.u8 = "1"), /^TypeError: u8: expected a whole number/],
  ["too large", (doc) => (doc.u8 = 256), /^RangeError: u8: 256/],
  ["negative", (doc) => (doc.u16 = -1), /^RangeError: u16: -1/],
  ["a fraction", (doc) => (doc.u32 = 1.5), /^RangeError: u32: 1.5/],
  ["2^32", (doc) => (doc.u32 = 2 ** 32), /^RangeError: u32/],
  ["NaN", (doc) => (doc.i32 = Number.NaN), /^RangeError: i32: NaN/],
  ["infinite", (doc) => (doc.i8 = Number.POSITIVE_INFINITY), /^RangeError: i8/],
  ["below i16", (doc) => (doc.i16 = -32769), /^RangeError: i16/],
  ["a number for a bigint", (doc) => (doc.u64 = 1), /^TypeError: u64: expected a bigint/],
  ["2^64", (doc) => (doc.u64 = 2n ** 64n), /^RangeError: u64/],
  ["below i64", (doc) => (doc.i64 = -(2n ** 63n) - 1n), /^RangeError: i64/],
  ["a bigint for a number", (doc) => (doc.u64n = 1n), /^TypeError: u64n: expected a whole number/],
  ["beyond 2^53", (doc) => (doc.u64n = 2 ** 53), /^RangeError: u64n/],
  ["below −2^53", (doc) => (doc.i64n = -(2 ** 53)), /^RangeError: i64n/],
  ["a string for a float", (doc) => (doc.f64 = "1"), /^TypeError: f64/],
  ["null for a float", (doc) => (doc.f32 = null), /^TypeError: f32/],
  ["a number for a bool", (doc) => (doc.bool = 1), /^TypeError: bool/],
  ["two code points", (doc) => (doc.char = "ab"), /^RangeError: char/],
  ["no code point", (doc) => (doc.char = ""), /^RangeError: char/],
  ["half a code point", (doc) => (doc.char = "\ud800"), /^RangeError: char/],
  ["undefined", (doc) => (doc.string = undefined), /^TypeError: string: expected a string/],
  ["a String object", (doc) => (doc.string = new String("x")), /^TypeError: string/],
  ["a lone surrogate", (doc) => (doc.string = lone), /^TypeError: string: the string has a lone surrogate/],
  ["a lone surrogate in a text", (doc) => doc.text.append(lone), /lone surrogate/],
  [
    "a key with a lone surrogate",
    (doc) => doc.map.set(lone, part()),
    /^TypeError: map\[key\]: the string has a lone/,
  ],
  ["a member with a lone surrogate", (doc) => doc.set.add(lone), /^TypeError: set\[member\]/],
  [
    "a small string with a lone surrogate",
    (doc) => (doc.packed.at(0).small = lone),
    /^TypeError: packed\[0\]\.small/,
  ],
  ["bytes from an array", (doc) => (doc.bytes = [1, 2]), /^TypeError: bytes: expected a Uint8Array/],
  ["a byte of 256", (doc) => doc.bytes.set(0, 256), /^RangeError/],
  ["bytes past the end", (doc) => doc.bytes.set(2, Uint8Array.of(1, 2)), /^RangeError/],
  ["bytes at a fraction", (doc) => doc.bytes.splice(0.5, 0), /^RangeError/],
  ["JSON of a function", (doc) => (doc.json = () => {}), /^TypeError: json/],
  ["JSON of a bigint", (doc) => (doc.json = { a: 1n }), /^TypeError: json: cannot be written as JSON/],
  ["JSON of undefined", (doc) => (doc.json = undefined), /^TypeError: json/],
  ["a missing field", (doc) => (doc.part = { name: "x" }), /^TypeError: part\.size: missing/],
  [
    "an unknown field",
    (doc) => (doc.part = { ...part(), more: 1 }),
    /^TypeError: part\.more: Part has no such field/,
  ],
  ["a spread of a live object", (doc) => (doc.part = { ...doc.part }), /k\.toJS/],
  ["an array for a struct", (doc) => (doc.part = [1]), /^TypeError: part: expected an object \(Part\)/],
  ["another class", (doc) => (doc.part = doc.packed), /^TypeError: part: expected a Part/],
  ["too few in a tuple", (doc) => (doc.tuple = [1]), /^TypeError: tuple: expected 2 values, not 1/],
  ["wrong in a tuple", (doc) => (doc.tuple[0] = "x"), /^TypeError: tuple\[0\]/],
  ["no variant", (doc) => (doc.shape = { kind: "Square" }), /^TypeError: shape\.kind: expected one of/],
  ["an inherited name as a variant", (doc) => (doc.shape = { kind: "toString" }), /^TypeError: shape\.kind/],
  [
    "a variant's field missing",
    (doc) => (doc.shape = { kind: "Circle", of: part() }),
    /^TypeError: shape\.r: missing/,
  ],
  [
    "deep in a variant",
    (doc) => (doc.shape = { kind: "Circle", r: 1, of: { name: 1, size: 1 } }),
    /^TypeError: shape\.of\.name/,
  ],
  ["no such word", (doc) => (doc.state = "gone"), /^TypeError: state/],
  ["an inherited word", (doc) => (doc.state = "constructor"), /^TypeError: state/],
  ["undefined in an option", (doc) => (doc.option = undefined), /^TypeError: option/],
  ["wrong in an option", (doc) => (doc.option = { name: "x", size: "1" }), /^TypeError: option\.size/],
  ["wrong in a box", (doc) => (doc.box = { name: "x", size: -1 }), /^RangeError: box\.size/],
  ["a string for a list", (doc) => (doc.numbers = "123"), /^TypeError: numbers: expected an array/],
  ["wrong in a list", (doc) => doc.numbers.push(1, 2, "3"), /^TypeError: numbers\[5\]/],
  [
    "deep in a list",
    (doc) => (doc.list = [part(), { name: "x", size: 2 ** 40 }]),
    /^RangeError: list\[1\]\.size/,
  ],
  [
    "deep in a packed list",
    (doc) => doc.packed.push({ small: "x", more: [1, 2 ** 31] }),
    /^RangeError: packed\[1\]\.more\[1\]/,
  ],
  ["set past the end", (doc) => doc.numbers.set(3, 1), /^RangeError/],
  ["set at a string", (doc) => doc.numbers.set("0", 1), /^TypeError/],
  ["insert past the end", (doc) => doc.numbers.insert(4, 1), /^RangeError/],
  ["remove past the end", (doc) => doc.numbers.removeAt(3), /^RangeError/],
  ["a longer length", (doc) => (doc.numbers.length = 4), /^RangeError/],
  ["a length that is none", (doc) => (doc.numbers.length = -1), /^RangeError/],
  ["swap outside", (doc) => doc.numbers.swap(0, 3), /^RangeError/],
  ["sort by a number", (doc) => doc.numbers.sort(1), /^TypeError/],
  ["sort that throws", (doc) => doc.numbers.sort(() => assert.fail("compare")), /compare/],
  [
    "fill with one object",
    (doc) => doc.list.fill(new Part(part())),
    /^TypeError: list\[1\]: the object is part of another/,
  ],
  ["pairs that are none", (doc) => (doc.map = ["one"]), /^TypeError: map: expected pairs/],
  ["wrong in a map", (doc) => doc.map.set("two", { name: "x" }), /^TypeError: map\["two"\]\.size/],
  ["wrong in a map's entry", (doc) => doc.map.set("one", { name: "x" }), /^TypeError: map\["one"\]\.size/],
  ["a wrong key", (doc) => doc.ids.set("1", "x"), /^TypeError: ids\[key\]/],
  ["a key out of range", (doc) => doc.ids.set(-1, "x"), /^RangeError: ids\[key\]/],
  ["a wrong key of a sorted map", (doc) => doc.sorted.set(1, "x"), /^TypeError: sorted\[key\]/],
  [
    "a wrong entry among right ones",
    (doc) =>
      doc.map.assign([
        ["a", part()],
        ["b", 5],
      ]),
    /^TypeError: map\["b"\]/,
  ],
  ["a change that is no function", (doc) => doc.map.update("one", 5), /^TypeError/],
  ["cutting a pair", (doc) => doc.text.assign("😀").replaceRange(1, 1, "x"), /surrogate pair/],
  ["a text past its end", (doc) => doc.text.insert(100, "x"), /^RangeError/],
  ["a text from behind", (doc) => doc.text.delete(3, 1), /^RangeError/],
  ["a number for a text", (doc) => (doc.text = 5), /^TypeError: text: expected a string/],
  ["an iterable that throws", (doc) => doc.list.assign(throwing()), /from the iterable/],
  [
    "a getter that throws",
    (doc) =>
      doc.list.push({
        ...part(),
        get name() {
          throw new Error("from the getter");
        },
      }),
    /from the getter/,
  ],
  ["a codec that throws", (doc) => (doc.opaque = () => assert.fail("from the codec")), /from the codec/],
  [
    "a live map's place",
    (doc) => doc.list.push(doc.list.at(0)),
    /^TypeError: list\[3\]: the object is part of another/,
  ],
  [
    "a list of another place",
    (doc) => (doc.numbers = doc.list),
    /^TypeError: numbers\[0\]: expected a whole number/,
  ],
];

function* throwing(): Generator<object> {
  yield part();
  throw new Error("from the iterable");
}

test("a wrong value is refused with its path, and nothing is journaled", () => {
  for (const [name, step, message] of rows) {
    const { doc, file } = openAll();
    if (name === "cutting a pair") doc.text.assign("😀");
    const before = plainOf(doc);
    const bytes = file.bytes();
    let thrown: unknown;
    try {
      step(doc);
    } catch (cause) {
      thrown = cause;
    }
    assert.match(String(thrown), message, name);
    assert.deepEqual(plainOf(doc), before, name);
    assert.deepEqual(file.bytes(), bytes, name);
    doc.list.push(part("later"));
    const again = kladde.open(new MemoryFile("copy", file.bytes()), All);
    assert.deepEqual(plainOf(again), plainOf(doc), name);
    assert.equal(again.stats().leaked, 0, name);
  }
});

test("NaN and −0 are kept by floats; −0 is 0 for integers; equal values record nothing", () => {
  const { doc, file } = openAll();
  doc.f64 = Number.NaN;
  doc.f32 = -0;
  doc.i32 = -0;
  doc.numbers.set(0, -0);
  assert.ok(Object.is(doc.i32, 0) && Object.is(doc.numbers.at(0), 0) && Object.is(doc.f32, -0));
  const bytes = file.bytes();
  doc.f64 = Number.NaN;
  doc.f32 = -0;
  doc.i32 = -0;
  doc.string = "string";
  doc.json = { a: 1 };
  doc.state = "draft";
  doc.option = null;
  doc.text.assign("text");
  doc.set.add("a");
  doc.map.get("one").name = "1";
  assert.deepEqual(file.bytes(), bytes);
  // JSON writes a lone surrogate as an escape.
  doc.json = { "\ud800": "\ud800" };
  const again: Any = kladde.open(new MemoryFile("copy", file.bytes()), All);
  assert.deepEqual(again.json, { "\ud800": "\ud800" });
  assert.ok(Number.isNaN(again.f64) && Object.is(again.f32, -0));
});

test("a number is not the bigint of its value where keys are looked for", () => {
  const { doc } = openAll();
  assert.equal(doc.sorted.get(1n), "one");
  assert.equal(doc.sorted.get(1), undefined);
  assert.equal(doc.sorted.has(1), false);
  assert.equal(doc.sorted.delete(1), false);
  assert.equal(doc.ids.get(1), "one");
  assert.equal(doc.ids.get(1n), undefined);
  assert.equal(doc.ids.take("1"), undefined);
  assert.equal(doc.set.has(1), false);
  assert.equal(doc.sorted.size + doc.ids.size, 2);
});

test("what passes the limits of the store is refused, and the document unchanged", () => {
  const { doc, file } = openAll();
  const before = plainOf(doc);
  const bytes = file.bytes();
  const { store } = kladde.of(doc);
  // An allocation of almost 2^32 bytes, as the store would have it; the content is never built.
  const refuse = (): never => {
    throw new RangeError("bytes from offset 4294967290 pass 2^32 − 1");
  };
  for (const name of ["write", "splice"] as const)
    Object.defineProperty(store, name, { value: refuse, configurable: true });
  for (const step of [
    () => (doc.string += "tail"),
    () => doc.list.push(part()),
    () => doc.bytes.append(Uint8Array.of(1)),
    () => doc.map.set("two", part()),
    () => doc.transaction(() => doc.numbers.push(1)),
  ])
    assert.throws(step, /pass 2\^32/);
  for (const name of ["write", "splice"] as const) delete (store as Any)[name];
  assert.deepEqual(plainOf(doc), before);
  assert.deepEqual(file.bytes(), bytes);
  doc.string += "tail";
  assert.deepEqual(plainOf(kladde.open(new MemoryFile("copy", file.bytes()), All)), plainOf(doc));
});
