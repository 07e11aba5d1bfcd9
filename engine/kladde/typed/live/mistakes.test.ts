/** A caller's mistakes: a clear error that names the value, before anything is journaled, and the document unchanged. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../../../storage/memory.ts";
import { kladdeOn } from "../document/kladde.ts";
import * as k from "../schema/k.ts";
import { plainOf } from "./plain.ts";

const kladde = kladdeOn();

// biome-ignore lint/suspicious/noExplicitAny: what the compiler would refuse is the point
type Any = any;

const Part = k.struct({ name: k.string(), size: k.u32() }, { name: "Part" });

const codec = {
  encode: (value: unknown, bytes: Uint8Array) => {
    if (typeof value === "function") value();
    else bytes[0] = value as number;
  },
  decode: (bytes: Uint8Array): unknown => bytes[0],
};

const All = k.struct({
  u8: k.u8(),
  u16: k.u16(),
  u32: k.u32(),
  i8: k.i8(),
  i16: k.i16(),
  i32: k.i32(),
  u64: k.u64(),
  i64: k.i64(),
  u64n: k.u64({ as: "number" }),
  i64n: k.i64({ as: "number" }),
  f32: k.f32(),
  f64: k.f64(),
  bool: k.bool(),
  char: k.char(),
  text: k.text(),
  string: k.string(),
  bytes: k.bytes(),
  json: k.json<Any>(),
  part: Part,
  tuple: k.tuple(k.u8(), k.string()),
  shape: k.enum({ None: {}, Circle: { r: k.f64(), of: Part } }),
  state: k.oneOf("draft", "final"),
  option: k.option(Part),
  box: k.box(Part),
  list: k.vec(Part),
  numbers: k.vec(k.u32()),
  packed: k.packedVec(k.struct({ small: k.smallString(), more: k.smallVec(k.i32()) })),
  map: k.map(k.string(), Part),
  ids: k.map(k.u32(), k.string()),
  sorted: k.sortedMap(k.i64(), k.string()),
  set: k.set(k.string()),
  opaque: k.opaque({ library: "test", type: "byte", version: [1, 0, 0], inlineSize: 1, codec }),
});

const part = (name = "p") => ({ name, size: 1 });

function open() {
  const file = new MemoryFile("all");
  const zeros = {
    u8: 0,
    u16: 0,
    u32: 0,
    i8: 0,
    i16: 0,
    i32: 0,
    u64: 0n,
    i64: 0n,
    u64n: 0,
    i64n: 0,
    f32: 0,
    f64: 0,
  };
  const init = () => ({
    ...zeros,
    bool: false,
    char: "c",
    text: "text",
    string: "string",
    bytes: Uint8Array.of(1, 2, 3),
    json: { a: 1 },
    part: part(),
    tuple: [1, "x"] as const,
    shape: { kind: "None" } as const,
    state: "draft" as const,
    box: part("boxed"),
    list: [part("a"), part("b"), part("c")],
    numbers: [3, 1, 2],
    packed: [{ small: "s", more: [1] }],
    map: [["one", part("1")]] as const,
    ids: [[1, "one"]] as const,
    sorted: [[1n, "one"]] as const,
    set: ["a"],
    opaque: 1,
  });
  const doc: Any = kladde.open(file, All, { init });
  return { doc, file };
}

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
    const { doc, file } = open();
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
  const { doc, file } = open();
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

test("what gives a value cannot change the document meanwhile", () => {
  const ways: readonly [string, (doc: Any, change: () => void) => unknown][] = [
    [
      "getter",
      (doc, change) =>
        doc.list.push({
          size: 1,
          get name() {
            change();
            return "x";
          },
        }),
    ],
    [
      "getter of a replaced struct",
      (doc, change) =>
        (doc.part = {
          size: 1,
          get name() {
            change();
            return "x";
          },
        }),
    ],
    [
      "getter in a new entry",
      (doc, change) =>
        doc.map.set("new", {
          size: 1,
          get name() {
            change();
            return "x";
          },
        }),
    ],
    [
      "getter in an entry",
      (doc, change) =>
        doc.map.set("one", {
          size: 1,
          get name() {
            change();
            return "x";
          },
        }),
    ],
    [
      "getter in a box",
      (doc, change) =>
        (doc.box = {
          size: 1,
          get name() {
            change();
            return "x";
          },
        }),
    ],
    [
      "toJSON",
      (doc, change) =>
        (doc.json = {
          toJSON() {
            change();
            return 1;
          },
        }),
    ],
    [
      "iterator",
      (doc, change) =>
        (doc.tuple = (function* () {
          yield 1;
          change();
          yield "x";
        })()),
    ],
    ["codec", (doc, change) => (doc.opaque = change)],
  ];
  const changes: readonly [string, (doc: Any) => void][] = [
    ["clear", (doc) => doc.list.clear()],
    [
      "set",
      (doc) => {
        doc.string = "changed";
      },
    ],
    ["same key", (doc) => doc.map.set("new", part("other"))],
    ["transaction", (doc) => doc.transaction(() => doc.list.pop())],
    ["batch", (doc) => doc.batch(() => doc.list.pop())],
  ];
  for (const [way, store] of ways)
    for (const [what, change] of changes) {
      const { doc, file } = open();
      const before = plainOf(doc);
      const bytes = file.bytes();
      assert.throws(() => store(doc, () => change(doc)), /while a value is being stored/, `${way}, ${what}`);
      assert.deepEqual(plainOf(doc), before, `${way}, ${what}`);
      assert.deepEqual(file.bytes(), bytes, `${way}, ${what}`);
      doc.list.push(part("later"));
      assert.deepEqual(plainOf(kladde.open(new MemoryFile("copy", file.bytes()), All)), plainOf(doc));
    }
});

test("a transaction cannot be ended by what gives a value in it", () => {
  const { doc } = open();
  const tx = kladde.of(doc).begin();
  doc.string = "in tx";
  const end = () => ({
    size: 1,
    get name() {
      tx.rollBack();
      return "x";
    },
  });
  assert.throws(() => doc.list.push(end()), /while a value is being stored/);
  tx.commit();
  assert.equal(doc.string, "in tx");
});

test("lists and maps outside every file do not lose their order to what gives a value", () => {
  const Holder = k.struct({ list: k.vec(Part), map: k.map(k.string(), Part), box: k.box(Part) });
  const made = (): Any => new Holder({ list: [part("a"), part("b")], map: [["a", part()]] });
  const one = made();
  const clearing = (change: () => void) => ({
    size: 1,
    get name() {
      change();
      return "x";
    },
  });
  assert.throws(
    () =>
      one.list.splice(
        1,
        1,
        clearing(() => one.list.clear()),
      ),
    /was changed/,
  );
  assert.throws(
    () =>
      one.map.set(
        "new",
        clearing(() => one.map.set("new", part())),
      ),
    /was changed/,
  );
  assert.throws(
    () =>
      (one.box = clearing(() => {
        one.box = part();
      })),
    /was changed/,
  );
  assert.equal(one.map.size, 2);
  const file = new MemoryFile("holder");
  const doc = kladde.open(file, Holder, { init: () => one });
  assert.deepEqual(plainOf(kladde.open(new MemoryFile("copy", file.bytes()), Holder)), plainOf(doc));
});

test("what was removed can be read and changed, without an effect on the document", () => {
  const { doc, file } = open();
  const taken = doc.list.pop();
  const replaced = doc.part;
  doc.part = part("new");
  const removed = doc.map.take("one");
  doc.shape = { kind: "Circle", r: 1, of: part() };
  const variant = doc.shape;
  doc.shape = { kind: "None" };
  const bytes = file.bytes();
  const before = plainOf(doc);
  for (const one of [taken, replaced, removed, variant.of]) {
    one.name = "changed";
    assert.equal(one.name, "changed");
    assert.throws(() => kladde.of(one), /not part of an open document/);
  }
  variant.r = 2;
  assert.deepEqual(plainOf(doc), before);
  assert.deepEqual(file.bytes(), bytes);
  doc.list.push(taken, replaced, removed);
  doc.shape = variant;
  assert.equal(doc.list.at(-1).name, "changed");
  assert.equal(doc.shape, variant);
  const again = kladde.open(new MemoryFile("copy", file.bytes()), All);
  assert.deepEqual(plainOf(again), plainOf(doc));
  assert.equal(again.stats().leaked, 0);
});

test("iterating goes on while the container changes", () => {
  const { doc } = open();
  const seen: string[] = [];
  for (const one of doc.list) {
    seen.push(one.name);
    if (one.name === "a") doc.list.push(part("d"));
    if (one.name === "b") doc.list.removeAt(2);
  }
  assert.deepEqual(seen, ["a", "b", "d"]);
  for (const key of "abcdefgh") doc.ids.set(key.charCodeAt(0), key);
  const keys: number[] = [];
  for (const [key] of doc.ids) {
    keys.push(key);
    doc.ids.delete(key);
    if (keys.length === 2) doc.ids.set(1000, "into the lowest hole, which lies behind");
    if (keys.length === 3) doc.ids.delete(101);
  }
  assert.deepEqual(keys, [1, 97, 98, 99, 100, 102, 103, 104]);
  assert.deepEqual([...doc.ids.keys()], [1000]);
  const sorted: bigint[] = [];
  for (const [key] of doc.sorted) {
    sorted.push(key);
    if (key < 5n) {
      doc.sorted.set(key + 1n, "ahead");
      doc.sorted.set(key - 1n, "behind");
    }
  }
  assert.deepEqual(sorted, [1n, 2n, 3n, 4n, 5n]);
  const members: string[] = [];
  for (const one of doc.set) {
    members.push(one);
    if (one.length < 4) doc.set.add(`${one}a`);
    doc.set.delete(one);
  }
  assert.ok(members.length >= 1 && doc.set.size <= 1);
});

test("what passes the limits of the store is refused, and the document unchanged", () => {
  const { doc, file } = open();
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
