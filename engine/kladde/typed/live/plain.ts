/**
 * Live values as plain data.
 *
 *  (1) Structs become objects, tuples and lists arrays, maps and sets `Map` and `Set`, texts strings, bytes `Uint8Array`.
 *      JSON values are frozen and shared with the document, not copied.
 *  (2) For JSON, 64-bit integers become decimal strings, bytes hexadecimal ones, sets arrays, and maps objects if their
 *      keys are strings, else arrays of pairs. A struct class may have a `toJSON` of its own.
 *  (3) Nothing recurs: values may nest as deep as memory allows.
 */

import { Node, walk } from "./node.ts";

/** What `convert` makes of `top` and of every node below; it is called for what lies below first. */
export function foldTree(
  top: Node,
  convert: (node: Node, below: (value: unknown) => unknown) => unknown,
): unknown {
  const nodes: Node[] = [];
  walk(top, (node) => nodes.push(node));
  const made = new Map<Node, unknown>();
  const below = (value: unknown): unknown => (value instanceof Node ? made.get(value) : value);
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) made.set(node, convert(node, below));
  return made.get(top);
}

/** A deep copy without a file. */
export const plainOf = (value: unknown): unknown =>
  value instanceof Node ? foldTree(value, (node, below) => node.$toPlain(below)) : value;

/** A deep copy that `JSON.stringify` takes. */
export const jsonOf = (value: unknown): unknown =>
  value instanceof Node ? foldTree(value, jsonNode) : jsonValue(value);

/** The `toJSON` of structs whose class has none. */
export function structToJson(this: Node): unknown {
  return jsonOf(this);
}

function jsonNode(node: Node, below: (value: unknown) => unknown): unknown {
  const own = (node as { toJSON?: unknown }).toJSON;
  if ("$layout" in node && typeof own === "function" && own !== structToJson) return own.call(node);
  return jsonValue(node.$toPlain((value) => (value instanceof Node ? below(value) : jsonValue(value))));
}

function jsonValue(value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Uint8Array)
    return Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (value instanceof Set) return Array.from(value, jsonValue);
  if (!(value instanceof Map)) return value;
  const entries = Array.from(value, ([key, stored]) => [jsonValue(key), stored] as const);
  const hasNames = Array.from(value.keys()).every((key) => typeof key === "string");
  return hasNames ? Object.fromEntries(entries) : entries;
}
