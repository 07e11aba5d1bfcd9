/** Rules H1 to H15 of the format: header slots and the end of the file. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../../errors.ts";
import { MemoryFile } from "../../storage/memory.ts";
import { Store } from "../store.ts";
import {
  dataPage,
  fileOf,
  headerPage,
  journalPages,
  pageBytes,
  record,
  tableContent,
  tablePage,
} from "../testing/pages.ts";
import { ReadingFile } from "../testing/reading-file.ts";
import {
  assertHolds,
  assertRefused,
  caught,
  contentsOf,
  fileName,
  openings,
  rulesOf,
} from "../testing/refusal.ts";

const one = tableContent([], [["inline", 1, 0, [1]]]);
const two = tableContent([], [["inline", 1, 0, [2, 2]]]);
const older = headerPage(4, one);
const newer = headerPage(5, two);
const olderHolds = { 1: "01" };
const newerHolds = { 1: "0202" };

/** The page with the byte at `at` changed. */
function flipped(page: Uint8Array, at: number): Uint8Array {
  const copy = page.slice();
  copy[at]! ^= 1;
  return copy;
}

test("the newer of two sound slots governs, in whichever slot it is", () => {
  assertHolds(fileOf([older, newer]), newerHolds);
  assertHolds(fileOf([headerPage(6, one), newer]), olderHolds);
});

test("H1: shorter than a page", () => {
  for (const length of [0, 1, 58, 4095])
    assertRefused(fileOf([older]).subarray(0, length), { code: "not-kladde", rule: "H1", offset: 0 });
});

test("H2: a partial page at the end is ignored, and gone after the next growth", () => {
  const sound = fileOf([older, newer, dataPage(1, [9])]);
  for (const rest of [1, 511, 4095]) {
    const bytes = new Uint8Array(sound.length + rest).fill(0x5a);
    bytes.set(sound);
    assert.ok(rulesOf(assertHolds(bytes, newerHolds)).includes("H2"));
    const file = new MemoryFile("partial", bytes);
    const store = Store.open(file);
    for (let i = 0; i < 5; i++) store.write(store.alloc(4081), 0, new Uint8Array(4081).fill(i));
    store.flush();
    assert.equal(file.size() % pageBytes, 0);
    store.close();
  }
  // The second slot may be the partial page.
  assertHolds(fileOf([older, newer]).subarray(0, 2 * pageBytes - 1), olderHolds);
  assertHolds(fileOf([older]), olderHolds);
});

test("H3: a slot whose checksum or size is wrong does not count", () => {
  for (const at of [0, 11, 20, 44, 48, 49, 57, 59, 59 + two.length]) {
    assertHolds(fileOf([older, flipped(newer, at)]), olderHolds);
    assertHolds(fileOf([flipped(older, at), newer]), newerHolds);
  }
  const noRoom = newer.slice();
  noRoom[58] = 0xff;
  assertHolds(fileOf([older, noRoom]), olderHolds);
  assertHolds(fileOf([older, new Uint8Array(pageBytes)]), olderHolds);
});

test("H4: a slot with the wrong magic, kind, page size or parity does not count", () => {
  const wrong = [
    headerPage(5, two, { magic: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] }),
    headerPage(5, two, { kind: 2 }),
    headerPage(5, two, { log2PageSize: 13 }),
    headerPage(6, two),
  ];
  for (const page of wrong) {
    assertHolds(fileOf([older, page]), olderHolds);
    assertRefused(fileOf([new Uint8Array(pageBytes), page]), {
      code: page === wrong[0] ? "not-kladde" : page === wrong[2] ? "unsupported-format" : "corrupt",
    });
  }
});

test("H5: no valid slot and a reserved page size", () => {
  for (const log2PageSize of [13, 14, 15, 16]) {
    const page = headerPage(4, one, { log2PageSize });
    const place = { code: "unsupported-format", rule: "H5", page: 0, offset: 11 } as const;
    assertRefused(fileOf([page]), place);
    assertRefused(fileOf([page, headerPage(5, one, { log2PageSize })]), place);
    assertRefused(fileOf([flipped(page, 70), new Uint8Array(pageBytes)]), place);
  }
  for (const log2PageSize of [0, 11, 17, 255])
    assertRefused(fileOf([headerPage(4, one, { log2PageSize })]), { code: "corrupt", rule: "H6" });
});

test("H6: no valid slot, but the magic", () => {
  const torn = (page: Uint8Array) => flipped(page, 30);
  const place = { code: "corrupt", rule: "H6", page: 0, offset: 0 } as const;
  assertRefused(fileOf([torn(older), torn(newer)]), place);
  assertRefused(fileOf([torn(older)]), place);
  assertRefused(fileOf([torn(older), new Uint8Array(pageBytes)]), place);
  assertRefused(fileOf([new Uint8Array(pageBytes), torn(newer)]), place);
});

test("H7: no valid slot, no magic", () => {
  for (const fill of [0, 0x20, 0xff])
    assertRefused(new Uint8Array(3 * pageBytes).fill(fill), { code: "not-kladde", rule: "H7", offset: 0 });
  assertRefused(new Uint8Array(3 * pageBytes).fill(0x8b), { code: "not-kladde" });
});

test("H8: a newer reader is needed", () => {
  for (const minReaderVersion of [1, 255, 256, 65535]) {
    const page = headerPage(5, two, { minReaderVersion, formatVersion: minReaderVersion });
    assertRefused(fileOf([older, page]), { code: "unsupported-format", rule: "H8", page: 1, offset: 14 });
  }
});

test("H9: a newer format may be read, not written", () => {
  for (const formatVersion of [1, 256]) {
    const bytes = fileOf([older, headerPage(5, two, { formatVersion })]);
    const file = new MemoryFile("newer", bytes);
    assert.deepEqual(contentsOf(Store.openReadOnly(file)), newerHolds);
    assertRefused(
      bytes,
      { code: "unsupported-format", rule: "H9", page: 1, offset: 12 },
      { "open for writing": openings["open for writing"]! },
    );
  }
});

test("H10: an epoch beyond 2^53 − 1", () => {
  const beyond = [2 ** 53, 2 ** 53 + 2 ** 40, 2 ** 63];
  for (const epoch of beyond) {
    assertRefused(fileOf([headerPage(epoch, one), newer]), {
      code: "corrupt",
      rule: "H10",
      page: 0,
      offset: 49,
    });
  }
  for (const epoch of [2n ** 53n + 1n, 2n ** 64n - 1n])
    assertRefused(fileOf([older, headerPage(epoch, two)]), {
      code: "corrupt",
      rule: "H10",
      page: 1,
      offset: 49,
    });
  const last = headerPage(2 ** 53 - 1, two);
  assert.deepEqual(contentsOf(Store.openReadOnly(new MemoryFile("last", fileOf([older, last])))), newerHolds);
});

test("H11: the journal pointer names a header slot", () => {
  for (const journalPointer of [0, 1])
    assertRefused(fileOf([older, headerPage(5, two, { journalPointer })]), {
      code: "corrupt",
      rule: "H11",
      page: 1,
      offset: 44,
    });
});

test("H12: the journal pointer names a page in use", () => {
  const leaf = tablePage(5, tableContent([], [["ref", 1, 0, 2, 3 * pageBytes + 11]]));
  const pages = (journalPointer: number) => [
    older,
    headerPage(5, tableContent([2], []), { journalPointer }),
    leaf,
    dataPage(4, [7, 8]),
  ];
  assertHolds(fileOf(pages(4)), { 1: "0708" });
  assertRefused(fileOf(pages(2)), { code: "corrupt", rule: "H12", page: 2 });
  assertRefused(fileOf(pages(3)), { code: "corrupt", rule: "H12", page: 3 });
  // A page that a trailer names: what it holds is a data page, and the end of a transaction too.
  const data = dataPage(4, [7, 8]);
  const payload = [...new Uint8Array(4088 - 7), ...data.subarray(0, 100)];
  const chain = journalPages({ epoch: 6, pages: [4, 3], transactions: [record.write(9, 0, payload)] });
  assert.deepEqual(chain.pages.get(3)!.subarray(0, 100), data.subarray(0, 100));
  const bytes = fileOf([...pages(4).slice(0, 3), chain.pages.get(3), chain.pages.get(4)]);
  assertRefused(bytes, { code: "corrupt", rule: "H12", page: 3 });
});

test("H13: a journal pointer past the end is an empty journal", () => {
  for (const journalPointer of [2, 3, 1000, 2 ** 32 - 1])
    assertHolds(fileOf([older, headerPage(5, two, { journalPointer })]), newerHolds);
});

test("a file with more pages than memory can describe", () => {
  class HugeFile extends ReadingFile {
    override size(): number {
      return 2 ** 44;
    }
  }
  const error = caught(() => Store.openReadOnly(new HugeFile(fileName, fileOf([older, newer]))));
  assert.ok(error instanceof StoreError, String(error));
  assert.deepEqual([error.code, error.file], ["too-large", fileName]);
});

test("H14: dangling root and schema table are left to whoever uses them", () => {
  const bytes = fileOf([older, headerPage(5, two, { root: 77, schemaTable: 2 ** 32 - 1 })]);
  const store = Store.openReadOnly(new MemoryFile("dangling", bytes));
  assert.deepEqual([store.root, store.schemaTable], [77, 2 ** 32 - 1]);
  assert.deepEqual(contentsOf(store), newerHolds);
  assert.throws(() => store.read(store.root, 0, 0), RangeError);
});

test("H15: a consolidator state that does not exist, or is foreign, counts as none", () => {
  const dangling = fileOf([older, headerPage(5, two, { consolidatorState: 9 })]);
  assert.ok(rulesOf(assertHolds(dangling, newerHolds)).includes("H15"));
  assertHolds(fileOf([older, headerPage(5, two, { consolidatorState: 1 })]), {});
});

test("a root that names nothing yet is not what the consolidator takes for its own", () => {
  const dangling = fileOf([older, headerPage(5, one, { root: 2, schemaTable: 3, journalPointer: 1000 })]);
  const file = new MemoryFile(fileName, dangling);
  for (let session = 0; session < 2; session++) {
    const store = Store.open(file);
    assert.deepEqual([...store.ids()], [1]);
    store.write(1, 0, Uint8Array.of(session));
    store.close();
  }
  const store = Store.open(file);
  assert.deepEqual([store.alloc(0), store.alloc(0), store.exists(4)], [2, 3, false]);
  store.close();
});
