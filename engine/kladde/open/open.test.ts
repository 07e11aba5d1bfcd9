/** Opening a file that somebody else is writing, or has just written. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../../errors.ts";
import { MemoryFile } from "../../storage/memory.ts";
import type { StorageFile } from "../../storage/storage.ts";
import { Store } from "../store.ts";
import { caught, contentsOf } from "../testing/refusal.ts";

/** A handle on `file`, before whose `turn`-th read or lock somebody else has a turn. */
function interrupted(
  file: MemoryFile,
  turn: number,
  interrupt: () => void,
): StorageFile & { calls: number; lockedAt: number } {
  const handle = file.reopen();
  const count = (): void => {
    if (shown.calls++ === turn) interrupt();
  };
  const shown = {
    calls: 0,
    lockedAt: -1,
    name: file.name,
    crc32c: file.crc32c,
    size: () => handle.size(),
    read: (into: Uint8Array, at: number) => {
      count();
      handle.read(into, at);
    },
    lock: () => {
      shown.lockedAt = shown.calls;
      count();
      handle.lock();
    },
    write: (from: Uint8Array, at: number) => handle.write(from, at),
    truncate: (bytes: number) => handle.truncate(bytes),
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
  return shown;
}

/** Several leaves and data pages, and free pages between them, one of which the journal will begin in. */
function makeFile(): MemoryFile {
  const file = new MemoryFile("shared");
  const store = Store.create(file);
  for (let i = 0; i < 300; i++)
    store.write(store.alloc(0), 0, new Uint8Array(i % 3 === 0 ? 200 : 40).fill(i));
  store.flush();
  for (let id = 1; id <= 300; id += 2) store.write(id, 0, new Uint8Array(40).fill(id));
  for (let flush = 0; flush < 3; flush++) store.flush();
  store.close();
  return file;
}

/** Flushes that reuse the pages of the state before them. */
function rewrite(store: Store): void {
  for (let round = 0; round < 4; round++) {
    for (let id = 1; id <= 300; id++) store.write(id, 0, new Uint8Array(200).fill(round + id));
    store.flush();
  }
}

test("while it is written: locked, whatever was read", () => {
  const file = makeFile();
  const calls = callsOf(file);
  assert.ok(calls > 10, `${calls} calls`);
  for (let turn = 0; turn < calls; turn++) {
    const shared = file.clone();
    const writer = Store.open(shared);
    const error = caught(() => Store.open(interrupted(shared, turn, () => rewrite(writer))));
    assert.ok(error instanceof StoreError, String(error));
    assert.equal(error.code, "locked", `turn ${turn}: ${error.message}`);
    writer.close();
  }
});

test("written between reading and locking: the newest state", () => {
  const file = makeFile();
  const calls = callsOf(file);
  const leaving: ((store: Store) => void)[] = [
    (store) => rewrite(store),
    (store) => store.write(5, 0, Uint8Array.of(1, 2, 3)),
    (store) => {
      store.write(5, 0, Uint8Array.of(1, 2, 3));
      store.poison();
    },
  ];
  for (const leave of leaving)
    for (let turn = 0; turn < calls; turn++) {
      const shared = file.clone();
      const store = Store.open(
        interrupted(shared, turn, () => {
          const writer = Store.open(shared);
          leave(writer);
          writer.close();
        }),
      );
      store.check();
      const found = contentsOf(store);
      assert.notDeepEqual(found, contentsOf(Store.openReadOnly(file)));
      store.close();
      assert.deepEqual(contentsOf(Store.openReadOnly(shared)), found);
    }
});

/** Reads of an undisturbed opening before it locks, and the lock. */
function callsOf(file: MemoryFile): number {
  const quiet = interrupted(file.clone(), -1, () => {});
  Store.open(quiet).poison();
  return quiet.lockedAt + 1;
}
