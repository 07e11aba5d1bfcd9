/**
 * Failing calls and full disks, at every call of random histories. By hand:
 *
 *     SEED=17 node --test engine/kladde/crash-faults.test.ts          one history
 *     HISTORIES=200 node --test engine/kladde/crash-faults.test.ts    more of them
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../errors.ts";
import { CrashingFile } from "../storage/crashing.ts";
import { MemoryFile } from "../storage/memory.ts";
import { Store } from "./index.ts";
import { type FaultCounts, runFaultHistory } from "./testing/crash-faults.ts";
import { drawCrashHistory } from "./testing/crash-history.ts";
import { within } from "./testing/crash-recovery.ts";
import { bytesOf } from "./testing/perform.ts";

const firstSeed = Number(process.env.SEED ?? 0);
const histories = Number(process.env.HISTORIES ?? (process.env.SEED === undefined ? 12 : 1));

test(`${histories} histories keep their promise whichever call fails`, (t) => {
  const total: FaultCounts = { faults: 0, wentOn: 0, poisoned: 0, notOpened: 0, notClosed: 0, notCreated: 0 };
  for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
    const again = `SEED=${seed} node --test engine/kladde/crash-faults.test.ts`;
    const counts = within(again, () => runFaultHistory(drawCrashHistory(seed)));
    for (const key of Object.keys(total) as (keyof FaultCounts)[]) total[key] += counts[key];
  }
  t.diagnostic(
    `${histories} histories, ${total.faults} failures: ${total.wentOn} times the store went on, ${total.poisoned} times ` +
      `it was poisoned; ${total.notCreated} were not made, ${total.notOpened} not opened, ${total.notClosed} not closed`,
  );
  const { wentOn, poisoned, notCreated, notOpened } = total;
  assert.ok(Math.min(wentOn, poisoned, notCreated, notOpened) > 0, "every outcome was met");
});

const isFull = (error: unknown): boolean => error instanceof StoreError && error.code === "disk-full";

/** Allocates 900 bytes at a time until the disk is full. */
function fill(store: Store, ids: number[]): void {
  for (;;) {
    const id = store.alloc(0);
    ids.push(id);
    store.write(id, 0, bytesOf(id, 900));
    if (ids.length % 8 === 0) store.flush();
  }
}

/**
 * Frees an allocation. If there is no page for the journal, because the header names one that the disk has no room
 * for, a flush lets it name one that is free by now.
 */
function free(store: Store, id: number): void {
  try {
    store.free(id);
  } catch (error) {
    if (!isFull(error)) throw error;
    assert.ok(store.exists(id) && !store.poisoned);
    store.flush();
    store.free(id);
  }
}

for (const at of ["truncate", "write"] as const)
  test(`freeing makes room on a disk that is full at ${at}`, () => {
    const disk = new CrashingFile(undefined, { full: { pages: 40, at } });
    let store = Store.create(disk, { journalBudgetPages: 4 });
    const ids: number[] = [];
    assert.throws(() => fill(store, ids), isFull);
    if (store.poisoned) {
      store.close();
      store = Store.open(disk, { journalBudgetPages: 4 });
    }
    const left = [...store.ids()];
    assert.ok(left.length > 60, `${left.length} allocations fit`);
    for (let round = 0; round < 5; round++) {
      for (const id of left.splice(0, 10)) free(store, id);
      store.flush();
      store.flush();
      store.check();
      const id = store.alloc(0);
      store.write(id, 0, bytesOf(id, 900));
      left.push(id);
    }
    assert.ok(disk.size() <= 40 * 4096);
    store.close();
    const next = Store.open(disk);
    next.check();
    for (const id of left) assert.deepEqual(next.read(id, 0, 900), bytesOf(id, 900));
    next.close();
  });

test("a session that a flush has ended for want of room says so, and what it had acknowledged is there", () => {
  for (const [code, told] of [
    ["disk-full", /an earlier failure, disk-full, .* make room, close the store and open the file again/],
    ["io-failed", /an earlier failure, io-failed, .* in doubt; close the store and open the file again/],
  ] as const) {
    const disk = new CrashingFile();
    const store = Store.create(disk);
    const id = store.alloc(9000);
    store.write(id, 0, bytesOf(1, 9000));
    disk.plan = { failures: [{ call: "write", at: disk.calls.write, code }] };
    const says = (wanted: string) => (error: unknown) => error instanceof StoreError && error.code === wanted;
    assert.throws(() => store.flush(), says(code));
    assert.throws(
      () => store.write(id, 0, bytesOf(2, 1)),
      (error) => says("poisoned")(error) && told.test((error as StoreError).message),
    );
    store.close();
    const next = Store.open(disk);
    assert.deepEqual(next.read(id, 0, 9000), bytesOf(1, 9000));
    next.close();
  }
});

test("a journal page that can be neither made nor taken back costs its transaction only", () => {
  for (const code of ["disk-full", "io-failed"] as const) {
    const disk = new CrashingFile();
    const store = Store.create(disk);
    const first = store.alloc(3);
    store.flush();
    const { write, truncate } = disk.calls;
    // The journal page lies past the end: the file grows, the page's write fails, and so does cutting it off again.
    disk.plan = {
      failures: [
        { call: "write", at: write, code },
        { call: "truncate", at: truncate + 1, code },
      ],
    };
    assert.throws(
      () => store.alloc(5),
      (error) => error instanceof StoreError && error.code === code,
    );
    assert.deepEqual([disk.calls.write, disk.calls.truncate], [write + 1, truncate + 2]);
    assert.ok(!store.poisoned && !store.exists(first + 1));
    const second = store.alloc(7);
    store.write(second, 0, bytesOf(1, 9000));
    store.flush();
    store.check();
    assert.deepEqual(store.read(second, 0, 9000), bytesOf(1, 9000));
    store.close();
    const next = Store.open(disk);
    next.check();
    assert.deepEqual([...next.ids()], [first, second]);
    next.close();
  }
});

/** A file of which the read with this number fails. */
class UnreadableFile extends MemoryFile {
  #left: number;

  constructor(bytes: Uint8Array, failing: number) {
    super("unreadable", bytes);
    this.#left = failing;
  }

  override read(into: Uint8Array, at: number): void {
    if (--this.#left === 0) throw new StoreError("io-failed", "cannot be read", { file: this.name });
    super.read(into, at);
  }
}

test("what a failed flush has begun is nothing to the next one, of whatever store", () => {
  const file = new MemoryFile("moved");
  const writer = Store.create(file);
  writer.flush();
  const id = writer.alloc(1);
  writer.write(id, 0, new Uint8Array(87).fill(7));
  writer.flush();
  writer.move(id, 83, 66, id, 66);
  const bytes = file.bytes();
  const expected = new Uint8Array(132).fill(7, 0, 70);
  let failed = 0;
  for (let failing = 1; failing < 30; failing++) {
    try {
      Store.open(new UnreadableFile(bytes, failing));
    } catch (error) {
      assert.ok(error instanceof StoreError && error.code === "io-failed");
      failed++;
    }
    const store = Store.open(new MemoryFile("moved", bytes));
    assert.deepEqual(store.read(id, 0, 132), expected, `read ${failing} failed`);
    store.check();
    store.close();
  }
  assert.ok(failed > 8, `${failed} opens failed`);
});
