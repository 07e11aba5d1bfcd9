/**
 * The page store as the benchmark drives it.
 */

import type { StorageFile } from "../storage/storage.ts";
import { type RunTableOptions, runTableWith } from "./run.ts";
import type { BenchStore, Stores } from "./store.ts";
import type { Table } from "./table.ts";

interface KladdeStore {
  create(file: StorageFile, options: object): BenchStore;
  open(file: StorageFile): BenchStore;
}

export async function kladdeStores(): Promise<Stores> {
  const door = "../kladde/index.ts";
  const { Store } = (await import(door)) as { Store: KladdeStore };
  return {
    create: (file, options) => Store.create(file, options),
    open: (file) => Store.open(file),
  };
}

/** Runs all runs of a table, one after the other. Rejects with a `RunError`, or with the signal's reason. */
export async function runTable(table: string, options: RunTableOptions): Promise<Table> {
  return runTableWith(await kladdeStores(), table, options);
}
