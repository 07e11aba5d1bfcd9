/** A flush that nobody asked for fails: what the call did stays, and the next call, or `close`, says so. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../errors.ts";
import { MemoryFile } from "../storage/memory.ts";
import { WrappedFile } from "../storage/wrapped.ts";
import { Store } from "./store.ts";
import { Kladde } from "./typed/document/in-files.ts";
import * as k from "./typed/schema/k.ts";

/** A file whose syncs fail from some moment on. */
class FailingFile extends WrappedFile {
  isFailing = false;

  override sync(): void {
    if (this.isFailing) throw new StoreError("io-failed", "cannot sync the file", { file: this.name });
    super.sync();
  }
}

const isPoisoned = (error: unknown): boolean =>
  error instanceof StoreError && error.code === "poisoned" && /cannot sync/.test(String(error.cause));

const small = { journalBudgetPages: 1 };

function poisonedByDueFlush(): { memory: MemoryFile; store: Store; ids: number[] } {
  const memory = new MemoryFile("store");
  const file = new FailingFile(memory);
  const store = Store.create(file, small);
  file.isFailing = true;
  const ids: number[] = [];
  while (!store.poisoned) ids.push(store.transaction(() => store.alloc(100)));
  return { memory, store, ids };
}

test("the call that a flush is due to succeeds, and the next one says that the flush failed", () => {
  const { memory, store, ids } = poisonedByDueFlush();
  assert.ok(ids.length > 100);
  assert.throws(() => store.alloc(1), isPoisoned);
  store.close();
  assert.deepEqual([...Store.openReadOnly(memory.clone()).ids()], ids);
});

test("if no call comes, closing says it; a second close does nothing", () => {
  const { store } = poisonedByDueFlush();
  assert.throws(() => store.close(), isPoisoned);
  store.close();
});

for (const scope of ["alone", "in a transaction", "in a batch"]) {
  test(`a document has what its file has when a due flush fails, ${scope}`, () => {
    const memory = new MemoryFile("doc");
    const file = new FailingFile(memory);
    const Doc = k.struct({ paid: k.vec(k.string()) });
    const doc = Kladde.open(file, Doc, small);
    file.isFailing = true;
    const push = (i: number) => doc.paid.push(`order ${i}`);
    const step = (i: number) => {
      if (scope === "alone") push(i);
      else if (scope === "in a transaction") doc.transaction(() => push(i));
      else doc.batch(() => push(i));
    };
    assert.throws(() => {
      for (let i = 0; ; i++) step(i);
    }, isPoisoned);
    doc.close();
    const found = Kladde.open(memory.clone(), Doc, { readonly: true });
    assert.deepEqual([...found.paid], [...doc.paid]);
    assert.ok(doc.paid.length > 50);
  });
}
