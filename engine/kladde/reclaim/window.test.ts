/** The rotating window: where it walks, what it takes, and what it states again so that a page can become empty. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StoreOptions } from "../options.ts";
import { kindBytes, kindPending, kindZeroByDefault } from "../state/fragments.ts";
import { pageClaimed, pageData, pageLeaf, pageRetiring } from "../state/pages.ts";
import { HookedStore } from "../testing/hooked-store.ts";
import { type Statement, tableContent } from "../testing/pages.ts";
import { bytesOf } from "../testing/perform.ts";

interface Key {
  readonly id: number;
  readonly from: number;
  readonly to: number;
}

/** Keys of all fragments, in order. */
function keysOf({ context: { state } }: HookedStore): Key[] {
  const { fragments, allocations } = state;
  const keys: Key[] = [];
  for (let at = fragments.first(); at >= 0; at = fragments.next(at)) {
    const id = fragments.keyId[at]!;
    keys.push({
      id,
      from: fragments.keyOffset[at]!,
      to: state.fragmentEnd(at, id, allocations.sizeOf(id)),
    });
  }
  return keys;
}

/** Number of the fragment at which the window will begin. */
function cursorOf(hooked: HookedStore): number {
  const { id, offset } = hooked.window;
  const keys = keysOf(hooked);
  const at = keys.findIndex((key) => key.id > id || (key.id === id && key.from >= offset));
  return Math.max(at, 0);
}

/** Allocations in several pieces each, whose statements lie in leaves; those in the header are others. */
function leafy(options: StoreOptions): { hooked: HookedStore; ids: number[] } {
  const hooked = new HookedStore(options);
  const { store } = hooked;
  const ids = Array.from({ length: 12 }, () => store.alloc(0));
  for (const id of ids) store.write(id, 0, bytesOf(id, 300));
  hooked.flush();
  for (const offset of [50, 150, 220]) {
    for (const id of ids) store.write(id, offset, bytesOf(offset, 5 + id));
    hooked.flush();
  }
  // Zeros that are stated, and some that are not.
  store.move(ids[3]!, 100, 40, ids[4]!, 0);
  store.resize(ids[5]!, 400);
  hooked.flush();
  hooked.crowd();
  return { hooked, ids };
}

describe("the cursor", () => {
  test("goes on behind what was visited, and all are visited in a round", () => {
    const { hooked } = leafy({ walk: 7 });
    const count = keysOf(hooked).length;
    assert.ok(count > 100);
    let expected = 0;
    for (let walks = 0; walks < count; walks++) {
      assert.equal(cursorOf(hooked), expected);
      hooked.window.walk(0);
      expected = (expected + 7) % count;
    }
    assert.equal(expected, 0, "every fragment was visited seven times");
  });

  test("comes back to where it was when there are fewer fragments than it may visit", () => {
    const { hooked } = leafy({ walk: 100_000 });
    hooked.window.id = 5;
    hooked.window.offset = 55;
    const before = cursorOf(hooked);
    hooked.window.walk(0);
    assert.equal(cursorOf(hooked), before);
  });

  test("stays where nothing may be visited, or nothing is there", () => {
    const { hooked } = leafy({ walk: 0 });
    hooked.window.id = 3;
    hooked.window.walk(0);
    assert.deepEqual([hooked.window.id, hooked.window.offset], [3, 0]);
    const empty = new HookedStore({ walk: 5 });
    empty.window.walk(100);
    assert.deepEqual([empty.window.id, empty.window.offset], [0, 0]);
  });

  test("is a key: a large allocation is resumed in its middle, and what has gone is passed over", () => {
    const hooked = new HookedStore({ walk: 3, inlineThreshold: 0 });
    const { store } = hooked;
    const id = store.alloc(1000);
    for (let i = 0; i < 10; i++) {
      store.write(id, 100 * i, bytesOf(i, 20));
      hooked.flush();
    }
    hooked.window.walk(0);
    const { offset } = hooked.window;
    assert.ok(offset > 100 && offset < 900);
    store.resize(id, offset - 50);
    const next = store.alloc(10);
    store.write(next, 0, bytesOf(1, 10));
    hooked.flush();
    hooked.window.walk(0);
    // On from the next allocation, and round.
    assert.equal(hooked.window.id, id);
    assert.ok(hooked.window.offset < offset);
  });

  test("moves on by its step where nothing fits, too", () => {
    const { hooked } = leafy({ walk: 20 });
    for (const room of [0, 1, 3]) {
      const before = cursorOf(hooked);
      let expected = -1;
      hooked.flush({
        fillTablePage: () => {
          hooked.window.walk(room);
          expected = before + 20;
        },
      });
      assert.equal(cursorOf(hooked), expected);
    }
    assert.equal(hooked.store.stats().windowRestated, 0);
  });
});

/** The statements that would state, from fragment `start` on, those of `visits` that are stated by a leaf. */
function statementsFrom(hooked: HookedStore, start: number, visits: number): Statement[][] {
  const { state } = hooked.context;
  const { fragments, pages } = state;
  const keys = keysOf(hooked);
  const runs: Statement[][] = [[], []];
  const count = Math.min(visits, keys.length);
  for (let i = 0; i < count; i++) {
    const { id, from, to } = keys[(start + i) % keys.length]!;
    const at = state.fragmentAt(id, from);
    const kind = fragments.kind[at];
    if (kind === kindPending || kind === kindZeroByDefault) continue;
    // The encoding starts anew where the walk wraps.
    const run = runs[start + i < keys.length ? 0 : 1]!;
    const page = fragments.page[at]!;
    if (kind !== kindBytes) run.push(["zero", id, from, to - from]);
    else if (pages.state[page] === pageData)
      run.push(["ref", id, from, to - from, page * 4096 + fragments.pageOffset[at]!]);
    else run.push(["inline", id, from, new Uint8Array(to - from)]);
  }
  return runs;
}

const encodedBytes = (runs: readonly Statement[][]): number =>
  runs.reduce((sum, run) => sum + tableContent([], run).length - 1, 0);

/** How many statements, in order, are at most `room` bytes long. */
function fitting([first = [], second = []]: readonly Statement[][], room: number): number {
  let count = 0;
  for (const [i, all] of [first, second].entries())
    for (let n = 1; n <= all.length; n++) {
      const part = i === 0 ? [all.slice(0, n)] : [first, all.slice(0, n)];
      if (encodedBytes(part) > room) return count;
      count++;
    }
  return count;
}

describe("what is taken", () => {
  test("is as much as fits, to the byte, wherever the walk begins", () => {
    const seen = new Set<number>();
    for (const start of [0, 3, 17, 40, 90])
      for (const walk of [10, 60, 1000])
        for (const room of [2, 9, 10, 11, 40, 41, 42, 43, 100, 333, 1500]) {
          const { hooked } = sharedLeafy(walk);
          const keys = keysOf(hooked);
          const { id, from } = keys[start % keys.length]!;
          hooked.window.id = id;
          hooked.window.offset = from;
          let expected = 0;
          const before = hooked.store.stats().windowRestated;
          hooked.crowd(1, {
            fillTablePage: (given) => {
              assert.ok(given > room);
              const begin = cursorOf(hooked);
              expected = fitting(statementsFrom(hooked, begin, walk), room);
              hooked.window.walk(room);
            },
          });
          const taken = hooked.store.stats().windowRestated - before;
          assert.equal(taken, expected, `from fragment ${start}, ${walk} visited, room for ${room}`);
          seen.add(taken);
        }
    assert.ok(seen.size > 8, "many different numbers of fragments were taken");
  });

  test("never makes its page overflow into another one", () => {
    const { hooked } = leafy({ walk: 1000 });
    const { pages } = hooked.context.state;
    for (let flush = 0; flush < 10; flush++) {
      const before = hooked.store.stats().tablePagesWritten;
      let laidOut = 0;
      hooked.crowd(1 + (flush % 3), {
        fillTablePage: (room) => {
          laidOut = pages.state.filter((state) => state === pageClaimed).length;
          hooked.window.walk(room);
        },
      });
      assert.equal(hooked.store.stats().tablePagesWritten - before, laidOut);
    }
    assert.ok(hooked.store.stats().windowRestated > 200);
  });

  test("lies side by side afterwards, in key order in one page", () => {
    const { hooked, ids } = leafy({ walk: 1000 });
    hooked.window.id = 0;
    hooked.window.offset = 0;
    hooked.crowd(1, { fillTablePage: (room) => hooked.window.walk(room) });
    const pages = new Set(ids.flatMap((id) => hooked.tablePages(id)));
    assert.equal(pages.size, 1);
  });
});

const stores = new Map<number, ReturnType<typeof leafy>>();

/** One store for each length of the walk: what a walk takes only moves statements from leaf to leaf. */
function sharedLeafy(walk: number): ReturnType<typeof leafy> {
  const known = stores.get(walk) ?? leafy({ walk });
  stores.set(walk, known);
  return known;
}

describe("a proof of size or existence in a page that something was taken from", () => {
  /** An allocation with a proof beside its content, both in one leaf with nothing else; made by `change`. */
  function proved(change: (hooked: HookedStore, id: number) => void): {
    hooked: HookedStore;
    id: number;
    leaf: number;
  } {
    const hooked = new HookedStore({ walk: 150 });
    const { store } = hooked;
    const id = store.alloc(0);
    store.write(id, 0, bytesOf(id, 300));
    hooked.flush();
    change(hooked, id);
    hooked.flush();
    hooked.crowd();
    const [leaf] = hooked.tablePages(id);
    assert.deepEqual(hooked.tablePages(id), [leaf]);
    return { hooked, id, leaf: leaf! };
  }

  const proofs: Readonly<Record<string, (hooked: HookedStore, id: number) => void>> = {
    "a grow witness": ({ store }, id) => store.resize(id, 400),
    "a shrink": ({ store }, id) => store.resize(id, 200),
    "a tombstone that owns zeros": (hooked, id) => {
      const { store } = hooked;
      // Another statement of the id in a leaf keeps the tombstone from going.
      hooked.crowd(2);
      store.free(id);
      hooked.flush();
      hooked.crowd(2);
      assert.equal(store.alloc(300), id);
      store.write(id, 10, bytesOf(1, 100));
    },
  };

  for (const [name, change] of Object.entries(proofs))
    test(`${name}: is stated again, and the page becomes empty`, () => {
      const { hooked, id, leaf } = proved(change);
      const { state, coverage } = hooked.context.state.pages;
      hooked.window.id = 0;
      hooked.window.offset = 0;
      // Others lie in the same leaf, which may be more than there is room for at once.
      for (let flush = 0; flush < 6 && coverage[leaf]! > 0; flush++) {
        hooked.crowd(1, { fillTablePage: (room) => hooked.window.walk(room) });
        assert.ok(!hooked.tablePages(id).includes(leaf));
      }
      assert.equal(coverage[leaf], 0);
      assert.equal(state[leaf], pageLeaf);
      hooked.flush();
      assert.equal(state[leaf], pageRetiring);
      const size = hooked.store.committedSize(id);
      assert.equal(hooked.store.read(id, 0, size).length, size);
    });

  test("is left alone if the flush has settled the id already", () => {
    const { hooked, id, leaf } = proved(({ store }, one) => store.resize(one, 400));
    hooked.window.id = 0;
    hooked.window.offset = 0;
    hooked.store.write(id, 10, bytesOf(1, 5));
    hooked.crowd(1, { fillTablePage: (room) => hooked.window.walk(room) });
    // Its content has moved, the growth, of three bytes, has not.
    assert.ok(hooked.tablePages(id).includes(leaf));
    assert.equal(hooked.context.state.pages.coverage[leaf], 3);
  });
});
