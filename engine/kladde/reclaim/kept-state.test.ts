/**
 * What consolidation keeps in the file, and what becomes of it when it is not what it should be: nothing in it can fail
 * an open or change content, and the next flush writes a good one.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MemoryFile } from "../../storage/memory.ts";
import { SplitMix32 } from "../../storage/random.ts";
import { u32Max } from "../format/layout.ts";
import { Store, type StoreOptions } from "../index.ts";
import {
  fileWithState,
  nameStateAllocation,
  stateBytesOf,
  stateOfStore,
} from "../testing/kept-state-file.ts";
import type { Contents } from "../testing/model.ts";
import { bytesOf } from "../testing/perform.ts";
import { checkReclaim, failOnLostReferrers } from "../testing/reclaim-oracle.ts";
import { compareWithReload, contextOf } from "../testing/reload.ts";
import { compareContents } from "../testing/run.ts";
import { decodeState, encodeFields, encodeRecord, fixedBytes, stateTag, visitAges } from "./ages.ts";

failOnLostReferrers();

const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

const { state: goodState, epoch: goodEpoch } = stateOfStore();

/** Of files as `fileWithState` makes them. */
const plannedEpoch = ((): number => {
  const store = Store.openReadOnly(fileWithState(0).file);
  const { epoch } = contextOf(store).state;
  store.close();
  return epoch;
})();

/** The good state, as if the planned file's last flush had written it. */
const currentState = ((): Uint8Array => {
  const fields = decodeState(goodState, goodEpoch)!;
  const records = [encodeRecord(1, [1, 5, 9]), encodeRecord(2, [2, 5]), encodeRecord(plannedEpoch, [7, 100])];
  const snapshotBytes = records[0]!.length + records[1]!.length;
  return joined(encodeFields({ ...fields, upToDate: plannedEpoch, snapshotBytes }), ...records);
})();

/** What a state's records say. */
function agesOf(state: Uint8Array): Map<number, number> {
  const ages = new Map<number, number>();
  visitAges(state, Number.MAX_SAFE_INTEGER, (id, epoch) => ages.set(id, epoch));
  return ages;
}

/** Opens, works, flushes twice and opens again; returns the state after the first flush. */
function survive(state: Uint8Array | number, options: StoreOptions = {}): Uint8Array {
  const { file, contents } = fileWithState(state);
  const store = Store.open(file, options);
  compareContents(store, contents);
  store.check();
  const expected = new Map(contents);
  change(store, expected);
  store.flush();
  const written = stateBytesOf(store)!;
  judge(store, expected);
  change(store, expected);
  store.flush();
  judge(store, expected);
  store.close();
  const next = Store.open(file.clone(), options);
  judge(next, expected);
  next.close();
  return written;
}

function change(store: Store, expected: Map<number, Uint8Array>): void {
  for (const id of [3, 4, 50, 111]) {
    const bytes = expected.get(id)!.slice();
    bytes.set(bytesOf(id, 9), 20);
    store.write(id, 20, bytesOf(id, 9));
    expected.set(id, bytes);
  }
  const id = store.alloc(0);
  store.write(id, 0, bytesOf(id, 90));
  expected.set(id, bytesOf(id, 90));
}

function judge(store: Store, expected: Contents): void {
  store.check();
  compareWithReload(contextOf(store));
  checkReclaim(store);
  compareContents(store, expected);
}

/** A snapshot and nothing else, up to date. */
function requireFresh(state: Uint8Array, epoch = plannedEpoch + 1): void {
  const fields = decodeState(state, epoch)!;
  assert.equal(fields.upToDate, epoch);
  assert.equal(fields.snapshotBytes, state.length - fixedBytes);
}

test("a good state goes on: a record is appended to it, and its ages are taken", () => {
  const { file } = fileWithState(currentState);
  const store = Store.open(file);
  const { allocations } = contextOf(store).state;
  const ageOf = (id: number): number => allocations.lastWritten[allocations.row(id)]!;
  assert.deepEqual([1, 2, 5, 7, 9, 100].map(ageOf), [1, 2, 2, plannedEpoch, 1, plannedEpoch]);
  store.write(3, 0, bytesOf(1, 5));
  store.write(77, 0, bytesOf(1, 5));
  store.flush();
  const state = stateBytesOf(store)!;
  const appended = encodeRecord(plannedEpoch + 1, [3, 77]);
  assert.deepEqual(state.subarray(fixedBytes), joined(currentState.subarray(fixedBytes), appended));
  assert.equal(decodeState(state, plannedEpoch + 1)!.upToDate, plannedEpoch + 1);
});

test("a state with any byte changed opens, changes nothing, and is followed by a good one", () => {
  let bad = 0;
  for (let at = 0; at < currentState.length; at++)
    for (const flip of [1, 0x80, 0xff]) {
      const state = currentState.slice();
      state[at]! ^= flip;
      const written = survive(state);
      const fields = decodeState(state, plannedEpoch);
      if (fields?.upToDate === plannedEpoch) continue;
      bad++;
      requireFresh(written);
    }
  assert.ok(bad > 40, `${bad} states were none`);
});

test("a state cut off anywhere does, too", () => {
  for (let length = 0; length < currentState.length; length++) {
    const state = currentState.subarray(0, length);
    const written = survive(state);
    if (decodeState(state, plannedEpoch) === undefined) requireFresh(written);
  }
});

const states: Readonly<Record<string, Uint8Array | number>> = {
  "no bytes at all": 0,
  zeros: 100,
  "4 GiB of zeros": u32Max,
  "64 MiB of zeros behind a good tag": 2 ** 26,
  "the reference implementation's": Uint8Array.from(currentState, (byte, i) => (i === 7 ? 0x72 : byte)),
  "one of an epoch to come": encodeFields({
    ...decodeState(currentState, plannedEpoch)!,
    upToDate: plannedEpoch + 1,
    snapshotBytes: 0,
  }),
  "one with an id beyond 32 bits": joined(
    currentState.subarray(0, fixedBytes),
    Uint8Array.of(3, 1, 0x80, 0x80, 0x80, 0x80, 0x10),
  ),
  "one with ids that are not there": joined(
    encodeFields({ ...decodeState(currentState, plannedEpoch)!, snapshotBytes: 0 }),
    encodeRecord(2, [5000, 70_000, u32Max]),
  ),
  "one with every age at 0": joined(
    encodeFields({ ...decodeState(currentState, plannedEpoch)!, snapshotBytes: 0 }),
    encodeRecord(
      0,
      Array.from({ length: 130 }, (_, i) => i + 1),
    ),
  ),
  "one whose records are longer than is stated inline": joined(
    encodeFields({ ...decodeState(currentState, plannedEpoch)!, snapshotBytes: 0 }),
    ...Array.from({ length: 60 }, (_, i) => encodeRecord(i % plannedEpoch, [1, 2, 3, 4, 5, 6])),
  ),
  "one whose window lies behind everything": encodeFields({
    ...decodeState(currentState, plannedEpoch)!,
    windowId: u32Max,
    windowOffset: u32Max,
    snapshotBytes: 0,
  }),
};

for (const [name, state] of Object.entries(states))
  test(`${name}: it opens, changes nothing, and is followed by a good one`, () => {
    const written = survive(state);
    const isCurrent =
      typeof state !== "number" && decodeState(state, plannedEpoch)?.upToDate === plannedEpoch;
    if (!isCurrent) requireFresh(written);
    assert.equal(decodeState(written, plannedEpoch + 1)!.upToDate, plannedEpoch + 1);
  });

test("random bytes, behind the tag and without it, do too", () => {
  for (let seed = 0; seed < 120; seed++) {
    const random = new SplitMix32(seed);
    const bytes = Uint8Array.from({ length: random.below(120) }, () =>
      random.below(seed % 3 === 0 ? 256 : 8),
    );
    survive(seed % 2 === 0 ? joined(stateTag, bytes) : bytes);
  }
});

test("a budget that is none is not taken: the start value is", () => {
  for (const [budget, expected] of [
    [40, 40],
    [0, 8],
    [-3, 8],
    [Number.NaN, 8],
    [Number.POSITIVE_INFINITY, 8],
    [1e-30, 1],
    [1e30, 256],
  ] as const) {
    // A state of an earlier epoch, so that no step of the controller is made up for.
    const fields = { ...decodeState(currentState, plannedEpoch)!, budget, upToDate: 1, snapshotBytes: 0 };
    const store = Store.open(fileWithState(encodeFields(fields)).file);
    assert.equal(store.stats().budgetPages, expected, `budget ${budget}`);
    store.close();
  }
});

describe("a state that is behind the file", () => {
  const behind = joined(
    encodeFields({ ...decodeState(currentState, plannedEpoch)!, upToDate: 2, snapshotBytes: 0 }),
    encodeRecord(1, [1, 2, 80, 110]),
  );

  test("gives ages only of allocations that no later page names, and is not appended to", () => {
    const store = Store.open(fileWithState(behind).file);
    const { allocations } = contextOf(store).state;
    const ageOf = (id: number): number => allocations.lastWritten[allocations.row(id)]!;
    // The header and the leaves of later flushes state 80 and 110; 1 and 2 lie in the first leaf.
    const young = [1, 2, 80, 110].filter((id) => ageOf(id) > 2);
    const old = [1, 2, 80, 110].filter((id) => ageOf(id) === 1);
    assert.equal(young.length + old.length, 4);
    assert.ok(young.includes(110), "110 was stated after the state was written");
    store.write(3, 0, bytesOf(1, 5));
    store.flush();
    const state = stateBytesOf(store)!;
    requireFresh(state);
    for (const id of young) assert.ok((agesOf(state).get(id) ?? plannedEpoch) > 2, `age of ${id}`);
    store.close();
  });

  test("comes about through a writer that keeps none, and is overwritten by the next that does", () => {
    const { file, contents } = fileWithState(currentState);
    const expected = new Map(contents);
    for (const options of [{ consolidate: false }, { consolidatorState: false }]) {
      const writer = Store.open(file, options);
      change(writer, expected);
      writer.close();
      const before = decodeState(stateBytesOf(Store.open(file.clone()))!, 100)!.upToDate;
      const store = Store.open(file);
      const { epoch } = contextOf(store).state;
      assert.ok(before < epoch);
      change(store, expected);
      store.flush();
      requireFresh(stateBytesOf(store)!, epoch + 1);
      judge(store, expected);
      store.close();
    }
  });
});

describe("the state's allocation", () => {
  test("that is the application's too is the application's, and another one is made", () => {
    for (const field of ["root", "schema table"] as const) {
      const { file, contents } = fileWithState(currentState);
      const [id] = [...contents.keys()];
      const writer = Store.open(file, { consolidate: false });
      writer.setRoots(field === "root" ? id! : 0, field === "root" ? 0 : id!, new Uint8Array(16));
      const old = contextOf(writer).fields.consolidatorState;
      writer.close();
      nameStateAllocation(file, id!);
      const store = Store.open(file);
      const expected = new Map(contents).set(old, currentState);
      compareContents(store, expected);
      change(store, expected);
      store.flush();
      judge(store, expected);
      const made = contextOf(store).fields.consolidatorState;
      assert.ok(made !== id && made !== 0 && !expected.has(made));
      requireFresh(stateBytesOf(store)!, contextOf(store).state.epoch);
      store.close();
    }
  });

  test("that is not there is made", () => {
    for (const id of [0, 5000, u32Max]) {
      const { file, contents } = fileWithState(0);
      const old = contextOf(Store.openReadOnly(file)).fields.consolidatorState;
      nameStateAllocation(file, id);
      const store = Store.open(file);
      const expected = new Map(contents).set(old, new Uint8Array(0));
      compareContents(store, expected);
      change(store, expected);
      store.flush();
      judge(store, expected);
      requireFresh(stateBytesOf(store)!);
      store.close();
    }
  });

  test("is in no list and no count, cannot be named, and is none where nothing is kept", () => {
    const file = fileWithState(currentState).file;
    const store = Store.open(file);
    const own = contextOf(store).fields.consolidatorState;
    assert.ok(![...store.ids()].includes(own));
    assert.equal(store.exists(own), false);
    assert.equal(store.stats().allocations, 120);
    assert.equal(store.stats().allocationBytes, 40 * 700 + 80 * 60);
    for (const call of [
      () => store.free(own),
      () => store.write(own, 0, bytesOf(1, 1)),
      () => store.resize(own, 0),
      () => store.read(own, 0, 1),
      () => store.committedSize(own),
      () => store.copy(1, 0, 1, own, 0),
      () => store.move(1, 0, 1, own, 0),
      () => store.copy(own, 0, 1, 1, 0),
      () => store.move(own, 0, 1, 1, 0),
      () => store.splice(own, 0, 0, bytesOf(1, 1)),
      () => store.size(own),
      () => store.crc32c(own),
      () => store.readInto(own, 0, new Uint8Array(1)),
      () => store.setRoots(own, 0, new Uint8Array(16)),
      () => store.setRoots(0, own, new Uint8Array(16)),
    ])
      assert.throws(call, RangeError);
    store.close();
    const off = Store.create(fileWithState(0).file, { overwrite: true, consolidatorState: false });
    off.alloc(1000);
    off.flush();
    assert.equal(contextOf(off).fields.consolidatorState, 0);
  });

  test("is none that an open transaction copies or moves from", () => {
    for (const how of ["copy", "move"] as const) {
      const store = Store.create(new MemoryFile("state"));
      const id = store.alloc(100);
      store.begin();
      // 2 is what the flush would take for the state.
      store[how](2, 0, 100, id, 0);
      store.flush();
      assert.equal(contextOf(store).fields.consolidatorState, 3);
      store.commit();
      store.flush();
      assert.deepEqual(store.read(id, 0, 100), new Uint8Array(100));
      const { epoch } = contextOf(store).state;
      assert.equal(decodeState(stateBytesOf(store)!, epoch)!.upToDate, epoch);
      assert.equal(store.alloc(1), 2);
      store.close();
    }
  });

  test("in a damaged page that open did not look at is no state, and no error", () => {
    const records = Array.from({ length: 40 }, (_, i) => encodeRecord(1 + (i % 3), [1, 2, 3, 4]));
    const fields = { ...decodeState(currentState, plannedEpoch)!, snapshotBytes: 0 };
    const { file, contents } = fileWithState(joined(encodeFields(fields), ...records));
    const whole = Store.openReadOnly(file);
    const pages: number[] = [];
    const own = contextOf(whole).fields.consolidatorState;
    whole.visitDataFragments((page, id) => {
      if (id === own) pages.push(page);
    });
    whole.close();
    assert.equal(pages.length, 1);
    file.write(Uint8Array.of(0xff), pages[0]! * 4096 + 4000);
    const store = Store.open(file, { verify: "lazy" });
    const untouched = [...contents].filter(([id]) => placesOf(store, id).every((page) => page !== pages[0]));
    store.write(1, 0, bytesOf(1, 5));
    store.flush();
    requireFresh(stateBytesOf(store)!);
    for (const [id, bytes] of untouched)
      if (id !== 1) assert.deepEqual(store.read(id, 0, bytes.length), bytes);
    store.check();
    store.close();
  });
});

function placesOf(store: Store, id: number): number[] {
  const pages: number[] = [];
  store.visitDataFragments((page, owner) => {
    if (owner === id) pages.push(page);
  });
  return pages;
}
