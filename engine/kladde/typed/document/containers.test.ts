/** Every member of the containers does what the plain counterpart does, and the file follows. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { MemoryFile } from "../../../storage/memory.ts";
import type { KSet } from "../schema/containers.ts";
import * as k from "./k.ts";
import { kladdeOn } from "./kladde.ts";

const Kladde = kladdeOn();

const Item = k.struct({ n: k.u32() }, { name: "Item" });
const All = k.struct(
  {
    words: k.vec(k.string()),
    numbers: k.packedVec(k.i32()),
    items: k.vec(Item),
    boxes: k.vec(k.box(Item)),
    map: k.map(k.string(), k.u32()),
    sorted: k.sortedMap(k.i32(), k.string()),
    set: k.set(k.i64({ as: "number" })),
    text: k.text().default(""),
    bytes: k.bytes().default(new Uint8Array(0)),
  },
  { name: "All" },
);

type Live = InstanceType<typeof All>;

function open() {
  const file = new MemoryFile("all");
  const doc = Kladde.open(file, All);
  const reopened = () => Kladde.open(new MemoryFile("copy", file.bytes()), All);
  return { doc, reopened };
}

const words = ["d", "a", "c", "b", "a"];

/** Calls that mean the same for arrays and lists. */
const calls: readonly ((list: string[]) => unknown)[] = [
  (list) => list.push(),
  (list) => list.push("x", "y"),
  (list) => list.pop(),
  (list) => list.shift(),
  (list) => list.unshift("x", "y"),
  (list) => list.splice(1),
  (list) => list.splice(1, undefined as never),
  (list) => list.splice(1, 2),
  (list) => list.splice(-2, 1, "x", "y"),
  (list) => list.splice(9, 9, "x"),
  (list) => list.splice(-9, -1, "x"),
  (list) => list.fill("x", 1, -1) === list,
  (list) => list.fill("x", 3, 1) === list,
  (list) => list.sort() === list,
  (list) => list.sort((a, b) => (a < b ? 1 : -1)) === list,
  (list) => list.reverse() === list,
  (list) => {
    list.length = 2;
    return list.length;
  },
  (list) => [list.at(0), list.at(-1), list.at(9), list.at(-9), list.at(Number.NaN)],
  (list) => list.concat(["x"], "y"),
  (list) => [...list.entries()],
  (list) => [list.every((word) => word < "x"), list.every((word) => word < "b")],
  (list) => list.filter((word, at) => word === "a" && at > 1),
  (list) => [list.find((word) => word === "a"), list.find((word) => word === "x")],
  (list) => [list.findIndex((word) => word > "b"), list.findIndex((word) => word > "x")],
  (list) => [list.findLast((word) => word === "a"), list.findLastIndex((word) => word < "c")],
  (list) => list.flatMap((word, at) => (at > 2 ? [] : [word, at])),
  (list) => {
    const seen: unknown[] = [];
    list.forEach((word, at) => {
      seen.push([word, at]);
    });
    return seen;
  },
  (list) => [list.includes("a"), list.includes("a", 5), list.includes("x")],
  (list) => [list.indexOf("a"), list.indexOf("a", 2), list.lastIndexOf("a"), list.lastIndexOf("a", 3)],
  (list) => [list.join(), list.join("")],
  (list) => [...list.keys()],
  (list) => list.map((word, at) => word + at),
  (list) => list.reduce((joined, word) => joined + word),
  (list) => list.reduceRight((joined, word, at) => joined + word + at, "+"),
  (list) => [list.slice(), list.slice(1, -1), list.slice(-2)],
  (list) => [list.some((word) => word === "a"), list.some((word) => word === "x")],
  (list) => [list.toReversed(), list.toSorted(), list.toSpliced(1, 2, "x")],
  (list) => [list.with(1, "x"), [...list.values()], [...list]],
];

test("a list does what an array does, also behind the array's behaviour", () => {
  for (const call of calls) {
    const plain = [...words];
    const expected = call(plain);
    const lists: readonly ((live: Live) => string[])[] = [
      (live) => live.words as unknown as string[],
      (live) => live.words.asArray(),
    ];
    for (const listOf of lists) {
      const { doc, reopened } = open();
      doc.words.assign(words);
      assert.deepEqual(call(listOf(doc)), expected, call.toString());
      assert.deepEqual([...doc.words], plain, call.toString());
      assert.deepEqual(k.toJS(reopened()), k.toJS(doc), call.toString());
    }
  }
});

test("what a list has beyond arrays", () => {
  const { doc, reopened } = open();
  const { numbers } = doc;
  assert.equal(numbers.assign([5, 1, 300]), numbers);
  assert.equal(numbers.set(0, 70_000), numbers);
  assert.equal(numbers.insert(1, 7, 8), numbers);
  assert.equal(numbers.removeAt(2), 8);
  numbers.swap(3, 0);
  assert.deepEqual([...numbers], [300, 7, 1, 70_000]);
  assert.deepEqual([...reopened().numbers], [300, 7, 1, 70_000]);
  assert.equal(Object.prototype.toString.call(numbers), "[object KVec]");
  numbers.swap(2, 2);
  numbers.clear();
  numbers.clear();
  assert.equal(numbers.length, 0);
  assert.equal(numbers.pop(), undefined);
  assert.deepEqual([...reopened().numbers], []);
  for (const wrong of [() => numbers.set(0, 1), () => numbers.insert(1, 1), () => numbers.removeAt(0)])
    assert.throws(wrong, /^RangeError: numbers/);
  assert.throws(() => {
    numbers.length = 1;
  }, /^RangeError: numbers/);
});

test("objects of a list stay themselves while they move within it", () => {
  const { doc, reopened } = open();
  doc.items.push({ n: 3 }, { n: 1 }, { n: 2 });
  const [three, one, two] = doc.items;
  const array = doc.items.asArray();
  array.sort((a, b) => a.n - b.n);
  assert.deepEqual([...array], [one, two, three]);
  array.reverse();
  assert.equal(array.indexOf(one!), 2);
  assert.equal(array[0], three);
  array[1] = { n: 9 } as never;
  assert.equal(two!.n, 2);
  assert.throws(() => Kladde.of(two), TypeError);
  array[2] = two!;
  assert.equal(doc.items.at(2), two);
  assert.throws(() => array.copyWithin(0, 2), { code: "owned" });
  assert.throws(() => array.push(two!), { code: "owned" });
  doc.boxes.push({ n: 1 }, null);
  assert.deepEqual(k.toJS(doc.boxes.map((item) => item?.n)), [1, undefined]);
  assert.deepEqual(k.toJS(reopened()), k.toJS(doc));
});

test("a façade is an array to everyone who asks", () => {
  const { doc, reopened } = open();
  doc.words.assign(words);
  const array = doc.words.asArray();
  assert.equal(doc.words.asArray(), array);
  assert.ok(Array.isArray(array));
  assert.deepEqual(array, words);
  assert.equal(JSON.stringify(array), JSON.stringify(words));
  assert.deepEqual(Object.keys(array), ["0", "1", "2", "3", "4"]);
  assert.equal(inspect(array), inspect(words));
  assert.ok(4 in array && !(5 in array) && "push" in array);
  array[0] = "z";
  array[5] = "end";
  array.copyWithin(1, 3);
  array.length--;
  const expected = ["z", "b", "a", "end", "a"];
  assert.deepEqual([...array], expected);
  delete array[4];
  assert.deepEqual([...reopened().words], expected.slice(0, 4));
  assert.deepEqual([array[4], array[-1 as never], array["01" as never]], [undefined, undefined, undefined]);
  assert.deepEqual(Object.getOwnPropertyDescriptor(array, 0), {
    value: "z",
    writable: true,
    enumerable: true,
    configurable: true,
  });
  assert.deepEqual([array.concat(["x"]).length, [...array.entries()].length], [5, 4]);
  for (const [wrong, error] of [
    [() => array.fill("x", 9), null],
    [() => Object.freeze(array), TypeError],
    [() => delete array[0], TypeError],
    [() => Object.defineProperty(array, 0, { get: () => "x" }), TypeError],
    [
      () => {
        array[9] = "x";
      },
      RangeError,
    ],
    [
      () => {
        array.length = 9;
      },
      RangeError,
    ],
  ] as const)
    if (error === null) wrong();
    else assert.throws(wrong, error, wrong.toString());
  assert.deepEqual([...array], expected.slice(0, 4));
});

test("a map does what Map does", () => {
  const { doc, reopened } = open();
  const plain = new Map<string, number>();
  const both = (call: (map: Map<string, number>) => unknown) => {
    const expected = call(plain);
    assert.deepEqual(call(doc.map), expected, call.toString());
    assert.deepEqual([...reopened().map], [...plain], call.toString());
  };
  both((map) => map.size);
  both((map) => map.set("a", 1).set("b", 2).set("c", 3).size);
  both((map) => map.set("b", 20).get("b"));
  both((map) => [map.has("a"), map.has("x"), map.get("x")]);
  both((map) => [[...map], [...map.keys()], [...map.values()], [...map.entries()]]);
  both((map) => {
    const seen: unknown[] = [];
    map.forEach(function (this: unknown, value, key) {
      seen.push([this, value, key]);
    }, plain);
    return seen;
  });
  both((map) => [map.delete("c"), map.delete("c"), map.size]);
  both((map) => map.set("d", 4).size);
  both((map) => [map.clear(), map.size]);
  doc.map.forEach((_value, _key, map) => {
    assert.equal(map, doc.map);
  });
  assert.equal(Object.prototype.toString.call(doc.map), "[object KMap]");
  assert.equal(
    doc.map.update("a", (old) => (old ?? 5) + 1),
    6,
  );
  assert.equal(
    doc.map.update("a", (old) => old! + 1),
    7,
  );
  assert.deepEqual([doc.map.getOrInsert("a", 1), doc.map.getOrInsert("b", 1)], [7, 1]);
  const lengthOf = (key: string) => key.length;
  assert.deepEqual(
    [doc.map.getOrInsertComputed("b", lengthOf), doc.map.getOrInsertComputed("ccc", lengthOf)],
    [1, 3],
  );
  assert.equal(
    doc.map.setAll([
      ["a", 1],
      ["d", 4],
    ]),
    doc.map,
  );
  assert.deepEqual([doc.map.take("b"), doc.map.take("b")], [1, undefined]);
  assert.deepEqual(
    [...reopened().map],
    [
      ["a", 1],
      ["ccc", 3],
      ["d", 4],
    ],
  );
  doc.map.set("hole", 9);
  assert.deepEqual([...doc.map.keys()], ["a", "hole", "ccc", "d"]);
  assert.deepEqual([...reopened().map.keys()], ["a", "hole", "ccc", "d"]);
  assert.equal(doc.map.assign(new Map([["z", 26]])), doc.map);
  assert.deepEqual([...reopened().map], [["z", 26]]);
});

test("a map may be changed while it is iterated over", () => {
  const { doc } = open();
  doc.map.setAll([
    ["a", 1],
    ["b", 2],
    ["c", 3],
  ]);
  const seen: string[] = [];
  for (const [key] of doc.map) {
    seen.push(key);
    if (key !== "a") continue;
    doc.map.delete("b");
    doc.map.delete("a");
    doc.map.set("d", 4).set("e", 5).set("f", 6);
  }
  // "d" took the slot of "a", which lies behind; "e" took that of "b".
  assert.equal(seen.join(""), "aecf");
});

test("a sorted map iterates by ascending keys", () => {
  const { doc, reopened } = open();
  for (const key of [5, -1, 30, 2]) doc.sorted.set(key, `${key}`);
  assert.deepEqual([...doc.sorted.keys()], [-1, 2, 5, 30]);
  assert.deepEqual([...reopened().sorted.values()], ["-1", "2", "5", "30"]);
  const seen: number[] = [];
  for (const key of doc.sorted.keys()) {
    seen.push(key);
    if (key === 2) doc.sorted.delete(5);
    if (key === 2) doc.sorted.set(0, "behind").set(7, "ahead");
  }
  assert.deepEqual(seen, [-1, 2, 7, 30]);
});

/** A plain set, seen with the members that the compiler's library lacks. */
const algebraic = <T>(values: readonly T[] = []): KSet<T> => new Set(values) as unknown as KSet<T>;

test("a set does what Set does", () => {
  const { doc, reopened } = open();
  const plain = algebraic<number>();
  const both = (call: (set: KSet<number>) => unknown) => {
    const expected = call(plain);
    assert.deepEqual(call(doc.set), expected, call.toString());
    assert.deepEqual([...reopened().set], [...plain], call.toString());
  };
  both(
    (set) =>
      set
        .add(3)
        .add(-5)
        .add(2 ** 53 - 1)
        .add(3).size,
  );
  both((set) => [set.has(3), set.has(4)]);
  both((set) => [[...set], [...set.keys()], [...set.values()], [...set.entries()]]);
  both((set) => {
    const seen: unknown[] = [];
    set.forEach((value, same) => {
      seen.push(value, same);
    });
    return seen;
  });
  const other = algebraic([3, 4]);
  both((set) => [
    set.union(other),
    set.intersection(other),
    set.difference(other),
    set.symmetricDifference(other),
  ]);
  both((set) => [set.isSubsetOf(other), set.isSupersetOf(new Set([3])), set.isDisjointFrom(other)]);
  assert.deepEqual(other.union(doc.set), other.union(plain));
  both((set) => [set.delete(3), set.delete(3), set.size]);
  both((set) => [set.clear(), set.size]);
  assert.equal(doc.set.assign([7, 7, 8]), doc.set);
  assert.deepEqual([...reopened().set], [7, 8]);
  assert.equal(Object.prototype.toString.call(doc.set), "[object KSet]");
});

test("a text does what a string does, and is edited in place", () => {
  const { doc, reopened } = open();
  const { text } = doc;
  assert.equal(
    text.append("hello").insert(5, " 😀 world").delete(0, 1).replaceRange(0, 4, "jello").length,
    14,
  );
  assert.equal(String(text), "jello 😀 world");
  assert.equal(`${reopened().text}`, "jello 😀 world");
  assert.deepEqual([text.slice(6, 8), text.slice(-5), text.slice()], ["😀", "world", "jello 😀 world"]);
  assert.deepEqual([text.indexOf("l"), text.indexOf("l", 4), text.indexOf("x")], [2, 12, -1]);
  assert.deepEqual([...text].length, 13);
  assert.deepEqual(
    [text.valueOf(), text.toJSON(), JSON.stringify(text)],
    [String(text), String(text), JSON.stringify(String(text))],
  );
  assert.equal(`${(text as unknown as string) + "!"}`, "jello 😀 world!");
  assert.equal(Object.prototype.toString.call(text), "[object Text]");
  assert.equal(String(text.assign("42")), "42");
  assert.equal(Number(text), 42);
  assert.equal(String(text.assign(text)), "42");
  text.assign("a😀");
  for (const wrong of [
    () => text.delete(0, 2),
    () => text.insert(2, "x"),
    () => text.insert(4, "x"),
    () => text.delete(2, 1),
  ])
    assert.throws(wrong, /^RangeError: text/);
  assert.throws(() => text.append("\udc00"), /^TypeError: text/);
  assert.equal(String(text), "a😀");
  text.assign("");
  assert.equal(String(reopened().text), "");
});

test("bytes are read and written like an Uint8Array, and grow", () => {
  const { doc, reopened } = open();
  const { bytes } = doc;
  bytes
    .append(Uint8Array.of(1, 2, 3))
    .append(Uint8Array.of(4))
    .set(0, 9)
    .set(2, Uint8Array.of(7, 8));
  assert.deepEqual([...bytes], [9, 2, 7, 8]);
  bytes.splice(1, 2, Uint8Array.of(5, 5, 5)).splice(0, 1);
  assert.deepEqual([...reopened().bytes], [5, 5, 5, 8]);
  assert.deepEqual([bytes.length, bytes.at(0), bytes.at(-1), bytes.at(4)], [4, 5, 8, undefined]);
  assert.deepEqual(bytes.slice(2), Uint8Array.of(5, 8));
  bytes.slice()[0] = 100;
  assert.equal(bytes.at(0), 5);
  const target = new Uint8Array(3);
  assert.equal(bytes.copyTo(target, 1, 2), 2);
  assert.deepEqual([...target], [0, 5, 8]);
  assert.equal(bytes.copyTo(target), 3);
  assert.equal(JSON.stringify(bytes), '"05050508"');
  assert.equal(Object.prototype.toString.call(bytes), "[object Bytes]");
  assert.deepEqual([...bytes.assign(bytes).assign(Uint8Array.of(1))], [1]);
  for (const wrong of [
    () => bytes.set(1, 1),
    () => bytes.set(0, 256),
    () => bytes.splice(2, 0),
    () => bytes.splice(0, 2),
  ])
    assert.throws(wrong, /^RangeError: bytes/);
  assert.throws(() => bytes.append("x" as never), /^TypeError: bytes/);
  assert.deepEqual([...reopened().bytes], [1]);
});
