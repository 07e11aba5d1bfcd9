/**
 * The end of a run: the closed file is opened again and must be what the model says.
 *
 *  (1) Every allocation is compared, whole; the first difference is thrown.
 *  (2) What reclamation has learned is in the file exactly where the options have it kept.
 */

import { openNodeFile } from "../storage/node.ts";
import type { Model } from "./model.ts";
import type { RunOptions } from "./runs.ts";
import type { BenchStore, Stores } from "./store.ts";

export interface Expected {
  readonly model: Model;
  /** Of each slot. */
  readonly ids: readonly number[];
  /** Those the file was written with; it is opened with default ones. */
  readonly options: RunOptions;
}

export function compareReopened(
  stores: Stores,
  name: string,
  { model, ids, options }: Expected,
  check: boolean,
): void {
  if (stores.holdsState(openNodeFile(name, "read")) !== keepsState(options)) {
    throw new Error(
      keepsState(options)
        ? "the file holds nothing of what reclamation learned"
        : "the file keeps what reclamation learned, though it was told not to",
    );
  }
  const file = openNodeFile(name, "write");
  try {
    const store = stores.open(file);
    if (check) store.check();
    const found = new Set(store.ids());
    if (found.size !== model.allocations) {
      throw new Error(`reopened: ${found.size} allocations, the model has ${model.allocations}`);
    }
    for (const slot of model.slots()) compareAllocation(store, ids[slot]!, model.contents(slot)!);
    store.close();
  } finally {
    file.close();
  }
}

const keepsState = ({ consolidate, consolidatorState }: RunOptions): boolean =>
  consolidate !== false && consolidatorState !== false;

function compareAllocation(store: BenchStore, id: number, expected: Uint8Array): void {
  const size = store.committedSize(id);
  if (size !== expected.length) {
    throw new Error(`reopened: allocation ${id} has ${size} bytes, the model has ${expected.length}`);
  }
  const bytes = store.read(id, 0, size);
  if (Buffer.compare(bytes, expected) === 0) return;
  const at = expected.findIndex((byte, i) => byte !== bytes[i]);
  throw new Error(`reopened: allocation ${id} differs from the model at offset ${at} of ${size}`);
}
