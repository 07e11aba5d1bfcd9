/** Bodies of transactions and batches that leave the scopes otherwise than they found them, and ids over sessions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CrashingFile } from "../storage/crashing.ts";
import { MemoryFile } from "../storage/memory.ts";
import { Store, StoreError } from "./index.ts";

const own = new Error("the caller's");

function withStore(run: (store: Store, id: number) => void): void {
  const store = Store.create(new MemoryFile());
  const id = store.alloc(1);
  store.flush();
  run(store, id);
  store.resize(id, 9);
  store.flush();
  assert.equal(store.committedSize(id), 9, "nothing is left open");
  store.close();
}

test("a transaction that leaves one inside it open is refused and taken back", () =>
  withStore((store, id) => {
    const body = () => {
      store.begin();
      store.resize(id, 5);
    };
    assert.throws(() => store.transaction(body), TypeError);
    assert.equal(store.size(id), 1);
  }));

test("a body's own error comes out, whatever it left open or ended", () => {
  const messes: ((store: Store) => void)[] = [
    (store) => store.begin(),
    (store) => store.beginBatch(),
    (store) => store.commit(),
    (store) => {
      store.beginBatch();
      store.begin();
    },
  ];
  for (const mess of messes)
    withStore((store, id) => {
      const body = () => {
        store.resize(id, 5);
        mess(store);
        throw own;
      };
      assert.throws(() => store.transaction(body), own);
    });
});

test("a batch takes back a transaction left open inside it, and keeps the rest", () =>
  withStore((store, id) => {
    const body = () => {
      store.resize(id, 3);
      store.begin();
      store.resize(id, 5);
    };
    assert.throws(() => store.batch(body), TypeError);
    assert.equal(store.size(id), 3);
  }));

test("an append that finds no room gives back the pages it took", () => {
  const disk = new CrashingFile(undefined, { full: { pages: 12, at: "write" } });
  const store = Store.create(disk);
  const id = store.alloc(3);
  const isFull = (error: unknown) => error instanceof StoreError && error.code === "disk-full";
  assert.throws(() => store.write(id, 0, new Uint8Array(100_000)), isFull);
  assert.ok(disk.size() <= 3 * 4096, `${disk.size()} bytes`);
  store.write(id, 0, Uint8Array.of(1));
  store.close();
  Store.open(disk).close();
});

test("ids do not grow over sessions of a constant live set", () => {
  const file = new MemoryFile();
  Store.create(file).close();
  const live: number[] = [];
  for (let session = 0; session < 8; session++) {
    const store = Store.open(file.reopen());
    for (let i = 0; i < 500; i++) {
      live.push(store.alloc(10));
      if (live.length > 50) store.free(live.shift()!);
      if (i % 50 === 0) store.flush();
    }
    store.check();
    store.close();
  }
  assert.ok(Math.max(...live) < 300, `the highest id is ${Math.max(...live)}`);
});
