/**
 * How long opening a store takes: a filled and patched one, verified as by default, in the page cache.
 */

import { openNodeFile } from "../storage/node.ts";
import type { Run } from "./runs.ts";
import { apply, type Stores } from "./store.ts";
import { draw } from "./workloads.ts";

export interface Opening {
  readonly fileBytes: number;
  readonly statements: number;
  /** One for each time the file was opened. */
  readonly millis: readonly number[];
}

const rounds = 7;
const rowsBefore = 100;

/** The store's file has this name; the caller deletes it. */
export function measureOpen(stores: Stores, run: Run, name: string): Opening {
  fillAndPatch(stores, run, name);
  const millis: number[] = [];
  let statements = 0;
  let fileBytes = 0;
  for (let round = 0; round < rounds; round++) {
    const file = openNodeFile(name, "write");
    const start = performance.now();
    const store = stores.open(file, run.options);
    millis.push(performance.now() - start);
    statements = store.stats().statements;
    fileBytes = file.size();
    store.close();
  }
  return { fileBytes, statements, millis };
}

function fillAndPatch(stores: Stores, { scenario, sizeBytes, options }: Run, name: string): void {
  const store = stores.create(openNodeFile(name, "create"), options);
  const { drawing, marks } = draw(scenario, sizeBytes);
  const ids: number[] = [];
  let left = rowsBefore;
  for (const mark of marks) {
    apply(store, ids, drawing.interval);
    store.flush();
    if (mark === "row" && --left === 0) break;
  }
  store.close();
}
