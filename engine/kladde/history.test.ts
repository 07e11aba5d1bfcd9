/**
 * Random histories under all oracles. A failing seed prints a small history that fails too; one seed by hand:
 *
 *     HISTORY_SEED=17 node --test engine/kladde/history.test.ts
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SplitMix32 } from "../storage/random.ts";
import type { StoreOptions } from "./options.ts";
import { drawForeignFile } from "./testing/foreign.ts";
import {
  anchorHistory,
  type HistoryOptions,
  leafyHistory,
  leafyStore,
  plainHistory,
} from "./testing/history.ts";
import { type Reached, runSeed, type Start } from "./testing/run.ts";

const only = Number.parseInt(process.env.HISTORY_SEED ?? "", 10);

const seedsOf = (count: number): number[] =>
  Number.isNaN(only) ? Array.from({ length: count }, (_, seed) => seed) : [only];

function runSeeds(count: number, history: HistoryOptions, options: StoreOptions): Omit<Reached, "reclaimed"> {
  const total = { flushes: 0, performed: 0, leavesMost: 0, dataPagesMost: 0 };
  for (const seed of seedsOf(count)) {
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

test("histories whose copies and moves name sources that do not exist, or not yet", () => {
  const history = { ...plainHistory, anySourceOneIn: 2, scopeOneIn: 4, reopenOneIn: 20, allocations: 6 };
  for (const options of [{ consolidate: false }, {}]) {
    const { performed } = runSeeds(40, history, options);
    if (Number.isNaN(only)) assert.ok(performed > 4000, `${performed} steps`);
  }
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

/** Any mixture of history, store options and a new or another writer's file. */
function drawSetting(seed: number): { history: HistoryOptions; options: StoreOptions; start?: Start } {
  const random = new SplitMix32(~seed);
  const pick = <T>(...choices: readonly T[]): T => choices[random.below(choices.length)]!;
  const history = {
    ...pick(plainHistory, leafyHistory, anchorHistory),
    steps: pick(60, 200),
    allocations: pick(2, 8, 40, 150),
    smallBytes: pick(3, 20, 100, 250, 5000),
    largeBytes: pick(5000, 30000),
    largeOneIn: pick(3, 20, 200),
    stepsPerFlush: pick(2, 5, 20),
    reopenOneIn: pick(5, 30),
    scopeOneIn: pick(0, 4, 20),
    anySourceOneIn: pick(0, 3),
  };
  const options = {
    consolidate: false,
    journalBudgetPages: pick(1, 3, 256),
    batchBytes: pick(1, 100, 65536),
    inlineThreshold: pick(0, 1, 10, 64, 251),
    theta: pick(0, 0.05, 0.5, 0.99),
    lookahead: pick(1, 2, 16),
    truncateTail: pick(1, 4, 1000),
    verify: pick("eager" as const, "lazy" as const),
  };
  return { history, options, ...(random.below(3) === 0 && { start: drawForeignFile(seed) }) };
}

test("histories under any options", () => {
  for (const seed of seedsOf(40)) {
    const { history, options, start } = drawSetting(seed);
    runSeed(seed, history, options, start);
  }
});
