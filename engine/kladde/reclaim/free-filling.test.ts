/** What is put into the room of a page that is written anyway. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MemoryFile } from "../../storage/memory.ts";
import type { FlushContext } from "../flush/context.ts";
import { contentCapacity } from "../format/layout.ts";
import { Store } from "../index.ts";
import { resolveOptions, type StoreOptions } from "../options.ts";
import { pageClaimed, pageData } from "../state/pages.ts";
import { bytesOf } from "../testing/perform.ts";
import {
  data,
  free,
  leaf,
  type PlannedPage,
  plannedPolicy,
  plannedState,
  repeated,
} from "../testing/planned-pages.ts";
import { contextOf } from "../testing/reload.ts";
import { Chosen } from "./chosen.ts";
import { Compaction } from "./compaction.ts";
import { type FillingParts, fillFreeRoom } from "./free-filling.ts";

interface Filled {
  /** What was done, in order: `whole 7`, `rewrites`, `part 9`. */
  readonly steps: readonly string[];
  readonly freeFilledPages: number;
  readonly room: number;
}

/** Fills a page of `room` bytes over a made-up page table; `lost` pages turn out not to be movable. */
function fill(
  pages: readonly PlannedPage[],
  room: number,
  { options = {}, lost = [], at }: { options?: StoreOptions; lost?: readonly number[]; at?: number } = {},
): Filled {
  const state = plannedState(pages);
  const policy = plannedPolicy(state, options);
  const chosen = new Chosen(state);
  const compaction = new Compaction(state, resolveOptions(options), chosen);
  compaction.begin();
  const steps: string[] = [];
  const counters = { freeFilledPages: 0 };
  const page = at ?? state.pages.take(pageClaimed);
  const open = {
    page,
    bytes: new Uint8Array(0),
    used: contentCapacity - room,
    get room() {
      return contentCapacity - this.used;
    },
  };
  const evacuation = {
    whole(victim: number): boolean {
      steps.push(`whole ${victim}`);
      if (lost.includes(victim)) {
        chosen.skipped.add(victim);
        return false;
      }
      open.used += state.pages.coverage[victim]!;
      state.uncover(victim, state.pages.coverage[victim]!);
      return true;
    },
    part(victim: number): void {
      steps.push(`part ${victim}`);
    },
  };
  const defragmentation = { fill: () => steps.push("rewrites") };
  const flush = { state, counters, options } as unknown as FlushContext;
  const parts = { flush, policy, chosen, compaction, evacuation, defragmentation };
  fillFreeRoom(parts as unknown as FillingParts, open);
  return { steps, freeFilledPages: counters.freeFilledPages, room: open.room };
}

describe("whole victims", () => {
  test("come first, the best that fits, again and again, then rewrites, then a part of one", () => {
    assert.deepEqual(fill([data(1000), data(300), data(2500), data(4000)], 3900), {
      steps: ["whole 3", "whole 2", "whole 4", "rewrites", "part 5"],
      freeFilledPages: 3,
      room: 100,
    });
  });

  test("are held to no churn floor", () => {
    assert.deepEqual(fill([data(4000)], 4000, { options: { churnFloor: 4 } }).steps, ["whole 2", "rewrites"]);
  });

  test("that cannot be moved are passed over for this flush", () => {
    const { steps, freeFilledPages } = fill([data(300), data(400)], 1000, { lost: [2] });
    assert.deepEqual(steps, ["whole 2", "whole 3", "rewrites"]);
    assert.equal(freeFilledPages, 1);
  });

  test("are data pages", () => {
    assert.deepEqual(fill([leaf(300)], 1000).steps, ["rewrites"]);
  });
});

test("a page that is full gets nothing more", () => {
  assert.deepEqual(fill([data(300)], 0).steps, ["rewrites"]);
  assert.deepEqual(fill([data(300), data(500)], 300).steps, ["whole 2", "rewrites"]);
});

test("only one victim gives a part, the best of all, whatever its size", () => {
  assert.deepEqual(fill([data(3000), data(2000), data(4081)], 100).steps, ["rewrites", "part 3"]);
});

describe("in compaction mode", () => {
  const pages = [data(300), ...repeated(40, free("ready")), data(2000), data(1500)];

  test("the tail comes before anything else while it fits", () => {
    assert.deepEqual(fill(pages, 3700).steps, ["whole 44", "whole 43", "rewrites", "part 2"]);
    assert.deepEqual(fill(pages, 1600).steps, ["whole 44", "rewrites", "part 2"]);
    assert.deepEqual(fill(pages, 1400).steps, ["whole 2", "rewrites", "part 44"]);
    assert.deepEqual(fill(pages, 3700, { options: { holeShare: 1 } }).steps, [
      "whole 2",
      "whole 44",
      "rewrites",
      "part 43",
    ]);
  });

  test("a tail below the page that is filled stays", () => {
    assert.deepEqual(fill(pages, 1600, { at: 50 }).steps, ["whole 2", "rewrites", "part 44"]);
  });

  test("a leaf at the end is not for data pages", () => {
    assert.deepEqual(fill([...pages, leaf(100)], 1600).steps, ["whole 2", "rewrites", "part 44"]);
  });
});

test("a store moves what fits beside its own bytes, and opens no page for it", () => {
  for (const isFull of [false, true]) {
    // No victim pays for a page of its own.
    const options = { churnFloor: 1e6, holeShare: 1, walk: 0 };
    const store = Store.create(new MemoryFile(), options);
    const [patched, extended] = [store.alloc(contentCapacity), store.alloc(contentCapacity)] as const;
    for (const id of [patched, extended]) store.write(id, 0, bytesOf(id, contentCapacity));
    store.flush();
    const pages = new Map<number, number>();
    store.visitDataFragments((page, id) => pages.set(id, page));
    // What is left of the page, 500 and 2500 bytes, fits beside the patch exactly; but not beside more.
    store.write(patched, 500, bytesOf(3, 1081));
    if (isFull) store.write(extended, contentCapacity, bytesOf(4, 65));
    store.flush();
    store.check();
    const { evacuatedPages, freeFilledPages, budgetPagesUsed, evacuatedBytes } = store.stats();
    const expected = isFull ? [0, 0, 0, 500] : [1, 1, 0, 3000];
    assert.deepEqual([evacuatedPages, freeFilledPages, budgetPagesUsed, evacuatedBytes], expected);
    assert.equal(contextOf(store).state.pages.state[pages.get(patched)!] === pageData, isFull);
  }
});
