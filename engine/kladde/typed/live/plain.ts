/**
 * Live values as plain data.
 *
 *  (1) Structs become objects, lists arrays, maps and sets `Map` and `Set`, texts strings, bytes `Uint8Array`.
 *  (2) For JSON, 64-bit integers become decimal strings, bytes hexadecimal ones, sets arrays, and maps objects if their
 *      keys are strings, else arrays of pairs.
 */

import { Node } from "./node.ts";

/** A deep copy without a file. */
export const plainOf = (value: unknown): unknown => (value instanceof Node ? value.$toPlain(plainOf) : value);

/** A deep copy that `JSON.stringify` takes. */
export function jsonOf(value: unknown): unknown {
  if (value instanceof Node) return jsonOf(value.$toPlain(jsonOf));
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Uint8Array)
    return Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (value instanceof Set) return Array.from(value, jsonOf);
  if (!(value instanceof Map)) return value;
  const entries = Array.from(value, ([key, below]) => [jsonOf(key), below] as const);
  return entries.every(([key]) => typeof key === "string") ? Object.fromEntries(entries) : entries;
}
