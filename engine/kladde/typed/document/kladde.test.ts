/** A document is what its file says, after every kind of change, and after a rollback. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../../../storage/memory.ts";
import { MemoryDisk } from "../../../storage/memory-disk.ts";
import { resolveOptions } from "../../options.ts";
import { Store } from "../../store.ts";
import { plainOf } from "../live/plain.ts";
import * as k from "../schema/k.ts";
import { Kladde } from "./in-files.ts";
import { kladdeOn } from "./kladde.ts";

const Tag = k.struct({ name: k.string(), weight: k.f64() }, { name: "Tag" });
const Note = k.struct(
  { title: k.string(), count: k.u32(), tags: k.vec(k.string()), marks: k.vec(Tag), main: k.option(Tag) },
  { name: "Note" },
);

const begin = (file: MemoryFile) =>
  Kladde.open(file, Note, { init: () => ({ title: "hi", count: 1, tags: ["a", "bc"] }) });

/** What a process that starts now would find. */
const reopened = (file: MemoryFile) => plainOf(Kladde.open(new MemoryFile("copy", file.bytes()), Note));

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
  assert.equal(Kladde.of(doc).stats().leaked, 0);
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
  const before = Kladde.of(doc).stats().journalBytes;
  doc.transaction(() => {
    doc.main = doc.marks.pop()!;
  });
  assert.equal(doc.main, mark);
  assert.ok(Kladde.of(doc).stats().journalBytes - before < 40);
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

test("a new document appears under its name complete; another schema is refused and changes nothing", () => {
  const disk = new MemoryDisk();
  const kladde = kladdeOn(disk);
  assert.throws(() => kladde.open("note", Note, { mustExist: true }), { code: "io-failed" });
  {
    using doc = kladde.open("note", Note, { init: () => ({ title: "hi", count: 1 }) });
    doc.tags.push("a");
    assert.throws(() => kladde.open("note", Note), { code: "locked" });
  }
  assert.equal(disk.size("note.new"), -1);
  const bytes = contentOf(disk, "note");
  assert.throws(() => kladde.open("note", k.vec(k.u8())), { code: "schema-mismatch" });
  assert.deepEqual(contentOf(disk, "note"), bytes);
  using doc = kladde.open("note", Note);
  assert.deepEqual([...doc.tags], ["a"]);
});

test("a root that is no object comes as a cell", () => {
  const file = new MemoryFile("count");
  const doc = Kladde.open(file, k.option(k.string()));
  assert.equal(doc.value, null);
  doc.value = "one";
  doc.close();
  const again = Kladde.open(file, k.option(k.string()), { readonly: true });
  assert.equal(again.value, "one");
  assert.throws(
    () => {
      again.value = "two";
    },
    { code: "read-only" },
  );
});

test("a document opened for reading tells what it holds, and that it has written nothing", () => {
  const file = new MemoryFile("note");
  const writing = begin(file);
  writing.tags.push("x".repeat(9000));
  writing.flush();
  // Not flushed: recovery finds it in the journal.
  writing.tags.push("in the journal");
  const { allocations, allocationBytes, statements, ...written } = writing.stats();
  const bytes = file.bytes();
  const reading = Kladde.open(file, Note, { readonly: true });
  const stats = reading.stats();
  assert.equal(stats.filePages, written.filePages);
  assert.equal(stats.dataPages, written.dataPages);
  assert.equal(stats.journalPages, 1);
  assert.equal(stats.allocations, allocations + 1);
  assert.ok(stats.allocationBytes > allocationBytes && stats.statements >= statements);
  assert.ok(stats.pagesRead > 0);
  assert.equal(stats.budgetPages, resolveOptions().budgetStart);
  assert.equal(stats.leaked, 0);
  const counters = [
    "flushes",
    "transactions",
    "journalBytes",
    "dataPagesWritten",
    "headersWritten",
    "growths",
  ] as const;
  for (const counter of counters) assert.equal(stats[counter], 0, counter);
  assert.deepEqual(Kladde.of(reading).stats(), stats);
  assert.deepEqual(file.bytes(), bytes);
  reading.close();
  assert.throws(() => reading.stats(), { code: "closed" });
  writing.close();
});

test("options are looked at where a document is opened for reading too, and say when pages are verified", () => {
  const file = new MemoryFile("note");
  const doc = begin(file);
  const id = Kladde.of(doc).store.ids().next().value!;
  doc.close();
  // Nothing points to what these bytes were, so reading the values does not meet them.
  const store = Store.open(file);
  const extra = store.alloc(5000);
  store.write(extra, 0, new Uint8Array(5000).fill(7));
  store.flush();
  const page = store.pageOf(extra);
  assert.notEqual(page, store.pageOf(id));
  store.close();
  file.write(Uint8Array.of(8), page * 4096 + 1000);
  const open = (options: object) => () => Kladde.open(file.clone(), Note, { readonly: true, ...options });
  assert.throws(open({ verify: "never" }), /^TypeError: options: verify/);
  assert.throws(open({}), { code: "corrupt" });
  assert.equal(open({ verify: "lazy" })().title, "hi");
});

test("after close, reading goes on and changes are refused", () => {
  const doc = begin(new MemoryFile("note"));
  doc.close();
  assert.equal(doc.title, "hi");
  assert.throws(() => doc.tags.push("x"), { code: "closed" });
  assert.deepEqual([...doc.tags], ["a", "bc"]);
});

function contentOf(disk: MemoryDisk, name: string): Uint8Array {
  const bytes = new Uint8Array(disk.size(name));
  disk.open(name, "read").read(bytes, 0);
  return bytes;
}
