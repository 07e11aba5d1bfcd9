/**
 * What the engine writes keeps every rule for writers of the format, reclamation off and on. By hand:
 *
 *     SEED=17 node --test engine/kladde/duties.test.ts
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Store } from "./index.ts";
import type { StoreOptions } from "./options.ts";
import { within } from "./testing/crash-recovery.ts";
import { drawHistory, type HistoryOptions, leafyHistory, plainHistory } from "./testing/history.ts";
import { WatchedWriter } from "./testing/independent/watched-writer.ts";
import { Model } from "./testing/model.ts";
import { perform, type Slots } from "./testing/perform.ts";
import { drawReclaimSetting } from "./testing/reclaim-history.ts";

const only = Number.parseInt(process.env.SEED ?? "", 10);
const seedsOf = (count: number): number[] =>
  Number.isNaN(only) ? Array.from({ length: count }, (_, seed) => seed) : [only];

/** Performs a history on a watched file, each session with options of its own; returns how many flushes there were. */
function run(seed: number, history: HistoryOptions, optionsOf: (session: number) => StoreOptions): number {
  const file = new WatchedWriter("watched");
  Store.create(file, optionsOf(0)).close();
  file.watch();
  let session = 0;
  let store = Store.open(file, optionsOf(session));
  let { flushes } = store.stats();
  const model = new Model();
  const slots: Slots = new Map();
  for (const [index, step] of drawHistory(seed, history).entries())
    within(`SEED=${seed}, step ${index}`, () => {
      if (step.do !== "reopen" && step.do !== "kill") {
        perform(step, store, model, slots);
        const now = store.stats().flushes;
        if (now > flushes && step.do !== "flush") model.flush();
        flushes = now;
      } else if (model.depth === 0) {
        if (step.do === "reopen") store.close();
        else file.close();
        model.reopen();
        store = Store.open(file, optionsOf(++session));
        flushes = store.stats().flushes;
      }
    });
  return file.flushes;
}

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

test("writers' duties, reclamation off", (t) => {
  const off: StoreOptions = { consolidate: false, inlineThreshold: 251, journalBudgetPages: 4 };
  const flushes = seedsOf(12).map((seed) => {
    const history = seed % 2 === 0 ? plainHistory : { ...leafyHistory, steps: 400 };
    return run(seed, history, () => (seed % 4 < 2 ? { consolidate: false } : off));
  });
  t.diagnostic(`${total(flushes)} flushes`);
  assert.ok(total(flushes) > 100 || !Number.isNaN(only));
});

test("writers' duties, reclamation on, with options of every kind", (t) => {
  const flushes = seedsOf(16).map((seed) => {
    const { history, options } = drawReclaimSetting(seed);
    return run(seed, { ...history, steps: 250 }, options);
  });
  t.diagnostic(`${total(flushes)} flushes`);
  assert.ok(total(flushes) > 100 || !Number.isNaN(only));
});
