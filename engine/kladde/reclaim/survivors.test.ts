/** Finding what of a data page is alive, and leaving a page alone of which not all is known. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../../storage/memory.ts";
import { SplitMix32 } from "../../storage/random.ts";
import { contentCapacity } from "../format/layout.ts";
import { Store } from "../index.ts";
import { pageData } from "../state/pages.ts";
import { bytesOf } from "../testing/perform.ts";
import { reverseIndexOf } from "../testing/reclaim-oracle.ts";
import { contextOf } from "../testing/reload.ts";
import { Survivors } from "./survivors.ts";

interface Found {
  readonly id: number;
  readonly from: number;
  readonly bytes: number;
}

const survivorsIn = (store: Store): Survivors => new Survivors(contextOf(store), reverseIndexOf(store)!);

const rowsOf = ({ count, id, from, bytes }: Survivors): Found[] =>
  Array.from({ length: count }, (_, i) => ({ id: id[i]!, from: from[i]!, bytes: bytes[i]! }));

const dataPagesOf = (store: Store): number[] => {
  const { pages } = contextOf(store).state;
  return Array.from({ length: pages.filePages }, (_, page) => page).filter(
    (page) => pages.state[page] === pageData,
  );
};

/** By a look at every fragment there is, in key order. */
function survivorsByScan(store: Store): Map<number, Found[]> {
  const found = new Map<number, Found[]>();
  const ends = new Map<number, number>();
  const { state } = contextOf(store);
  const { fragments, pages, allocations } = state;
  for (let at = fragments.first(); at >= 0; at = fragments.next(at)) {
    const id = fragments.keyId[at]!;
    const from = fragments.keyOffset[at]!;
    const end = state.fragmentEnd(at, id, allocations.sizeOf(id));
    assert.equal(from, ends.get(id) ?? 0);
    ends.set(id, end);
    const page = fragments.page[at]!;
    if (pages.state[page] !== pageData) continue;
    found.set(page, [...(found.get(page) ?? []), { id, from, bytes: end - from }]);
  }
  return found;
}

/** A store in which nothing is moved by itself: patches all over allocations of a page and a half. */
function patchedStore(seed: number, rounds: number): Store {
  const random = new SplitMix32(seed);
  const store = Store.create(new MemoryFile(), {
    churnFloor: 1e6,
    mu: Number.POSITIVE_INFINITY,
    holeShare: 1,
  });
  const ids = Array.from({ length: 20 }, () => store.alloc(6000));
  for (const id of ids) store.write(id, 0, bytesOf(id, 6000));
  store.flush();
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < 12; i++) {
      const length = 1 + random.below(500);
      const id = ids[random.below(ids.length)]!;
      store.write(id, random.below(6000 - length), bytesOf(i, length));
    }
    const at = random.below(ids.length);
    if (round % 3 === 0) store.resize(ids[at]!, 6000 + random.below(2) * random.below(500));
    if (round % 4 === 0) {
      store.free(ids[at]!);
      ids[at] = store.alloc(6000);
      store.write(ids[at]!, 0, bytesOf(round, 5900));
    }
    store.flush();
  }
  return store;
}

test("the survivors of every page are what the fragment map has there, and add up to its coverage", () => {
  for (const seed of [1, 2, 3]) {
    const store = patchedStore(seed, 30);
    const expected = survivorsByScan(store);
    const survivors = survivorsIn(store);
    const { coverage } = contextOf(store).state.pages;
    let several = 0;
    for (const page of dataPagesOf(store)) {
      // What is noted narrows in between.
      for (let time = 0; time < 2; time++) {
        assert.equal(survivors.find(page), true);
        const rows = rowsOf(survivors);
        assert.deepEqual(rows, expected.get(page));
        assert.equal(
          rows.reduce((sum, { bytes }) => sum + bytes, 0),
          coverage[page],
        );
        survivors.renote();
      }
      if (survivors.count > 5) several++;
    }
    assert.ok(several > 3, `${several} pages with more than five survivors`);
  }
});

test("what is noted for a page becomes what is alive in it", () => {
  const store = patchedStore(4, 10);
  const index = reverseIndexOf(store)!;
  const survivors = survivorsIn(store);
  const noted = (page: number): number => {
    let bytes = 0;
    for (let slot = index.first(page); slot !== 0; slot = index.next[slot]!)
      bytes += index.to[slot]! - index.from[slot]!;
    return bytes;
  };
  const pages = dataPagesOf(store);
  const before = pages.map(noted);
  for (const page of pages) {
    survivors.find(page);
    survivors.renote();
  }
  const { coverage } = contextOf(store).state.pages;
  assert.deepEqual(
    pages.map(noted),
    pages.map((page) => coverage[page]),
  );
  assert.ok(pages.some((page, i) => before[i]! > coverage[page]!));
});

test("a page is not found while one who points into it is not known", () => {
  const store = patchedStore(5, 10);
  const index = reverseIndexOf(store)!;
  const survivors = survivorsIn(store);
  const page = dataPagesOf(store).find((one) => survivors.find(one) && survivors.count > 3)!;
  const all = rowsOf(survivors);
  for (const lost of all) {
    index.forget(page);
    for (const { id, from, bytes } of all)
      if (id !== lost.id || from !== lost.from) index.note(page, id, from, from + bytes);
    assert.equal(survivors.find(page), false, `without ${lost.id} at ${lost.from}`);
  }
  index.forget(page);
  for (const { id, from, bytes } of all) index.note(page, id, from, from + bytes);
  assert.equal(survivors.find(page), true);
});

test("a flush leaves such a page where it is, moves the others, and another session finds it again", () => {
  const file = new MemoryFile();
  // A budget for everything, and no window or defragmentation, so that a page moves by evacuation or not at all.
  const options = { budgetStart: 64, churnFloor: 0.5, walk: 0, mu: Number.POSITIVE_INFINITY };
  const store = Store.create(file, options);
  const ids = Array.from({ length: 16 }, () => store.alloc(contentCapacity));
  for (const id of ids) store.write(id, 0, bytesOf(id, contentCapacity));
  store.flush();
  const pageOf = new Map<number, number>();
  store.visitDataFragments((page, id) => pageOf.set(id, page));
  // A quarter of each page stays; what replaces the rest lies in others.
  for (const id of ids) store.write(id, 1000, bytesOf(7, contentCapacity - 1000));
  const victim = pageOf.get(ids[0]!)!;
  reverseIndexOf(store)!.forget(victim);
  store.flush();
  store.check();
  const { state, coverage } = contextOf(store).state.pages;
  assert.equal(state[victim], pageData);
  assert.equal(coverage[victim], 1000);
  for (const id of ids.slice(1))
    assert.notEqual(state[pageOf.get(id)!], pageData, `page of allocation ${id}`);
  store.close();
  const next = Store.open(file, options);
  for (let flush = 0; flush < 3; flush++) {
    for (const id of ids.slice(4)) next.write(id, 0, bytesOf(flush, 900));
    next.flush();
  }
  assert.notEqual(contextOf(next).state.pages.coverage[victim], 1000);
  next.check();
  assert.deepEqual(next.read(ids[0]!, 0, 1000), bytesOf(ids[0]!, contentCapacity).subarray(0, 1000));
});
