/**
 * The golden files: what our own writer made of a few fixed sequences of calls, one for each shape a file can have.
 *
 *  (1) The calls and the options are part of the format's history: a new shape gets a new name, an old one stays.
 *  (2) Nothing is reclaimed: when that happens is policy, not format.
 */

import { MemoryFile } from "../../storage/memory.ts";
import type { StoreOptions } from "../options.ts";
import { Store } from "../store.ts";

/** Bytes that follow from their length and a seed, and do not compress to nothing. */
const bytesOf = (length: number, seed: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 3) * seed + seed * 31) % 256);

function add(store: Store, length: number, seed: number): number {
  const id = store.alloc(0);
  store.write(id, 0, bytesOf(length, seed));
  return id;
}

type Calls = (store: Store) => void;

/** A closed file. */
const closed =
  (calls: Calls, options?: StoreOptions) =>
  (file: MemoryFile): void => {
    const store = Store.create(file, { consolidate: false, ...options });
    calls(store);
    store.close();
  };

/** A file whose process has died. */
const abandoned =
  (calls: Calls, options?: StoreOptions) =>
  (file: MemoryFile): void => {
    const store = Store.create(file, { consolidate: false, ...options });
    calls(store);
    store.poison();
    store.close();
  };

function smallAllocations(store: Store, count: number): void {
  for (let i = 0; i < count; i++) add(store, 20 + (i % 45), i);
}

export const goldens: Readonly<Record<string, (file: MemoryFile) => void>> = {
  /** As it was created. */
  empty: closed(() => {}),

  /** Everything in the header: inline bytes, zeros, a large allocation that is nearly all zeros, roots. */
  inline: closed((store) => {
    const root = add(store, 64, 1);
    const schema = add(store, 5, 2);
    store.alloc(0);
    store.alloc(1000);
    const large = store.alloc(2 ** 32 - 1);
    store.write(large, 2 ** 31, bytesOf(10, 3));
    store.setRoots(root, schema, bytesOf(16, 4));
  }),

  /** Data pages, shared and whole; a second flush restates a part. */
  data: closed((store) => {
    for (const [i, length] of [65, 4081, 4082, 300, 9000, 2000].entries()) add(store, length, i);
    store.flush();
    store.splice(3, 100, 50, bytesOf(500, 8));
    store.copy(5, 10, 3000, 1, 0);
    store.move(2, 0, 100, 2, 50);
  }),

  /** More small allocations than the header holds: leaves. */
  leaf: closed((store) => {
    smallAllocations(store, 150);
    store.flush();
    for (let id = 1; id < 150; id += 9) store.write(id, 3, bytesOf(4, id));
  }),

  /** More leaves than the header names: an interior page. */
  interior: closed(
    (store) => {
      const id = store.alloc(4_000_000);
      const payload = new Uint8Array(240).fill(0x61);
      store.transaction(() => {
        for (let i = 0; i < 10_500; i++) store.write(id, i * 300, payload);
      });
    },
    { inlineThreshold: 251 },
  ),

  /** Transactions in the journal, over two pages, and one that was not committed. */
  journal: abandoned((store) => {
    for (let i = 0; i < 4; i++) add(store, 100, i);
    store.flush();
    store.write(1, 50, bytesOf(5000, 9));
    store.transaction(() => {
      store.free(2);
      store.resize(3, 40);
      store.splice(4, 10, 5, bytesOf(20, 10));
    });
    add(store, 30, 11);
    store.begin();
    store.free(1);
    store.abort();
    store.begin();
    store.free(4);
  }),

  /** What keeps old bytes from coming back: shrinks, growth over them, tombstones, ids that came back. */
  anchors: closed((store) => {
    smallAllocations(store, 120);
    store.flush();
    for (let id = 1; id <= 120; id += 7) store.resize(id, 5);
    for (let id = 2; id <= 120; id += 7) store.free(id);
    for (let id = 3; id <= 120; id += 7) store.resize(id, 0);
    store.flush();
    for (let id = 1; id <= 120; id += 7) store.resize(id, 30);
    for (let i = 0; i < 10; i++) store.write(store.alloc(25), 3, bytesOf(4, i));
    store.flush();
    for (let id = 4; id <= 120; id += 7) {
      store.resize(id, 2);
      store.resize(id, 18);
    }
  }),

  /** Many flushes: pages used again, free ones between, the rest cut off. */
  reused: closed((store) => {
    for (let i = 0; i < 12; i++) add(store, 3000 + 100 * i, i);
    for (let round = 0; round < 12; round++) {
      store.write(1 + ((round * 5) % 12), 17 * round, bytesOf(1500, round));
      store.flush();
    }
    for (let id = 6; id <= 12; id++) store.free(id);
    for (let flush = 0; flush < 3; flush++) store.flush();
  }),
};

export function makeGolden(name: string): Uint8Array {
  const file = new MemoryFile(name);
  goldens[name]!(file);
  return file.bytes();
}
