/**
 * The page store, and the typed layer on it, as the benchmark drives them.
 */

import { Store } from "../kladde/index.ts";
import { type RunTableOptions, runTableWith } from "./run.ts";
import type { Stores } from "./store.ts";
import type { Table } from "./table.ts";
import { kladdeDocuments } from "./typed/kladde-documents.ts";

export const kladdeStores: Stores = {
  documents: kladdeDocuments,
  create: (file, options) => Store.create(file, options),
  open: (file, options) => Store.open(file, options),
  holdsState(file) {
    const store = Store.openReadOnly(file);
    try {
      return store.holdsConsolidatorState;
    } finally {
      store.close();
    }
  },
};

/** Runs all runs of a table, one after the other. Rejects with a `RunError`, or with the signal's reason. */
export function runTable(table: string, options: RunTableOptions): Promise<Table> {
  return runTableWith(kladdeStores, table, options);
}
