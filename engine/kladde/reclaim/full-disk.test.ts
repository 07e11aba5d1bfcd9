/** A disk that is full in the middle of a flush that reclaims: nothing is lost, and the flush can be done again. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../../errors.ts";
import { CrashingFile } from "../../storage/crashing.ts";
import { SplitMix32 } from "../../storage/random.ts";
import { Store, type StoreOptions, type StoreStats } from "../index.ts";
import { contentsOf } from "../testing/crash-recovery.ts";
import type { Contents } from "../testing/model.ts";
import { bytesOf } from "../testing/perform.ts";
import { checkReclaim, failOnLostReferrers } from "../testing/reclaim-oracle.ts";
import { compareWithReload, contextOf } from "../testing/reload.ts";
import { compareContents } from "../testing/run.ts";

failOnLostReferrers();

const pageBytes = 4096;

/** So that flushes evacuate, rewrite leaves, restate and defragment, and the file grows while they do. */
const options: StoreOptions = { churnFloor: 0.5, theta: 0.3, mu: 0.001, inlineThreshold: 251, holeShare: 1 };

/** A store just before a flush that reclaims much: its disk, and what the flush will commit. */
function prepared(seed: number): { disk: CrashingFile; store: Store; expected: Contents } {
  const random = new SplitMix32(seed);
  const disk = new CrashingFile();
  const store = Store.create(disk, options);
  const contents = new Map<number, Uint8Array>();
  for (let i = 0; i < 40; i++) {
    const id = store.alloc(0);
    const bytes = bytesOf(i, i % 2 === 0 ? 3000 : 220);
    store.write(id, 0, bytes);
    contents.set(id, bytes);
  }
  store.flush();
  const ids = [...contents.keys()];
  for (let flush = 0; flush < 9; flush++) {
    for (let i = 0; i < 14; i++) {
      const id = ids[random.below(ids.length)]!;
      const bytes = contents.get(id)!.slice();
      const offset = random.below(bytes.length - 40);
      const patch = bytesOf(i, 1 + random.below(bytes.length - offset));
      bytes.set(patch, offset);
      contents.set(id, bytes);
      store.write(id, offset, patch);
    }
    if (flush < 8) store.flush();
  }
  // More than there are free pages for.
  for (let i = 0; i < 16; i++) {
    const id = store.alloc(0);
    contents.set(id, bytesOf(i, 3900));
    store.write(id, 0, bytesOf(i, 3900));
  }
  return { disk, store, expected: contents };
}

/** What the flush does on a disk with room enough. */
function undisturbed(seed: number): { stats: StoreStats; pages: number } {
  const { disk, store, expected } = prepared(seed);
  const before = store.stats();
  store.flush();
  compareContents(store, expected);
  const stats = store.stats();
  assert.ok(stats.evacuatedPages > before.evacuatedPages && stats.dataPagesWritten > before.dataPagesWritten);
  return { stats, pages: disk.size() / pageBytes };
}

for (const at of ["truncate", "write"] as const)
  test(`at ${at}, after any number of pages: the next session has everything, and its flushes go on`, () => {
    let failed = 0;
    let reclaimed = 0;
    for (const seed of [1, 2, 3]) {
      const { pages } = undisturbed(seed);
      for (let room = prepared(seed).disk.size() / pageBytes; room < pages; room++) {
        const { disk, store, expected } = prepared(seed);
        disk.plan = { full: { pages: room, at } };
        const isFull = (error: unknown): boolean => error instanceof StoreError && error.code === "disk-full";
        assert.throws(() => store.flush(), isFull, `${room} pages`);
        failed++;
        assert.equal(store.poisoned, true);
        assert.throws(() => store.stats(), { code: "poisoned" });
        store.close();
        openOnFullDisk(disk, expected);
        disk.plan = {};
        const next = Store.open(disk, options);
        judge(next, expected);
        const again = next.stats();
        if (again.evacuatedPages > 0) reclaimed++;
        const id = next.alloc(0);
        next.write(id, 0, bytesOf(1, 500));
        next.flush();
        judge(next, new Map(expected).set(id, bytesOf(1, 500)));
        next.close();
        const last = Store.openReadOnly(disk);
        assert.deepEqual(contentsOf(last), new Map(expected).set(id, bytesOf(1, 500)));
        last.close();
      }
    }
    assert.ok(failed > 8, `${failed} flushes failed`);
    assert.ok(reclaimed > failed / 2, "the flush that is done again reclaims too");
  });

/** Either it opens, or everything can be read all the same. */
function openOnFullDisk(disk: CrashingFile, expected: Contents): void {
  try {
    const store = Store.open(disk, options);
    judge(store, expected);
    store.close();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    assert.equal(error.code, "disk-full");
    const reader = Store.openReadOnly(disk);
    assert.deepEqual(contentsOf(reader), expected);
    reader.close();
  }
}

function judge(store: Store, expected: Contents): void {
  store.check();
  compareWithReload(contextOf(store));
  checkReclaim(store);
  compareContents(store, expected);
}
