/** What happens while something else happens: values that change the document, changes under an iterator, removed objects. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../../../storage/memory.ts";
import * as k from "../schema/k.ts";
import { All, type Any, kladde, openAll, Part, part } from "../testing/all-types.ts";
import { plainOf } from "./plain.ts";

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

test("what gives a value cannot change the document meanwhile", () => {
  for (const [way, store] of ways)
    for (const [what, change] of changes) {
      const { doc, file } = openAll();
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
  const { doc } = openAll();
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
  const { doc, file } = openAll();
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
  const { doc } = openAll();
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
