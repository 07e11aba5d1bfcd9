/**
 * The bytes that the format works out by hand, written by a store: a new file, its journal, and the headers of its
 * first flushes.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { crc32c } from "../codec/crc32c.ts";
import { MemoryFile } from "../storage/memory.ts";
import { contentOffset, headerContentOffset, pageKindData, pageKindTable } from "./format/layout.ts";
import { sealPage } from "./format/page.ts";
import { Store } from "./index.ts";
import { dataPage, fileOf, headerPage, tablePage } from "./testing/pages.ts";

const pageBytes = 4096;
const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replaceAll(/\s/g, ""), "hex"));
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const text = (characters: string): Uint8Array => new TextEncoder().encode(characters);

/** Page `page` begins with `hex`, and the rest of it is zeros. */
function assertPage(file: MemoryFile, page: number, hex: string): void {
  const expected = new Uint8Array(pageBytes);
  expected.set(bytesOf(hex));
  const found = file.bytes().subarray(page * pageBytes, (page + 1) * pageBytes);
  assert.equal(hexOf(found), hexOf(expected), `page ${page}`);
}

const magic = "8B 4B 4C 41 44 44 45 0D 0A 1A 0A 0C 00 00 00 00";
const noRoots = "00 00 00 00 00 00 00 00 00 00 00 00";
const noFingerprint = "00".repeat(16);
const newFile = `${magic} ${noRoots} ${noFingerprint} 02 00 00 00 01 00 00 00 00 00 00 00 00 01 00 00 B7 94 21 94`;

test("a data page", () => {
  const page = new Uint8Array(pageBytes).fill(0xee);
  page.set(text("hello"), contentOffset);
  sealPage(page, false, pageKindData, 7, 5, crc32c);
  assertPage(new MemoryFile("page", page), 0, "02 07 00 00 00 00 00 00 00 05 00 68 65 6C 6C 6F 3F F9 58 93");
  sealPage(page, false, pageKindData, 7, 0, crc32c);
  assertPage(new MemoryFile("page", page), 0, "02 07 00 00 00 00 00 00 00 00 00 C6 B7 2D AC");
});

test("the frame of a table page", () => {
  const content = bytesOf(
    "04 05 00 03 00 00 64 8B A0 01 00 01 00 14 04 04 02 07 00 01 02 03 00 03 2F 03 02 05 DC 07 00 07 01 A0 9F 4B",
  );
  const page = new Uint8Array(pageBytes).fill(0xee);
  page.set(content, contentOffset);
  sealPage(page, false, pageKindTable, 4, content.length, crc32c);
  const file = new MemoryFile("page", page);
  assertPage(file, 0, `01 04 00 00 00 00 00 00 00 24 00 ${hexOf(content)} 9D 0F 92 CA`);
});

test("a new file", () => {
  const file = new MemoryFile();
  Store.create(file).close();
  assert.equal(file.size(), 2 * pageBytes);
  assertPage(file, 0, newFile);
  assertPage(file, 1, "");
});

/** The file with its first transaction: id 1, 5 bytes, `hello`. */
function withHello(): { file: MemoryFile; store: Store } {
  const file = new MemoryFile();
  const store = Store.create(file, { consolidate: false });
  store.transaction(() => {
    assert.equal(store.alloc(5), 1);
    store.write(1, 0, text("hello"));
  });
  return { file, store };
}

const helloTransaction = "0C 02 01 05 03 01 00 05 68 65 6C 6C 6F AB F8 99 4C";

test("the journal", () => {
  const { file, store } = withHello();
  assertPage(file, 2, helloTransaction);
  store.splice(1, 1, 3, text("ip"));
  assert.equal(store.size(1), 4);
  assertPage(file, 2, `${helloTransaction} 07 04 01 01 03 02 69 70 F3 51 84 D7`);
  assertPage(file, 0, newFile);
  assertPage(file, 1, "");
});

test("a journal that crosses a page", () => {
  const file = new MemoryFile();
  const store = Store.create(file, { consolidate: false });
  for (let epoch = 1; epoch <= 8; epoch++) store.flush();
  const id = store.newId();
  store.write(id, 0, new Uint8Array(5000).fill(0xab));
  const first = file.bytes().subarray(2 * pageBytes);
  assert.equal(hexOf(first.subarray(0, 7)), "8d270301008827");
  // Our second page is 3, the one worked out by hand is 6; the checksums follow from that.
  assert.equal(hexOf(first.subarray(4088, 4092)), "03000000");
  assert.equal(hexOf(first.subarray(pageBytes, pageBytes + 919)), "ab".repeat(919));
  assert.deepEqual(Store.openReadOnly(file.clone()).read(id, 0, 5000), new Uint8Array(5000).fill(0xab));
});

/** Content of the newer header. */
function content(file: MemoryFile, epoch: number): string {
  const page = file.bytes().subarray((epoch % 2) * pageBytes);
  assert.equal(page[49], epoch);
  return hexOf(page.subarray(headerContentOffset, headerContentOffset + page[57]! + 256 * page[58]!));
}
const worked = (hex: string): string => hexOf(bytesOf(hex));

describe("the first flushes", () => {
  const header = (pointer: string, epoch: string, rest: string): string =>
    `${magic} 01 00 00 00 00 00 00 00 00 00 00 00 ${noFingerprint} ${pointer} 01 ${epoch} ${rest}`;

  test("the first states the bytes in the header", () => {
    const { file, store } = withHello();
    store.setRoots(1, 0, new Uint8Array(16));
    store.flush();
    assert.equal(file.size(), 3 * pageBytes);
    assertPage(
      file,
      1,
      header("03 00 00 00", "01 00 00 00 00 00 00 00", "09 00 00 01 09 00 68 65 6C 6C 6F 88 AE CE 3E"),
    );
  });

  test("the next ones state it again, shrunk, grown and written", () => {
    const { file, store } = withHello();
    store.flush();
    store.splice(1, 1, 3, text("ip"));
    store.flush();
    assert.equal(content(file, 2), worked("00 01 08 00 68 69 70 6F 00 02 00"));
    store.resize(1, 8);
    store.flush();
    const third = worked("00 01 08 00 68 69 70 6F 00 01 00 04 00 02 00");
    assert.equal(content(file, 3), third);
    store.flush();
    assert.equal(content(file, 4), third);
    store.write(1, 6, text("!"));
    store.flush();
    const fifth = "00 01 08 00 68 69 70 6F 00 01 00 02 00 05 00 21 00 01 00 01 00 02 00";
    assert.equal(content(file, 5), worked(fifth));
    store.close();
    assert.equal(new TextDecoder().decode(Store.openReadOnly(file).read(1, 0, 8)), "hipo\0\0!\0");
  });

  test("statements that fit nowhere else: empty, grown without a byte, freed", () => {
    const file = new MemoryFile();
    const store = Store.create(file, { consolidate: false });
    const [empty, zeros, free] = [store.alloc(0), store.alloc(20), store.alloc(3)];
    store.flush();
    // Grow(1, 0), Grow(2, 20), Grow(3, 3)
    assert.equal(content(file, 1), worked("00 01 03 00 01 03 14 01 03 03"));
    store.resize(zeros, 7);
    store.free(free);
    store.flush();
    // Grow(1, 0), Shrink(2, 7); nothing says the zeros, and nothing else names id 3.
    assert.equal(content(file, 2), worked("00 01 03 00 01 02 07"));
    store.resize(empty, 2);
    store.flush();
    assert.equal(content(file, 3), worked("00 01 03 02 01 02 07"));
  });
});

describe("a page that leaves takes its anchor along, and the next header states another", () => {
  /** Flush 7 takes page 5 apart, since it holds a child beside its statements. */
  function afterFlush(header: string, page5: string, page4: string, dataBytes: number): string {
    const file = new MemoryFile(
      "file",
      fileOf([
        headerPage(6, bytesOf(header), { journalPointer: 7 }),
        undefined,
        undefined,
        dataPage(2, new Uint8Array(600).fill(1)),
        tablePage(2, bytesOf(page4)),
        tablePage(4, bytesOf(page5)),
        dataPage(6, new Uint8Array(dataBytes).fill(2)),
      ]),
    );
    const store = Store.open(file, { consolidate: false });
    const before = [...store.ids()].map((id) => store.read(id, 0, store.committedSize(id)));
    store.flush();
    store.close();
    const after = Store.openReadOnly(file);
    assert.deepEqual(
      [...after.ids()].map((id) => after.read(id, 0, after.committedSize(id))),
      before,
    );
    return content(file, 7);
  }

  test("truncate, then grow", () => {
    // Header: child 5, Ref(5, 40, 30, b), Grow(5, 90). Page 5: child 4, Shrink(5, 40). Page 4: Ref(5, 0, 600, a).
    const header = afterFlush(
      "05 00 05 00 28 1E 8B C0 01 00 03 14",
      "04 00 05 02 28",
      "00 05 00 00 D8 04 8B 60",
      30,
    );
    assert.equal(header, worked("04 00 05 00 28 1E 8B C0 01 00 01 00 14 00 02 00"));
  });

  test("a recycled id", () => {
    // Header: child 5, Inline(21, 0, 4 bytes), Grow(21, 64). Page 5: child 4, Tombstone(21). Page 4: Inline(21, 0, 3 bytes),
    // and Inline(22, 0, 1 byte), without which the page would go.
    const header = afterFlush(
      "05 00 15 08 00 61 62 63 64 00 03 3C",
      "04 00 15 04",
      "00 15 07 00 78 78 78 01 05 00 79",
      30,
    );
    assert.equal(header, worked("04 00 15 08 00 61 62 63 64 00 01 00 3C 00 02 00"));
  });
});
