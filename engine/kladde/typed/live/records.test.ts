/**
 * Which records each operation appends: prepare, publish, clean up, in one transaction; never one for each byte, element or
 * field; none for what changes nothing.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../../../storage/memory.ts";
import { lengthOf } from "../../testing/independent/content.ts";
import { readIndependently } from "../../testing/independent/read.ts";
import { kladdeOn } from "../document/kladde.ts";
import * as k from "../schema/k.ts";
import { recordsOf, show } from "../testing/journal.ts";
import { plainOf } from "./plain.ts";

const kladde = kladdeOn();

// biome-ignore lint/suspicious/noExplicitAny: documents of all types
type Any = any;

type Row = readonly [
  name: string,
  type: Any,
  init: unknown,
  step: (doc: Any) => unknown,
  records: readonly string[],
];

const Part = k.struct({ name: k.string(), size: k.u32() }, { name: "Part" });
const Shape = k.enum({ None: {}, Circle: { r: k.f64() }, Square: { side: k.u8(), name: k.string() } });
const part = (name: string) => ({ name, size: 1 });
const long = "0123456789".repeat(200);
const text500 = "abcde".repeat(100);
const small = (value: string) => ({ value, after: 7 });
const Small = k.struct({ value: k.smallString(), after: k.u32() });
const List = k.struct({ list: k.smallVec(k.string()), after: k.u32() });

/** `$` is the field `value` of the root. */
const rows: readonly Row[] = [
  ["scalar", k.u32(), 1, ($) => ($.value = 2), ["write root 0 4"]],
  ["equal scalar", k.u32(), 1, ($) => ($.value = 1), []],
  [
    "packed scalar of another size",
    k.struct({ s: k.smallString(), n: k.u32() }),
    { s: "ab", n: 1 },
    ($) => ($.value.n = 300),
    ["splice root 3 1→2"],
  ],
  [
    "packed scalar of the same size",
    k.struct({ s: k.smallString(), n: k.u32() }),
    { s: "ab", n: 1 },
    ($) => ($.value.n = 2),
    ["write root 3 1"],
  ],
  [
    "struct",
    Part,
    part("old"),
    ($) => ($.value = part("new")),
    ["write new 0 3", "write root 0 8", "free old"],
  ],
  ["variant's field", Shape, { kind: "Circle", r: 1 }, ($) => ($.value.r = 2), ["write root 1 8"]],
  [
    "longer variant",
    Shape,
    { kind: "None" },
    ($) => ($.value = { kind: "Circle", r: 1 }),
    ["write root 0 9"],
  ],
  [
    "shorter variant",
    Shape,
    { kind: "Circle", r: 1 },
    ($) => ($.value = { kind: "None" }),
    ["write root 0 9"],
  ],
  [
    "variants shorter than the largest",
    Shape,
    { kind: "None" },
    ($) => ($.value = { kind: "Square", side: 1, name: "n" }),
    ["write new 0 1", "write root 0 6"],
  ],
  [
    "variant with content",
    Shape,
    { kind: "Square", side: 1, name: "n" },
    ($) => ($.value = { kind: "None" }),
    ["write root 0 6", "free old"],
  ],
  [
    "option from null",
    k.option(Part),
    null,
    ($) => ($.value = part("p")),
    ["write new 0 1", "write root 0 9"],
  ],
  ["option to null", k.option(Part), part("p"), ($) => ($.value = null), ["write root 0 9", "free old"]],
  ["option of a scalar to null", k.option(k.u32()), 5, ($) => ($.value = null), ["write root 0 5"]],
  [
    "box from null",
    k.box(Part),
    null,
    ($) => ($.value = part("p")),
    ["write new 0 1", "write new 0 8", "write root 0 4"],
  ],
  [
    "box, new content",
    k.box(Part),
    part("p"),
    ($) => ($.value = part("new")),
    ["write new 0 3", "write old 0 8", "free old"],
  ],
  [
    "box, packed content of another size",
    k.box(k.u32(), { packed: true }),
    1,
    ($) => ($.value = 300),
    ["splice old 0 1→2"],
  ],
  [
    "box to null",
    k.box(Part),
    part("p"),
    ($) => ($.value = null),
    ["write root 0 4", "free old", "free old"],
  ],
  [
    "string, first content",
    k.string(),
    "",
    ($) => ($.value = text500),
    ["write new 0 500", "write root 0 4"],
  ],
  ["string, the same", k.string(), "old", ($) => ($.value = "old"), []],
  ["string, append", k.string(), "old", ($) => ($.value += "more"), ["write old 3 4"]],
  ["string, longer", k.string(), "old", ($) => ($.value = "another"), ["write old 0 7"]],
  ["string, as long", k.string(), "old", ($) => ($.value = "new"), ["write old 0 3"]],
  ["string, shorter", k.string(), "longer", ($) => ($.value = "new"), ["splice old 0 6→3"]],
  ["string, cut", k.string(), "longer", ($) => ($.value = "long"), ["resize old 4"]],
  ["string, to nothing", k.string(), "longer", ($) => ($.value = ""), ["resize old 0"]],
  [
    "string, edit inside",
    k.string(),
    long,
    ($) => ($.value = `${long.slice(0, 900)}XYZ${long.slice(903)}`),
    ["write old 900 3"],
  ],
  [
    "string, insertion inside",
    k.string(),
    long,
    ($) => ($.value = `${long.slice(0, 900)}XYZ${long.slice(900)}`),
    ["splice old 900 0→3"],
  ],
  ["text, first content", k.text(), "", ($) => $.value.append("new"), ["write new 0 3", "write root 0 4"]],
  ["text, insertion", k.text(), "old", ($) => $.value.insert(1, "xyz"), ["splice old 1 0→3"]],
  ["text, append", k.text(), "old", ($) => $.value.append("xyz"), ["write old 3 3"]],
  ["text, deletion at the end", k.text(), "older", ($) => $.value.delete(3, 5), ["resize old 3"]],
  [
    "bytes, append",
    k.bytes(),
    Uint8Array.of(1, 2),
    ($) => $.value.append(Uint8Array.of(3)),
    ["write old 2 1"],
  ],
  ["bytes, set", k.bytes(), Uint8Array.of(1, 2), ($) => $.value.set(0, 9), ["write old 0 1"]],
  [
    "bytes, splice",
    k.bytes(),
    Uint8Array.of(1, 2, 3),
    ($) => $.value.splice(0, 2, Uint8Array.of(9)),
    ["splice old 0 2→1"],
  ],
  ["json", k.json(), { a: 1 }, ($) => ($.value = { a: 1, b: 2 }), ["write old 0 13"]],
  [
    "list, first push",
    k.vec(k.u32()),
    [],
    ($) => $.value.push(1, 2, 3),
    ["write new 0 12", "write root 0 4"],
  ],
  ["list, push", k.vec(k.u32()), [1], ($) => $.value.push(2, 3), ["write old 4 8"]],
  [
    "list, push of texts",
    k.vec(k.string()),
    ["a"],
    ($) => $.value.push("b", "cd"),
    ["write new 0 1", "write new 0 2", "write old 4 8"],
  ],
  [
    "list, set",
    k.vec(Part),
    [part("a"), part("b")],
    ($) => $.value.set(1, part("c")),
    ["write new 0 1", "write old 8 8", "free old"],
  ],
  ["list, pop", k.vec(k.string()), ["a", "b"], ($) => $.value.pop(), ["resize old 4", "free old"]],
  ["list, length", k.vec(k.u32()), [1, 2, 3], ($) => ($.value.length = 1), ["resize old 4"]],
  ["list, insert", k.vec(k.u32()), [1, 2, 3], ($) => $.value.insert(1, 9, 8), ["splice old 4 0→8"]],
  ["list, remove", k.vec(k.u32()), [1, 2, 3], ($) => $.value.removeAt(0), ["splice old 0 4→0"]],
  [
    "list, splice of as many",
    k.vec(k.u32()),
    [1, 2, 3],
    ($) => $.value.splice(0, 2, 8, 9),
    ["write old 0 8"],
  ],
  ["list, sort", k.vec(k.string()), ["c", "a", "b"], ($) => $.value.sort(), ["write old 0 12"]],
  ["list, swap", k.vec(k.u32()), [1, 2, 3, 4], ($) => $.value.swap(1, 2), ["write old 4 8"]],
  ["list, reverse of one", k.vec(k.u32()), [1], ($) => $.value.reverse(), []],
  [
    "list, clear",
    k.vec(k.string()),
    ["a", "b"],
    ($) => $.value.clear(),
    ["resize old 0", "free old", "free old"],
  ],
  [
    "list, push after clear",
    k.vec(k.u32()),
    [1],
    ($) => {
      $.value.clear();
      $.value.push(2);
    },
    ["resize old 0", "write old 0 4"],
  ],
  [
    "packed list, set of another size",
    k.packedVec(k.u32()),
    [1, 2, 3],
    ($) => $.value.set(1, 300),
    ["splice old 1 1→2"],
  ],
  [
    "packed list, insert",
    k.packedVec(k.u32()),
    [1, 300, 3],
    ($) => $.value.insert(2, 5),
    ["splice old 3 0→1"],
  ],
  [
    "packed list, field of an element",
    k.packedVec(k.struct({ a: k.u32(), b: k.string() })),
    [
      { a: 1, b: "x" },
      { a: 1, b: "y" },
    ],
    ($) => ($.value.at(1).b = "yz"),
    ["write old 1 1"],
  ],
  [
    "map, first entry",
    k.map(k.string(), k.string()),
    [],
    ($) => $.value.set("key", text500),
    ["write new 0 3", "write new 0 500", "write new 0 9", "write root 0 4"],
  ],
  [
    "map, entry",
    k.map(k.u64(), k.string()),
    [[1n, "a"]],
    ($) => $.value.set(2n, "b"),
    ["write new 0 1", "write old 13 13"],
  ],
  ["map, value", k.map(k.u64(), k.u32()), [[1n, 1]], ($) => $.value.set(1n, 2), ["write old 9 4"]],
  [
    "map, text of an entry",
    k.map(k.u64(), k.string()),
    [[1n, "a"]],
    ($) => $.value.set(1n, "ab"),
    ["write old 1 1"],
  ],
  [
    "map, delete in the middle",
    k.map(k.string(), k.string()),
    [
      ["a", "1"],
      ["b", "2"],
    ],
    ($) => $.value.delete("a"),
    ["write old 0 1", "free old", "free old"],
  ],
  [
    "map, delete at the end",
    k.map(k.u8(), k.u8()),
    [
      [1, 1],
      [2, 2],
    ],
    ($) => $.value.delete(2),
    ["resize old 3"],
  ],
  [
    "map, delete down to the highest live one",
    k.map(k.u8(), k.u8()),
    [
      [1, 1],
      [2, 2],
      [3, 3],
    ],
    ($) => {
      $.value.delete(2);
      $.value.delete(3);
    },
    ["write old 3 1", "resize old 3"],
  ],
  [
    "map, into a hole",
    k.map(k.u8(), k.u8()),
    [
      [1, 1],
      [2, 2],
    ],
    ($) => {
      $.value.delete(1);
      $.value.set(9, 9);
    },
    ["write old 0 1", "write old 0 3"],
  ],
  [
    "map, clear",
    k.map(k.string(), k.u8()),
    [
      ["a", 1],
      ["b", 2],
    ],
    ($) => $.value.clear(),
    ["resize old 0", "free old", "free old"],
  ],
  ["set, add", k.set(k.u8()), [1], ($) => $.value.add(2), ["write old 2 2"]],
  ["set, add again", k.set(k.u8()), [1], ($) => $.value.add(1), []],
  ["set, delete", k.set(k.string()), ["a", "b"], ($) => $.value.delete("a"), ["write old 0 1", "free old"]],
  ["sorted map, entry", k.sortedMap(k.u8(), k.u8()), [[2, 2]], ($) => $.value.set(1, 1), ["write old 3 3"]],
  ["small text, the same size", Small, small("abc"), ($) => ($.value.value = "xyz"), ["write root 0 4"]],
  ["small text, another size", Small, small("abc"), ($) => ($.value.value = "ab"), ["splice root 0 4→3"]],
  [
    "small text, spilling",
    Small,
    small("abc"),
    ($) => ($.value.value = text500),
    ["write new 0 500", "splice root 0 4→2"],
  ],
  ["small text, spilled, append", Small, small(text500), ($) => ($.value.value += "x"), ["write old 500 1"]],
  [
    "small text, folding back",
    Small,
    small(text500),
    ($) => ($.value.value = "x"),
    ["write root 0 2", "free old"],
  ],
  [
    "small list, push",
    List,
    { list: ["a"], after: 7 },
    ($) => $.value.list.push("b"),
    ["write new 0 1", "splice root 0 2→3"],
  ],
  [
    "opaque",
    k.opaque({
      library: "t",
      type: "b",
      version: [1, 0, 0],
      inlineSize: 1,
      codec: {
        encode: (v: number, b) => {
          b[0] = v;
        },
        decode: (b) => b[0]!,
      },
    }),
    1,
    ($) => ($.value = 2),
    ["write root 0 1"],
  ],
  [
    "moved in one transaction",
    k.vec(Part),
    [part("a"), part("b"), part("c")],
    ($) => kladde.of($.value).transaction(() => $.value.push($.value.removeAt(0))),
    ["splice old 0 8→0", "write old 16 8"],
  ],
];

test("each operation appends the records that it needs, in one transaction", () => {
  for (const [name, type, init, step, expected] of rows) {
    const Root = k.struct({ value: type });
    const file = new MemoryFile("records");
    const doc = kladde.open(file, Root, { init: () => ({ value: init }) as never }) as Any;
    const before = readIndependently(file.bytes());
    step(doc);
    const after = readIndependently(file.bytes());
    const transactions = after.transactions.slice(before.transactions.length);
    const shown = show(transactions.flatMap(recordsOf), new Set(before.contents.keys()), before.header.root);
    assert.deepEqual(shown, expected, name);
    const again = kladde.open(new MemoryFile("copy", file.bytes()), Root);
    assert.deepEqual(plainOf(again), plainOf(doc), name);
    if (!/after clear|hole|down to/.test(name)) assert.ok(transactions.length <= 1, name);
  }
});

/** A file whose reads can be forbidden. */
class ClosedBook extends MemoryFile {
  isClosed = false;

  override read(into: Uint8Array, at: number): void {
    assert.ok(!this.isClosed, "a value was read from the file");
    super.read(into, at);
  }
}

test("nothing is read from the file after it has been loaded", () => {
  const Root = k.struct({
    list: k.vec(Part),
    map: k.map(k.string(), k.packedVec(k.string())),
    text: k.text(),
  });
  const made = new MemoryFile("made");
  const init = () => ({ list: [part("a"), part("b")], map: [["x", ["1", "2"]]] as const, text: long });
  kladde.open(made, Root, { init }).close();
  const file = new ClosedBook("book", made.bytes());
  const doc = kladde.open(file, Root);
  file.isClosed = true;
  doc.list.push(doc.list.pop()!, part("c"));
  doc.list.sort((a, b) => (a.name < b.name ? 1 : -1));
  doc.map.get("x")!.splice(1, 1, "three", "four");
  doc.map.set("y", []).delete("x");
  doc.text.replaceRange(10, 20, "x").delete(1000, 1500);
  assert.throws(() =>
    doc.transaction(() => {
      doc.list.clear();
      doc.map.clear();
      throw new Error("back");
    }),
  );
  assert.equal(plainOf(doc.list.at(0)!.name), "c");
  file.isClosed = false;
  assert.deepEqual(plainOf(kladde.open(new MemoryFile("copy", file.bytes()), Root)), plainOf(doc));
});

test("slots of a map are at most as many as entries lived at once, and holes are filled first", () => {
  const Root = k.struct({ map: k.map(k.u32(), k.u8()) });
  const file = new MemoryFile("slots");
  const doc = kladde.open(file, Root);
  const bytes = (): number => {
    const { contents } = readIndependently(file.bytes());
    return Math.max(...[...contents].filter(([id]) => id > 2).map(([, content]) => lengthOf(content)));
  };
  for (let key = 0; key < 10; key++) doc.map.set(key, key);
  for (let key = 0; key < 10; key += 2) doc.map.delete(key);
  for (let key = 10; key < 15; key++) doc.map.set(key, key);
  assert.equal(bytes(), 10 * 6);
  assert.deepEqual([...doc.map.keys()], [10, 1, 11, 3, 12, 5, 13, 7, 14, 9]);
  for (const key of [14, 13, 9]) doc.map.delete(key);
  assert.equal(bytes(), 8 * 6);
  for (const key of [...doc.map.keys()]) doc.map.delete(key);
  assert.equal(bytes(), 0);
});
