/**
 * Random histories under all oracles. A failing seed prints a small history that fails too; one seed by hand:
 *
 *     HISTORY_SEED=17 node --test engine/kladde/history.test.ts
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { StoreOptions } from "./options.ts";
import {
  anchorHistory,
  type HistoryOptions,
  leafyHistory,
  leafyStore,
  plainHistory,
} from "./testing/history.ts";
import { type Reached, runSeed } from "./testing/run.ts";

const only = Number.parseInt(process.env.HISTORY_SEED ?? "", 10);

function runSeeds(count: number, history: HistoryOptions, options: StoreOptions): Reached {
  const total = { flushes: 0, performed: 0, leavesMost: 0, dataPagesMost: 0 };
  const seeds = Number.isNaN(only) ? Array.from({ length: count }, (_, seed) => seed) : [only];
  for (const seed of seeds) {
    const reached = runSeed(seed, history, options);
    total.flushes += reached.flushes;
    total.performed += reached.performed;
    total.leavesMost = Math.max(total.leavesMost, reached.leavesMost);
    total.dataPagesMost = Math.max(total.dataPagesMost, reached.dataPagesMost);
  }
  return total;
}

test("small histories", () => {
  const { flushes, performed, dataPagesMost } = runSeeds(60, plainHistory, { consolidate: false });
  if (Number.isNaN(only)) assert.ok(flushes > 1000 && performed > 10000 && dataPagesMost > 5);
});

test("histories that fill leaves", () => {
  const { flushes, leavesMost } = runSeeds(40, leafyHistory, leafyStore);
  if (Number.isNaN(only)) assert.ok(flushes > 1000 && leavesMost > 5);
});

test("histories of anchors in leaves and headers", () => {
  const { flushes, leavesMost } = runSeeds(20, anchorHistory, leafyStore);
  if (Number.isNaN(only)) assert.ok(flushes > 1000 && leavesMost > 5);
});

test("histories without inline statements, so that everything lies in data pages", () => {
  const options = { consolidate: false, inlineThreshold: 0, journalBudgetPages: 2, batchBytes: 500 };
  const { dataPagesMost } = runSeeds(20, leafyHistory, options);
  if (Number.isNaN(only)) assert.ok(dataPagesMost > 5);
});
