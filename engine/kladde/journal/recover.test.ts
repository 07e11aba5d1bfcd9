import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { crc32c } from "../../codec/crc32c.ts";
import { readU32, writeU32 } from "../../codec/fixed.ts";
import { writeLeb } from "../../codec/leb128.ts";
import { StoreError } from "../../errors.ts";
import { MemoryFile } from "../../storage/memory.ts";
import { pageBytes, streamBytesPerPage } from "../format/layout.ts";
import { chainStart } from "./segment.ts";
import {
  allBytes,
  recordBytes,
  recoverSegment,
  staleFile,
  type Transaction,
  transactions,
  writeOf,
  writeSegment,
} from "./testing.ts";

const filePages = 64;
/** Pages 2 … 63 in an order that goes up and down. */
const order = Array.from({ length: filePages - 2 }, (_, i) => 2 + ((i * 37 + 11) % (filePages - 2)));

const epochs = fc.oneof(fc.integer({ min: 1, max: 1000 }), fc.maxSafeNat());

test("what was appended is recovered", () => {
  fc.assert(
    fc.property(transactions(12), epochs, fc.nat(255), (list, epoch, stale) => {
      const file = staleFile(filePages, stale);
      const { writer } = writeSegment(file, epoch, order, list);
      const recovered = recoverSegment(file, epoch, order[0]!);
      assert.equal(recovered.transactions, list.length);
      assert.equal(recovered.bytes, writer.streamBytes);
      assert.deepEqual(recovered.pages, writer.pages);
      assert.ok(Buffer.from(allBytes(list)).equals(recovered.records));
      assert.equal(recoverSegment(file, epoch + 1, order[0]!).transactions, 0);
    }),
    { numRuns: 300 },
  );
});

test("a page may end at any byte of a transaction", () => {
  const small: Transaction = { records: [writeOf(300, 128, 9), writeOf(2, 0, 3)] };
  const size = recordBytes(small).length + 5;
  for (let before = 0; before <= size + 2; before++) {
    const fill: Transaction = { records: [writeOf(1, 0, streamBytesPerPage - 11 - before)] };
    const file = staleFile(filePages, 0x55);
    const { writer } = writeSegment(file, 5, order, [fill, small, small]);
    const recovered = recoverSegment(file, 5, order[0]!);
    assert.equal(recovered.transactions, 3);
    assert.deepEqual(recovered.pages, writer.pages);
    assert.ok(Buffer.from(allBytes([fill, small, small])).equals(recovered.records));
  }
});

/** Three pages and a bit of transactions of all sizes. */
const sample: Transaction[] = [40, 700, 1, 4100, 333, 0, 3000, 12, 2500, 90].map((length, i) => ({
  records: [writeOf(i + 1, 10 * i, length, i), ...(i % 3 === 0 ? [writeOf(i + 1, 0, 5, i)] : [])],
}));

/** File position of a byte of the chain of pages, trailers included. */
const filePosition = (pages: readonly number[], at: number): number =>
  pages[Math.floor(at / pageBytes)]! * pageBytes + (at % pageBytes);

/** Position in the chain of pages behind each transaction. */
const chainEnds = (ends: readonly number[]): number[] =>
  ends.map((end) => end + (pageBytes - streamBytesPerPage) * Math.floor((end - 1) / streamBytesPerPage));

const samplePages = [9, 4, 11, 2, 10, 3];
const prefixes = sample.map((_, i) => Buffer.from(allBytes(sample.slice(0, i))));
prefixes.push(Buffer.from(allBytes(sample)));

function writeSample(stale: number) {
  const file = staleFile(12, stale);
  const { writer, ends } = writeSegment(file, 7, samplePages, sample);
  return { file, pages: writer.pages, complete: chainEnds(ends) };
}

function expectPrefix(file: MemoryFile, atLeast: number, what: string): void {
  const recovered = recoverSegment(file, 7, samplePages[0]!);
  assert.ok(recovered.transactions >= atLeast, `${what}: ${recovered.transactions} of ${atLeast}`);
  assert.ok(recovered.transactions <= sample.length, what);
  assert.ok(prefixes[recovered.transactions]!.equals(recovered.records), what);
}

test("cut at any byte: the transactions before it", () => {
  for (const stale of [0, 0xff]) {
    const { file, pages, complete } = writeSample(stale);
    for (let cut = complete.at(-1)!; cut >= 0; cut--) {
      file.write(Uint8Array.of(stale), filePosition(pages, cut));
      const count = complete.filter((end) => end <= cut).length;
      expectPrefix(file, count, `cut at ${cut}`);
    }
  }
});

test("any byte damaged: the transactions before it, and never an error", () => {
  const { file, pages, complete } = writeSample(0);
  const byte = new Uint8Array(1);
  for (let at = 0; at < complete.at(-1)!; at++) {
    const position = filePosition(pages, at);
    file.read(byte, position);
    file.write(Uint8Array.of(byte[0]! ^ (at % 9 === 8 ? 0xff : 1 << (at % 9))), position);
    const count = complete.filter((end) => end <= at).length;
    expectPrefix(file, count, `damaged at ${at}`);
    file.write(byte, position);
  }
});

test("any page lost: the transactions before it", () => {
  for (const stale of [0, 0xff, 1]) {
    const { file, pages, complete } = writeSample(0);
    pages.forEach((page, index) => {
      const lost = file.clone();
      lost.write(new Uint8Array(pageBytes).fill(stale), page * pageBytes);
      const count = complete.filter((end) => end <= index * pageBytes).length;
      expectPrefix(lost, count, `page ${index} lost`);
    });
  }
});

test("a segment in the pages of an earlier one ends where it ends", () => {
  const file = staleFile(filePages, 0);
  writeSegment(file, 6, order, sample);
  const list = sample.slice(3, 6);
  const { writer } = writeSegment(file, 7, order, list);
  const recovered = recoverSegment(file, 7, order[0]!);
  assert.equal(recovered.transactions, 3);
  assert.deepEqual(recovered.pages, writer.pages);
  assert.equal(recoverSegment(file, 6, order[0]!).transactions, 0);
});

test("a first page past the end of the file, and an empty one", () => {
  const file = staleFile(4, 0);
  assert.deepEqual(recoverSegment(file, 3, 4).pages, []);
  assert.deepEqual(recoverSegment(file, 3, 900).pages, []);
  const empty = recoverSegment(file, 3, 3);
  assert.deepEqual([empty.pages, empty.transactions, empty.bytes], [[3], 0, 0]);
});

/** A file whose page 2 is given, and whose pages 3 to 5 are zero. */
function craft(page: Uint8Array): MemoryFile {
  const bytes = new Uint8Array(6 * pageBytes);
  bytes.set(page, 2 * pageBytes);
  return new MemoryFile("crafted", bytes);
}

/** A page with one transaction of these record bytes and a right CRC. */
function sealed(records: readonly number[], epoch: number): Uint8Array {
  const page = new Uint8Array(pageBytes);
  const start = writeLeb(page, 0, records.length);
  page.set(records, start);
  const end = start + records.length;
  writeU32(page, end, crc32c(page.subarray(0, end), chainStart(epoch)));
  return page;
}

test("records that contradict a right CRC are damage", () => {
  const refuses = (records: number[], rule: string) =>
    assert.throws(
      () => recoverSegment(craft(sealed(records, 4)), 4, 2),
      (error) =>
        error instanceof StoreError &&
        error.code === "corrupt" &&
        error.rule === rule &&
        error.page === 2 &&
        error.file === "crafted",
    );
  refuses([9, 1], "J6");
  refuses([1], "J6");
  refuses([1, 0], "J7");
  assert.equal(recoverSegment(craft(sealed([1, 1], 4)), 4, 2).transactions, 1);
  assert.equal(recoverSegment(craft(sealed([], 4)), 4, 2).transactions, 1);
  assert.equal(recoverSegment(craft(sealed([9, 1], 5)), 4, 2).transactions, 0);
});

test("absurd lengths end the journal", () => {
  for (const prefix of [
    [0x80, 0x80, 0x80, 0x80, 0x80, 0x00],
    [0xff, 0xff, 0xff, 0xff, 0x1f],
    [0xff, 0xff, 0xff, 0xff, 0x0f],
  ]) {
    const page = new Uint8Array(pageBytes);
    page.set(prefix);
    assert.equal(recoverSegment(craft(page), 4, 2).transactions, 0);
  }
});

test("trailers that lead nowhere end the journal", () => {
  const file = staleFile(8, 0);
  const list = [{ records: [writeOf(1, 0, 4000)] }, { records: [writeOf(2, 0, 4000)] }];
  writeSegment(file, 4, [2, 3], list);
  const bytes = file.bytes();
  const end = 2 * pageBytes + streamBytesPerPage;
  assert.equal(recoverSegment(new MemoryFile("same", bytes), 4, 2).transactions, 2);
  // The chain just before `next`: the stream of page 2 without the first transaction's CRC.
  const first = 2 + 5 + 4000;
  const page = bytes.subarray(2 * pageBytes, 3 * pageBytes);
  const chain = crc32c(
    page.subarray(first + 4, streamBytesPerPage),
    crc32c(page.subarray(0, first), chainStart(4)),
  );
  for (const next of [3, 0, 1, 2, 8, 2 ** 32 - 1]) {
    writeU32(bytes, end, next);
    writeU32(bytes, end + 4, crc32c(bytes.subarray(end, end + 4), chain));
    const recovered = recoverSegment(new MemoryFile("led", bytes), 4, 2);
    assert.equal(recovered.transactions, next === 3 ? 2 : 1, `next ${next}`);
    assert.deepEqual(recovered.pages, next === 3 ? [2, 3] : [2]);
  }
  assert.equal(readU32(bytes, end), 2 ** 32 - 1);
});
