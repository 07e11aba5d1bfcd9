/**
 * What the benchmark asks of a store, so that the harness can be tested without one and other stores can be put in.
 */

import type { StoreStats } from "../kladde/index.ts";
import type { StorageFile } from "../storage/storage.ts";
import { type Interval, operationKind } from "./interval.ts";
import type { RunOptions } from "./runs.ts";
import type { Documents } from "./typed/document.ts";

export interface BenchStore {
  /** Returns the new allocation's id. */
  alloc(size: number): number;
  free(id: number): void;
  resize(id: number, size: number): void;
  write(id: number, offset: number, bytes: Uint8Array): void;
  flush(): void;
  close(): void;
  committedSize(id: number): number;
  read(id: number, offset: number, length: number): Uint8Array;
  ids(): Iterable<number>;
  stats(): StoreStats;
  /** Throws if an invariant does not hold. */
  check(): void;
  /** Every run of bytes of an allocation in a data page. */
  visitDataFragments(visit: (page: number, id: number, bytes: number) => void): void;
}

export interface Stores {
  create(file: StorageFile, options: RunOptions): BenchStore;
  /** Without options: with the default ones. */
  open(file: StorageFile, options?: RunOptions): BenchStore;
  /** Whether the file keeps what reclamation has learned. Closes the file, which was opened for reading. */
  holdsState(file: StorageFile): boolean;
  /** What runs of `typed` work on, where there is such a layer. */
  readonly documents?: Documents;
}

/** Applies an interval's operations; `ids` holds the id of each slot and takes those of new ones. */
export function apply(store: BenchStore, ids: number[], interval: Interval): void {
  const { count, kind, slot, offset, length, position, bytes } = interval;
  for (let i = 0; i < count; i++) {
    const at = slot[i]!;
    switch (kind[i]) {
      case operationKind.write: {
        const from = position[i]!;
        store.write(ids[at]!, offset[i]!, bytes.subarray(from, from + length[i]!));
        break;
      }
      case operationKind.alloc:
        ids[at] = store.alloc(length[i]!);
        break;
      case operationKind.resize:
        store.resize(ids[at]!, length[i]!);
        break;
      default:
        store.free(ids[at]!);
    }
  }
}
