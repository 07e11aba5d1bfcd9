/**
 * Allocations up to the largest, 2^32 − 1 bytes: their zeros cost nothing, in memory or in the file.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32c, crc32cZeros } from "../codec/crc32c.ts";
import { MemoryFile } from "../storage/memory.ts";
import { Store } from "./index.ts";
import { compareWithReload, contextOf } from "./testing/reload.ts";

const bytesMax = 2 ** 32 - 1;
const options = { consolidate: false };

function flushed(store: Store): void {
  store.flush();
  store.check();
  compareWithReload(contextOf(store));
}

test("grow to the largest size, write at both ends, shrink and grow again", () => {
  const file = new MemoryFile();
  const store = Store.create(file, options);
  const id = store.alloc(bytesMax);
  flushed(store);
  assert.equal(store.committedSize(id), bytesMax);
  assert.equal(store.crc32c(id), crc32cZeros(0, bytesMax));
  store.write(id, bytesMax - 1, Uint8Array.of(7));
  store.write(id, 0, Uint8Array.of(6));
  flushed(store);
  assert.deepEqual(store.read(id, bytesMax - 3, 3), Uint8Array.of(0, 0, 7));
  assert.deepEqual(store.read(id, 0, 2), Uint8Array.of(6, 0));
  store.resize(id, bytesMax - 1);
  flushed(store);
  store.resize(id, bytesMax);
  flushed(store);
  assert.deepEqual(store.read(id, bytesMax - 3, 3), new Uint8Array(3));
  store.resize(id, 1);
  store.resize(id, bytesMax);
  flushed(store);
  assert.equal(store.crc32c(id), crc32cZeros(crc32c(Uint8Array.of(6)), bytesMax - 1));
  assert.ok(file.size() < 20 * 4096, `${file.size()} bytes`);
});

test("zeros are copied, moved and cut out without being built", () => {
  const file = new MemoryFile();
  const store = Store.create(file, options);
  const [from, to] = [store.alloc(bytesMax), store.alloc(0)];
  store.write(from, 3_000_000_000, Uint8Array.of(1, 2, 3));
  flushed(store);
  store.copy(from, 0, bytesMax, to, 0);
  store.copy(from, 10, bytesMax - 10, from, 0);
  flushed(store);
  assert.deepEqual(store.read(to, 3_000_000_000, 3), Uint8Array.of(1, 2, 3));
  assert.deepEqual(store.read(from, 3_000_000_000 - 10, 3), Uint8Array.of(1, 2, 3));
  store.move(to, 1_000_000_000, 3_000_000_000, to, 1_294_967_295);
  store.splice(from, 5, 2_000_000_000, new Uint8Array(0));
  flushed(store);
  assert.deepEqual(store.read(to, 3_294_967_295, 4), Uint8Array.of(1, 2, 3, 0));
  assert.deepEqual(store.read(to, 3_000_000_000, 3), new Uint8Array(3));
  assert.equal(store.committedSize(from), bytesMax - 2_000_000_000);
  assert.deepEqual(store.read(from, 999_999_990, 3), Uint8Array.of(1, 2, 3));
  assert.throws(() => store.splice(to, 0, 0, Uint8Array.of(1)), RangeError);
  assert.throws(() => store.write(to, bytesMax, Uint8Array.of(1)), RangeError);
  store.write(to, bytesMax, new Uint8Array(0));
  flushed(store);
  store.close();
  const after = Store.openReadOnly(file);
  assert.deepEqual(after.read(to, 3_294_967_295, 4), Uint8Array.of(1, 2, 3, 0));
  assert.ok(file.size() < 20 * 4096, `${file.size()} bytes`);
});

test("a long history of one id leaves few statements", () => {
  const store = Store.create(new MemoryFile(), options);
  const id = store.alloc(0);
  for (let i = 0; i < 200; i++) {
    store.resize(id, (i * 7919) % 1000);
    if (i % 3 === 0) store.write(id, (i * 31) % 500, new Uint8Array(20).fill(i));
    flushed(store);
  }
  store.resize(id, 0);
  flushed(store);
  assert.equal(store.stats().statements, 1);
  assert.equal(store.stats().fragments, 0);
});
