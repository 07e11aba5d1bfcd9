/**
 * Files whose contents contradict their schema: refused with the value's path, or read as the second reader reads them; no
 * depth and no claimed size brings the process down.
 *
 *     SEED=17 RUNS=1000 node --test engine/kladde/typed/document/hostile.test.ts
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { StoreError } from "../../../errors.ts";
import { MemoryFile } from "../../../storage/memory.ts";
import { Store } from "../../store.ts";
import { readIndependently } from "../../testing/independent/read.ts";
import { ReadingFile } from "../../testing/reading-file.ts";
import { plainOf } from "../live/plain.ts";
import { accessOf } from "../plain/index.ts";
import { readTree } from "../plain/testing/tree.ts";
import * as k from "../schema/k.ts";
import { seal } from "../schema/seal.ts";
import { Course, readDocument } from "../testing/course.ts";
import { readByDescriptor } from "../testing/observe.ts";
import { drawSpec, type Typed } from "../testing/specs.ts";
import { runsOf, Tape, tapes } from "../testing/tape.ts";
import { kladdeOn } from "./kladde.ts";

const kladde = kladdeOn();

// biome-ignore lint/suspicious/noExplicitAny: documents of all types
type Any = any;

/** Changes one allocation of the file in some way, with right checksums. */
function damage(file: MemoryFile, tape: Tape): void {
  const store = Store.open(file);
  const ids = [...store.ids()].filter((id) => id !== store.schemaTable);
  const id = tape.pick(ids);
  const size = store.size(id);
  const at = tape.below(size);
  switch (tape.below(7)) {
    case 0:
      store.resize(id, tape.below(size + 1));
      break;
    case 1:
      store.resize(id, size + 1 + tape.below(8));
      break;
    case 2:
      if (id !== store.root) store.free(id);
      break;
    case 3:
      if (size >= 4)
        store.write(id, tape.below(size - 3), Uint8Array.of(tape.pick([...store.ids()]), 0, 0, 0));
      break;
    case 4:
      if (size > 0) store.write(id, at, Uint8Array.of(tape.pick([0, 1, 2, 127, 128, 254, 255])));
      break;
    case 5:
      if (size > 0) store.write(id, at, Uint8Array.of(tape.below(256)));
      break;
    default:
      store.splice(id, at, tape.below(size - at + 1), Uint8Array.of(tape.below(256)));
  }
  store.close();
}

function findingsOf({ schema }: Typed, bytes: Uint8Array): readonly unknown[] {
  const store = Store.openReadOnly(new ReadingFile("copy", bytes));
  return readTree(accessOf(store), seal(schema).descriptor, store.root, { schemaId: store.schemaTable })
    .findings;
}

test("a damaged file is refused where the second reader finds a fault, else read as it reads it", () => {
  const seen = { refused: 0, read: 0 };
  const property = fc.property(tapes(12), ([type, all]) => {
    const tape = new Tape(type);
    const course = new Course(drawSpec(tape), tape);
    course.handle.close();
    for (const numbers of all) {
      const file = new MemoryFile("damaged", course.file.bytes());
      damage(file, new Tape(numbers));
      const bytes = file.bytes();
      const findings = findingsOf(course.typed, bytes);
      let value: unknown;
      try {
        value = readDocument(course.typed, bytes);
      } catch (cause) {
        assert.ok(cause instanceof StoreError, String(cause));
        // What JSON is, and what a number holds, the descriptor does not say.
        const isUnsuited = /JSON|2\^53/.test(cause.message);
        assert.equal(cause.code, isUnsuited ? "schema-mismatch" : "corrupt", cause.message);
        if (!isUnsuited) assert.notDeepEqual(findings, [], cause.message);
        seen.refused++;
        continue;
      }
      assert.deepEqual(findings, []);
      assert.deepEqual(readByDescriptor(course.typed, bytes, true), value);
      seen.read++;
    }
  });
  fc.assert(property, runsOf(80));
  if (process.env.RUNS === undefined) assert.ok(seen.refused > 50 && seen.read > 50, JSON.stringify(seen));
});

const Part = k.struct({ name: k.string(), size: k.u32() }, { name: "Part" });
const Root = k.struct({
  title: k.string(),
  parts: k.vec(Part),
  map: k.map(k.u8(), k.string()),
  bytes: k.bytes(),
});

const init = () => ({
  title: "title",
  parts: [
    { name: "a", size: 1 },
    { name: "b", size: 2 },
  ],
  map: [[1, "one"]] as const,
  bytes: Uint8Array.of(1),
});

/** A file whose store `change` has had in its hands; `at(offset)` is the pointer that the root has there. */
function changed(change: (store: Store, at: (offset: number) => number) => void): MemoryFile {
  const file = new MemoryFile("hostile");
  kladde.open(file, Root, { init }).close();
  const store = Store.open(file);
  const at = (offset: number) => new DataView(store.read(store.root, offset, 4).buffer).getUint32(0, true);
  change(store, at);
  store.close();
  return file;
}

const pointer = (id: number): Uint8Array => new Uint8Array(Uint32Array.of(id).buffer);

const corrupt = (file: MemoryFile, message: RegExp): void =>
  assert.throws(
    () => kladde.open(file, Root),
    (cause: Error & { code?: string }) =>
      cause instanceof StoreError && cause.code === "corrupt" && message.test(cause.message),
    `${message}`,
  );

test("a fault is told with the path of the value", () => {
  const rows: readonly [RegExp, (store: Store, at: (offset: number) => number) => void][] = [
    [
      /title: a pointer names allocation 9999, which does not exist/,
      (store) => store.write(store.root, 0, pointer(9999)),
    ],
    [/a second pointer names allocation/, (store, at) => store.write(store.root, 0, pointer(at(12)))],
    [/a second pointer names allocation/, (store) => store.write(store.root, 0, pointer(store.root))],
    [/a second pointer names allocation/, (store) => store.write(store.root, 0, pointer(store.schemaTable))],
    [
      /parts\[1\]\.name: .*UTF-8/,
      (store, at) => {
        const name = new DataView(store.read(at(4), 8, 4).buffer).getUint32(0, true);
        store.write(name, 0, Uint8Array.of(0xff));
      },
    ],
    [/parts: 15 bytes are no multiple of the element's 8/, (store, at) => store.resize(at(4), 15)],
    [/map: slot 0 is neither live nor dead but 7/, (store, at) => store.write(at(8), 0, Uint8Array.of(7))],
    [/map\[1\]: the key occurs twice/, (store, at) => store.write(at(8), 6, Uint8Array.of(1, 1, 0, 0, 0, 0))],
    [/ends .* early/, (store) => store.resize(store.root, 15)],
    [/bytes follow the value/, (store) => store.resize(store.root, 17)],
    [/root/, (store) => store.setRoots(0, store.schemaTable, store.fingerprint)],
    [/root/, (store) => store.setRoots(77, store.schemaTable, store.fingerprint)],
    [/second/, (store) => store.setRoots(store.schemaTable, store.schemaTable, store.fingerprint)],
  ];
  for (const [message, change] of rows) {
    const file = changed(change);
    const { contents } = readIndependently(file.bytes());
    corrupt(file, message);
    // Free pages at the end may go, as whenever a file is opened for writing.
    assert.deepEqual(readIndependently(file.bytes()).contents, contents, "left as it was");
  }
});

test("what nothing points to is counted as leaked, and swept on request", () => {
  const file = changed((store) => {
    store.write(store.newId(), 0, Uint8Array.of(1, 2, 3));
    store.alloc(0);
  });
  const doc = kladde.open(file, Root);
  assert.equal(doc.stats().leaked, 2);
  assert.equal(kladde.of(doc).sweep(), 2);
  assert.equal(kladde.of(doc).sweep(), 0);
  const again = kladde.open(new MemoryFile("copy", file.bytes()), Root);
  assert.equal(again.stats().leaked, 0);
  assert.deepEqual(plainOf(again), plainOf(doc));
});

test("claimed sizes are bounded before anything is built", () => {
  const most = 2 ** 32 - 1;
  for (const offset of [0, 4, 8, 12]) {
    const file = changed((store, at) =>
      store.resize(at(offset), offset === 4 ? most - 7 : offset === 8 ? 6 * 2 ** 29 : most),
    );
    assert.ok(file.size() < 100_000);
    assert.throws(
      () => kladde.open(file, Root),
      (cause: { code?: string }) => cause.code === "too-large",
    );
  }
  const other = k.struct({ other: k.u8() });
  const file = changed((store) => store.resize(store.schemaTable, most));
  assert.throws(
    () => kladde.open(file, other),
    (cause: { code?: string }) => cause.code === "too-large" || cause.code === "corrupt",
  );
  const limited = changed(() => {});
  assert.throws(
    () => kladde.open(limited, Root, { loadLimitBytes: 20 }),
    (cause: { code?: string }) => cause.code === "too-large",
  );
  assert.equal(kladde.open(limited, Root, { loadLimitBytes: 1000 }).title, "title");
});

const Chain: Any = k.struct({
  head: k.u32(),
  get tail() {
    return k.box(Chain);
  },
});

const depth = Number(process.env.DEPTH ?? 60_000);

test("a chain of boxes as deep as memory goes is loaded, read, changed, moved, taken back, cleared", () => {
  const file = new MemoryFile("chain");
  const made: Any = kladde.open(file, k.struct({ chain: k.box(Chain), other: k.box(Chain) }), {
    init: () => ({}),
  });
  made.chain = { head: 0 };
  made.batch(() => {
    let at = made.chain;
    for (let head = 1; head < depth; head++) {
      at.tail = { head };
      at = at.tail;
    }
  });
  made.close();
  const doc: Any = kladde.open(file, k.struct({ chain: k.box(Chain), other: k.box(Chain) }));
  let last = doc.chain;
  for (; last.tail !== null; last = last.tail);
  assert.equal(last.head, depth - 1);
  last.head = 7;
  assert.equal((plainOf(doc.chain) as Any).tail.tail.head, 2);
  const { chain } = doc;
  assert.throws(() =>
    doc.transaction(() => {
      doc.chain = null;
      throw new Error("back");
    }),
  );
  assert.equal(doc.chain, chain);
  doc.transaction(() => {
    const moved = doc.chain.tail;
    doc.chain.tail = null;
    doc.other = moved;
  });
  assert.equal(doc.other.head, 1);
  doc.other = null;
  assert.equal(kladde.of(doc).store.check(), undefined);
  const again: Any = kladde.open(
    new MemoryFile("copy", file.bytes()),
    k.struct({ chain: k.box(Chain), other: k.box(Chain) }),
  );
  assert.deepEqual(plainOf(again), { chain: { head: 0, tail: null }, other: null });
  assert.equal(again.stats().leaked, 0);
});

test("a value that is given too deep is refused, and the document unchanged", () => {
  const file = new MemoryFile("chain");
  const doc: Any = kladde.open(file, k.struct({ chain: k.box(Chain) }), { init: () => ({}) });
  const bytes = file.bytes();
  let deep: object = { head: 0 };
  for (let head = 1; head < 100_000; head++) deep = { head, tail: deep };
  assert.throws(() => {
    doc.chain = deep;
  }, /nests too deeply/);
  assert.deepEqual(file.bytes(), bytes);
  assert.equal(doc.chain, null);
  doc.chain = { head: 1 };
  assert.equal(doc.chain.head, 1);
});
