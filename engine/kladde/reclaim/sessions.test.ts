/** Programs that open a file, flush once and end: what one of them learns, the next one knows. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../../storage/memory.ts";
import { SplitMix32 } from "../../storage/random.ts";
import { contentCapacity, pageBytes } from "../format/layout.ts";
import { Store, type StoreOptions } from "../index.ts";
import { pageData } from "../state/pages.ts";
import { stateBytesOf } from "../testing/kept-state-file.ts";
import { bytesOf } from "../testing/perform.ts";
import { policyOf } from "../testing/reclaim-oracle.ts";
import { contextOf } from "../testing/reload.ts";
import { decodeState, fixedBytes } from "./ages.ts";

const count = 40;
const bytes = 6000;

function makeFile(options: StoreOptions): { file: MemoryFile; ids: number[] } {
  const file = new MemoryFile();
  const store = Store.create(file, options);
  const ids = Array.from({ length: count }, () => store.alloc(bytes));
  for (const id of ids) store.write(id, 0, bytesOf(id, bytes));
  store.close();
  return { file, ids };
}

/** What one flush does: patches anywhere. */
function patch(store: Store, ids: readonly number[], random: SplitMix32): void {
  for (let i = 0; i < 25; i++) {
    const length = 1 + random.below(400);
    const id = ids[random.below(ids.length)]!;
    store.write(id, random.below(bytes - length), bytesOf(i, length));
  }
}

interface Session {
  readonly store: Store;
  readonly number: number;
}

/** Runs `sessions` sessions of one flush each; `visit` sees each after its flush, before it ends. */
function runSessions(sessions: number, options: StoreOptions, visit: (session: Session) => void): MemoryFile {
  const { file, ids } = makeFile(options);
  const random = new SplitMix32(1);
  for (let number = 0; number < sessions; number++) {
    const store = Store.open(file, options);
    patch(store, ids, random);
    store.flush();
    visit({ store, number });
    store.close();
  }
  return file;
}

test("the budget goes on from what is kept, the step after that commit included", () => {
  const options = { targetFill: 0.7 };
  const { file, ids } = makeFile(options);
  const random = new SplitMix32(1);
  const seen = new Set<number>();
  for (let number = 0; number < 40; number++) {
    // What the last session's flush worked with, and the fill of the file as it is now.
    const kept = decodeState(stateBytesOf(Store.openReadOnly(file))!, Number.MAX_SAFE_INTEGER)!.budget;
    const filePages = file.size() / pageBytes;
    const store = Store.open(file, options);
    const step = Math.exp(4 * (0.7 - liveBytesOf(store) / ((filePages - 2) * contentCapacity)));
    const expected = Math.min(256, Math.max(1, Math.max(kept, 1) * step));
    assert.ok(Math.abs(policyOf(store)!.budget / expected - 1) < 1e-9);
    seen.add(expected);
    patch(store, ids, random);
    store.flush();
    store.close();
  }
  assert.ok(seen.size > 30, "the budget moves");
});

function liveBytesOf(store: Store): number {
  const { liveDataBytes, liveTableBytes } = store.stats();
  return liveDataBytes + liveTableBytes;
}

test("the budget gets where the controller leads it", () => {
  for (const [targetFill, expected] of [
    [0.95, 256],
    [0.2, 1],
  ] as const) {
    let budget = 0;
    runSessions(40, { targetFill }, ({ store }) => {
      budget = store.stats().budgetPages;
    });
    assert.equal(budget, expected);
  }
});

test("a store that keeps nothing starts anew every time", () => {
  const budgets = new Set<number>();
  const { file, ids } = makeFile({});
  const random = new SplitMix32(1);
  for (let number = 0; number < 10; number++) {
    const store = Store.open(file, { consolidatorState: false });
    budgets.add(store.stats().budgetPages);
    patch(store, ids, random);
    store.close();
  }
  assert.deepEqual([...budgets], [8]);
});

test("the window gets round, session by session", () => {
  const seen: number[] = [];
  const ids = new Set<number>();
  runSessions(60, { walk: 24 }, ({ store }) => {
    const { windowId } = decodeState(stateBytesOf(store)!, contextOf(store).state.epoch)!;
    seen.push(windowId);
    ids.add(windowId);
  });
  const wraps = seen.filter((id, i) => i > 0 && id < seen[i - 1]!).length;
  assert.ok(wraps >= 2, `round ${wraps} times`);
  assert.ok(ids.size > 20, `it has begun at ${ids.size} allocations`);
});

test("what a session's walk has found, the next one rewrites", () => {
  const make = (options: StoreOptions): number => {
    const file = new MemoryFile();
    const first = Store.create(file, options);
    const logs = Array.from({ length: 8 }, () => first.alloc(0));
    first.close();
    let rewrites = 0;
    for (let session = 0; session < 60; session++) {
      const store = Store.open(file, options);
      const log = logs[session % logs.length]!;
      store.write(log, store.size(log), bytesOf(session, 70));
      store.flush();
      rewrites += store.stats().defragRewrites;
      store.close();
    }
    const store = Store.open(file, options);
    for (const [i, log] of logs.entries())
      for (let part = 0; 8 * part + i < 60; part++)
        assert.deepEqual(store.read(log, 70 * part, 70), bytesOf(8 * part + i, 70));
    return rewrites;
  };
  assert.ok(make({}) > 8);
  assert.equal(make({ mu: Number.POSITIVE_INFINITY }), 0);
});

test("no allocation counts as older than it is, in any session", () => {
  const written = new Map<number, number>();
  const { file, ids } = makeFile({});
  const random = new SplitMix32(1);
  let exact = 0;
  let all = 0;
  for (let session = 0; session < 40; session++) {
    const store = Store.open(file);
    const { allocations, epoch } = contextOf(store).state;
    for (const [id, at] of written) {
      const known = allocations.lastWritten[allocations.row(id)]!;
      assert.ok(known >= at && known <= epoch, `allocation ${id}: written in ${at}, known as ${known}`);
      if (known === at) exact++;
      all++;
    }
    for (let flushes = random.below(3); flushes >= 0; flushes--) {
      for (let i = 0; i < 4; i++) {
        const id = ids[random.below(ids.length)]!;
        store.write(id, random.below(5000), bytesOf(i, 300));
        written.set(id, contextOf(store).state.epoch + 1);
      }
      store.flush();
    }
    store.close();
  }
  // What was moved since the last snapshot counts as written then.
  assert.ok(exact > 0.7 * all, `${exact} of ${all} are known exactly`);
});

test("without a state, what was written once stays as old as its pages, however often it is stated", () => {
  const options = { consolidatorState: false };
  const { file, ids } = makeFile(options);
  const random = new SplitMix32(1);
  let stated = 0;
  for (let session = 0; session < 40; session++) {
    const store = Store.open(file, options);
    const { allocations, fragments, pages, slab } = contextOf(store).state;
    const youngest = new Map<number, number>();
    for (let at = fragments.first(); at >= 0; at = fragments.next(at)) {
      const id = fragments.keyId[at]!;
      const isInline = pages.state[fragments.page[at]!] !== pageData;
      const epoch = pages.epoch[isInline ? slab.page[fragments.ref[at]!]! : fragments.page[at]!]!;
      youngest.set(id, Math.max(youngest.get(id) ?? 0, epoch));
      if (epoch < pages.epoch[slab.page[fragments.ref[at]!]!]!) stated++;
    }
    for (const id of ids) assert.equal(allocations.lastWritten[allocations.row(id)], youngest.get(id));
    patch(store, ids.slice(0, 5), random);
    store.close();
  }
  assert.ok(stated > 100, `${stated} fragments were stated later than they were written`);
});

test("the state stays small: records are joined into a snapshot when they outgrow it", () => {
  let longest = 0;
  let snapshots = 0;
  runSessions(60, {}, ({ store }) => {
    const state = stateBytesOf(store)!;
    const { snapshotBytes } = decodeState(state, contextOf(store).state.epoch)!;
    const appended = state.length - fixedBytes - snapshotBytes;
    assert.ok(
      appended <= Math.max(64, snapshotBytes),
      `${appended} bytes behind a snapshot of ${snapshotBytes}`,
    );
    if (appended === 0) snapshots++;
    longest = Math.max(longest, state.length);
  });
  assert.ok(snapshots > 5 && snapshots < 55, `${snapshots} snapshots in 60 flushes`);
  assert.ok(longest < fixedBytes + 8 * count, `${longest} bytes for ${count} allocations`);
});
