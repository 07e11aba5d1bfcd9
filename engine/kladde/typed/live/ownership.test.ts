/** Every object has one owner: what may be stored, what may not, and what a rolled back transaction leaves of a move. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../../../storage/memory.ts";
import { kladdeOn } from "../document/kladde.ts";
import * as k from "../schema/k.ts";
import { plainOf } from "./plain.ts";

const kladde = kladdeOn();

const Part = k.struct({ name: k.string() }, { name: "Part" });
const Thing = k.struct(
  { name: k.string(), parts: k.vec(Part), main: k.option(Part), inner: k.box(Part) },
  { name: "Thing" },
);
const Shop = k.struct(
  {
    things: k.vec(Thing),
    others: k.vec(Thing),
    parts: k.vec(Part),
    boxed: k.vec(k.box(Part)),
    byName: k.map(k.string(), k.box(Thing)),
  },
  { name: "Shop" },
);

function open(file = new MemoryFile("shop")) {
  const doc = kladde.open(file, Shop, { init: () => ({}) });
  /** What a new process finds; nothing may be leaked. */
  const agrees = (): void => {
    const again = kladde.open(new MemoryFile("copy", file.bytes()), Shop);
    assert.deepEqual(plainOf(again), plainOf(doc));
    assert.equal(again.stats().leaked, 0);
  };
  return { doc, file, agrees };
}

const thing = (name: string, ...parts: string[]) => ({ name, parts: parts.map((part) => ({ name: part })) });

const owned = (step: () => unknown): void =>
  assert.throws(step, (error: { code?: string }) => error instanceof TypeError && error.code === "owned");

test("an object that is taken twice in one transaction does not take along what was moved out of it meanwhile", () => {
  const { doc, agrees } = open();
  doc.things.push(thing("a", "part"));
  doc.transaction(() => {
    const taken = doc.things.pop()!;
    doc.others.push(taken);
    doc.parts.push(taken.parts.pop()!);
    doc.others.pop();
  });
  assert.deepEqual(plainOf(doc.parts), [{ name: "part" }]);
  agrees();
});

test("what comes out of a list of boxes can be stored again, in a box or not, in a transaction or not", () => {
  const { doc, agrees } = open();
  doc.boxed.push({ name: "x" }, { name: "y" });
  doc.boxed.push(doc.boxed.shift()!);
  doc.parts.push(doc.boxed.pop()!);
  agrees();
  const last = doc.boxed.at(0)!;
  doc.transaction(() => {
    doc.boxed.push(doc.boxed.pop()!);
    doc.parts.push(doc.boxed.pop()!);
  });
  assert.equal(doc.parts.at(1), last);
  agrees();
  assert.throws(
    () =>
      doc.transaction(() => {
        doc.boxed.push(doc.parts.pop()!);
        const again = doc.boxed.pop()!;
        again.name = "changed outside";
        doc.things.push({ name: "t", main: again });
        throw new Error("back");
      }),
    /back/,
  );
  assert.equal(doc.parts.at(1), last);
  assert.equal(last.name, "y");
  agrees();
});

test("a box that is moved keeps its allocations", () => {
  const { doc, agrees } = open();
  doc.byName.set("from", thing("a name that would be seen in the journal if it were written", "part"));
  const before = doc.stats().journalBytes;
  doc.transaction(() => doc.byName.set("to", doc.byName.take("from")!));
  assert.ok(doc.stats().journalBytes - before < 60, `${doc.stats().journalBytes - before} bytes`);
  agrees();
});

test("a new object that adopted what a transaction took out keeps a copy when that is rolled back", () => {
  const { doc, agrees } = open();
  doc.parts.push({ name: "part" });
  const part = doc.parts.at(0)!;
  const outside = new Thing({ name: "outside", parts: [] });
  let made: InstanceType<typeof Thing> | undefined;
  assert.throws(
    () =>
      doc.transaction(() => {
        made = new Thing({ name: "made", main: doc.parts.pop()! });
        doc.things.push(made);
        outside.parts.push(doc.things.at(0)!.name === "made" ? new Part({ name: "new" }) : part);
        throw new Error("back");
      }),
    /back/,
  );
  assert.equal(doc.parts.at(0), part);
  assert.notEqual(made!.main, part);
  doc.others.push(made!, outside);
  assert.equal(doc.others.at(0), made);
  assert.deepEqual(plainOf(doc.others.at(0)!.main), { name: "part" });
  part.name = "changed";
  assert.equal(doc.others.at(0)!.main!.name, "part");
  agrees();
});

test("objects outside every file that took something in during a transaction do not share it with the document", () => {
  const { doc, agrees } = open();
  doc.parts.push({ name: "part" });
  const part = doc.parts.at(0)!;
  const outside = new Thing({ name: "outside", parts: [] });
  assert.throws(
    () =>
      doc.transaction(() => {
        outside.main = doc.parts.pop()!;
        throw new Error("back");
      }),
    /back/,
  );
  assert.equal(doc.parts.at(0), part);
  doc.things.push(outside);
  agrees();
});

test("what an open transaction took out cannot go into another document", () => {
  const one = open();
  const two = open();
  one.doc.parts.push({ name: "part" });
  one.doc.transaction(() => {
    const part = one.doc.parts.pop()!;
    owned(() => two.doc.parts.push(part));
    owned(() => two.doc.things.push({ name: "t", main: part }));
    one.doc.parts.push(part);
  });
  const part = one.doc.parts.pop()!;
  two.doc.parts.push(part);
  assert.equal(two.doc.parts.at(0), part);
  one.agrees();
  two.agrees();
});

test("an object cannot have two owners, nor become part of itself", () => {
  const { doc, file, agrees } = open();
  const Deep = k.struct({
    name: k.string(),
    get below() {
      return k.vec(Deep);
    },
    get one() {
      return k.box(Deep);
    },
  });
  const deep = new Deep({ name: "a" });
  owned(() => deep.below.push(deep));
  owned(() => deep.below.push({ name: "b", one: deep }));
  owned(() => {
    deep.one = { name: "b", below: [{ name: "c", one: deep }] } as never;
  });
  deep.below.push({ name: "b" });
  owned(() => deep.below.at(0)!.below.push(deep));
  const bytes = file.bytes();
  const part = new Part({ name: "p" });
  owned(() => doc.parts.push(part, part));
  owned(() => doc.things.push({ name: "t", main: part, inner: part }));
  owned(() => doc.boxed.push(part, part));
  assert.throws(() => new Thing({ name: 5 as never, main: part }), /name/);
  assert.throws(
    () => new Thing({ name: "t", main: part, parts: [{ name: 5 as never }] }),
    /parts\[0\]\.name/,
  );
  assert.deepEqual(file.bytes(), bytes);
  doc.parts.push(part);
  owned(() => doc.parts.push(part));
  owned(() => new Thing({ name: "t", main: part }));
  owned(() => doc.things.push({ name: "t", main: part }));
  agrees();
});

test("storing an object where it is does nothing", () => {
  const { doc, file, agrees } = open();
  doc.things.push(thing("a", "part"));
  doc.byName.set("a", thing("b"));
  doc.boxed.push({ name: "x" });
  const bytes = file.bytes();
  doc.things.set(0, doc.things.at(0)!);
  doc.things.at(0)!.parts = doc.things.at(0)!.parts;
  doc.byName.update("a", (old) => old!);
  doc.boxed.set(0, doc.boxed.at(0)!);
  assert.deepEqual(file.bytes(), bytes);
  agrees();
});

test("bytes that were given are copied, whatever class they are of", () => {
  const Blob = k.struct({ blob: k.bytes() });
  const file = new MemoryFile("blob");
  const given = Buffer.from([1, 2, 3]);
  const doc = kladde.open(file, Blob, { init: () => ({ blob: given }) });
  given[0] = 9;
  assert.deepEqual([...doc.blob], [1, 2, 3]);
  const taken = doc.blob.slice();
  taken[1] = 9;
  assert.deepEqual([...doc.blob], [1, 2, 3]);
});

test("an object that went through an outside one and changed there is stored as it is", () => {
  const Deep = k.struct({
    name: k.string(),
    get below() {
      return k.vec(Deep);
    },
  });
  const Woods = k.struct({ trees: k.vec(Deep) });
  const file = new MemoryFile("woods");
  const tree = () => ({ name: "tree", below: [{ name: "branch", below: [{ name: "leaf" }] }] });
  const doc = kladde.open(file, Woods, { init: () => ({ trees: [tree()] }) });
  doc.transaction(() => {
    const outside = new Deep({ name: "outside" });
    outside.below.push(doc.trees.pop()!);
    outside.below.at(0)!.below.at(0)!.below.push({ name: "grown outside" });
    doc.trees.push(outside);
  });
  const again = kladde.open(new MemoryFile("copy", file.bytes()), Woods);
  assert.deepEqual(plainOf(again), plainOf(doc));
  assert.equal(again.stats().leaked, 0);
});

test("what a rollback puts back is as packed as its place, wherever it was meanwhile", () => {
  const Element = k.struct({ name: k.string(), size: k.u32(), words: k.packedVec(k.string()) });
  const Both = k.struct({ packed: k.packedVec(Element), slotted: k.vec(Element) });
  const file = new MemoryFile("both");
  const element = (name: string) => ({ name, size: 1, words: ["one", "two"] });
  const doc = kladde.open(file, Both, {
    init: () => ({ packed: [element("a"), element("b")], slotted: [element("c")] }),
  });
  assert.throws(
    () =>
      doc.transaction(() => {
        doc.slotted.push(doc.packed.pop()!);
        doc.packed.push(doc.slotted.shift()!);
        doc.packed.at(-1)!.words.push("three");
        doc.slotted.at(-1)!.size = 70_000;
        throw new Error("back");
      }),
    /back/,
  );
  doc.packed.at(1)!.size = 80_000;
  doc.packed.at(1)!.words.set(0, "first");
  doc.slotted.at(0)!.size = 90_000;
  doc.packed.at(0)!.size = 300;
  doc.packed.at(1)!.size = 5;
  assert.deepEqual(plainOf(kladde.open(new MemoryFile("copy", file.bytes()), Both)), plainOf(doc));
});

test("a document that took in what another one's transaction then takes back is not changed any more", () => {
  const one = open();
  const two = open();
  one.doc.parts.push({ name: "part" });
  const part = one.doc.parts.at(0)!;
  assert.throws(
    () =>
      one.doc.transaction(() => {
        two.doc.things.push(new Thing({ name: "outside", main: one.doc.parts.pop()! }));
        throw new Error("back");
      }),
    /back/,
  );
  assert.equal(one.doc.parts.at(0), part);
  one.agrees();
  assert.throws(
    () => two.doc.parts.push({ name: "more" }),
    (cause: { code?: string }) => cause.code === "poisoned",
  );
  const again = kladde.open(new MemoryFile("copy", two.file.bytes()), Shop);
  assert.equal(again.things.at(0)!.main!.name, "part");
});
