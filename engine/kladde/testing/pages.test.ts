/** The test files' builder against the format's worked bytes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  dataPage,
  fileOf,
  headerPage,
  journalPages,
  pageBytes,
  record,
  tableContent,
  tablePage,
} from "./pages.ts";

const hex = (text: string): string => text.replaceAll(/\s/g, "").toLowerCase();
const front = (page: Uint8Array, bytes: number): string =>
  Buffer.from(page.subarray(0, bytes)).toString("hex");
const ascii = (text: string): number[] => [...Buffer.from(text)];

test("a data page", () => {
  const page = dataPage(7, ascii("hello"));
  assert.equal(front(page, 20), hex("02 07 00 00 00 00 00 00 00 05 00 68 65 6C 6C 6F 3F F9 58 93"));
  assert.equal(page.length, pageBytes);
  assert.equal(front(dataPage(7, []), 15), hex("02 07 00 00 00 00 00 00 00 00 00 C6 B7 2D AC"));
});

test("a table page with every kind of statement", () => {
  const content = tableContent(
    [4, 9],
    [
      ["ref", 3, 0, 100, 20491],
      ["zero", 3, 100, 20],
      ["tombstone", 7],
      ["inline", 9, 0, [1, 2, 3]],
      ["grow", 9, 50],
      ["shrink", 12, 5],
      ["ref", 1000, 7, 1, 1232800],
    ],
  );
  const expected = `04 05 00 03 00 00 64 8B A0 01 00 01 00 14 04 04 02 07
    00 01 02 03 00 03 2F 03 02 05 DC 07 00 07 01 A0 9F 4B`;
  assert.equal(Buffer.from(content).toString("hex"), hex(expected));
  const page = tablePage(4, content);
  assert.equal(front(page, 51), hex(`01 04 00 00 00 00 00 00 00 24 00 ${expected} 9D 0F 92 CA`));
});

test("the header of a new file, and of its first flush", () => {
  const first = `8B 4B 4C 41 44 44 45 0D 0A 1A 0A 0C 00 00 00 00`;
  const zeros = "00".repeat(16);
  assert.equal(
    front(headerPage(0, [0]), 64),
    hex(`${first} 00 00 00 00 00 00 00 00 00 00 00 00 ${zeros} 02 00 00 00
      01 00 00 00 00 00 00 00 00 01 00 00 B7 94 21 94`),
  );
  const content = tableContent([], [["inline", 1, 0, ascii("hello")]]);
  assert.equal(
    front(headerPage(1, content, { root: 1, journalPointer: 3 }), 72),
    hex(`${first} 01 00 00 00 00 00 00 00 00 00 00 00 ${zeros} 03 00 00 00
      01 01 00 00 00 00 00 00 00 09 00 00 01 09 00 68 65 6C 6C 6F 88 AE CE 3E`),
  );
});

test("a journal segment, and one that crosses a page", () => {
  const { pages, ends } = journalPages({
    epoch: 1,
    pages: [2],
    transactions: [
      [...record.resize(1, 5), ...record.write(1, 0, ascii("hello"))],
      record.splice(1, 1, 3, ascii("ip")),
    ],
  });
  const stream = `0C 02 01 05 03 01 00 05 68 65 6C 6C 6F AB F8 99 4C 07 04 01 01 03 02 69 70 F3 51 84 D7`;
  assert.equal(front(pages.get(2)!, 29), hex(stream));
  assert.deepEqual(ends, [17, 29]);
  const long = journalPages({
    epoch: 9,
    pages: [2, 6],
    transactions: [record.write(1, 0, new Uint8Array(5000).fill(0xab))],
  }).pages;
  assert.equal(front(long.get(2)!.subarray(4088), 8), hex("06 00 00 00 AE B8 8B 97"));
  assert.equal(front(long.get(6)!.subarray(918), 6), hex("AB A6 3B 73 58 00"));
});

test("more records", () => {
  const cases: [number[], string][] = [
    [record.free(300), "01 AC 02"],
    [record.resize(7, 4096), "02 07 80 20"],
    [record.write(7, 128, [1, 2, 3]), "03 07 80 01 03 01 02 03"],
    [record.splice(7, 10, 4, [255]), "04 07 0A 04 01 FF"],
    [record.copy(7, 0, 16, 8, 200), "05 07 00 10 08 C8 01"],
    [record.move(7, 2, 6, 7, 5), "06 07 02 06 07 05"],
  ];
  for (const [bytes, expected] of cases) assert.equal(Buffer.from(bytes).toString("hex"), hex(expected));
});

test("pages that are not given are zeros", () => {
  const bytes = fileOf(new Map([[2, dataPage(1, [1])]]));
  assert.equal(bytes.length, 3 * pageBytes);
  assert.ok(bytes.subarray(0, 2 * pageBytes).every((byte) => byte === 0));
});
