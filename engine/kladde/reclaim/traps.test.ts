/**
 * Shrinks, growths without a write, ends and new beginnings of allocations, with reclamation and a new session after
 * every flush. One seed by hand:
 *
 *     TRAP_SEED=17 node --test engine/kladde/reclaim/traps.test.ts
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { runTrapSeed } from "../testing/reclaim-run.ts";
import { type Reached, sumOfReclaimed } from "../testing/run.ts";

const { TRAP_SEED } = process.env;

test("sizes and contents are the same in every session", () => {
  const seeds = TRAP_SEED === undefined ? Array.from({ length: 12 }, (_, seed) => seed) : [Number(TRAP_SEED)];
  const reached: Reached[] = seeds.map(runTrapSeed);
  const { windowRestated, tableRewrites } = sumOfReclaimed(reached.map(({ reclaimed }) => reclaimed));
  assert.ok(reached.every(({ leavesMost }) => leavesMost > 3));
  assert.ok(
    windowRestated > 100 && tableRewrites > 50,
    `${windowRestated} restated, ${tableRewrites} rewritten`,
  );
});
