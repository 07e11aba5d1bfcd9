/** Types and values of files: what is shown, what is found, and what hostile files cannot do. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import { MemoryFile } from "../../storage/memory.ts";
import { denseFile } from "../testing/dense-files.ts";
import { assertSelfContained } from "../testing/surveyed.ts";
import { readTree, type ValueNode } from "../typed/plain/testing/tree.ts";
import { accessOfBytes, arbitraryDatum, arbitraryType } from "../typed/plain/testing/values.ts";
import { type Descriptor, isOption, isTuple } from "../typed/types/index.ts";
import {
  map,
  opaque,
  option,
  packedVec,
  pointer,
  prim,
  string,
  struct,
  trap,
  tuple,
  vec,
} from "../typed/types/testing/build.ts";
import { surveyHtml } from "./render-html.ts";
import { surveyJson } from "./render-json.ts";
import { surveyText } from "./render-text.ts";
import { surveyFile } from "./survey.ts";
import {
  type Allocations,
  allocationsOf,
  libraryDatum,
  libraryFile,
  libraryType,
  typedFile,
  typedStore,
} from "./testing.ts";
import { readTyped, type TypedOptions } from "./typed.ts";
import type { ValueRow, ValuesDocument } from "./typed-document.ts";
import { typedText } from "./typed-text.ts";

const joined = (lines: Iterable<string>): string => [...lines].map((line) => `${line}\n`).join("");
const kept = (name: string): string => readFileSync(new URL(`goldens/${name}.txt`, import.meta.url), "utf8");

function valuesOf(file: MemoryFile, options?: TypedOptions): ValuesDocument {
  const { values, unknown } = readTyped(file, options);
  assert.equal(unknown, null);
  assert.ok(values !== null);
  return values;
}

const rules = (file: MemoryFile): string[] =>
  readTyped(file).findings.map(({ severity, rule, id }) => `${severity} ${rule ?? "-"} ${id ?? "-"}`);

test("types and values of every kind: as `kladde inspect library.kladde --types` and `--values` print them", () => {
  const document = readTyped(libraryFile(), { length: 200 });
  const text =
    joined(typedText(document, { all: true, only: "types" })) +
    joined(typedText(document, { all: true, only: "values" }));
  assert.equal(text, kept("library"));
});

test("values as they are stored: as `kladde inspect library.kladde --values --raw` prints them", () => {
  const document = readTyped(libraryFile(), { length: 200, raw: true });
  assert.equal(joined(typedText(document, { all: true, only: "values" })), kept("library-raw"));
  // Dead slots hold what is left of former values; that is no fault.
  assert.equal(document.faults, 0);
});

test("a plain value: 64-bit integers as text, bytes in hexadecimal, maps as pairs, options as what they hold", () => {
  const { value, complete, leaks } = valuesOf(libraryFile());
  assert.deepEqual(JSON.parse(JSON.stringify(value)), {
    title: "Öffentliche Bücherei",
    count: "18446744073709551615",
    state: { kind: "final" },
    shapes: [
      { kind: "Dot" },
      { kind: "Circle", radius: 0.5 },
      { kind: "Label", text: "x", "kind (field)": 9 },
    ],
    authors: [
      ["Ada", { born: 1815, nick: "AL" }],
      ["Grace", { born: 1906, nick: null }],
    ],
    pairs: [["( 1 2 )", true]],
    pages: [
      { name: "home", visits: 300, more: "far away" },
      { name: "", visits: 0, more: "b" },
    ],
    raw: { bytes: 3, hex: "0102ff" },
    tree: { value: 5, children: [{ value: 6, children: [] }] },
    none: null,
    initial: "ß",
    ratio: "NaN",
    blob: { opaque: "lib/Blob 1.2.3", bytes: 3, hex: "010203" },
    "odd name": {},
  });
  assert.deepEqual([complete, leaks.allocations, leaks.certain], [true, 0, false]);
});

test("a path leads to one value", () => {
  const file = libraryFile();
  const at = (path: string): unknown => valuesOf(file, { path }).value;
  assert.equal(at("title"), "Öffentliche Bücherei");
  assert.equal(at("shapes[1].radius"), 0.5);
  assert.equal(at('authors["Ada"].born'), 1815);
  assert.equal(at("authors[Grace].born"), 1906);
  assert.equal(at("authors[Ada].nick"), "AL");
  assert.equal(at("pairs[( 1 2 )]"), true);
  assert.equal(at("pages[0].more"), "far away");
  assert.equal(at("tree.children[0].value"), 6);
  assert.deepEqual(JSON.parse(JSON.stringify(at('["odd name"]'))), {});
  const { rows } = valuesOf(file, { path: "authors[Ada].nick" });
  assert.deepEqual(
    rows.map(({ depth, step, bytes, id }) => [depth, step, bytes, id !== null]),
    [[0, ".nick", 2, true]],
  );
  for (const path of ["nothing", "shapes[3]", "title.x", "authors[Bob]", "shapes[0].radius"]) {
    const values = valuesOf(file, { path });
    assert.deepEqual([values.found, values.rows.length, values.value], [false, 0, null], path);
  }
  for (const path of [".title", "a..b", "a[", "a b", "[1"])
    assert.throws(
      () => readTyped(file, { path }),
      { name: "RangeError", message: /is no path of a value/ },
      path,
    );
});

test("rows are cut by depth, by their number, and in each list, and what is left out is counted", () => {
  const type = struct("S", { many: vec(prim("u8")), lists: vec(vec(prim("u32"))), last: prim("u8") });
  const some = (count: number) => ({ list: Array.from({ length: count }, (_, i) => i) });
  const file = typedFile(
    type,
    allocationsOf(type, {
      list: [
        { pointsTo: some(9) },
        { pointsTo: { list: [{ pointsTo: some(50) }, { pointsTo: some(2) }] } },
        7,
      ],
    }),
  );
  const all = valuesOf(file);
  assert.deepEqual([all.rows.length, all.rowsOmitted], [58, 0]);
  const flat = valuesOf(file, { depth: 1 });
  assert.deepEqual(
    flat.rows.map(({ step }) => step),
    ["", ".many", ".lists", ".last"],
  );
  assert.deepEqual([flat.rowsOmitted, flat.rows[2]!.count], [54, 2]);
  assert.deepEqual(JSON.parse(JSON.stringify(flat.value)), {
    many: { bytes: 9, hex: "000102030405060708" },
    lists: [{ omitted: 2 }],
    last: 7,
  });
  const few = valuesOf(file, { limit: 20 });
  assert.deepEqual([few.rows.length, few.rowsOmitted], [13, 45]);
  assert.equal(few.rows.at(-1)!.step, ".last");
  assert.equal(valuesOf(file, { path: "lists[0]", limit: 20 }).rows.length, 20);
  assert.equal(valuesOf(file, { depth: 0 }).rows.length, 1);
  for (const options of [{ depth: -1 }, { limit: 0 }, { length: 0.5 }])
    assert.throws(() => readTyped(file, options), RangeError);
});

test("what an allocation holds is said, in lists and of a single one", () => {
  const file = libraryFile();
  const ids = [1, 2, 7, 11, 15, 99];
  assert.deepEqual(valuesOf(file, { owners: ids, limit: 1 }).owners, [
    { id: 1, path: "", type: "Library" },
    { id: 15, path: "", type: "types" },
    { id: 2, path: "title", type: "string" },
    { id: 7, path: 'authors["Ada"].nick', type: "option(string)" },
    { id: 11, path: "pages[0].more", type: "smallString" },
  ]);
  const survey = surveyFile(file);
  assert.match(joined(surveyText(survey)), /\n {2}.* {2}authors\["Ada"\]\.nick, /);
  assert.match(joined(surveyHtml(survey)), /<td>authors\[&quot;Ada&quot;\]\.nick, /);
});

test("what the journal holds counts", () => {
  const type = struct("Note", { title: string() });
  const { store, file } = typedStore(type, { 1: [2, 0, 0, 0], 2: [0x68, 0x69] });
  store.flush();
  store.write(2, 2, Uint8Array.of(0x21));
  const copy = new MemoryFile("copy", file.bytes());
  assert.deepEqual(JSON.parse(JSON.stringify(valuesOf(copy).value)), { title: "hi!" });
  assert.deepEqual([...surveyFile(copy).allocations()].map(({ size }) => size)[1], 2);
  store.close();
});

/** Faults planted in whole files: what is found, as `severity rule allocation`. */
const planted: readonly (readonly [string, Descriptor, Allocations, string])[] = [
  ["leak", struct("S", { a: string() }), { 1: [2, 0, 0, 0], 2: [97], 3: [1, 2, 3] }, "fault leak 3"],
  [
    "double owner",
    struct("S", { a: string(), b: string() }),
    { 1: [2, 0, 0, 0, 2, 0, 0, 0], 2: [97] },
    "fault second-owner 2",
  ],
  ["dangling pointer", struct("S", { a: string() }), { 1: [77, 0, 0, 0] }, "fault dangling 77"],
  ["bad padding", vec(option(prim("u16"))), { 1: [2, 0, 0, 0], 2: [0, 0, 1] }, "fault padding 2"],
  ["bad bool", tuple(prim("u8"), prim("bool")), { 1: [1, 2] }, "fault bool 1"],
  ["non-minimal varint", packedVec(prim("u32")), { 1: [2, 0, 0, 0], 2: [0x80, 0] }, "fault varint 2"],
  ["wrong stride", vec(prim("u32")), { 1: [2, 0, 0, 0], 2: [1, 2, 3, 4, 5] }, "fault stride 2"],
  [
    "equal keys",
    map(prim("u8"), prim("u8")),
    { 1: [2, 0, 0, 0], 2: [1, 5, 0, 1, 5, 1] },
    "fault equal-keys 2",
  ],
  ["unknown discriminant", vec(option(prim("u8"))), { 1: [2, 0, 0, 0], 2: [9, 0] }, "fault discriminant 2"],
  ["wrong size of the root", prim("u32"), { 1: [1, 2] }, "fault size 1"],
  ["ill-formed text", string(), { 1: [2, 0, 0, 0], 2: [0xff] }, "fault utf-8 2"],
];

for (const [name, type, allocations, expected] of planted)
  test(`planted: ${name}`, () => {
    const file = typedFile(type, allocations);
    assert.deepEqual(rules(file), [expected]);
    const survey = surveyFile(file);
    assert.deepEqual([survey.head.sound, survey.isSound()], [true, false]);
    assert.match(joined(surveyText(survey)), /Findings in types and values\n {2}fault: typed.kladde, /);
    assert.match(joined(surveyHtml(survey)), /<h2>Findings in types and values<\/h2>/);
  });

test("a dead slot's pointers are no owners, and may dangle", () => {
  const type = map(prim("u8"), string());
  const slots = [0, 5, 77, 0, 0, 0, 1, 6, 3, 0, 0, 0, 0, 7, 3, 0, 0, 0];
  assert.deepEqual(rules(typedFile(type, { 1: [2, 0, 0, 0], 2: slots, 3: [97] })), []);
});

test("where something may hide a pointer, a leak is only possible", () => {
  const hiding = struct("S", { a: opaque("lib", "T", [1, 0, 0], 4) });
  const { findings, faults, values } = readTyped(typedFile(hiding, { 1: [2, 0, 0, 0], 2: [1, 2] }));
  assert.equal(faults, 0);
  assert.match(
    findings[0]!.message,
    /no value leads to 1 allocation of 2 bytes, which may be leaked: opaque types may hold pointers$/,
  );
  assert.deepEqual(values!.leaks, { certain: false, allocations: 1, bytes: 2, ids: [2] });
  const broken = typedFile(struct("S", { a: string(), b: prim("u8") }), { 1: [77, 0, 0, 0, 1], 2: [97] });
  assert.deepEqual(rules(broken), ["fault dangling 77", "note - -"]);
});

test("another fingerprint is a fault, except where sharing can explain it", () => {
  const sound = struct("S", { a: prim("u8") });
  const { store, file } = typedStore(sound, { 1: [1] });
  store.setRoots(1, 2, new Uint8Array(16));
  store.close();
  assert.match(
    readTyped(file).findings[0]!.message,
    /states the fingerprint 0{32}, the types have [0-9a-f]{32}$/,
  );
  assert.equal(readTyped(file).faults, 1);
  const cyclic = typedStore(trap(true), { 1: [0, 0, 0, 0, 0, 0, 0, 0] });
  cyclic.store.setRoots(1, 2, new Uint8Array(16));
  cyclic.store.close();
  assert.deepEqual(rules(cyclic.file), ["note - -"]);
});

test("a header that names no types, bytes that are none, and a table that does not exist", () => {
  const { store, file } = typedStore(struct("S", { a: prim("u8") }), { 1: [1] });
  store.setRoots(1, 0, new Uint8Array(16));
  store.flush();
  assert.equal(readTyped(file).unknown, "the header names no types");
  store.setRoots(1, 1, new Uint8Array(16));
  store.flush();
  assert.match(readTyped(file).unknown!, /^allocation 1 cannot be read as a table of types: /);
  store.resize(1, 2 ** 32 - 1);
  store.flush();
  assert.match(readTyped(file).unknown!, /4294967295 bytes are too many for a descriptor table/);
  store.setRoots(0, 0, new Uint8Array(16));
  store.close();
  const { unknown, types, values, faults } = readTyped(file);
  assert.deepEqual([unknown, types, values, faults], [null, null, null, 0]);
});

const unitFields = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f${i}`, struct("U", {})]));

test("sizes that a file only claims are neither built nor counted through", () => {
  const huge = 2 ** 32 - 1;
  for (const [type, content] of [
    [vec(prim("u8")), []],
    [vec(prim("bool")), []],
    [packedVec(prim("u64")), []],
    [map(prim("u8"), prim("u8")), []],
    [vec(pointer(prim("u8"))), []],
    [string(), []],
    [vec(struct("S", { ...unitFields, byte: prim("u8") })), []],
  ] as [Descriptor, number[]][]) {
    const { store, file } = typedStore(type, { 1: [2, 0, 0, 0], 2: content });
    store.resize(2, huge);
    store.close();
    assert.ok(file.size() <= 5 * 4096);
    const before = process.memoryUsage().rss;
    const { values } = readTyped(file, { limit: 100 });
    assert.deepEqual([values!.complete, values!.rows.length <= 100], [false, true]);
    assert.equal(values!.bytes, huge + 4);
    // The beginning is shown.
    assert.notEqual(values!.rows[0]!.kind, "broken");
    assert.ok(process.memoryUsage().rss - before < 2 ** 29, "no more than was read is held");
  }
});

test("a thousand huge allocations, and a chain of a hundred thousand boxes", () => {
  const many = vec(vec(prim("u8")));
  const ids = Array.from({ length: 1000 }, (_, i) => i + 3);
  const { store, file } = typedStore(many, {
    1: [2, 0, 0, 0],
    2: ids.flatMap((id) => [id & 255, id >> 8, 0, 0]),
    ...Object.fromEntries(ids.map((id) => [id, []])),
  });
  for (const id of ids) store.resize(id, 2 ** 32 - 1);
  store.close();
  assert.equal(valuesOf(file).complete, false);
  const links = 100_000;
  const link: { kind: "struct"; name: string; fields: { name: string; type: Descriptor }[] } = {
    kind: "struct",
    name: "L",
    fields: [],
  };
  link.fields.push({ name: "next", type: pointer(link) });
  const chain = Object.fromEntries(
    Array.from({ length: links }, (_, i) => {
      const next = i + 1 === links ? 0 : i + 2;
      return [i + 1, [next & 255, (next >> 8) & 255, next >> 16, 0]];
    }),
  );
  const deep = valuesOf(typedFile(link, chain));
  assert.deepEqual([deep.complete, deep.allocations, deep.rows.length], [true, links, 201]);
  JSON.stringify(deep);
});

test("a file is not opened for its values that would take many times its size in memory", () => {
  const file = new MemoryFile("dense", denseFile("growths", 400, { root: 1, schemaTable: 1 }));
  assert.match(readTyped(file).unknown!, /^opened, the file would take many times its size in memory$/);
  const few = new MemoryFile("dense", denseFile("growths", 4, { root: 1, schemaTable: 1 }));
  assert.match(readTyped(few).unknown!, /^allocation 1 cannot be read as a table of types: /);
});

/** The tree of another reader as rows: boxes and options that hold something are seen through. */
function flattened(node: ValueNode, depth: number, outer: number, at?: ValueNode): Partial<ValueRow>[] {
  const isThrough =
    node.kind === "box" || node.kind === "small" || (node.kind === "variant" && isOption(node.type));
  const id = node.id || at?.id || null;
  const bytes = node.id !== 0 ? node.bytes : at === undefined ? null : at.bytes;
  if (isThrough && node.children.length > 0)
    return flattened(node.children[0]!, depth, outer + node.bytes, node.id === 0 ? at : node);
  const isNull = node.kind === "none" || isThrough;
  const row = {
    depth,
    kind: isNull ? "null" : node.kind === "elements" ? "list" : isTuple(node.type) ? "tuple" : node.kind,
    id,
    bytes,
    treeBytes: outer + node.treeBytes,
  } as ValueRow;
  const children = node.kind === "map" ? node.children.filter((_, i) => i % 2 === 1) : node.children;
  return [row, ...children.flatMap((child) => flattened(child, depth + 1, 0))];
}

test("rows agree with the tree that another reader makes, on any types and values", () => {
  const drawn = arbitraryType.chain((type) => arbitraryDatum(type).map((datum) => ({ type, datum })));
  fc.assert(
    fc.property(drawn, ({ type, datum }) => {
      const allocations = allocationsOf(type, datum);
      const file = typedFile(type, allocations);
      const { values, faults } = readTyped(file);
      assert.equal(faults, 0);
      assert.ok(values?.complete);
      assert.equal(values.rows[0]!.treeBytes, values.bytes);
      const access = accessOfBytes(
        new Map(Object.entries(allocations).map(([id, bytes]) => [Number(id), Uint8Array.from(bytes)])),
      );
      const rootBytes = allocations[1]!.length;
      const tree = readTree(access, type, 1);
      const root = {
        ...tree.root,
        treeBytes: tree.root.treeBytes - rootBytes,
        ...(tree.root.id === 1 ? { id: 0, bytes: 0 } : {}),
      };
      const expected = flattened(root as ValueNode, 0, rootBytes, { id: 1, bytes: rootBytes } as ValueNode);
      assert.deepEqual(
        values.rows.map(({ depth, kind, id, bytes, treeBytes }) => ({ depth, kind, id, bytes, treeBytes })),
        expected,
      );
    }),
    { numRuns: 300 },
  );
});

/** One of the forms of the whole survey, which must neither throw nor take long. */
function lookedAt(bytes: Uint8Array): void {
  const survey = surveyFile(new MemoryFile("damaged", bytes));
  const { values } = survey.typed({ limit: 50 });
  assert.ok(values === null || values.rows.length <= 50);
  assert.ok([...surveyText(survey)].length > 10);
  assert.ok(JSON.parse([...surveyJson(survey)].join("\n")));
  assertSelfContained([...surveyHtml(survey)].join("\n"));
}

test("any byte of a value changed: survived in every form, and the sizes still add up", () => {
  const type = libraryType();
  const sound = allocationsOf(type, libraryDatum);
  const places = Object.entries(sound).flatMap(([id, bytes]) =>
    bytes.map((_, at) => [Number(id), at] as const),
  );
  let faulty = 0;
  for (const [id, at] of places) {
    const bytes = [...sound[id]!];
    bytes[at]! ^= 1 << (at % 8);
    const { values, faults } = readTyped(typedFile(type, { ...sound, [id]: bytes }));
    if (faults > 0) faulty++;
    assert.equal(values!.rows[0]!.treeBytes, values!.bytes, `byte ${at} of ${id}`);
  }
  assert.ok(faulty > 40 && faulty < places.length, `${faulty} of ${places.length}`);
});

test("any byte of a file changed: survived in every form", () => {
  const sound = libraryFile().bytes();
  fc.assert(
    fc.property(fc.nat(sound.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const bytes = sound.slice();
      bytes[at]! ^= change;
      lookedAt(bytes);
    }),
    { numRuns: 100 },
  );
  lookedAt(sound);
});

test("any types over any bytes: survived in every form", () => {
  const drawn = fc.record({
    type: arbitraryType,
    allocations: fc.array(fc.array(fc.oneof(fc.nat(4), fc.nat(255)), { maxLength: 40 }), {
      minLength: 1,
      maxLength: 5,
    }),
  });
  fc.assert(
    fc.property(drawn, ({ type, allocations }) => {
      const file = typedFile(type, Object.fromEntries(allocations.map((bytes, i) => [i + 1, bytes])));
      lookedAt(file.bytes());
    }),
    { numRuns: 150 },
  );
});
