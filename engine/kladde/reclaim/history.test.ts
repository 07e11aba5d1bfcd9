/**
 * Random histories with reclamation, under options of every kind. A failing seed prints a small history that fails
 * too; one seed, or more of them, by hand:
 *
 *     RECLAIM_SEED=17 node --test engine/kladde/reclaim/history.test.ts
 *     RECLAIM_SEEDS=1000 node --test engine/kladde/reclaim/history.test.ts
 *     RECLAIM_SEED=5000 RECLAIM_SEEDS=1000 node --test engine/kladde/reclaim/history.test.ts
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { runForeignSeed, runReclaimSeed } from "../testing/reclaim-run.ts";
import { type Reached, sumOfReclaimed } from "../testing/run.ts";

const { RECLAIM_SEED, RECLAIM_SEEDS } = process.env;
const firstSeed = Number(RECLAIM_SEED ?? 0);
const seeds = Number(RECLAIM_SEEDS ?? (RECLAIM_SEED === undefined ? 64 : 1));

test(`${seeds} histories read the same whatever is reclaimed, and leave the books right`, (t) => {
  const reached: Reached[] = [];
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) reached.push(runReclaimSeed(seed));
  const total = sumOfReclaimed(reached.map(({ reclaimed }) => reclaimed));
  t.diagnostic(
    Object.entries(total)
      .map(([name, count]) => `${name} ${count}`)
      .join(", "),
  );
  if (RECLAIM_SEED !== undefined) return;
  for (const [name, count] of Object.entries(total)) assert.ok(count > 3 * seeds, `${name}: ${count}`);
  assert.ok(reached.some(({ leavesMost }) => leavesMost > 5) && reached.some((one) => one.dataPagesMost > 5));
});

test("so do histories that begin with another writer's file", () => {
  if (RECLAIM_SEED !== undefined) return;
  const reached = Array.from({ length: 24 }, (_, seed) => runForeignSeed(seed));
  const { evacuatedPages, tableRewrites } = sumOfReclaimed(reached.map(({ reclaimed }) => reclaimed));
  assert.ok(evacuatedPages > 100 && tableRewrites > 20, `${evacuatedPages} pages, ${tableRewrites} leaves`);
});
