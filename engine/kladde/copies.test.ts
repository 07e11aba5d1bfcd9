/**
 * Regression: copies that were journaled and could not be folded. Doubling an allocation of small pieces made a
 * journal that no flush could fold, and no open either; copies of stored bytes were read into memory all at once.
 * Now a flush happens before there are too many pieces, a transaction that is too large is refused while it can still
 * be taken back, and stored bytes are copied from page to page.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CrashingFile } from "../storage/crashing.ts";
import { MemoryFile } from "../storage/memory.ts";
import { SplitMix32 } from "../storage/random.ts";
import { Store, StoreError } from "./index.ts";

/** An allocation of 64 pieces of three bytes among zeros. */
function comb(store: Store): number {
  const id = store.alloc(5120);
  for (let i = 0; i < 64; i++) store.write(id, i * 80, Uint8Array.of(1, 2, 3));
  return id;
}

const double = (store: Store, id: number): void => store.copy(id, 0, store.size(id), id, store.size(id));

const isTooLarge = (error: unknown): boolean => error instanceof StoreError && error.code === "too-large";

test("an allocation of small pieces can be doubled, opened and read", () => {
  const file = new MemoryFile();
  const store = Store.create(file);
  const id = comb(store);
  for (let i = 0; i < 13; i++) double(store, id);
  assert.ok(store.stats().flushes > 0, "the pieces made it flush by itself");
  store.flush();
  store.close();
  const next = Store.open(file.reopen());
  const size = 5120 * 2 ** 13;
  assert.equal(next.size(id), size);
  for (let at = 0; at < size; at += 5120 * 331) assert.deepEqual([...next.read(id, at, 4)], [1, 2, 3, 0]);
  next.close();
});

test("a transaction that no flush could fold is refused, and can be taken back", () => {
  const file = new MemoryFile();
  const store = Store.create(file);
  const id = comb(store);
  store.flush();
  assert.throws(
    () =>
      store.transaction(() => {
        for (let i = 0; i < 20; i++) double(store, id);
      }),
    isTooLarge,
  );
  assert.equal(store.size(id), 5120);
  double(store, id);
  store.flush();
  store.check();
  store.close();
  Store.open(file.reopen()).close();
});

test("copies of stored bytes equal their source, whatever the flush does to it", () => {
  const random = new SplitMix32(5);
  const file = new MemoryFile();
  const store = Store.create(file);
  const bytes = Uint8Array.from({ length: 70_000 }, () => random.below(256));
  const source = store.alloc(0);
  store.write(source, 0, bytes);
  store.write(store.alloc(0), 0, bytes.subarray(0, 40)); // inline
  store.flush();
  const whole = store.alloc(0);
  store.copy(source, 0, bytes.length, whole, 0);
  const part = store.alloc(10);
  store.copy(source, 100, 5000, part, 3);
  store.copy(source + 1, 5, 20, part, 6000);
  store.splice(source, 7, 10, Uint8Array.of(9));
  store.move(source, 20_000, 30, source, 0);
  store.flush();
  store.check();
  assert.deepEqual(store.read(whole, 0, bytes.length), bytes);
  assert.deepEqual(store.read(part, 3, 5000), bytes.subarray(100, 5100));
  assert.deepEqual(store.read(part, 6000, 20), bytes.subarray(5, 25));
  assert.deepEqual(store.read(source, 30, 1000), bytes.subarray(39, 1039));
  store.close();
});

test("a large copy goes to the file while it is made, before the one sync", () => {
  const file = new CrashingFile();
  const store = Store.create(file);
  const id = store.alloc(0);
  store.write(id, 0, new Uint8Array(6_000_000).fill(7));
  store.flush();
  const copies = Array.from({ length: 4 }, () => store.newId());
  store.transaction(() => {
    for (const copy of copies) store.copy(id, 0, 6_000_000, copy, 0);
  });
  const { sync } = file.calls;
  store.flush();
  assert.equal(file.calls.sync, sync + 1);
  store.check();
  for (const copy of copies) assert.equal(store.crc32c(copy), store.crc32c(id));
  store.close();
});
