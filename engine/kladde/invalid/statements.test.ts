/** Rules S1 to S12 of the format: the statements of table pages, alone and together. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32cZeros } from "../../codec/crc32c.ts";
import { MemoryFile } from "../../storage/memory.ts";
import { inspectFile } from "../inspect/inspect.ts";
import { Store } from "../store.ts";
import {
  dataPage,
  fileOf,
  headerPage,
  pageBytes,
  type Statement,
  tableContent,
  tablePage,
  varint,
} from "../testing/pages.ts";
import { assertHolds, assertRefused, type Contents, contentsOf, rulesOf } from "../testing/refusal.ts";

const zeroRun = (bytes: number): string => `${bytes} bytes, ${crc32cZeros(0, bytes).toString(16)}`;
const zeros = new Uint8Array(pageBytes);
const u32Max = 2 ** 32 - 1;
const tooLarge = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];

/** Content of a table page without children, from bytes. */
const raw = (...bytes: (number | number[])[]): number[] => [0, ...bytes.flat()];

/** One leaf of epoch 5 under a header of epoch 5. */
const inLeaf = (content: number[]): Uint8Array =>
  fileOf([zeros, headerPage(5, tableContent([2], []), { journalPointer: 1000 }), tablePage(5, content)]);
const inHeader = (content: number[]): Uint8Array =>
  fileOf([zeros, headerPage(5, content, { journalPointer: 1000 })]);

/** The same content is refused in a leaf and in the header; `offset` counts from the content's start. */
function refusedContent(content: number[], rule: string, offset: number, id?: number): void {
  assertRefused(inLeaf(content), { code: "corrupt", rule, page: 2, offset: 11 + offset, ...(id && { id }) });
  assertRefused(inHeader(content), {
    code: "corrupt",
    rule,
    page: 1,
    offset: 59 + offset,
    ...(id && { id }),
  });
}

/** Leaves of the given epochs, under a header of epoch 9. */
function layers(...pages: [epoch: number, ...statements: Statement[]][]): Uint8Array {
  const children = pages.map((_, i) => i + 2);
  const leaves = pages.map(([epoch, ...statements]) => tablePage(epoch, tableContent([], statements)));
  return fileOf([zeros, headerPage(9, tableContent(children, []), { journalPointer: 1000 }), ...leaves]);
}

const holds = (contents: Contents, ...pages: Parameters<typeof layers>) =>
  assertHolds(layers(...pages), contents);
const refused = (rule: string, id: number, ...pages: Parameters<typeof layers>) =>
  assertRefused(layers(...pages), { code: "corrupt", rule, id });

test("S1: a number or a statement runs past the content", () => {
  refusedContent(raw(0x80), "S1", 1);
  refusedContent(raw(1), "S1", 1, 1);
  const cut: number[][] = [
    [7, 0],
    [7, 0, 0x80],
    [7, 0, 0],
    [7, 0, 0, 1],
    [7, 0, 0, 1, 0xff],
    [7, 1],
    [7, 1, 0],
    [7, 1, 0, 0x81],
    [7, 2],
    [7, 3],
    [7, 3, 0x80],
    [7, 5],
  ];
  for (const bytes of cut) {
    refusedContent(raw(bytes), "S1", 1, 7);
    // The same behind a sound statement.
    refusedContent(raw(6, 3, 0, 1, ...bytes.slice(1)), "S1", 4, 7);
  }
});

test("S1: numbers above 2^53 − 1", () => {
  refusedContent(raw(tooLarge, 4), "S1", 1);
  refusedContent(raw(7, 1, tooLarge, 1), "S1", 1, 7);
  refusedContent(raw(7, 1, 0, tooLarge), "S1", 1, 7);
  refusedContent(raw(7, 0, 0, 1, tooLarge), "S1", 1, 7);
  refusedContent(raw(7, 2, tooLarge), "S1", 1, 7);
});

test("longer forms of a number are accepted", () => {
  const content = raw(varint(7, 9), 5, varint(0, 30), 0xaa, varint(1, 2), 3, varint(4, 3));
  for (const bytes of [inLeaf(content), inHeader(content)]) assertHolds(bytes, { 7: "aa", 8: "00000000" });
});

test("S2: ids 0 and above 2^32 − 1", () => {
  refusedContent(raw(0, 4), "S2", 1);
  refusedContent(raw(0, 1, 0, 5), "S2", 1);
  refusedContent(raw(varint(2 ** 32), 4), "S2", 1);
  refusedContent(raw(varint(u32Max), 4, 1, 4), "S2", 7);
  refusedContent(raw(varint(2 ** 53 - 1), 4), "S2", 1);
  const last = raw(varint(u32Max), 5, 0, 0xaa);
  assertHolds(inLeaf(last), { [u32Max]: "aa" });
});

test("S3: offsets, bounds and ends above 2^32 − 1", () => {
  refusedContent(raw(7, 2, varint(2 ** 32)), "S3", 1, 7);
  refusedContent(raw(7, 3, varint(2 ** 32)), "S3", 1, 7);
  refusedContent(raw(7, 1, varint(2 ** 32), 0), "S3", 1, 7);
  refusedContent(raw(7, 1, varint(u32Max), 1), "S3", 1, 7);
  refusedContent(raw(7, 1, 1, varint(u32Max)), "S3", 1, 7);
  refusedContent(raw(7, 1, 0, varint(2 ** 53 - 1)), "S3", 1, 7);
  refusedContent(raw(7, 0, varint(u32Max - 4), 5, varint(2 * pageBytes + 11)), "S3", 1, 7);
  refusedContent(raw(7, 5, varint(u32Max), 0xaa), "S3", 1, 7);
  refusedContent(raw(7, 1, 0, varint(u32Max), 0, 3, 1), "S3", 9, 7);
  const largest = zeroRun(u32Max);
  assertHolds(inLeaf(raw(7, 1, 0, varint(u32Max))), { 7: largest });
  assertHolds(inLeaf(raw(7, 2, varint(u32Max))), { 7: largest });
  assertHolds(inLeaf(raw(7, 3, varint(u32Max))), { 7: largest });
});

test("S4: an inline payload runs past the content", () => {
  refusedContent(raw(7, 6, 0, 0xaa), "S4", 1, 7);
  refusedContent(raw(7, 255, 0, Array(250).fill(1)), "S4", 1, 7);
  refusedContent(raw(7, 5, 0), "S4", 1, 7);
  assertHolds(inLeaf(raw(7, 255, 0, Array(251).fill(0))), { 7: zeroRun(251) });
});

test("S5: a Ref that crosses a page or addresses beyond the last, dead or alive", () => {
  refusedContent(raw(7, 0, 0, 2, varint(3 * pageBytes - 1)), "S5", 1, 7);
  refusedContent(raw(7, 0, 0, varint(4097), varint(2 * pageBytes)), "S5", 1, 7);
  refusedContent(raw(7, 0, 0, 1, varint(2 ** 44)), "S5", 1, 7);
  const dead = layers([4, ["ref", 7, 0, 2, 3 * pageBytes - 1]], [5, ["tombstone", 7]]);
  assertRefused(dead, { code: "corrupt", rule: "S5", page: 2, id: 7 });
});

test("S6: two Shrinks of one epoch", () => {
  refused("S6", 7, [5, ["shrink", 7, 3]], [5, ["shrink", 7, 4]]);
  refused("S6", 7, [5, ["shrink", 7, 3]], [5, ["shrink", 7, 3]]);
  refused("S6", 7, [5, ["shrink", 7, 3], ["shrink", 7, 4]]);
  refused("S6", 7, [5, ["shrink", 7, 3], ["shrink", 7, 4]], [6, ["inline", 7, 0, [1, 2, 3, 4, 5]]]);
  holds({ 7: "00000000" }, [5, ["shrink", 7, 3]], [6, ["shrink", 7, 4]]);
});

test("S7: a tombstone beside another statement of its epoch", () => {
  const others: Statement[] = [
    ["zero", 7, 0, 1],
    ["inline", 7, 3, [1]],
    ["shrink", 7, 2],
    ["grow", 7, 2],
    ["tombstone", 7],
  ];
  for (const other of others) {
    refused("S7", 7, [5, ["tombstone", 7]], [5, other]);
    refused("S7", 7, [5, other], [5, ["tombstone", 7]]);
    if (other[0] !== "tombstone") holds({ 8: "" }, [4, other, ["grow", 8, 0]], [5, ["tombstone", 7]]);
  }
  // Resolution does not meet a Grow beside a Tombstone behind something newer; an inspection does.
  const old = layers(
    [5, ["tombstone", 7]],
    [5, ["grow", 7, 9]],
    [6, ["shrink", 7, 0]],
    [7, ["inline", 7, 0, [0xaa]]],
  );
  const store = Store.openReadOnly(new MemoryFile("old", old));
  assert.deepEqual(contentsOf(store), { 7: "aa" });
  store.check();
  assert.ok(rulesOf(inspectFile(new MemoryFile("old", old))).includes("S7"));
});

test("S8: bytes stated twice in one epoch", () => {
  refused("S8", 7, [5, ["zero", 7, 0, 4]], [5, ["zero", 7, 3, 4]]);
  refused("S8", 7, [5, ["zero", 7, 0, 4]], [5, ["inline", 7, 0, [0]]]);
  refused("S8", 7, [5, ["zero", 7, 0, 9]], [5, ["inline", 7, 3, [0]]]);
  refused("S8", 7, [5, ["shrink", 7, 4]], [5, ["zero", 7, 3, 2]]);
  refused("S8", 7, [5, ["shrink", 7, 4]], [5, ["zero", 7, 4, 1]]);
  refused("S8", 7, [5, ["shrink", 7, 4]], [5, ["zero", 7, 9, 1]]);
  refused("S8", 7, [5, ["shrink", 7, 4], ["zero", 7, 9, 1]]);
  // Also where something newer covers it all.
  refused("S8", 7, [5, ["zero", 7, 0, 4]], [5, ["zero", 7, 3, 4]], [6, ["inline", 7, 0, Array(9).fill(1)]]);
  holds(
    { 7: "00000000010203" },
    [5, ["zero", 7, 0, 4]],
    [5, ["inline", 7, 4, [1, 2, 3]]],
    [5, ["shrink", 7, 7]],
  );
});

test("S9: a Grow beside a Shrink, and two Grows, are tolerated and reported", () => {
  const cases: [Contents, ...Parameters<typeof layers>][] = [
    [{ 7: "00000000" }, [5, ["shrink", 7, 4]], [5, ["grow", 7, 9]]],
    [{ 7: "00000000" }, [5, ["grow", 7, 9]], [5, ["shrink", 7, 4]]],
    [{ 7: "" }, [5, ["shrink", 7, 0]], [5, ["grow", 7, 0]]],
    [{ 7: "" }, [5, ["grow", 7, 0], ["shrink", 7, 0]]],
    [{ 7: "" }, [3, ["inline", 7, 0, [1]]], [4, ["tombstone", 7]], [5, ["grow", 7, 0], ["shrink", 7, 0]]],
    [{ 7: "0000000000" }, [5, ["grow", 7, 4], ["grow", 7, 5]]],
    [{ 7: "0000000000" }, [5, ["grow", 7, 5]], [5, ["grow", 7, 4]]],
  ];
  for (const [contents, ...pages] of cases) assert.ok(rulesOf(holds(contents, ...pages)).includes("S9"));
});

test("S10: bytes that nothing matches are zero", () => {
  holds({ 7: "0000aa0000" }, [5, ["inline", 7, 2, [0xaa]], ["grow", 7, 5]]);
  holds({ 7: "000000" }, [5, ["grow", 7, 3]]);
  holds({ 7: "0000bb" }, [5, ["tombstone", 7]], [6, ["inline", 7, 2, [0xbb]]]);
});

test("S11, S12: statements of length 0 prove existence and nothing else", () => {
  const empty: Statement = ["zero", 7, 0, 0];
  assert.deepEqual(
    rulesOf(holds({ 7: "" }, [5, empty]))
      .filter(Boolean)
      .sort(),
    ["S11", "S12"],
  );
  holds({ 7: "" }, [5, ["zero", 7, 90, 0]]);
  holds({ 7: "" }, [5, ["ref", 7, 90, 0, 5]]);
  holds({ 7: "" }, [5, ["zero", 7, 9, 0]], [6, ["zero", 7, 12, 0]]);
  assert.deepEqual(rulesOf(holds({ 7: "" }, [5, ["tombstone", 7]], [6, empty])).filter(Boolean), ["S12"]);
  holds({ 7: "aabb" }, [5, ["inline", 7, 0, [0xaa, 0xbb]]], [6, ["zero", 7, 1, 0]], [6, ["zero", 7, 50, 0]]);
  holds({}, [5, ["zero", 7, 0, 0]], [6, ["tombstone", 7]]);
});

test("the format's own examples", () => {
  const a = Array.from({ length: 600 }, (_, i) => i % 256);
  const b = Array.from({ length: 30 }, (_, i) => 100 + i);
  const file = (content: number[]) =>
    fileOf([
      zeros,
      headerPage(7, content, { journalPointer: 1000 }),
      undefined,
      dataPage(2, a),
      tablePage(2, [0x00, 0x05, 0x00, 0x00, 0xd8, 0x04, 0x8b, 0x60]),
      tablePage(4, [0x00, 0x05, 0x02, 0x28]),
      dataPage(6, b),
    ]);
  const expected = [...a.slice(0, 40), ...b, ...Array(20).fill(0)];
  const same = inspectContents(inLeaf(tableContent([], [["inline", 5, 0, expected]])));
  assert.equal(Object.keys(same).length, 1);
  // Page 5 kept, with epoch 6; and dropped with care.
  const kept = [4, 1, 0, 5, 0, 0x28, 0x1e, 0x8b, 0xc0, 0x01, 0x00, 0x03, 0x14];
  assertHolds(file(kept), same);
  const careful = [4, 0, 5, 0, 0x28, 0x1e, 0x8b, 0xc0, 0x01, 0, 1, 0, 0x14, 0, 2, 0];
  assertHolds(file(careful), same);
  holds(
    { 6: `${"00".repeat(24)}${"11".repeat(8)}` },
    [3, ["grow", 6, 80]],
    [5, ["shrink", 6, 16]],
    [8, ["inline", 6, 24, Array(8).fill(0x11)]],
  );
  const first = Array.from({ length: 50 }, () => 7);
  holds(
    { 9: "07".repeat(50) },
    [3, ["inline", 9, 0, Array(100).fill(3)]],
    [5, ["shrink", 9, 20]],
    [7, ["inline", 9, 0, first]],
  );
  holds(
    { 21: `61626364${"00".repeat(60)}` },
    [3, ["inline", 21, 0, Array(30).fill(3)]],
    [4, ["tombstone", 21]],
    [8, ["inline", 21, 0, [0x61, 0x62, 0x63, 0x64]], ["grow", 21, 64]],
  );
});

function inspectContents(bytes: Uint8Array): Contents {
  return contentsOf(Store.openReadOnly(new MemoryFile("expected", bytes)));
}

test("an inspection finds every fault of the statements", () => {
  const bytes = layers(
    [5, ["shrink", 7, 3], ["shrink", 7, 4], ["zero", 9, 0, 4], ["tombstone", 11]],
    [5, ["zero", 9, 1, 2], ["grow", 11, 3], ["grow", 12, 0]],
  );
  const { findings, faults } = inspectFile(new MemoryFile("many", bytes));
  assert.equal(faults, 3);
  const found = findings
    .filter(({ severity }) => severity === "fault")
    .map(({ rule, id }) => `${rule} ${id}`);
  assert.deepEqual(found, ["S6 7", "S8 9", "S7 11"]);
  const undecodable = layers([5, ["raw", [7, 0]]], [5, ["grow", 8, 0]], [5, ["raw", [0, 4]]]);
  const pages = inspectFile(new MemoryFile("many", undecodable)).findings.filter(
    ({ severity }) => severity === "fault",
  );
  assert.deepEqual(
    pages.map(({ rule, page }) => `${rule} ${page}`),
    ["S1 2", "S2 4"],
  );
});
