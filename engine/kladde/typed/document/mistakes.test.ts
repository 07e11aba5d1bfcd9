/** A caller's mistakes name the value and say what to do, and leave the file as it was. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../../../storage/memory.ts";
import { Kladde } from "./in-files.ts";
import * as k from "./k.ts";

const Inner = k.struct({ text: k.text(), raw: k.bytes(), list: k.vec(k.u8()), map: k.map(k.u8(), k.u8()) });
const Outer = k.struct({ inner: k.vec(Inner) }, { name: "Outer" });

type Live = k.Infer<typeof Inner>;
const any = (value: unknown): never => value as never;

const mistakes: readonly (readonly [string, (inner: Live) => unknown, string])[] = [
  ["an index", ({ list }) => list.set(2, 1), "RangeError: inner[0].list: index 2 is outside the list"],
  [
    "a length",
    (inner) => {
      inner.list.length = 9;
    },
    "RangeError: inner[0].list: the list has 1 elements and cannot grow to 9",
  ],
  [
    "half a pair",
    ({ text }) => text.delete(0, 1),
    "RangeError: inner[0].text: end 1 is inside a surrogate pair",
  ],
  [
    "a place in a text",
    ({ text }) => text.insert(9, ""),
    "RangeError: inner[0].text: start 9 is not from 0 to 2",
  ],
  [
    "a place that is none",
    ({ text }) => text.insert(any("0"), ""),
    "TypeError: inner[0].text: start must be a number",
  ],
  ["a place in bytes", ({ raw }) => raw.set(1, 0), "RangeError: inner[0].raw: "],
  [
    "an object for a map",
    ({ map }) => map.assign(any({ a: 1 })),
    "TypeError: inner[0].map: expected a Map or pairs",
  ],
];

for (const [what, mistake, says] of mistakes)
  test(`${what} is refused with the path of the value`, () => {
    const file = new MemoryFile("outer");
    const first = { text: "👋", raw: Uint8Array.of(1), list: [1] };
    const doc = Kladde.open(file, Outer, { init: () => ({ inner: [first] }) });
    const before = file.bytes();
    assert.throws(
      () => mistake(doc.inner.at(0)!),
      (failure) => String(failure).startsWith(says) || assert.equal(String(failure), says),
    );
    assert.deepEqual(file.bytes(), before);
    assert.deepEqual(k.toJS(doc), { inner: [{ ...first, map: new Map() }] });
  });

const Tree = k.struct({
  name: k.string(),
  get below() {
    return k.vec(Tree);
  },
  get byName() {
    return k.map(k.string(), Tree);
  },
});

test("a plain value that contains itself is refused, and leaves document and instances usable", () => {
  const file = new MemoryFile("tree");
  const doc = Kladde.open(file, Tree, { init: () => ({ name: "root" }) });
  const before = file.bytes();
  const free = new Tree({ name: "free" });
  const loop = { name: "loop", below: [] as unknown[] };
  loop.below.push(loop);
  const ring = { name: "ring", byName: [] as unknown[] };
  ring.byName.push(["ring", ring]);
  const refused = {
    name: "TypeError",
    code: "type",
    message: /^the value contains itself, or nests too deeply/,
  };
  for (const endless of [loop, ring]) {
    const value = { name: "holds an instance", below: [free, endless] };
    assert.throws(() => doc.below.push(any(value)), refused);
    assert.throws(() => doc.byName.set("a", any(value)), refused);
    assert.throws(() => new Tree(any(value)), refused);
    assert.throws(() => doc.transaction(() => doc.below.assign([any(value)])), refused);
  }
  assert.deepEqual(file.bytes(), before);
  doc.below.push(free);
  assert.equal(doc.below.at(0), free);
  assert.deepEqual(k.toJS(Kladde.open(file.clone(), Tree)), k.toJS(doc));
});
