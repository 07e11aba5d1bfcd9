/**
 * What a document shows, read through its public members only, and what a reader that knows descriptors alone finds in the
 * file; both in the form that models are compared in.
 */

import assert from "node:assert/strict";
import { Store } from "../../store.ts";
import { ReadingFile } from "../../testing/reading-file.ts";
import { Encoder } from "../live/encoder.ts";
import { Node, pathOf, walk } from "../live/node.ts";
import { accessOf } from "../plain/index.ts";
import { readTree, type ValueNode } from "../plain/testing/tree.ts";
import { seal } from "../schema/seal.ts";
import type { Schema, Spec, SpecField, Typed } from "./specs.ts";
import { variantFields } from "./specs.ts";

// biome-ignore lint/suspicious/noExplicitAny: live objects of all kinds
type Live = any;

/** A node, and where its places begin where those are packed. */
interface Measured extends Node {
  $prefix?: readonly number[] | null;
}

/** Throws unless memory has every packed place below `live` where its encoding begins. */
export function requirePlaces(live: Live): void {
  if (!(live instanceof Node)) return;
  const encoder = new Encoder();
  walk(live, (node: Measured) => {
    const kept = node.$prefix ?? null;
    if (kept === null) return;
    node.$remeasure(encoder);
    assert.deepEqual(kept, node.$prefix, `places of ${pathOf(node) || "the root"}`);
  });
}

/** Reads a live value to the bottom; everything it says twice must agree. */
export function observe(spec: Spec, live: Live): unknown {
  switch (spec.kind) {
    case "value":
      return live;
    case "text":
      assert.equal(live.length, String(live).length);
      return String(live);
    case "bytes":
      assert.equal(live.length, live.slice().length);
      return new Uint8Array(live.slice());
    case "struct":
      assert.ok(live instanceof spec.make);
      return observeFields(spec.fields, live);
    case "tuple":
      assert.equal(live.length, spec.fields.length);
      return spec.fields.map(({ spec: below, property }) => observe(below, live[property]));
    case "enum":
      return { [spec.tag]: live[spec.tag], ...observeFields(variantFields(spec, live), live) };
    case "option":
    case "box":
      return live === null ? null : observe(spec.element().spec, live);
    case "set":
      return { entries: observeKeys(live).map((key) => [key, undefined]) };
    case "map":
    case "sortedMap":
      return { entries: observeKeys(live).map((key) => [key, observe(spec.element().spec, live.get(key))]) };
    default:
      return observeList(live).map((below) => observe(spec.element().spec, below));
  }
}

const observeFields = (fields: readonly SpecField[], live: Live): object =>
  Object.fromEntries(fields.map(({ property, spec }) => [property, observe(spec, live[property])]));

function observeKeys(live: Live): unknown[] {
  const keys = [...live.keys()];
  assert.equal(live.size, keys.length);
  for (const key of keys) assert.ok(live.has(key));
  return keys;
}

function observeList(live: Live): Live[] {
  const values = [...live];
  assert.equal(live.length, values.length);
  for (const [at, below] of values.entries()) assert.ok(Object.is(live.at(at), below));
  return values;
}

/** The value in the file `bytes`, by its descriptor alone. Every fault, and every leak unless some may be, fails the test. */
export function readByDescriptor({ spec, schema }: Typed, bytes: Uint8Array, mayLeak = false): unknown {
  const store = Store.openReadOnly(new ReadingFile("copy", bytes));
  store.check();
  const { descriptor } = seal(schema as Schema);
  const tree = readTree(accessOf(store), descriptor, store.root, { schemaId: store.schemaTable });
  assert.deepEqual(tree.findings, []);
  if (!mayLeak) assert.deepEqual(new Set(store.ids()), tree.reached);
  return fromTree(spec, tree.root);
}

function fromTree(spec: Spec, node: ValueNode): unknown {
  const below = (at: number, typed: Typed): unknown => fromTree(typed.spec, node.children[at]!);
  const fields = (list: readonly SpecField[]): object =>
    Object.fromEntries(list.map((field, at) => [field.property, below(at, field)]));
  switch (spec.kind) {
    case "value":
      return fromScalar(spec.name, node);
    case "text":
      return node.value;
    case "bytes":
      return node.value;
    case "struct":
      return fields(spec.fields);
    case "tuple":
      return spec.fields.map((field, at) => below(at, field));
    case "enum": {
      const { name } = node.variant!;
      return { [spec.tag]: name, ...fields(spec.variants.find((variant) => variant.name === name)!.fields) };
    }
    case "option":
      return node.variant!.name === "None" ? null : below(0, spec.element());
    case "box":
      return node.kind === "none" ? null : below(0, spec.element());
    case "set":
      return { entries: entriesOf(node, spec.element().spec, undefined) };
    case "map":
      return { entries: entriesOf(node, spec.key.spec, spec.element().spec) };
    case "sortedMap": {
      const entries = entriesOf(node, spec.key.spec, spec.element().spec);
      return { entries: entries.sort(([a], [b]) => ((a as number) < (b as number) ? -1 : 1)) };
    }
    default:
      // By its descriptor, a list of characters is a text, and one of bytes is bytes.
      if (node.kind === "text") return [...(node.value as string)];
      if (node.kind === "bytes") return [...(node.value as Uint8Array)];
      return node.children.map((child) => fromTree(spec.element().spec, child));
  }
}

function entriesOf({ children }: ValueNode, key: Spec, value: Spec | undefined): [unknown, unknown][] {
  const entries: [unknown, unknown][] = [];
  for (let at = 0; at < children.length; at += 2)
    entries.push([
      fromTree(key, children[at]!),
      value === undefined ? undefined : fromTree(value, children[at + 1]!),
    ]);
  return entries;
}

function fromScalar(name: string, node: ValueNode): unknown {
  const { value } = node;
  if (name === "unit") return undefined;
  if (name === "oneOf") return node.variant!.name;
  if (name === "json") return value === "" ? null : JSON.parse(value as string);
  if (name === "opaque") return new DataView((value as Uint8Array).slice().buffer).getUint32(0, true);
  // A 64-bit integer is a number there as far as it is a safe one.
  return name === "u64" || name === "i64" ? BigInt(value as number) : value;
}
