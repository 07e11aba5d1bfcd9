/** A document is what its file says, after every kind of change, and after a rollback. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../../../storage/memory.ts";
import { plainOf } from "../live/plain.ts";
import * as k from "../schema/k.ts";
import { documentOf, openDocument } from "./kladde.ts";

const Tag = k.struct({ name: k.string(), weight: k.f64() }, { name: "Tag" });
const Note = k.struct(
  { title: k.string(), count: k.u32(), tags: k.vec(k.string()), marks: k.vec(Tag), main: k.option(Tag) },
  { name: "Note" },
);

const begin = (file: MemoryFile) =>
  openDocument(file, Note, { init: () => ({ title: "hi", count: 1, tags: ["a", "bc"] }) });

/** What a process that starts now would find. */
const reopened = (file: MemoryFile) => plainOf(openDocument(new MemoryFile("copy", file.bytes()), Note));

test("every change is in the file when its statement is done", () => {
  const file = new MemoryFile("note");
  const doc = begin(file);
  const steps: (() => void)[] = [
    () => {
      doc.title = "Groceries";
    },
    () => {
      doc.title += " (week 12)";
    },
    () => doc.tags.push("home", "weekly"),
    () => doc.tags.sort(),
    () => doc.marks.push({ name: "x", weight: 1 }, { name: "y", weight: Number.NaN }),
    () => {
      doc.marks.at(1)!.name = "changed";
    },
    () => {
      doc.main = { name: "m", weight: 0 };
    },
    () => {
      doc.main = null;
    },
  ];
  for (const step of steps) {
    step();
    assert.deepEqual(reopened(file), plainOf(doc), step.toString());
  }
  assert.deepEqual([...doc.tags], ["a", "bc", "home", "weekly"]);
  assert.equal(documentOf(doc).stats().leaked, 0);
});

test("a transaction that throws leaves memory and file as they were, objects included", () => {
  const file = new MemoryFile("note");
  const doc = begin(file);
  doc.marks.push({ name: "x", weight: 1 });
  const mark = doc.marks.at(0)!;
  const before = plainOf(doc);
  const body = () => {
    doc.title = "gone";
    doc.tags.clear();
    const taken = doc.marks.pop()!;
    taken.name = "outside";
    doc.main = taken;
    throw new Error("back");
  };
  assert.throws(() => doc.transaction(body), /back/);
  assert.deepEqual(plainOf(doc), before);
  assert.equal(doc.marks.at(0), mark);
  assert.deepEqual(reopened(file), before);
});

test("what a transaction moves keeps its identity and its allocations", () => {
  const file = new MemoryFile("note");
  const doc = begin(file);
  doc.marks.push({ name: "a long name that would show in the journal", weight: 1 });
  const mark = doc.marks.at(0)!;
  const before = documentOf(doc).stats().journalBytes;
  doc.transaction(() => {
    doc.main = doc.marks.pop()!;
  });
  assert.equal(doc.main, mark);
  assert.ok(documentOf(doc).stats().journalBytes - before < 40);
  assert.deepEqual(reopened(file), plainOf(doc));
});

test("a mistake is refused with its path, and changes nothing", () => {
  const file = new MemoryFile("note");
  const doc = begin(file);
  const bytes = file.bytes();
  assert.throws(() => {
    doc.count = -1;
  }, /^RangeError: count: -1 is no whole number/);
  assert.throws(
    () => doc.marks.push({ name: 5 as never, weight: 1 }),
    /^TypeError: marks\[0\]\.name: expected a string/,
  );
  assert.throws(() => doc.tags.push("\ud800"), /^TypeError: tags\[2\]: the string has a lone surrogate/);
  assert.deepEqual(file.bytes(), bytes);
});
