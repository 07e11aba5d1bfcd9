import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dataClass } from "./drawing.ts";
import { FakeStore } from "./fake-store.ts";
import { mixingOf } from "./mixing.ts";

const { hot, cool, cold } = dataClass;
const classOfId = new Map([
  [1, hot],
  [2, cool],
  [3, cold],
  [4, cold],
]);

function storeWith(fragments: readonly (readonly [page: number, id: number, bytes: number])[]): FakeStore {
  const store = new FakeStore(new Map([[1, new Uint8Array(20 * 4081)]]));
  store.visitDataFragments = (visit) => {
    for (const fragment of fragments) visit(...fragment);
  };
  return store;
}

describe("mixing of classes", () => {
  it("counts pages with at least two classes, all their bytes, and the cold ones", () => {
    const store = storeWith([
      [2, 1, 100], // hot alone
      [3, 3, 10], // cold alone, of two allocations and in several fragments
      [3, 4, 20],
      [3, 3, 30],
      [4, 1, 1], // all three
      [4, 2, 2],
      [4, 3, 4],
      [9, 2, 7], // cool and cold, the page met twice with others between
      [10, 1, 5],
      [9, 4, 8],
      [11, 1, 3], // hot and cool, nothing cold
      [11, 2, 3],
    ]);
    assert.deepEqual(mixingOf(store, classOfId), {
      mixed_pages: 3,
      mixed_bytes: 7 + 15 + 6,
      cold_bytes: 60 + 4 + 8,
      cold_mixed_bytes: 12,
    });
  });

  it("is nothing without data pages", () => {
    assert.deepEqual(mixingOf(storeWith([]), classOfId), {
      mixed_pages: 0,
      mixed_bytes: 0,
      cold_bytes: 0,
      cold_mixed_bytes: 0,
    });
  });

  it("leaves out what the store keeps for itself", () => {
    const store = storeWith([
      [2, 1, 100],
      [2, 99, 50],
      [3, 1, 10],
      [3, 99, 50],
      [3, 3, 20],
    ]);
    assert.deepEqual(mixingOf(store, classOfId), {
      mixed_pages: 1,
      mixed_bytes: 30,
      cold_bytes: 20,
      cold_mixed_bytes: 20,
    });
  });
});
