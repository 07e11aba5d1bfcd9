import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../../errors.ts";
import { pageBytes, streamBytesPerPage } from "../format/layout.ts";
import { recordResize, recordSplice, recordWrite } from "../format/record.ts";
import { Arena, Log } from "./log.ts";
import { SegmentWriter } from "./segment.ts";
import { ListSupply, push, recoverSegment, staleFile, writeOf, writeSegment } from "./testing.ts";

const hex = (text: string): Uint8Array =>
  Uint8Array.from(text.trim().split(/\s+/), (byte) => Number.parseInt(byte, 16));

test("the format's worked segment", () => {
  const file = staleFile(3, 0xee);
  const none = new Uint8Array(0);
  const hello = { tag: recordWrite, fields: [1, 0, 0, 5, 0], payload: Buffer.from("hello") } as const;
  const { writer } = writeSegment(
    file,
    1,
    [2],
    [
      { records: [{ tag: recordResize, fields: [1, 5, 0, 0, 0], payload: none }, hello] },
      { records: [{ tag: recordSplice, fields: [1, 1, 3, 2, 0], payload: Buffer.from("ip") }] },
    ],
  );
  const expected = hex(
    `0C 02 01 05 03 01 00 05 68 65 6C 6C 6F AB F8 99 4C 07 04 01 01 03 02 69 70 F3 51 84 D7`,
  );
  const page = file.bytes().subarray(2 * pageBytes);
  assert.deepEqual(page.subarray(0, expected.length), expected);
  assert.ok(page.subarray(expected.length).every((byte) => byte === 0));
  assert.equal(writer.streamBytes, expected.length);
  assert.equal(writer.transactions, 2);
});

test("the format's worked page crossing", () => {
  const file = staleFile(7, 0);
  const write = { ...writeOf(1, 0, 5000), payload: new Uint8Array(5000).fill(0xab) };
  const { writer } = writeSegment(file, 9, [2, 6], [{ records: [write] }]);
  const bytes = file.bytes();
  const first = bytes.subarray(2 * pageBytes, 3 * pageBytes);
  const second = bytes.subarray(6 * pageBytes);
  assert.deepEqual(first.subarray(0, 7), hex("8D 27 03 01 00 88 27"));
  assert.ok(first.subarray(7, 4088).every((byte) => byte === 0xab));
  assert.deepEqual(first.subarray(4088), hex("06 00 00 00 AE B8 8B 97"));
  assert.ok(second.subarray(0, 919).every((byte) => byte === 0xab));
  assert.deepEqual(second.subarray(919, 924), hex("A6 3B 73 58 00"));
  assert.deepEqual(writer.pages, [2, 6]);
  assert.equal(writer.streamBytes, 5011);
});

test("the first write to a page is the whole page, later ones are the new bytes", () => {
  const file = staleFile(8, 0xee);
  const list = [100, 3000, 10, 1100, 20].map((length, i) => ({ records: [writeOf(i + 1, 0, length)] }));
  const { writer, ends } = writeSegment(file, 3, [5, 4], list);
  assert.deepEqual(writer.pages, [5, 4]);
  const [first, second, third, fourth, fifth] = ends as [number, number, number, number, number];
  const five = 5 * pageBytes;
  const four = 4 * pageBytes;
  assert.deepEqual(file.writes, [
    { at: five, length: pageBytes },
    { at: five + first, length: second - first },
    { at: five + second, length: third - second },
    { at: five + third, length: pageBytes - third },
    { at: four, length: pageBytes },
    { at: four + fourth - streamBytesPerPage, length: fifth - fourth },
  ]);
});

test("a transaction of many pages writes each full page once", () => {
  const file = staleFile(20, 0xee);
  const pages = [3, 9, 4, 15, 6, 7, 8];
  const { writer } = writeSegment(file, 3, pages, [{ records: [writeOf(1, 0, 5 * streamBytesPerPage)] }]);
  assert.deepEqual(writer.pages, pages.slice(0, 6));
  assert.deepEqual(
    file.writes,
    pages.slice(0, 6).map((page) => ({ at: page * pageBytes, length: pageBytes })),
  );
});

test("a page is entered only when a byte goes there", () => {
  for (let spare = 0; spare < 16; spare++) {
    const file = staleFile(4, 0xee);
    // A length of two bytes, a head of six, a CRC of four.
    const fill = { records: [writeOf(1, 0, streamBytesPerPage - 11 - spare)] };
    const { ends } = writeSegment(file, 3, [2], [fill]);
    assert.deepEqual(ends, [streamBytesPerPage - spare]);
    const small = { records: [writeOf(2, 0, 2)] };
    const { writer } = writeSegment(file, 4, [2, 3], [fill, small]);
    assert.deepEqual(writer.pages, spare < 11 ? [2, 3] : [2]);
    assert.equal(recoverSegment(file, 4, 2).transactions, 2);
  }
});

test("a full disk fails the transaction and nothing else", () => {
  const file = staleFile(8, 0xee);
  const supply = new ListSupply([3, 4]);
  const log = new Log();
  const arena = new Arena();
  const writer = new SegmentWriter(file, 3, 2, supply);
  const append = (length: number) =>
    writer.append(log, arena, ...push(log, arena, { records: [writeOf(1, 0, length)] }));
  append(1000);
  const before = file.bytes();
  const isFull = (error: unknown) => error instanceof StoreError && error.code === "disk-full";
  assert.throws(() => append(3 * pageBytes), isFull);
  assert.deepEqual(supply.free, [3, 4]);
  assert.deepEqual(file.bytes(), before);
  assert.equal(writer.torn, false);
  append(2 * pageBytes);
  assert.throws(() => append(pageBytes), isFull);
  append(50);
  assert.deepEqual(writer.pages, [2, 3, 4]);
  const recovered = recoverSegment(file, 3, 2);
  assert.equal(recovered.transactions, 3);
  assert.equal(recovered.bytes, writer.streamBytes);
  assert.deepEqual(supply.ensured, [2]);
});

test("the first page is made part of the file before anything is taken or written", () => {
  const file = staleFile(2, 0);
  const calls: string[] = [];
  const supply = {
    takePage: () => {
      calls.push("take");
      file.truncate(4 * pageBytes);
      return 3;
    },
    returnPage: () => assert.fail(),
    ensurePage: (page: number) => {
      calls.push(`ensure ${page}`);
      if (calls.length === 1) throw new StoreError("disk-full", "not yet");
      file.truncate((page + 1) * pageBytes);
    },
  };
  const log = new Log();
  const arena = new Arena();
  const writer = new SegmentWriter(file, 3, 2, supply);
  const rows = push(log, arena, { records: [writeOf(1, 0, 5000)] });
  assert.throws(() => writer.append(log, arena, ...rows), StoreError);
  assert.equal(writer.torn, false);
  writer.append(log, arena, ...rows);
  assert.deepEqual(calls, ["ensure 2", "ensure 2", "take"]);
  assert.equal(recoverSegment(file, 3, 2).transactions, 1);
});

test("a write that fails leaves the segment torn", () => {
  for (const [writesLeft, length] of [
    [1, 100],
    [1, 9000],
    [2, 9000],
  ] as const) {
    const file = staleFile(8, 0);
    file.writesLeft = writesLeft;
    const log = new Log();
    const arena = new Arena();
    const writer = new SegmentWriter(file, 3, 2, new ListSupply([3, 4, 5]));
    writer.append(log, arena, ...push(log, arena, { records: [writeOf(1, 0, 100)] }));
    const rows = push(log, arena, { records: [writeOf(1, 0, length)] });
    assert.throws(
      () => writer.append(log, arena, ...rows),
      (error) => error instanceof StoreError && error.code === "io-failed",
    );
    assert.equal(writer.torn, true);
    assert.equal(recoverSegment(file, 3, 2).transactions, 1);
  }
});
