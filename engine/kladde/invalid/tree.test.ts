/** Rules T1 to T8 of the format: the tree of table pages. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../../storage/memory.ts";
import { inspectFile } from "../inspect/inspect.ts";
import {
  dataPage,
  fileOf,
  headerPage,
  littleEndian,
  pageBytes,
  tableContent,
  tablePage,
  varint,
} from "../testing/pages.ts";
import { assertHolds, assertRefused } from "../testing/refusal.ts";

const zeros = new Uint8Array(pageBytes);
const leaf = (id: number, epoch = 5) => tablePage(epoch, tableContent([], [["inline", id, 0, [id]]]));
const interior = (children: number[], epoch = 5) => tablePage(epoch, tableContent(children, []));

/** A file under a header of epoch 5 with this content; the journal lies past the end. */
const file = (content: number[], ...pages: Uint8Array[]): Uint8Array =>
  fileOf([zeros, headerPage(5, content, { journalPointer: 1000 }), ...pages]);
const root = (...children: number[]): number[] => tableContent(children, []);

const corrupt = (rule: string, page: number, offset?: number) =>
  offset === undefined
    ? ({ code: "corrupt", rule, page } as const)
    : ({ code: "corrupt", rule, page, offset } as const);

test("leaves, interior pages and pages that are both, at any depth", () => {
  assertHolds(file(root(2, 3), leaf(7), leaf(8)), { 7: "07", 8: "08" });
  assertHolds(file(root(4), leaf(7), leaf(8), interior([2, 3])), { 7: "07", 8: "08" });
  const mixed = tablePage(5, tableContent([2], [["inline", 9, 0, [9]]]));
  assertHolds(file(tableContent([3], [["inline", 10, 0, [10]]]), leaf(7), mixed), {
    7: "07",
    9: "09",
    10: "0a",
  });
  const deep = Array.from({ length: 300 }, (_, i) => (i === 0 ? leaf(7) : interior([i + 1])));
  assertHolds(file(root(301), ...deep), { 7: "07" });
  const empty = tablePage(5, [0]);
  assertHolds(file(root(2, 3), empty, leaf(8)), { 8: "08" });
});

test("T1: a child list that does not end", () => {
  assertRefused(file([2]), corrupt("T1", 1, 60));
  assertRefused(file([]), corrupt("T1", 1, 59));
  assertRefused(file([0x82]), corrupt("T1", 1, 59));
  assertRefused(file([0x80, 0x80]), corrupt("T1", 1, 59));
  assertRefused(file(root(2), tablePage(5, [])), corrupt("T1", 2, 11));
  assertRefused(file(root(2), tablePage(5, [9, 1])), corrupt("T1", 2, 13));
  assertRefused(
    file([...varint(2 ** 53 - 1), 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10]),
    corrupt("T2", 1, 59),
  );
});

test("T2: a child that is a header slot or above 2^32 − 1", () => {
  assertRefused(file([1, 0]), corrupt("T2", 1, 59));
  assertRefused(file([...varint(2 ** 32), 0]), corrupt("T2", 1, 59));
  assertRefused(file([2, ...varint(2 ** 32 - 1), 0], leaf(7)), corrupt("T2", 1, 60));
  assertRefused(file(root(2), tablePage(5, [1, 0])), corrupt("T2", 2, 11));
});

test("T3: a child past the end of the file", () => {
  assertRefused(file(root(2)), corrupt("T3", 2));
  assertRefused(file(root(2, 2 ** 32 - 1), leaf(7)), corrupt("T3", 2 ** 32 - 1));
  assertRefused(file(root(2), interior([3])), corrupt("T3", 3));
  const partial = file(root(2), leaf(7));
  assertRefused(partial.subarray(0, partial.length - 1), corrupt("T3", 2));
});

test("T4: a page that is named twice", () => {
  assertRefused(file(root(2, 3, 4), leaf(7), interior([2]), leaf(8)), corrupt("T4", 2));
  assertRefused(file(root(2, 3), interior([4]), interior([4]), leaf(7)), corrupt("T4", 4));
});

test("T4: cycles", () => {
  assertRefused(file(root(2), interior([2])), corrupt("T4", 2));
  assertRefused(file(root(2), interior([3]), interior([2])), corrupt("T4", 2));
  assertRefused(file(root(2), interior([3]), interior([4]), interior([2, 3, 4])), corrupt("T4", 2));
});

test("T5: a table page with a wrong checksum", () => {
  const broken = leaf(7);
  for (const at of [0, 1, 8, 9, 10, 11, 14, 15, 16]) {
    const page = broken.slice();
    page[at]! ^= 0x10;
    assertRefused(file(root(2), page), corrupt("T5", 2));
  }
  assertRefused(file(root(2), zeros), corrupt("T5", 2));
  const noRoom = broken.slice();
  noRoom.set(littleEndian(4082, 2), 9);
  assertRefused(file(root(2), noRoom), corrupt("T5", 2));
});

test("T6: a child that is no table page", () => {
  assertRefused(file(root(2), dataPage(5, [0])), corrupt("T6", 2));
});

test("T7: a table page newer than the header", () => {
  assertRefused(file(root(2), leaf(7, 6)), corrupt("T7", 2));
  assertRefused(file(root(2), leaf(7, 2 ** 53)), corrupt("T7", 2));
  assertRefused(file(root(2), leaf(7, 2 ** 63)), corrupt("T7", 2));
});

test("T8: a table page newer than its parent", () => {
  assertRefused(file(root(3), leaf(7, 5), interior([2], 4)), corrupt("T8", 2));
  assertHolds(file(root(3), leaf(7, 4), interior([2], 4)), { 7: "07" });
});

test("an inspection finds every fault of the tree", () => {
  const bytes = file(root(2, 3, 4, 5, 99), zeros, leaf(7, 6), dataPage(5, [0]), tablePage(5, [3]));
  const { findings } = inspectFile(new MemoryFile("many", bytes));
  const faults = findings.filter(({ severity }) => severity === "fault");
  assert.deepEqual(
    faults.map(({ rule, page }) => `${rule} ${page}`),
    ["T5 2", "T7 3", "T6 4", "T1 5", "T3 99"],
  );
});

test("longer forms of a child, and of the end of a list", () => {
  const longChild = [...varint(2, 3), ...varint(0, 2)];
  assertHolds(file(longChild, leaf(7)), { 7: "07" });
  assertHolds(file(root(3), leaf(7), tablePage(5, [...varint(2, 4), 0])), { 7: "07" });
  assertHolds(file(varint(0, 5)), {});
});
