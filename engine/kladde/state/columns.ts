/**
 * Growing typed-array columns: doubling, never adding, so that appends stay amortised O(1).
 *
 *  (1) Running out of memory is `too-large`: a file may claim more pages than this machine can keep a table of.
 */

import { StoreError } from "../../errors.ts";

type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/** `column`, or a copy of at least twice its length when it has no room for `length` entries. */
export function grown<T extends Column>(column: T, length: number): T {
  if (length <= column.length) return column;
  const larger = allocated(column, Math.max(length, 2 * column.length, 16));
  larger.set(column as never);
  return larger;
}

function allocated<T extends Column>(like: T, length: number): T {
  try {
    return new (like.constructor as new (length: number) => T)(length);
  } catch (cause) {
    throw new StoreError("too-large", `no memory for a table of ${length} entries`, {}, cause);
  }
}
