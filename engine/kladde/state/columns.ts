/** Growing typed-array columns: doubling, never adding, so that appends stay amortised O(1). */

type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/** `column`, or a copy of at least twice its length when it has no room for `length` entries. */
export function grown<T extends Column>(column: T, length: number): T {
  if (length <= column.length) return column;
  const larger = new (column.constructor as new (length: number) => T)(
    Math.max(length, 2 * column.length, 16),
  );
  larger.set(column as never);
  return larger;
}
