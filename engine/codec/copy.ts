/** Copying short runs between byte arrays. */

/** Up to here a byte loop is faster than making a view for `set`. */
export const loopBytesMax = 40;

/** Copies `length` bytes of `source` from `from` on to `target` at `to`; the arrays must not be one. */
export function copyBytes(
  source: Uint8Array,
  from: number,
  length: number,
  target: Uint8Array,
  to: number,
): void {
  if (length > loopBytesMax) target.set(source.subarray(from, from + length), to);
  else for (let i = 0; i < length; i++) target[to + i] = source[from + i]!;
}
