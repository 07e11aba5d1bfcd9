/** Transactions and batches: all or nothing, in memory and in the file, whatever ends them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CrashingFile } from "../../../storage/crashing.ts";
import { MemoryFile } from "../../../storage/memory.ts";
import type { StorageFile } from "../../../storage/storage.ts";
import type { StoreOptions } from "../../options.ts";
import { kladdeOn } from "../document/kladde.ts";
import * as k from "../schema/k.ts";
import { Course } from "../testing/course.ts";
import { change, somewhere } from "../testing/operations.ts";
import { drawSpec } from "../testing/specs.ts";
import { runsOf, Tape, tapes } from "../testing/tape.ts";
import { plainOf } from "./plain.ts";

const kladde = kladdeOn();

const Note = k.struct({ title: k.string(), tags: k.vec(k.string()) }, { name: "Note" });
const Book = k.struct({ title: k.string(), notes: k.vec(Note), byName: k.map(k.string(), Note) });

const init = () => ({ title: "book", notes: [{ title: "first", tags: ["a"] }], byName: [] });

const open = (file: StorageFile = new MemoryFile("book"), options: StoreOptions = {}) =>
  kladde.open(file, Book, { ...options, init });

const found = (bytes: Uint8Array): unknown => plainOf(kladde.open(new MemoryFile("copy", bytes), Book));

const codeOf = (cause: unknown): unknown => (cause as { code?: unknown }).code;

test("a transaction that throws at any of its steps changes nothing, objects and file included", () => {
  const property = fc.property(tapes(6), ([type, all]) => {
    const tape = new Tape(type);
    const course = new Course(drawSpec(tape), tape);
    for (let count = 0; count <= all.length; count++) {
      const bytes = course.file.bytes();
      const steps = () => {
        for (const numbers of all.slice(0, count)) course.step(new Tape(numbers));
      };
      course.inTransaction(steps, true);
      assert.deepEqual(course.file.bytes(), bytes);
      course.verify();
    }
    course.inTransaction(() => {
      for (const numbers of all) course.step(new Tape(numbers));
    }, false);
    course.verify();
  });
  fc.assert(property, runsOf(40));
});

test("when the disk is full, a change fails alone and a transaction as a whole, and later ones work", () => {
  let failures = 0;
  const property = fc.property(tapes(6), fc.constantFrom("truncate", "write"), ([type, all], at) => {
    const tape = new Tape(type);
    const file = new CrashingFile();
    const course = new Course(drawSpec(tape), tape, {}, file);
    file.plan = { full: { pages: file.size() / 4096, at } };
    const isFull = (cause: unknown): boolean => codeOf(cause) === "disk-full" && ++failures > 0;
    for (let round = 0; round < 12; round++) {
      course.inTransaction(
        () => {
          for (const numbers of all)
            course.log.push(change(somewhere(course.root, new Tape(numbers)), new Tape(numbers)));
        },
        false,
        isFull,
      );
      course.verifyLive();
    }
    course.verify();
    file.plan = {};
    for (const numbers of all) course.step(new Tape(numbers));
    course.verify();
  });
  fc.assert(property, runsOf(25));
  assert.ok(failures > 0 || process.env.RUNS !== undefined, "the disk was never full");
});

test("a change that finds the disk full leaves memory and file as they were", () => {
  const file = new CrashingFile();
  const doc = open(file);
  const note = doc.notes.at(0)!;
  const before = plainOf(doc);
  file.plan = { full: { pages: file.size() / 4096, at: "truncate" } };
  const big = "x".repeat(5000);
  const full = (step: () => unknown): void => assert.throws(step, (cause) => codeOf(cause) === "disk-full");
  full(() => doc.notes.push({ title: big }));
  full(() => {
    doc.title = big;
  });
  full(() => doc.byName.set("a", { title: big }));
  full(() => note.tags.insert(0, big));
  full(() => note.tags.assign([big]));
  full(() => doc.transaction(() => doc.notes.unshift({ title: big, tags: [big] }, doc.notes.pop()!)));
  assert.deepEqual(plainOf(doc), before);
  assert.equal(doc.notes.at(0), note);
  assert.deepEqual(found(file.bytes()), before);
  file.plan = {};
  note.tags.push(big);
  assert.deepEqual(found(file.bytes()), plainOf(doc));
});

test("a batch that finds the disk full poisons the store, and the file holds what was there before it", () => {
  const big = "x".repeat(3000);
  for (const step of ["end", "middle", "flush", "transaction"]) {
    const file = new CrashingFile();
    const doc = open(file, step === "middle" ? { batchBytes: 4096 } : {});
    const before = plainOf(doc);
    file.plan = { full: { pages: file.size() / 4096, at: "truncate" } };
    const body = () => {
      doc.title = "in the batch";
      doc.notes.push({ title: big });
      if (step === "transaction") doc.transaction(() => doc.notes.push({ title: big }));
      else doc.notes.push({ title: big });
      if (step === "flush") doc.flush();
      if (step !== "end") doc.title = "after a failure";
    };
    assert.throws(
      () => doc.batch(body),
      (cause) => codeOf(cause) === "disk-full",
      step,
    );
    assert.throws(
      () => doc.notes.push({ title: "more" }),
      (cause) => codeOf(cause) === "poisoned",
      step,
    );
    assert.throws(
      () => doc.transaction(() => {}),
      (cause) => codeOf(cause) === "poisoned",
      step,
    );
    assert.deepEqual(found(file.bytes()), before, step);
  }
});

test("a failed sync poisons: changes throw, reading goes on, a transaction around it is taken back", () => {
  const file = new CrashingFile();
  const doc = open(file);
  doc.title = "acknowledged";
  const before = plainOf(doc);
  file.plan = { failures: [{ call: "sync", at: file.calls.sync, code: "io-failed" }] };
  assert.throws(
    () =>
      doc.transaction(() => {
        doc.notes.clear();
        doc.flush();
      }),
    (cause) => codeOf(cause) === "io-failed",
  );
  assert.deepEqual(plainOf(doc), before);
  for (const step of [
    () => doc.notes.push({ title: "x" }),
    () => doc.transaction(() => {}),
    () => doc.flush(),
  ])
    assert.throws(step, (cause) => codeOf(cause) === "poisoned");
  assert.equal(doc.title, "acknowledged");
  assert.equal(doc.notes.at(0)!.tags.at(0), "a");
  assert.deepEqual(found(file.image("kept")), before);
  doc.close();
  assert.equal(doc.title, "acknowledged");
  assert.throws(
    () => doc.notes.push({ title: "x" }),
    (cause) => codeOf(cause) === "closed",
  );
});

test("an inner transaction that throws is a savepoint", () => {
  const file = new MemoryFile("book");
  const doc = open(file);
  doc.transaction(() => {
    doc.title = "outer";
    const note = doc.notes.pop()!;
    assert.throws(() =>
      doc.transaction(() => {
        doc.byName.set("note", note);
        doc.title = "inner";
        throw new Error("back");
      }),
    );
    assert.equal(doc.title, "outer");
    doc.notes.push(note);
  });
  assert.deepEqual(plainOf(doc), {
    title: "outer",
    notes: [{ title: "first", tags: ["a"] }],
    byName: new Map(),
  });
  assert.deepEqual(found(file.bytes()), plainOf(doc));
});

test("an async body is refused, and its changes are taken back; nothing is left unhandled", async () => {
  const file = new MemoryFile("book");
  const doc = open(file);
  const before = plainOf(doc);
  const bytes = file.bytes();
  const unhandled: unknown[] = [];
  const note = (cause: unknown) => unhandled.push(cause);
  process.on("unhandledRejection", note);
  const body = () => {
    doc.title = "async";
    return Promise.reject(new Error("later"));
  };
  assert.throws(() => doc.transaction(body), /async/);
  // biome-ignore lint/suspicious/noThenProperty: what the test is about
  assert.throws(() => doc.transaction(() => ({ then() {} })), /async/);
  // biome-ignore lint/suspicious/noThenProperty: what the test is about
  assert.throws(() => doc.transaction(() => Object.assign(() => {}, { then() {} })), /async/);
  assert.deepEqual(plainOf(doc), before);
  assert.deepEqual(file.bytes(), bytes);
  assert.throws(() => doc.batch(async () => {}), /async/);
  await new Promise((resolve) => setTimeout(resolve, 5));
  process.off("unhandledRejection", note);
  assert.deepEqual(unhandled, []);
  doc.title = "goes on";
  assert.deepEqual(found(file.bytes()), plainOf(doc));
});

test("a body that runs nothing when it is called is refused, and so is what is no function", () => {
  const file = new MemoryFile("book");
  const doc = open(file);
  const bytes = file.bytes();
  const bodies: readonly (readonly [unknown, RegExp])[] = [
    [
      function* () {
        doc.title = "later";
        yield 1;
      },
      /must not be a generator/,
    ],
    [
      async function* () {
        doc.title = "later";
        yield 1;
      },
      /must not be a generator/,
    ],
    [async () => (doc.title = "now"), /must not be async/],
    [undefined, /must be a function, not undefined/],
  ];
  for (const [body, message] of bodies)
    for (const run of [doc.transaction, doc.batch])
      assert.throws(() => run.call(doc, body as never), { name: "TypeError", message });
  assert.deepEqual(file.bytes(), bytes);
  doc.transaction(() => [doc.title].values());
  doc.title = "goes on";
  assert.deepEqual(found(file.bytes()), plainOf(doc));
});

test("scopes that end in another order than they began are refused, and nothing is lost", () => {
  const file = new MemoryFile("book");
  const doc = open(file);
  const handle = kladde.of(doc);
  const before = plainOf(doc);
  assert.throws(() => doc.transaction(() => handle.begin()), /did not end/);
  assert.throws(() => doc.transaction(() => handle.beginBatch()), /did not end/);
  assert.throws(() => doc.batch(() => handle.begin()), /did not end/);
  const outer = handle.begin();
  doc.title = "outer";
  const inner = handle.begin();
  doc.title = "inner";
  assert.throws(() => outer.commit(), /not the innermost/);
  assert.throws(() => doc.transaction(() => inner.commit()), /not the innermost/);
  assert.throws(() => doc.close(), /open transaction/);
  assert.equal(doc.title, "inner");
  outer.rollBack();
  assert.throws(() => inner.commit(), /over already/);
  assert.throws(() => outer.commit(), /over already/);
  assert.deepEqual(plainOf(doc), before);
  {
    using tx = handle.begin();
    doc.title = "kept";
    tx.commit();
  }
  {
    using _ = handle.begin();
    doc.title = "not kept";
  }
  {
    using _ = handle.beginBatch();
    doc.notes.push({ title: "batched" });
  }
  assert.equal(doc.title, "kept");
  assert.deepEqual(found(file.bytes()), plainOf(doc));
});

test("whoever ends the transaction it runs in is told, and the changes are gone", () => {
  const doc = open();
  const handle = kladde.of(doc);
  const before = plainOf(doc);
  const tx = handle.begin();
  doc.title = "in tx";
  assert.throws(
    () =>
      doc.transaction(() => {
        tx.rollBack();
        doc.notes.clear();
      }),
    /did not end|it was in/,
  );
  assert.deepEqual(plainOf(doc.notes), []);
  doc.notes.push(...(before as { notes: { title: string }[] }).notes);
  assert.equal(doc.title, "book");
});

test("a document opened for reading refuses changes and keeps nothing of them", () => {
  const file = new MemoryFile("book");
  open(file).close();
  const bytes = file.bytes();
  const doc = kladde.open(file, Book, { readonly: true });
  const before = plainOf(doc);
  const note = new Note({ title: "new" });
  const refused = (step: () => unknown): void =>
    assert.throws(step, (cause) => codeOf(cause) === "read-only");
  refused(() => doc.notes.push(note));
  refused(() => doc.transaction(() => doc.notes.push({ title: "in a transaction" }, note)));
  refused(() => doc.batch(() => doc.notes.clear()));
  refused(() => doc.flush());
  assert.equal(
    doc.transaction(() => doc.title),
    "book",
  );
  assert.deepEqual(plainOf(doc), before);
  doc.close();
  assert.deepEqual(file.bytes(), bytes);
  const other = open();
  other.notes.push(note);
  assert.equal(other.notes.at(-1), note);
});
