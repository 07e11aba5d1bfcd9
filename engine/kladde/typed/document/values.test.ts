/** Copies, patches, fields and printed forms of live values. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { MemoryFile } from "../../../storage/memory.ts";
import * as k from "./k.ts";
import { kladdeOn } from "./kladde.ts";

const Kladde = kladdeOn();

const Shape = k.enum({ Circle: { r: k.f64() }, Point: {} }, { name: "Shape" });
const Tag = k.struct({ name: k.string(), big: k.u64(), labels: k.set(k.string()) }, { name: "Tag" });
const All = k.struct(
  {
    title: k.string(),
    body: k.text(),
    raw: k.bytes(),
    data: k.json<{ a: number[] }>(),
    pair: k.tuple(k.u8(), k.string()),
    shape: Shape,
    kind: k.oneOf("draft", "final"),
    tag: k.option(Tag),
    far: k.box(Tag),
    tags: k.vec(Tag),
    byName: k.map(k.string(), Tag),
    byNumber: k.map(k.u64(), k.string()),
    nothing: k.unit(),
  },
  { name: "All" },
);

const tagOf = (name: string) => ({ name, big: 2n ** 63n, labels: new Set(["x", "y"]) });

const content = () => ({
  title: "t",
  body: "text",
  raw: Uint8Array.of(1, 255),
  data: { a: [1] },
  pair: [7, "seven"] as const,
  shape: { kind: "Circle", r: 2 } as const,
  kind: "final" as const,
  tag: tagOf("option"),
  far: tagOf("box"),
  tags: [tagOf("one"), tagOf("two")],
  byName: new Map([["n", tagOf("mapped")]]),
  byNumber: new Map([[1n, "one"]]),
});

const open = () => Kladde.open(new MemoryFile("all"), All, { init: content });

const plain = () => ({ ...content(), pair: [7, "seven"], nothing: undefined });

test("toJS gives a deep plain copy, and it can be stored again", () => {
  const doc = open();
  const copy = k.toJS(doc);
  assert.deepEqual(copy, plain());
  copy.tags[0]!.name = "changed";
  assert.equal(doc.tags.at(0)!.name, "one");
  k.patch(doc, copy as never);
  assert.deepEqual(k.toJS(doc), copy);
  assert.equal(k.toJS(5), 5);
});

test("clone gives an unattached copy of the same classes", () => {
  const doc = open();
  const copy = k.clone(doc.tags);
  assert.deepEqual(k.toJS(copy), k.toJS(doc.tags));
  assert.ok(copy.at(0) instanceof Tag);
  copy.at(0)!.name = "changed";
  assert.equal(doc.tags.at(0)!.name, "one");
  doc.tags.push(k.clone(doc.tag!), k.clone(doc.far!), copy.removeAt(0)!);
  assert.deepEqual(
    doc.tags.map((tag) => tag.name),
    ["one", "two", "option", "box", "changed"],
  );
  const all = k.clone<InstanceType<typeof All>>(doc);
  assert.deepEqual(k.toJS(all), k.toJS(doc));
  assert.throws(() => Kladde.of(all), TypeError);
  assert.throws(() => k.clone({ a: 1 }), /TypeError: expected a live value.*structuredClone/);
});

test("an object that a constructor refused takes nothing with it", () => {
  const tags = new All({ ...content() }).tags;
  assert.throws(() => new All({ ...content(), tags }), /^TypeError: tags: the object is part of another/);
  const tag = new Tag(tagOf("kept"));
  assert.throws(() => new All({ ...content(), tag, nothing: 5 as never }), /^TypeError: nothing: expected/);
  const doc = open();
  doc.tag = tag;
  assert.equal(doc.tag, tag);
});

test("patch stores all fields in one transaction, or none", () => {
  const doc = open();
  const before = k.toJS(doc);
  const { transactions } = doc.stats();
  assert.throws(
    () => k.patch(doc, { title: "new", tags: [tagOf("a")], kind: "none" as never }),
    /^TypeError: kind: expected one of "draft", "final"/,
  );
  assert.throws(() => k.patch(doc, { titel: "x" } as never), /^TypeError: titel: All has no such field/);
  assert.deepEqual(k.toJS(doc), before);
  assert.equal(doc.stats().transactions, transactions);
  k.patch(doc, { title: "new", tags: [tagOf("a")], pair: [1, "b"], tag: null });
  assert.equal(doc.stats().transactions, transactions + 1);
  assert.deepEqual(k.toJS(doc), { ...before, title: "new", tags: [tagOf("a")], pair: [1, "b"], tag: null });
});

test("patch of a value outside every file stores all fields or none", () => {
  const value = new All(content());
  const { tag, far } = value;
  assert.throws(() => k.patch(value, { tag: null, far: null, title: 5 as never }), /^TypeError: title: /);
  assert.equal(value.tag, tag);
  assert.equal(value.far, far);
  assert.equal(k.patch(value, { title: "x" }), value);
  assert.equal(value.title, "x");
});

test("what patch takes and what toJS gives is known to the compiler", () => {
  const doc = open();
  const names: string[] = k.toJS(doc).tags.map((tag) => tag.name);
  const named: Map<string, { big: bigint }> = k.toJS(doc).byName;
  const body: string = k.toJS(doc).body;
  assert.deepEqual([names, named.size, body], [["one", "two"], 1, "text"]);
  const wrong: readonly (() => unknown)[] = [
    // @ts-expect-error: the element has another type
    () => k.patch(doc, { tags: [5] }),
    // @ts-expect-error: there is no such field
    () => k.patch(doc, { titel: "" }),
    // @ts-expect-error: a name is missing
    () => k.patch(doc, { tag: { big: 1n, labels: ["x"] } }),
    // @ts-expect-error: a text is no number
    () => k.patch(doc, { body: 5 }),
  ];
  for (const call of wrong) assert.throws(call, TypeError);
  k.patch(doc, { body: "new", raw: Uint8Array.of(7), byName: [["z", tagOf("last")]] });
  k.patch(doc.shape, { kind: "Circle", r: 5 });
  assert.deepEqual(k.toJS(doc.shape), { kind: "Circle", r: 5 });
  assert.throws(() => k.patch(doc.shape, { kind: "Point" }), /^TypeError: shape\.kind: a variant stays/);
});

test("entries gives the fields; Object.keys does not", () => {
  const doc = open();
  assert.deepEqual(
    [...k.entries(doc.tag!)].map(([name, value]) => [name, k.toJS(value)]),
    Object.entries(tagOf("option")),
  );
  assert.deepEqual(
    [...k.entries(doc.pair)],
    [
      ["0", 7],
      ["1", "seven"],
    ],
  );
  assert.ok(Object.keys(doc).every((key) => key.startsWith("$")));
  assert.throws(() => doc.tags.push({ ...doc.tag! }), /TypeError: tags\[2\]\..*use k\.toJS/);
});

test("JSON has 64-bit integers as decimal strings, in structs and in containers", () => {
  const doc = open();
  const tag = (name: string) => ({ name, big: "9223372036854775808", labels: ["x", "y"] });
  const json = {
    ...content(),
    raw: "01ff",
    tag: tag("option"),
    far: tag("box"),
    tags: [tag("one"), tag("two")],
    byName: { n: tag("mapped") },
    byNumber: [["1", "one"]],
  };
  assert.deepEqual(JSON.parse(JSON.stringify(doc)), json);
  for (const name of ["tags", "byName", "byNumber", "raw", "body", "tag", "pair", "shape"] as const)
    assert.deepEqual(JSON.parse(JSON.stringify(doc[name])), json[name], name);
  assert.deepEqual(JSON.parse(JSON.stringify(doc.tag!.labels)), ["x", "y"]);
});

test("a class may have a toJSON of its own", () => {
  class Person extends k.struct({ first: k.string(), born: k.u16() }) {
    toJSON(): string {
      return this.first;
    }
  }
  const People = k.struct({ list: k.vec(Person) });
  const doc = Kladde.open(new MemoryFile("people"), People, {
    init: () => ({ list: [{ first: "Ada", born: 1815 }] }),
  });
  assert.equal(JSON.stringify(doc), '{"list":["Ada"]}');
  assert.equal(JSON.stringify(doc.list), '["Ada"]');
});

test("printing shows values behind the names of their classes", () => {
  const doc = open();
  assert.equal(
    inspect(doc.tag, { breakLength: 120 }),
    "Tag { name: 'option', big: 9223372036854775808n, labels: KSet(2) [Set] { 'x', 'y' } }",
  );
  assert.equal(inspect(doc.pair), "KTuple(2) [ 7, 'seven' ]");
  assert.equal(inspect(doc.shape), "Shape.Circle { kind: 'Circle', r: 2 }");
  assert.equal(inspect(doc.body), "[Text: 'text']");
  assert.equal(inspect(doc.byNumber), "KMap(1) [Map] { 1n => 'one' }");
  assert.match(inspect(doc.raw), /^Bytes\(2\).*\[ 1, 255 \]$/);
  assert.match(inspect(doc, { depth: 0 }), /tags: \[KVec\].*/);
  class Person extends k.struct({ first: k.string() }) {
    cache = 5;
  }
  assert.equal(inspect(new Person({ first: "Ada" })), "Person { first: 'Ada', cache: 5 }");
  const cell = Kladde.open(new MemoryFile("cell"), k.u64());
  assert.equal(inspect(cell), "Cell { value: 0n }");
  assert.equal(JSON.stringify(cell), '"0"');
});

test("depth is no limit for copies", () => {
  const Chain = k.struct({
    head: k.u32(),
    get tail() {
      return k.box(Chain);
    },
  });
  const doc = Kladde.open(new MemoryFile("chain"), Chain);
  const depth = 20_000;
  doc.batch(() => {
    let at: InstanceType<typeof Chain> = doc;
    for (let level = 1; level <= depth; level++) {
      at.tail = new Chain({ head: level });
      at = at.tail!;
    }
  });
  const copy = k.clone<InstanceType<typeof Chain>>(doc);
  let plainAt: { head: number; tail: unknown } | null = k.toJS(copy);
  let count = 0;
  for (; plainAt !== null; plainAt = plainAt.tail as typeof plainAt) count++;
  assert.equal(count, depth + 1);
  doc.tail = copy;
  assert.equal(doc.tail, copy);
});
