/** Making a document in a file that is given: what fails leaves nothing, and a power cut leaves nothing or all of it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../../../errors.ts";
import { CrashingFile } from "../../../storage/crashing.ts";
import { MemoryFile } from "../../../storage/memory.ts";
import { SplitMix32 } from "../../../storage/random.ts";
import type { StorageFile } from "../../../storage/storage.ts";
import { WrappedFile } from "../../../storage/wrapped.ts";
import { Store } from "../../store.ts";
import { plainOf } from "../live/plain.ts";
import * as k from "../schema/k.ts";
import { kladdeOn } from "./kladde.ts";

const Note = k.struct({ title: k.string(), marks: k.vec(k.u32()) });
const kladde = kladdeOn();
const make = (file: StorageFile, title = "hi", options: object = {}) =>
  kladde.open(file, Note, { init: () => ({ title, marks: [1, 2] }), ...options });

test("a first value that is refused leaves the file untouched and free", () => {
  const inits: readonly (() => unknown)[] = [
    () => ({ title: 5 }),
    () => ({ title: "\ud800" }),
    () => ({ title: "hi", marks: [2 ** 40] }),
    () => Promise.resolve({ title: "hi" }),
    () => {
      throw new Error("mine");
    },
  ];
  const empty = new MemoryFile();
  Store.create(empty).close();
  for (const init of inits)
    for (const image of [new Uint8Array(0), empty.bytes()]) {
      const file = new CrashingFile(image);
      assert.throws(() => kladde.open(file, Note, { init: init as never }));
      assert.equal(file.mutations, 0);
      assert.deepEqual(file.bytes(), image);
      make(file).close();
    }
});

test("a file that fails at any call while a document is made is empty again, and free", () => {
  const rehearsal = new CrashingFile();
  make(rehearsal, "x".repeat(5000));
  const seen = { failed: 0 };
  for (const call of ["write", "truncate", "sync"] as const)
    for (let at = 0; at < rehearsal.mutations; at++)
      for (const code of ["io-failed", "disk-full"] as const) {
        const file = new CrashingFile(undefined, { failures: [{ call, at, code }] });
        try {
          make(file, "x".repeat(5000));
          continue;
        } catch (error) {
          assert.ok(error instanceof StoreError, String(error));
        }
        seen.failed++;
        assert.equal(file.size(), 0, `${call} ${at}: ${code}`);
        file.plan = {};
        make(file).close();
      }
  assert.ok(seen.failed > 20, `${seen.failed} failures`);
});

test("a power cut while a document is made leaves a file that counts as missing, or all of it", () => {
  const random = new SplitMix32(23);
  // The second does not fit a journal: a flush happens before the making ends.
  for (const title of ["x".repeat(5000), "y".repeat(40_000)]) {
    const rehearsal = new CrashingFile();
    make(rehearsal, title, { journalBudgetPages: 2 });
    const seen = { missing: 0, whole: 0 };
    for (let cutAt = 0; cutAt < rehearsal.mutations; cutAt++) {
      const file = new CrashingFile(undefined, { cutAt });
      // A flush that was due fails without a word, and the next call says that the store is poisoned.
      assert.throws(() => make(file, title, { journalBudgetPages: 2 }));
      assert.ok(file.isCut);
      for (const { image } of file.images(random, 6)) {
        const after = new MemoryFile("after", image);
        if (isThere(after.clone())) {
          seen.whole++;
          const doc = kladde.open(after.clone(), Note, { readonly: true });
          assert.deepEqual(plainOf(doc), { title, marks: [1, 2] });
          assert.equal(doc.stats().leaked, 0);
        } else seen.missing++;
        make(after).close();
        assert.ok(isThere(after));
      }
    }
    assert.ok(seen.missing > 10 && seen.whole > 0, JSON.stringify(seen));
  }
});

function isThere(file: StorageFile): boolean {
  try {
    kladde.open(file, Note, { mustExist: true, readonly: true });
    return true;
  } catch (error) {
    if (error instanceof StoreError && error.code === "io-failed") return false;
    throw error;
  }
}

test("a store that holds something else is not taken for a document that was not finished", () => {
  const file = new MemoryFile();
  const store = Store.create(file);
  store.transaction(() => {
    for (let i = 0; i < 2; i++) store.write(store.newId(), 0, Uint8Array.of(9, 9, 9));
  });
  const image = new MemoryFile("cut", file.bytes());
  assert.throws(() => make(image), { code: "schema-mismatch" });
  assert.deepEqual(image.bytes(), file.bytes());
  const text = new MemoryFile("text", new TextEncoder().encode("not a document"));
  assert.throws(() => make(text), { code: "not-kladde" });
  for (const bytes of [1, 512, 4096, 8191]) {
    const zeros = new MemoryFile("zeros", new Uint8Array(bytes));
    assert.throws(() => make(zeros), { code: "not-kladde" });
    assert.equal(zeros.size(), bytes);
  }
  store.close();
});

test("the lock is held while the first value is made, and what another made before is opened", () => {
  const file = new MemoryFile();
  const init = () => {
    assert.throws(() => make(file.reopen()), { code: "locked" });
    return { title: "outer" };
  };
  assert.equal(kladde.open(file, Note, { init }).title, "outer");

  const late = new MemoryFile();
  class Overtaken extends WrappedFile {
    override lock(): void {
      if (late.size() === 0) make(late.reopen(), "theirs").close();
      super.lock();
    }
  }
  const doc = make(new Overtaken(late.reopen()), "ours");
  assert.equal(doc.title, "theirs");
  doc.close();
  make(late).close();
});
