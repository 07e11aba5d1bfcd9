import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { StoreError } from "../../../errors.ts";
import type { Descriptor } from "../types/descriptor.ts";
import {
  cyclic,
  map,
  option,
  packedVec,
  pointer,
  prim,
  smallString,
  string,
  struct,
  tuple,
  vec,
} from "../types/testing/build.ts";
import { damage, damaged } from "./testing/damage.ts";
import { readTree, type ValueTree } from "./testing/tree.ts";
import {
  accessOfBytes,
  arbitraryDatum,
  arbitraryType,
  expected,
  NaiveEncoder,
  shown,
} from "./testing/values.ts";
import { walkValue } from "./walk.ts";

const silent = {
  scalar() {},
  text() {},
  bytes() {},
  opaque() {},
  none() {},
  enter() {},
  leave() {},
  broken() {},
  cut() {},
};

/** The message of the fault that a strict reading finds; nothing if it finds none. */
function strictFault(
  allocations: ReadonlyMap<number, Uint8Array>,
  type: Descriptor,
  root: number,
): string | undefined {
  try {
    walkValue(accessOfBytes(allocations), type, root, silent, { isStrict: true });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof StoreError, String(error));
    assert.equal(error.code, "corrupt");
    return error.message;
  }
}

const encoded = arbitraryType.chain((type) =>
  arbitraryDatum(type).map((datum) => {
    const encoder = new NaiveEncoder();
    const root = encoder.root(type, datum);
    const allocations = new Map([...encoder.allocations].map(([id, bytes]) => [id, Uint8Array.from(bytes)]));
    return { type, datum, root, allocations };
  }),
);

function treeOf({
  type,
  root,
  allocations,
}: {
  type: Descriptor;
  root: number;
  allocations: ReadonlyMap<number, Uint8Array>;
}): ValueTree {
  return readTree(accessOfBytes(allocations), type, root);
}

test("what a naive encoder wrote is read back, with every byte accounted for", () => {
  fc.assert(
    fc.property(encoded, (file) => {
      const tree = treeOf(file);
      assert.deepEqual(tree.findings, []);
      assert.deepEqual(shown(tree.root), expected(file.type, file.datum));
      assert.equal(strictFault(file.allocations, file.type, file.root), undefined);
      assert.ok(tree.isComplete);
      assert.deepEqual(
        [...tree.reached].sort((a, b) => a - b),
        [...file.allocations.keys()],
      );
      const bytes = [...file.allocations.values()].reduce((sum, each) => sum + each.length, 0);
      assert.equal(tree.root.treeBytes, bytes);
      assert.equal(tree.bytesRead, bytes);
    }),
    { numRuns: 1500 },
  );
});

test("of damaged values, strict and lenient reading tell the same first fault; or the value is sound", () => {
  let refused = 0;
  let sound = 0;
  fc.assert(
    fc.property(encoded, damage, ({ type, root, allocations }, steps) => {
      const hurt = damaged(allocations, steps);
      const tree = treeOf({ type, root, allocations: hurt });
      const fault = strictFault(hurt, type, root);
      const [first] = tree.findings;
      assert.equal(first === undefined, fault === undefined, fault);
      if (first === undefined || fault === undefined) {
        sound++;
        assert.ok(tree.isComplete);
        return;
      }
      refused++;
      assert.ok(
        fault.includes(first.path) && fault.endsWith(first.message),
        `${fault} / ${first.path}: ${first.message}`,
      );
      assert.ok(tree.bytesRead <= [...hurt.values()].reduce((sum, each) => sum + each.length, 0));
    }),
    { numRuns: 3000 },
  );
  assert.ok(refused > 500 && sound > 100, `${refused} refused, ${sound} sound`);
});

/** Each rule broken alone: what is found, and where. */
const planted: readonly (readonly [string, Descriptor, Record<number, readonly number[]>, string, string])[] =
  [
    ["a pointer to nothing", struct("S", { a: string() }), { 1: [9, 0, 0, 0] }, "dangling", "a"],
    ["no root", prim("u8"), {}, "dangling", ""],
    [
      "two owners",
      struct("S", { a: string(), b: string() }),
      { 1: [2, 0, 0, 0, 2, 0, 0, 0], 2: [97] },
      "second-owner",
      "b",
    ],
    [
      "a pointer to the root",
      vec(pointer(prim("u32"))),
      { 1: [2, 0, 0, 0], 2: [1, 0, 0, 0] },
      "second-owner",
      "[0]",
    ],
    [
      "a pointer to the types",
      struct("S", { a: string() }),
      { 1: [7, 0, 0, 0], 7: [0] },
      "second-owner",
      "a",
    ],
    [
      "a part of an element",
      struct("S", { v: vec(prim("u16")) }),
      { 1: [2, 0, 0, 0], 2: [1, 0, 2] },
      "stride",
      "v",
    ],
    ["a part of a slot", map(prim("u8"), prim("u8")), { 1: [2, 0, 0, 0], 2: [0, 0, 0, 1] }, "stride", ""],
    ["a root too short", prim("u32"), { 1: [1, 2] }, "size", ""],
    ["a root too long", prim("u8"), { 1: [1, 2] }, "size", ""],
    ["a box too long", pointer(prim("u8")), { 1: [2, 0, 0, 0], 2: [1, 2] }, "size", ""],
    ["a truth value", tuple(prim("u8"), prim("bool")), { 1: [1, 2] }, "bool", "[1]"],
    ["a live mark", map(prim("u8"), prim("u8")), { 1: [2, 0, 0, 0], 2: [2, 5, 5] }, "bool", ""],
    ["a character", prim("char"), { 1: [0, 0xd8, 0, 0] }, "char", ""],
    ["padding", vec(option(prim("u16"))), { 1: [2, 0, 0, 0], 2: [1, 5, 0, 0, 0, 1] }, "padding", "[1]"],
    ["a discriminant", vec(option(prim("u16"))), { 1: [2, 0, 0, 0], 2: [2, 0, 0] }, "discriminant", "[0]"],
    [
      "a packed discriminant",
      packedVec(option(prim("u16"))),
      { 1: [2, 0, 0, 0], 2: [2] },
      "discriminant",
      "[0]",
    ],
    ["a long varint", packedVec(prim("u32")), { 1: [2, 0, 0, 0], 2: [1, 0x80, 0] }, "varint", "[1]"],
    ["a long pointer", packedVec(string()), { 1: [2, 0, 0, 0], 2: [0x83, 0], 3: [97] }, "varint", "[0]"],
    ["a large varint", packedVec(prim("u16")), { 1: [2, 0, 0, 0], 2: [0xff, 0xff, 4] }, "varint", "[0]"],
    ["text", struct("S", { a: string() }), { 1: [2, 0, 0, 0], 2: [0xc0, 0x80] }, "utf-8", "a"],
    ["text with a surrogate", string(), { 1: [2, 0, 0, 0], 2: [0xed, 0xa0, 0x80] }, "utf-8", ""],
    ["an unfinished value", packedVec(prim("u32")), { 1: [2, 0, 0, 0], 2: [1, 0x80] }, "ends-early", "[1]"],
    ["too much behind a packed root", struct("S", { a: smallString() }), { 1: [0, 9] }, "left-over", ""],
    ["a small value past the end", struct("S", { a: smallString() }), { 1: [3, 97] }, "ends-early", "a"],
    [
      "equal keys",
      map(prim("u8"), prim("u8")),
      { 1: [2, 0, 0, 0], 2: [1, 5, 0, 0, 5, 0, 1, 5, 1] },
      "equal-keys",
      "[5]",
    ],
    [
      "equal texts as keys",
      map(string(), prim("u8")),
      { 1: [2, 0, 0, 0], 2: [1, 3, 0, 0, 0, 0, 1, 4, 0, 0, 0, 0], 3: [97], 4: [97] },
      "equal-keys",
      '["a"]',
    ],
    [
      "a fault in a map's value",
      map(string(), string()),
      { 1: [2, 0, 0, 0], 2: [1, 3, 0, 0, 0, 9, 0, 0, 0], 3: [97] },
      "dangling",
      '["a"]',
    ],
    [
      "a fault in a map's key",
      map(string(), string()),
      { 1: [2, 0, 0, 0], 2: [1, 9, 0, 0, 0, 0, 0, 0, 0] },
      "dangling",
      "[key of slot 0]",
    ],
  ];

test("each planted fault is found, alone, at its path", () => {
  for (const [name, type, bytes, rule, path] of planted) {
    const allocations = new Map(
      Object.entries(bytes).map(([id, each]) => [Number(id), Uint8Array.from(each)]),
    );
    const tree = readTree(accessOfBytes(allocations), type, 1, { schemaId: 7 });
    assert.deepEqual(
      tree.findings.map((finding) => [finding.rule, finding.path]),
      [[rule, path]],
      name,
    );
  }
});

test("a dead slot is not looked at, unless the slots are what is asked for", () => {
  const type = map(prim("u8"), string());
  const allocations = new Map([
    [1, Uint8Array.of(2, 0, 0, 0)],
    [2, Uint8Array.of(0, 7, 99, 0, 0, 0, 1, 8, 0, 0, 0, 0)],
  ]);
  const tree = readTree(accessOfBytes(allocations), type, 1);
  assert.deepEqual(tree.findings, []);
  assert.deepEqual(shown(tree.root), { map: [8, { text: "" }] });
  const raw = readTree(accessOfBytes(allocations), type, 1, { isRaw: true });
  assert.deepEqual(
    raw.findings.map(({ rule, path }) => [rule, path]),
    [["dangling", "[0].value"]],
  );
});

/** Sizes are claims: nothing has these bytes. */
function claims(sizes: ReadonlyMap<number, number>, content: (id: number, into: Uint8Array) => void) {
  const asked: number[] = [];
  return {
    asked,
    size: (id: number) => sizes.get(id) ?? -1,
    read: (id: number, into: Uint8Array) => {
      asked.push(into.length);
      content(id, into);
    },
  };
}

test("no more of an allocation is read than its bound, and it is said", () => {
  const largest = 2 ** 32 - 1;
  for (const type of [
    string(),
    vec(prim("u8")),
    vec(prim("u16")),
    packedVec(prim("u16")),
    map(prim("u8"), prim("bool")),
  ]) {
    const access = claims(
      new Map([
        [1, 4],
        [2, largest - (largest % 6)],
      ]),
      (id, into) => into.fill(id === 1 ? 0 : 65).set(id === 1 ? [2] : []),
    );
    const tree = readTree(access, type, 1, { allocationBytesMax: 1000, nodesMax: 10 });
    assert.deepEqual(access.asked, [4, 1000]);
    assert.equal(tree.isComplete, false);
    assert.ok(tree.root.isCut);
    assert.ok(tree.root.children.length <= 10);
    assert.equal(tree.root.bytes, largest - (largest % 6));
    assert.throws(
      () => walkValue(access, type, 1, silent, { isStrict: true, allocationBytesMax: 1000 }),
      (error) => error instanceof StoreError && error.code === "too-large",
    );
  }
});

test("all allocations together are bounded, and so are values", () => {
  const many = claims(
    new Map(Array.from({ length: 1001 }, (_, i) => [i + 1, i === 0 ? 4 : i === 1 ? 4000 : 1000])),
    (id, into) => {
      if (id === 1) into.set([2]);
      else if (id === 2)
        for (let i = 0; i < 1000; i++) new DataView(into.buffer).setUint32(4 * i, i + 3, true);
      else into.fill(1);
    },
  );
  const type = vec(vec(prim("bool")));
  const byBytes = readTree(many, type, 1, { bytesMax: 10_000 });
  assert.equal(byBytes.isComplete, false);
  assert.ok(byBytes.bytesRead <= 10_000);
  const bySteps = readTree(many, type, 1, { stepsMax: 5000, nodesMax: 100 });
  assert.equal(bySteps.isComplete, false);
  assert.ok(bySteps.root.childCount < 10 && bySteps.nodesLeftOut > 4000);
  for (const bound of [{ bytesMax: 10_000 }, { stepsMax: 5000 }])
    assert.throws(
      () => walkValue(many, type, 1, silent, { isStrict: true, ...bound }),
      (error) => error instanceof StoreError && error.code === "too-large",
    );
});

test("findings are bounded, and counted beyond", () => {
  const allocations = new Map([
    [1, Uint8Array.of(2, 0, 0, 0)],
    [2, new Uint8Array(500).fill(7)],
  ]);
  const tree = readTree(accessOfBytes(allocations), vec(prim("bool")), 1, { findingsMax: 20 });
  assert.equal(tree.findings.length, 20);
  assert.equal(tree.findingsLeftOut, 480);
});

test("a value as deep as the file is long is read without recursion", () => {
  const depth = 100_000;
  const type = cyclic("Chain", (chain) => ({ next: pointer(chain) }));
  const access = {
    size: (id: number) => (id <= depth ? 4 : -1),
    read: (id: number, into: Uint8Array) =>
      new DataView(into.buffer).setUint32(0, id < depth ? id + 1 : 0, true),
  };
  let deepest = 0;
  let now = 0;
  const sink = {
    ...silent,
    enter() {
      deepest = Math.max(deepest, ++now);
    },
    leave() {
      now--;
    },
  };
  assert.equal(walkValue(access, type, 1, sink, { isStrict: true }).reached.size, depth);
  assert.equal(now, 0);
  assert.equal(deepest, 2 * depth - 1);
  const broken = { ...access, size: (id: number) => (id < depth ? 4 : -1) };
  assert.throws(
    () => walkValue(broken, type, 1, silent, { isStrict: true }),
    (error) => error instanceof StoreError && error.code === "corrupt" && error.message.length < 1000,
  );
});

test("what cannot be read in an allocation does not hide the others", () => {
  const type = struct("S", { a: packedVec(prim("u32")), b: string() });
  const access = {
    size: (id: number) => [-1, 8, 3, 1][id] ?? -1,
    read: (id: number, into: Uint8Array) => {
      if (id === 2) throw new StoreError("corrupt", "page 7 is damaged");
      into.set(id === 1 ? [2, 0, 0, 0, 3, 0, 0, 0] : [98]);
    },
  };
  const tree = readTree(access, type, 1);
  assert.deepEqual(
    tree.findings.map(({ rule, path, id }) => [rule, path, id]),
    [["unreadable", "a", 2]],
  );
  assert.deepEqual(shown(tree.root), { struct: [{ broken: [] }, { text: "b" }] });
});
