import assert from "node:assert/strict";
import { test } from "node:test";
import * as k from "../schema/k.ts";
import { seal } from "../schema/seal.ts";
import type { Descriptor } from "../types/descriptor.ts";
import { enumOf, prim, string, struct, variant, vec } from "../types/testing/build.ts";
import { isUpgradable, resolve } from "./resolve.ts";
import { type Datum, NaiveEncoder } from "./testing/values.ts";
import { readUpgraded, ValueRefused } from "./upgrade.ts";

const between = (stored: Descriptor, wanted: unknown) => resolve(stored, seal(wanted).root);

/** What is said of names that only the file has, and what is advised. */
function said(stored: Descriptor, wanted: unknown): { hints: string[]; advice: string | undefined } {
  const { differences, advice } = between(stored, wanted);
  const about = differences.filter(({ bridge }) => bridge !== "upgrade");
  return { hints: about.map(({ message }) => message), advice };
}

const layout = (schema: unknown): Descriptor => seal(schema).descriptor;

test("a field that only the file has is taken for one that only the schema has, if its values fit", () => {
  assert.deepEqual(
    said(struct("S", { name: string(), n: prim("u8") }), k.struct({ title: k.string(), n: k.u8() })),
    {
      hints: [
        'the file has a field "name" (string) that is not expected; if it is "title" now, the schema must say so with .was("name")',
      ],
      advice: 'if "name" is called "title" now, the schema must say so with .was("name")',
    },
  );
});

test("the advice is taken: with it nothing is dropped", () => {
  const stored = struct("S", { name: string(), old: prim("u8"), kept: prim("bool") });
  const shape = { title: k.string(), age: k.u32(), kept: k.bool() };
  assert.equal(isUpgradable(between(stored, k.struct(shape)), false), false);
  const wanted = k.struct({ ...shape, title: shape.title.was("name"), age: shape.age.was("old") });
  assert.equal(isUpgradable(between(stored, wanted), false), true);
  const encoder = new NaiveEncoder();
  const root = encoder.root(stored, { list: [{ pointsTo: "x" }, 7, true] });
  assert.deepEqual(readUpgraded(between(stored, wanted), encoder.access(), root), {
    title: "x",
    age: 7,
    kept: true,
  });
});

test("several names that it may be are listed, the one at its place first", () => {
  const stored = struct("S", { a: string(), b: string() });
  const wanted = k.struct({ c: k.string(), d: k.string() });
  assert.deepEqual(said(stored, wanted).hints, [
    'the file has a field "a" (string) that is not expected; if it is "c" or "d" now, the schema must say so with .was("a")',
    'the file has a field "b" (string) that is not expected; if it is "d" or "c" now, the schema must say so with .was("b")',
  ]);
  const many = k.struct(Object.fromEntries(["p", "q", "r", "s"].map((name) => [name, k.u8()])));
  assert.match(
    said(struct("S", { x: prim("u8") }), many).hints[0]!,
    /if it is "p", "q", "r" or another one now/,
  );
});

test("a field of another type is not guessed at, but that it may have been renamed is said", () => {
  assert.deepEqual(said(struct("S", { tags: vec(string()) }), k.struct({ done: k.bool() })), {
    hints: ['the file has a field "tags" (vec(string)) that is not expected'],
    advice: 'if a field was renamed, the schema must say so with .was("its old name")',
  });
  const nested = struct("S", { from: struct("P", { x: prim("u8") }) });
  assert.match(said(nested, k.struct({ to: k.struct({ x: k.u16() }) })).hints[0]!, /if it is "to" now/);
  assert.doesNotMatch(said(nested, k.struct({ to: k.struct({ y: k.u16() }) })).hints[0]!, / now/);
});

test("without a field that only the schema has there is nothing to advise", () => {
  assert.deepEqual(said(struct("S", { a: prim("u8"), b: prim("u8") }), k.struct({ a: k.u8() })), {
    hints: ['the file has a field "b" (u8) that is not expected'],
    advice: undefined,
  });
  assert.equal(said(struct("S", { a: prim("u8") }), k.struct({ a: k.u16(), b: k.u8() })).advice, undefined);
});

test("the elements of a tuple become fields by their places; fields do not become elements", () => {
  const point = k.struct({ x: k.f64(), y: k.f64() });
  const pair = k.tuple(k.f64(), k.f64());
  const [first, second] = said(layout(pair), point).hints;
  assert.match(first!, /"0" .* if it is "x" or "y" now, .* \.was\("0"\)$/);
  assert.match(second!, /"1" .* if it is "y" or "x" now, .* \.was\("1"\)$/);
  const named = k.struct({ x: k.f64().was("0"), y: k.f64().was("1") });
  assert.ok(isUpgradable(between(layout(pair), named), false));
  assert.deepEqual(said(layout(point), pair), {
    hints: [
      'the file has a field "x" (f64) that is not expected',
      'the file has a field "y" (f64) that is not expected',
    ],
    advice: undefined,
  });
});

test("fields of variants are fields", () => {
  const stored = enumOf("E", 1, variant(0, "Circle", { r: prim("f64") }));
  assert.match(
    said(stored, k.enum({ Circle: { radius: k.f64() } })).hints[0]!,
    /"r" \(f64\) of the variant "Circle" that is not expected; if it is "radius" now, .* \.was\("r"\)$/,
  );
});

test("a variant is guessed at by its discriminant, else by its fields", () => {
  const stored = enumOf("E", 1, variant(0, "A"), variant(1, "B"));
  assert.deepEqual(said(stored, k.oneOf("A", "C")), {
    hints: [
      'the discriminant 1 belongs to "B" in the file, to "C" as expected; if it is "C" now, the schema must say so with was: { "C": "B" }',
    ],
    advice: 'if "B" is called "C" now, the schema must say so with was: { "C": "B" }',
  });
  assert.ok(isUpgradable(between(stored, k.oneOf("A", "C", { was: { C: "B" } })), false));
  const shapes = enumOf("E", 1, variant(0, "Dot"), variant(7, "Ring", { r: prim("f64") }));
  const wanted = k.enum({ Dot: {}, Box: { w: k.f64() }, Round: { r: k.f64() } });
  assert.match(
    said(shapes, wanted).hints[0]!,
    /"Ring" .* if it is "Round" now, .* was: \{ "Round": "Ring" \}$/,
  );
  assert.match(said(shapes, k.enum({ Dot: {}, Box: { w: k.f64() } })).advice!, /^if a variant was renamed/);
});

test("a stored value of a variant that may have been renamed is refused with that", () => {
  const stored = enumOf("E", 1, variant(0, "A"), variant(5, "B"));
  const encoder = new NaiveEncoder();
  const root = encoder.root(stored, { variant: 1, fields: [] } satisfies Datum);
  assert.throws(
    () => readUpgraded(between(stored, k.oneOf("A", "C")), encoder.access(), root),
    (error) =>
      error instanceof ValueRefused &&
      error.message ===
        'value: the schema has no variant "B"; if it is "C" now, the schema must say so with was: { "C": "B" }',
  );
});

test("guessing ends, also among many fields of many types", () => {
  const wide = (from: string) =>
    k.struct(
      Object.fromEntries(
        Array.from({ length: 300 }, (_, i) => [`${from}${i}`, k.struct({ [`x${i}`]: k.vec(k.string()) })]),
      ),
    );
  const { counts, differences } = between(layout(wide("a")), wide("b"));
  assert.equal(counts["drop-fields"], 300);
  assert.match(differences[0]!.message, /if it is "b0" now/);
  const Chain = k.struct({
    get next() {
      return k.box(Chain);
    },
  });
  const chain = k.struct({ from: Chain });
  assert.match(said(layout(chain), k.struct({ to: Chain })).hints[0]!, /if it is "to" now/);
});
