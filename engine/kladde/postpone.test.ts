/** A flush that is due and may be put off happens in a later turn, and nothing depends on it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../storage/memory.ts";
import { Store } from "./store.ts";

const budget = 2;

function open() {
  const waiting: (() => void)[] = [];
  const file = new MemoryFile("store");
  const options = { journalBudgetPages: budget, postpone: (flush: () => void) => void waiting.push(flush) };
  const store = Store.create(file, options);
  const id = store.newId();
  let writes = 0;
  const writePages = (pages: number) => {
    for (const end = writes + pages; writes < end; writes++)
      store.write(id, writes * 4000, new Uint8Array(4000).fill(writes));
  };
  return { waiting, file, store, writePages };
}

const contentOf = (file: MemoryFile): Uint8Array => {
  const store = Store.open(new MemoryFile("copy", file.bytes()));
  const id = [...store.ids()][0]!;
  return store.read(id, 0, store.size(id));
};

test("it waits for its turn, once, and journal and file hold everything meanwhile", () => {
  const { waiting, file, store, writePages } = open();
  const { flushes } = store.stats();
  writePages(budget * 3);
  assert.equal(store.stats().flushes, flushes);
  assert.equal(waiting.length, 1);
  const before = contentOf(file);
  assert.equal(before.length, budget * 3 * 4000);
  waiting.pop()!();
  assert.equal(store.stats().flushes, flushes + 1);
  assert.deepEqual(contentOf(file), before);
  writePages(budget + 1);
  assert.equal(waiting.length, 1);
});

test("at four budgets it happens at once, and the later turn finds nothing to do", () => {
  const { waiting, store, writePages } = open();
  const { flushes } = store.stats();
  writePages(budget * 4 + 2);
  assert.equal(store.stats().flushes, flushes + 1);
  waiting.pop()!();
  assert.equal(store.stats().flushes, flushes + 1);
});

test("a turn that comes inside a transaction, or after the end, does nothing", () => {
  const { waiting, store, writePages } = open();
  writePages(budget + 2);
  const { flushes } = store.stats();
  store.begin();
  waiting.pop()!();
  assert.equal(store.stats().flushes, flushes);
  store.commit();
  writePages(1);
  assert.equal(waiting.length, 1);
  store.close();
  waiting.pop()!();
});

test("a failure in a later turn is told by the next call", () => {
  const { waiting, file, store, writePages } = open();
  writePages(budget + 2);
  file.sync = () => {
    throw new Error("no sync");
  };
  waiting.pop()!();
  assert.throws(() => writePages(1), { code: "poisoned" });
  assert.throws(() => store.flush(), { code: "poisoned" });
});

test("what is no function is refused", () => {
  for (const postpone of [true, "idle", 0])
    assert.throws(
      () => Store.create(new MemoryFile("x"), { postpone: postpone as never }),
      /^TypeError: options: postpone must be/,
    );
});
