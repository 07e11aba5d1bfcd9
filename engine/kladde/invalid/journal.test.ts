/** Rules J1 to J9 of the format: what a journal may end with, and what makes the file invalid. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32c } from "../../codec/crc32c.ts";
import { MemoryFile } from "../../storage/memory.ts";
import { Store } from "../store.ts";
import {
  type Bytes,
  fileOf,
  headerPage,
  type Journal,
  journalPages,
  littleEndian,
  pageBytes,
  record,
  streamBytes,
  tableContent,
  varint,
} from "../testing/pages.ts";
import { assertHolds, assertRefused, type Contents, contentsOf } from "../testing/refusal.ts";

const u32Max = 2 ** 32 - 1;
const header = headerPage(0, tableContent([], [["inline", 1, 0, [1, 2, 3]]]));

/** A file of `pages` pages under a header of epoch 0, whose segment 1 starts at page 2. */
function file(journal: ReadonlyMap<number, Uint8Array>, pages = 10): Uint8Array {
  const bytes = fileOf(new Map([[0, header], [pages - 1, new Uint8Array(pageBytes)], ...journal]));
  assert.equal(bytes.length, pages * pageBytes);
  return bytes;
}

const segment = (transactions: Journal["transactions"], more: Partial<Journal> = {}): Uint8Array =>
  file(journalPages({ epoch: 1, pages: [2, 3, 4], transactions, ...more }).pages);

const first = record.write(1, 0, [0xaa]);
const second = record.write(1, 1, [0xbb]);
const none: Contents = { 1: "010203" };
const afterFirst: Contents = { 1: "aa0203" };
const afterBoth: Contents = { 1: "aabb03" };

test("whole transactions count, empty ones too", () => {
  assertHolds(segment([]), none);
  assertHolds(segment([first]), afterFirst);
  assertHolds(segment([first, second]), afterBoth);
  assertHolds(segment([[], first, [], [], second, []]), afterBoth);
  assertHolds(segment([[...first, ...second]]), afterBoth);
});

test("longer forms of numbers are accepted", () => {
  assertHolds(segment([[3, ...varint(1, 4), ...varint(0, 7), ...varint(1, 2), 0xaa]]), afterFirst);
});

test("J1: a length longer than five bytes, or above 2^32 − 1", () => {
  const { pages, ends } = journalPages({ epoch: 1, pages: [2], transactions: [first] });
  const lengths = [
    [0x85, 0x80, 0x80, 0x80, 0x80, 0],
    [0xff, 0xff, 0xff, 0xff, 0x1f],
    [0xff, 0xff, 0xff, 0xff, 0xff],
    Array(40).fill(0x80),
    [0xff, 0xff, 0xff, 0xff, 0x0f],
  ];
  for (const length of lengths) {
    const page = pages.get(2)!.slice();
    page.set(length, ends[0]!);
    assertHolds(file(new Map([[2, page]])), afterFirst);
  }
});

test("J2: a wrong transaction CRC", () => {
  const { pages, ends } = journalPages({ epoch: 1, pages: [2], transactions: [first, second] });
  for (let at = 0; at < ends[1]!; at++)
    for (const flip of [1, 0x80]) {
      const page = pages.get(2)!.slice();
      page[at]! ^= flip;
      assertHolds(file(new Map([[2, page]])), at < ends[0]! ? none : afterFirst);
    }
  const stale = journalPages({ epoch: 2, pages: [2], transactions: [first] }).pages;
  assertHolds(file(stale), none);
});

/** The first transaction, then one that crosses a page, then the second. */
const long = record.write(2, 0, new Uint8Array(5000).fill(0x77));
const crossing = (more: Partial<Journal> = {}) =>
  journalPages({ epoch: 1, pages: [2, 3, 4], transactions: [first, long, second], ...more }).pages;

test("J3: a wrong trailer CRC", () => {
  const sound = contentsOf(Store.openReadOnly(new MemoryFile("sound", file(crossing()))));
  assert.deepEqual(Object.keys(sound), ["1", "2"]);
  assert.equal(sound[1], "aabb03");
  assertHolds(file(crossing()), sound);
  for (let at = 4088; at < 4096; at++) {
    const pages = new Map(crossing());
    const page = pages.get(2)!.slice();
    page[at]! ^= 1;
    assertHolds(file(pages.set(2, page)), afterFirst);
  }
});

test("J4: the next page lies past the end", () => {
  for (const next of [10, 11, u32Max]) assertHolds(file(crossing({ next: { 0: next } })), afterFirst);
  const cut = file(crossing());
  assertHolds(cut.subarray(0, 3 * pageBytes), afterFirst);
  assertHolds(cut.subarray(0, 4 * pageBytes - 1), afterFirst);
});

test("J5: the next page is a header slot or in the segment", () => {
  for (const next of [0, 1, 2]) assertHolds(file(crossing({ next: { 0: next } })), afterFirst);
  // Even if the stream goes on there.
  assertHolds(file(crossing({ pages: [2, 1] })), afterFirst);
  const longer = [first, record.write(2, 0, new Uint8Array(9000))];
  for (const next of [0, 1, 2, 3]) assertHolds(segment(longer, { next: { 1: next } }), afterFirst);
});

/** Four bytes that take the chain from `from`, through themselves and `tail`, to `to`. */
function bridge(from: number, tail: Bytes, to: number): number[] {
  const through = (bytes: number): number =>
    crc32c(Uint8Array.from([...littleEndian(bytes, 4), ...tail]), from);
  const origin = through(0);
  // A bit of the four bytes flips the same bits of the chain whatever the others are: 32 equations in 32 unknowns.
  const rows = Array.from({ length: 32 }, (_, i) => ({
    value: (through(2 ** i) ^ origin) >>> 0,
    bits: 2 ** i,
  }));
  let missing = (origin ^ to) >>> 0;
  let found = 0;
  for (let bit = 31; bit >= 0; bit--) {
    const pivot = rows.findIndex(({ value }) => value >>> bit === 1);
    const [{ value, bits }] = rows.splice(pivot, 1) as [(typeof rows)[0]];
    for (const row of rows)
      if ((row.value >>> bit) & 1) {
        row.value = (row.value ^ value) >>> 0;
        row.bits = (row.bits ^ bits) >>> 0;
      }
    if (((missing >>> bit) & 1) === 0) continue;
    missing = (missing ^ value) >>> 0;
    found = (found ^ bits) >>> 0;
  }
  assert.equal(through(found), to);
  return littleEndian(found, 4);
}

/** A file that may be read so often: what goes round in circles comes to an error instead of to no end. */
class PatientFile extends MemoryFile {
  #reads = 100;

  override read(into: Uint8Array, at: number): void {
    assert.ok(this.#reads-- > 0, "read again and again");
    super.read(into, at);
  }
}

test("J5: a page leads back to itself, and its chain agrees with that for ever", () => {
  const chainOf = (bytes: Bytes): number => crc32c(Uint8Array.from([...littleEndian(1, 8), ...bytes]));
  const lengthBytes = 2;
  const crcBytes = 4;
  // One transaction that fills the page, its last four bytes still open; behind it the chain starts again.
  const head = record.write(2, 0, new Uint8Array(streamBytes - crcBytes - lengthBytes - 5));
  const open = [...varint(head.length), ...head.slice(0, -4)];
  const link = littleEndian(2, 4);
  const body = [...open, ...bridge(chainOf(open), link, chainOf([]))];
  assert.equal(body.length, streamBytes - crcBytes);
  const page = Uint8Array.from([
    ...body,
    ...littleEndian(chainOf(body), 4),
    ...link,
    ...littleEndian(chainOf([...body, ...link]), 4),
  ]);
  assert.equal(chainOf([...body, ...link]), chainOf([]));
  const bytes = file(new Map([[2, page]]));
  const store = Store.openReadOnly(new PatientFile("circle", bytes));
  assert.equal(store.recoveredTransactions, 1);
  assertHolds(bytes, contentsOf(store));
});

test("J6: complete, but no sequence of records", () => {
  const broken: number[][] = [
    [0],
    [7],
    [255],
    [1],
    [1, 0x80],
    [2, 1],
    [2, 1, 0x80],
    [3, 1, 0],
    [3, 1, 0, 2, 0xaa],
    [3, 1, 0, ...varint(u32Max), 0xaa],
    [4, 1, 0, 1],
    [4, 1, 0, 1, 2, 0xaa],
    [5, 1, 0, 1, 1],
    [6, 1, 0, 1, 1],
    [...record.free(9), 0],
  ];
  for (const records of broken) {
    const place = { code: "corrupt", rule: "J6", page: 2 } as const;
    assertRefused(segment([records]), { ...place, offset: 0 });
    assertRefused(segment([first, records]), { ...place, offset: 1 + first.length + 4 });
    assertRefused(segment([first, [...second, ...records], second]), {
      ...place,
      offset: 1 + first.length + 4,
    });
  }
});

test("J7: complete, but a field breaks a bound", () => {
  const beyond = varint(2 ** 32);
  const tooLarge = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];
  const broken: number[][] = [
    record.free(0),
    [1, ...beyond],
    [1, ...tooLarge],
    record.resize(0, 1),
    [2, 1, ...beyond],
    [2, 1, ...tooLarge],
    record.write(0, 0, [1]),
    record.write(1, u32Max, [1]),
    [3, 1, ...beyond, 0],
    record.splice(0, 0, 0, [1]),
    record.splice(1, u32Max, 1, []),
    record.splice(1, u32Max, 0, [1]),
    record.copy(0, 0, 1, 1, 0),
    record.copy(1, 0, 1, 0, 0),
    record.copy(1, u32Max, 1, 1, 0),
    record.copy(1, 0, 1, 1, u32Max),
    record.move(1, 1, u32Max, 1, 0),
    [6, 1, 0, 1, ...beyond, 0],
    [5, 1, 0, 1, 1, ...tooLarge],
  ];
  for (const records of broken)
    assertRefused(segment([first, records]), {
      code: "corrupt",
      rule: "J7",
      page: 2,
      offset: 1 + first.length + 4,
    });
});

test("J8: a splice that makes an allocation too large", () => {
  const place = { code: "corrupt", rule: "J8", page: 2, id: 1 } as const;
  const insert = record.splice(1, 0, 0, [1]);
  assertRefused(segment([record.resize(1, u32Max), insert]), place);
  assertRefused(segment([[...record.resize(1, u32Max), ...insert, ...record.resize(1, 0)]]), place);
  const replace = segment([record.resize(1, u32Max), record.splice(1, 0, 1, [7])]);
  assert.match(contentsOf(Store.openReadOnly(new MemoryFile("largest", replace)))[1]!, /^4294967295 bytes/);
});

test("J9: ids that do not exist", () => {
  assertHolds(segment([record.free(99)]), none);
  assertHolds(segment([[...record.free(1), ...record.free(1)]]), {});
  assertHolds(segment([record.copy(99, 5, 3, 1, 1)]), { 1: "01000000" });
  assertHolds(segment([record.move(99, 0, 1, 98, 2)]), { 1: "010203", 98: "000000" });
  assertHolds(segment([[...record.free(1), ...record.write(1, 1, [5])]]), { 1: "0005" });
  assertHolds(segment([record.write(97, 0, [])]), { 1: "010203", 97: "" });
});

test("an id that a recovered record names is not handed out", () => {
  for (const records of [record.copy(2, 0, 0, 1, 0), record.move(1, 0, 0, 2, 0)]) {
    const store = Store.open(new MemoryFile("named", segment([records])));
    assert.notEqual(store.alloc(1), 2);
    store.close();
  }
});

test("cut at every byte: the transactions that are whole", () => {
  const transactions = [first, long, second, record.resize(1, 2)];
  const states: Contents[] = transactions.map((_, i) =>
    contentsOf(Store.openReadOnly(new MemoryFile("prefix", segment(transactions.slice(0, i + 1))))),
  );
  const { pages, ends } = journalPages({ epoch: 1, pages: [2, 3, 4], transactions });
  const whole = file(pages);
  for (let cut = 0; cut <= ends.at(-1)!; cut++) {
    const bytes = whole.slice();
    const page = 2 + Math.floor(cut / 4088);
    const at = page * pageBytes + (cut % 4088);
    // The first byte that is cut off must differ, or nothing is cut there.
    const fill = bytes[at] === 0 ? 0xff : 0;
    bytes.fill(fill, at, 4 * pageBytes);
    const complete = ends.filter((end) => end <= cut).length;
    const expected = complete === 0 ? none : states[complete - 1]!;
    assert.deepEqual(contentsOf(Store.openReadOnly(new MemoryFile("cut", bytes))), expected, `${cut} bytes`);
    if (cut % 97 === 0) assertHolds(bytes, expected);
  }
});

test("a journal that names the consolidator's own allocation frees it", () => {
  const owned = headerPage(
    0,
    tableContent(
      [],
      [
        ["inline", 1, 0, [1, 2, 3]],
        ["inline", 5, 0, [7]],
      ],
    ),
    { consolidatorState: 5 },
  );
  const named = [
    record.free(5),
    record.write(5, 0, new Uint8Array(100)),
    record.resize(5, u32Max),
    record.copy(5, 0, 1, 1, 3),
    record.move(1, 0, 1, 5, 0),
  ];
  for (const records of named) {
    const { pages } = journalPages({ epoch: 1, pages: [2], transactions: [records, record.resize(6, 2)] });
    const bytes = fileOf(new Map([[0, owned], [1, new Uint8Array(pageBytes)], ...pages]));
    const first = records[0] === 5 ? "01020307" : records[0] === 6 ? "000203" : "010203";
    assertHolds(bytes, { 1: first, 6: "0000" });
  }
});
