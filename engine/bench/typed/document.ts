/**
 * What the benchmark asks of a typed document, so that the harness can be tested without one.
 *
 * A document is a map from numbers to strings in a file of its own. Operations on it are those an application would
 * write: a string is replaced by setting it, appended to by setting it to itself and the tail.
 */

import type { StoreStats } from "../../kladde/index.ts";
import type { RunOptions } from "../runs.ts";
import { type TypedInterval, typedKind } from "./interval.ts";

export interface TextMap {
  readonly size: number;
  get(key: number): string | undefined;
  set(key: number, text: string): unknown;
  delete(key: number): unknown;
  [Symbol.iterator](): Iterator<[key: number, text: string]>;
}

export interface BenchDocument {
  readonly texts: TextMap;
  flush(): void;
  close(): void;
  stats(): StoreStats;
  /** Throws if an invariant of the store does not hold. */
  check(): void;
}

export interface Documents {
  /** A new file of this name, with an empty map. */
  create(name: string, options: RunOptions): BenchDocument;
  /** With default options. */
  open(name: string): BenchDocument;
  /** Bytes of allocations that no entry has: the root, the schema. */
  readonly fixedBytes: number;
  /** How many these are, the map's own allocation included. */
  readonly fixedAllocations: number;
  /** Bytes that a key takes beside its string. */
  readonly slotBytes: number;
}

export function applyTyped(texts: TextMap, { count, kind, key, text }: TypedInterval): void {
  for (let i = 0; i < count; i++) {
    const at = key[i]!;
    switch (kind[i]) {
      case typedKind.append:
        texts.set(at, texts.get(at)! + text[i]!);
        break;
      case typedKind.remove:
        texts.delete(at);
        break;
      default:
        texts.set(at, text[i]!);
    }
  }
}
