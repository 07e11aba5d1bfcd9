/**
 * Regression: a file with 256 empty or zero-filled allocations could never be written again after a reopen. The first
 * flush marks each of them, and the record of the 256th made the columns grow between the read of a column and the
 * write to it: the mark went into the old one. Here flushes touch numbers of ids around every doubling.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../storage/memory.ts";
import { Store } from "./index.ts";

for (const count of [255, 256, 257, 511, 512, 513, 1025])
  for (const size of [0, 1])
    test(`${count} allocations of ${size} bytes of zeros are written again after a reopen`, () => {
      const file = new MemoryFile();
      const first = Store.create(file);
      const ids = Array.from({ length: count }, () => first.alloc(size));
      first.close();
      for (let session = 0; session < 3; session++) {
        const store = Store.open(file.reopen());
        store.check();
        store.write(store.alloc(0), 0, Uint8Array.of(1));
        store.flush();
        store.check();
        for (const id of ids) assert.equal(store.size(id), size);
        store.close();
      }
    });

test("written allocations that all shrink to nothing are written again after a reopen", () => {
  const file = new MemoryFile();
  const first = Store.create(file);
  const ids = Array.from({ length: 600 }, () => first.alloc(0));
  for (const id of ids) first.write(id, 0, new Uint8Array(100).fill(id));
  first.flush();
  for (const id of ids) first.resize(id, 0);
  first.close();
  const store = Store.open(file.reopen());
  for (const id of ids.slice(0, 300)) store.free(id);
  store.flush();
  store.flush();
  store.check();
  assert.equal(store.stats().allocations, 300);
  store.close();
});
