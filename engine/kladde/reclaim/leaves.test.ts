/** Rewriting leaves, as part of a budget and into the room of a table page that is laid out already. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { contentCapacity, headerContentCapacity } from "../format/layout.ts";
import { pageLeaf, pageRetiring } from "../state/pages.ts";
import { HookedStore } from "../testing/hooked-store.ts";
import { bytesOf } from "../testing/perform.ts";
import { type LeafParts, LeafRewriting } from "./leaves.ts";
import type { Candidates } from "./policy.ts";

const childListBytes = 1;

/** Rewrites the leaves that `wanted` names, in its order, as far as they may be and fit. */
function rewritingOf(hooked: HookedStore, wanted: readonly number[], tail = -1): LeafRewriting {
  const { context: flush, chosen } = hooked;
  const { coverage } = flush.state.pages;
  const policy = {
    leafVictim: (_: number, most: number, candidates: Candidates): number =>
      wanted.find((page) => coverage[page]! <= most && coverage[page]! > 0 && candidates.allows(page)) ?? -1,
  };
  const compaction = { movableTail: () => (chosen.allows(tail) ? tail : -1) };
  return new LeafRewriting({ flush, policy, chosen, compaction } as unknown as LeafParts);
}

/** Two allocations whose statements lie in one leaf, and nowhere else. */
function shelved(): { hooked: HookedStore; ids: [number, number]; leaf: number } {
  const hooked = new HookedStore();
  const ids = [hooked.store.alloc(0), hooked.store.alloc(0)] as [number, number];
  for (const id of ids) hooked.store.write(id, 0, bytesOf(id, 200));
  hooked.flush();
  hooked.crowd();
  const [leaf] = hooked.tablePages(ids[0]);
  for (const id of ids) assert.deepEqual(hooked.tablePages(id), [leaf]);
  assert.equal(hooked.context.state.pages.state[leaf!], pageLeaf);
  return { hooked, ids, leaf: leaf! };
}

/** A flush with much room in its last leaf, into which `leaves` are rewritten as far as they may be. */
function fillWith(
  hooked: HookedStore,
  leaves: readonly number[],
  tail = -1,
): { given: number; left: number } {
  let room = { given: 0, left: 0 };
  hooked.crowd(1, {
    fillTablePage: (given) => {
      room = { given, left: rewritingOf(hooked, leaves, tail).fill(given) };
    },
  });
  return room;
}

describe("as a filler, a leaf", () => {
  test("that names an id the flush has touched is refused, and taken in a later quiet flush", () => {
    const { hooked, ids, leaf } = shelved();
    hooked.store.write(ids[0], 10, bytesOf(1, 5));
    const { given, left } = fillWith(hooked, [leaf]);
    assert.ok(given > 3000, `room for ${given} bytes`);
    assert.equal(left, given);
    assert.equal(hooked.context.state.pages.state[leaf], pageLeaf);
    assert.equal(hooked.store.stats().tableRewrites, 0);
    fillWith(hooked, [leaf]);
    assert.equal(hooked.context.state.pages.state[leaf], pageRetiring);
    assert.equal(hooked.store.stats().tableRewrites, 1);
    assert.notDeepEqual(hooked.tablePages(ids[1]), [leaf]);
  });

  test("is refused for any change of an id it names, and for what the header has of one", () => {
    const changes: Readonly<Record<string, (hooked: HookedStore, id: number) => void>> = {
      shrink: ({ store }, id) => store.resize(id, 150),
      growth: ({ store }, id) => store.resize(id, 250),
      free: ({ store }, id) => store.free(id),
      "same size": ({ store }, id) => store.resize(id, 200),
    };
    for (const [name, change] of Object.entries(changes)) {
      const { hooked, ids, leaf } = shelved();
      change(hooked, ids[1]);
      const { given, left } = fillWith(hooked, [leaf]);
      assert.equal(left, given, name);
      // Shrink, Grow and Tombstone lie in the header now, and every flush states them anew.
      if (name === "same size") continue;
      const again = fillWith(hooked, [leaf]);
      assert.equal(again.left, again.given, `${name}, one flush later`);
    }
  });

  test("gives what it still states to the last leaf, and is unlinked by the same flush", () => {
    const { hooked, ids, leaf } = shelved();
    const { coverage } = hooked.context.state.pages;
    const bytes = coverage[leaf]!;
    const { given, left } = fillWith(hooked, [leaf]);
    assert.equal(given - left, 1.25 * bytes);
    const [page] = hooked.tablePages(ids[0]);
    assert.notEqual(page, leaf);
    assert.deepEqual(hooked.tablePages(ids[1]), [page]);
    assert.ok(!hooked.context.state.rootChildren.includes(leaf));
    assert.ok(hooked.context.state.rootChildren.includes(page!));
  });

  test("is taken as long as a quarter more than it needs fits", () => {
    for (const isShort of [false, true]) {
      const { hooked, leaf } = shelved();
      let left = 0;
      hooked.crowd(1, {
        fillTablePage: () => {
          const room = 1.25 * hooked.context.state.pages.coverage[leaf]! - (isShort ? 0.25 : 0);
          left = rewritingOf(hooked, [leaf]).fill(room);
        },
      });
      assert.equal(left === 0, !isShort);
      assert.equal(hooked.store.stats().tableRewrites, isShort ? 0 : 1);
    }
  });

  test("that is the tail goes before others, if it may be rewritten and fits", () => {
    const { hooked, leaf } = shelved();
    const others = [1, 2, 3].map((set) => {
      hooked.crowd(set + 3);
      return hooked.context.state.rootChildren.at(-1)!;
    });
    const order: number[] = [];
    const fillTablePage = (room: number): void => {
      const rewriting = rewritingOf(hooked, [...others, leaf], others[2]);
      const { rewrite } = rewriting;
      rewriting.rewrite = (page) => {
        order.push(page);
        rewrite.call(rewriting, page);
      };
      rewriting.fill(room);
    };
    hooked.crowd(1, { fillTablePage });
    assert.deepEqual(order, [others[2], others[0], others[1], leaf]);
  });
});

describe("the room that fillers get", () => {
  test("in the header is what its statements and children leave, less 16 bytes", () => {
    const hooked = new HookedStore();
    hooked.store.write(hooked.store.alloc(0), 0, bytesOf(1, 60));
    let room = 0;
    hooked.flush({ fillTablePage: (given) => (room = given) });
    const { pages, headerPage } = hooked.context.state;
    assert.equal(room, headerContentCapacity - pages.written[headerPage]! - 16);
  });

  test("in the last leaf is what its statements leave", () => {
    const hooked = new HookedStore();
    let room = 0;
    hooked.crowd(0, { fillTablePage: (given) => (room = given) });
    const last = hooked.context.state.rootChildren.at(-1)!;
    assert.equal(room, contentCapacity - hooked.context.state.pages.written[last]!);
    assert.ok(hooked.context.state.pages.written[last]! > childListBytes);
  });
});

test("what was estimated too low spills into one more leaf, and nothing is lost", () => {
  const hooked = new HookedStore({ inlineThreshold: 251 });
  const ids = Array.from({ length: 18 }, () => hooked.store.alloc(0));
  for (const id of ids) hooked.store.write(id, 0, bytesOf(id, 200));
  hooked.flush();
  hooked.crowd();
  const { coverage } = hooked.context.state.pages;
  const [leaf] = hooked.tablePages(ids[0]!);
  assert.ok(coverage[leaf!]! > 3000);
  const before = hooked.store.stats().tablePagesWritten;
  let isTight = false;
  hooked.crowd(1, {
    fillTablePage: (room) => {
      isTight = room < 2 * coverage[leaf!]!;
      const rewriting = rewritingOf(hooked, []);
      rewriting.rewrite(leaf!);
      // The same again of what lies in other leaves by now.
      for (const page of hooked.context.state.rootChildren)
        if (rewriting.allows(page)) rewriting.rewrite(page);
    },
  });
  assert.ok(isTight);
  assert.ok(hooked.store.stats().tablePagesWritten - before > 1, "there was no spilling");
  for (const id of ids) assert.deepEqual(hooked.store.read(id, 0, 200), bytesOf(id, 200));
});

test("before the layout any leaf may be rewritten, whatever the flush has touched", () => {
  const { hooked, ids, leaf } = shelved();
  hooked.store.resize(ids[0], 100);
  hooked.store.resize(ids[1], 300);
  hooked.flush({ spendBudget: () => rewritingOf(hooked, []).rewrite(leaf) });
  assert.equal(hooked.context.state.pages.state[leaf], pageRetiring);
  assert.deepEqual(hooked.store.read(ids[0], 0, 100), bytesOf(ids[0], 200).subarray(0, 100));
  assert.deepEqual(hooked.store.read(ids[1], 200, 100), new Uint8Array(100));
});
