/** Rules D1 to D8 of the format: data pages that winning statements name, and those that losing ones name. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32c } from "../../codec/crc32c.ts";
import { StoreError } from "../../errors.ts";
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
} from "../testing/pages.ts";
import {
  assertHolds,
  assertRefused,
  caught,
  contentsOf,
  fileName,
  type Refusal,
} from "../testing/refusal.ts";

const zeros = new Uint8Array(pageBytes);
const abc = [0xaa, 0xbb, 0xcc];

/** Page 2 is a leaf of epoch 4 with `statements`, page 3 what is given; the header has epoch 5. */
function file(
  statements: Statement[],
  page3: Uint8Array = dataPage(4, abc),
  ...more: Uint8Array[]
): Uint8Array {
  const header = headerPage(5, tableContent([2], []), { journalPointer: 1000 });
  return fileOf([zeros, header, tablePage(4, tableContent([], statements)), page3, ...more]);
}

const ref = (offset: number, size: number, page = 3, at = 11): Statement => [
  "ref",
  7,
  offset,
  size,
  page * pageBytes + at,
];
const corrupt = (rule: string, page = 3, id?: number) =>
  ({ code: "corrupt", rule, page, ...(id === undefined ? {} : { id }) }) as const;

/** Opened lazily, the file is refused by the first read that needs the page, and the store is poisoned. */
function refusedLate(bytes: Uint8Array, expected: Refusal): void {
  const store = Store.open(new MemoryFile(fileName, bytes), { verify: "lazy" });
  const error = caught(() => store.read(7, 0, store.committedSize(7)));
  assert.ok(error instanceof StoreError);
  for (const key of ["code", "rule", "page"] as const) assert.equal(error[key], expected[key]);
  assert.equal(error.file, fileName);
  assert.ok(store.poisoned);
  store.close();
}

test("a sound data page", () => {
  assertHolds(file([ref(0, 3)]), { 7: "aabbcc" });
  assertHolds(file([ref(0, 1, 3, 13), ref(1, 1, 3, 12)]), { 7: "ccbb" });
  const full = dataPage(4, Array(4081).fill(1));
  assertHolds(file([ref(0, 1, 3, 4091)], full), { 7: "01" });
});

test("D1: a page that is a header slot or past the end", () => {
  for (const page of [0, 1]) assertRefused(file([ref(0, 3, page)]), corrupt("D1", page, 7));
  for (const page of [4, 1000, 2 ** 32 - 1]) assertRefused(file([ref(0, 3, page)]), corrupt("D1", page, 7));
  const sound = file([ref(0, 3)]);
  assertRefused(sound.subarray(0, sound.length - 1), corrupt("D1", 3, 7));
});

test("D2: a wrong checksum", () => {
  for (const at of [0, 1, 8, 9, 10, 11, 13, 14, 17]) {
    const page = dataPage(4, abc);
    page[at]! ^= 4;
    assertRefused(file([ref(0, 3)], page), corrupt("D2"));
    refusedLate(file([ref(0, 3)], page), corrupt("D2"));
  }
  assertRefused(file([ref(0, 3)], zeros), corrupt("D2"));
  const padding = dataPage(4, abc);
  padding.fill(0x5a, 18);
  assertHolds(file([ref(0, 3)], padding), { 7: "aabbcc" });
});

test("D3: a page of another kind", () => {
  assertRefused(file([ref(0, 1)], tablePage(4, [0])), corrupt("D3"));
  refusedLate(file([ref(0, 1)], tablePage(4, [0])), corrupt("D3"));
  assertRefused(file([ref(0, 1, 2)]), corrupt("D3", 2, 7));
});

test("D4: a page newer than the header", () => {
  for (const epoch of [6, 2 ** 53, 2 ** 63]) {
    assertRefused(file([ref(0, 3)], dataPage(epoch, abc)), corrupt("D4"));
    refusedLate(file([ref(0, 3)], dataPage(epoch, abc)), corrupt("D4"));
  }
});

test("D5: a page newer than the table page that names it is read, and reported", () => {
  const bytes = file([ref(0, 3)], dataPage(5, abc));
  assert.deepEqual(contentsOf(Store.openReadOnly(new MemoryFile("newer", bytes))), { 7: "aabbcc" });
  const { findings } = inspectFile(new MemoryFile("newer", bytes));
  assert.ok(findings.some(({ rule, page, severity }) => rule === "D5" && page === 3 && severity === "fault"));
});

test("D6: a range outside the content", () => {
  for (const at of [0, 1, 10]) assertRefused(file([ref(0, 1, 3, at)]), corrupt("D6", 3, 7));
  for (const [size, at] of [
    [4, 11],
    [3, 12],
    [1, 14],
    [1, 4095],
  ] as const) {
    assertRefused(file([ref(0, size, 3, at)]), corrupt("D6"));
    refusedLate(file([ref(0, size, 3, at)]), corrupt("D6"));
  }
  assertRefused(file([ref(0, 1)], dataPage(4, [])), corrupt("D6"));
});

test("D7: bytes that several statements name", () => {
  const statements: Statement[] = [];
  for (let i = 0; i < 40; i++) statements.push(ref(3 * i, 3));
  for (let id = 8; id < 200; id++) statements.push(["ref", id, 0, 2, 3 * pageBytes + 12]);
  const repeated = Uint8Array.from({ length: 120 }, (_, i) => abc[i % 3]!);
  const expected: Record<number, string> = { 7: `120 bytes, ${crc32c(repeated).toString(16)}` };
  for (let id = 8; id < 200; id++) expected[id] = "bbcc";
  assertHolds(file(statements), expected);
});

test("D7: more bytes of a page are named than it has", () => {
  const bytes = Uint8Array.from({ length: 4000 }, (_, i) => i % 251);
  const statements = [8, 9, 10].map((id): Statement => ["ref", id, 0, bytes.length, 2 * pageBytes + 11]);
  const header = headerPage(5, tableContent([], statements), { journalPointer: 1000 });
  const whole = `${bytes.length} bytes, ${crc32c(bytes).toString(16)}`;
  const shared = fileOf([new Uint8Array(pageBytes), header, dataPage(2, bytes)]);
  assertHolds(shared, { 8: whole, 9: whole, 10: whole });
});

test("D8: what a statement that wins nothing names is not looked at", () => {
  const dead: Statement[][] = [
    [ref(0, 3, 0)],
    [ref(0, 3, 1000)],
    [ref(0, 3, 2 ** 32 - 1)],
    [ref(0, 3)],
    [ref(0, 3, 3, 5)],
    [ref(0, 3, 2)],
  ];
  const above: [Statement[], Record<number, string>][] = [
    [[["inline", 7, 0, [1, 2, 3]]], { 7: "010203" }],
    [[["tombstone", 7]], {}],
    [[["shrink", 7, 0]], { 7: "" }],
    [[["zero", 7, 0, 5]], { 7: "0000000000" }],
  ];
  const header = headerPage(5, tableContent([2, 4], []), { journalPointer: 1000 });
  for (const lower of dead)
    for (const [upper, contents] of above) {
      const low = tablePage(3, tableContent([], lower));
      const high = tablePage(4, tableContent([], upper));
      assertHolds(fileOf([zeros, header, low, new Uint8Array(pageBytes).fill(0xee), high]), contents);
    }
});

test("an inspection names every damaged data page and who needs it", () => {
  const statements: Statement[] = [
    ref(0, 3),
    ref(3, 3, 4),
    ref(6, 3, 5),
    ["ref", 8, 0, 2, 4 * pageBytes + 11],
  ];
  const bytes = file(statements, zeros, dataPage(6, abc), dataPage(4, [1]));
  const { findings } = inspectFile(new MemoryFile("many", bytes));
  const faults = findings.filter(({ severity }) => severity === "fault");
  assert.deepEqual(
    faults.map(({ rule, page, id }) => `${rule} ${page} ${id}`),
    ["D2 3 7", "D4 4 7", "D6 5 7"],
  );
  assert.match(faults[1]!.message, /2 allocations need it, the last is 8/);
});
