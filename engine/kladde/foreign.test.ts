/**
 * Files as another writer might leave them: they resolve as the definition says, and histories go on from them.
 *
 *     HISTORY_SEED=17 node --test engine/kladde/foreign.test.ts
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../storage/memory.ts";
import { Store } from "./index.ts";
import { drawForeignFile } from "./testing/foreign.ts";
import { plainHistory } from "./testing/history.ts";
import { compareContents, runSeed } from "./testing/run.ts";

const only = Number.parseInt(process.env.HISTORY_SEED ?? "", 10);
const seedsOf = (count: number): number[] =>
  Number.isNaN(only) ? Array.from({ length: count }, (_, seed) => seed) : [only];

test("random tables resolve as the definition says, byte by byte", () => {
  const most = { statements: 0, tablePages: 0, mixedPages: 0 };
  for (const seed of seedsOf(600)) {
    const file = drawForeignFile(seed);
    const store = Store.openReadOnly(new MemoryFile("foreign", file.bytes));
    try {
      compareContents(store, file.contents);
      store.check();
    } catch (cause) {
      throw new Error(`the file of seed ${seed}: ${String(cause)}`, { cause });
    }
    most.statements = Math.max(most.statements, file.statements);
    most.tablePages = Math.max(most.tablePages, file.tablePages);
    most.mixedPages = Math.max(most.mixedPages, file.mixedPages);
  }
  if (Number.isNaN(only)) assert.ok(most.statements > 40 && most.tablePages === 8 && most.mixedPages > 2);
});

test("histories on files of another writer", () => {
  const history = { ...plainHistory, steps: 60, allocations: 14, stepsPerFlush: 6, reopenOneIn: 15 };
  for (const seed of seedsOf(60)) runSeed(seed, history, { consolidate: false }, drawForeignFile(seed));
});
