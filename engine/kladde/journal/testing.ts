/**
 * For the tests of the journal: a file with a supply of pages in a shuffled order, and arbitrary transactions.
 */

import fc from "fast-check";
import { StoreError } from "../../errors.ts";
import { MemoryFile } from "../../storage/memory.ts";
import { pageBytes } from "../format/layout.ts";
import {
  encodeRecord,
  recordCopy,
  recordFree,
  recordLength,
  recordMove,
  recordResize,
  recordSplice,
  recordWrite,
} from "../format/record.ts";
import { Arena, Log } from "./log.ts";
import { recoverJournal } from "./recover.ts";
import { type SegmentPages, SegmentWriter } from "./segment.ts";

export interface WriteCall {
  at: number;
  length: number;
}

/** Remembers every write and can refuse them. */
export class RecordingFile extends MemoryFile {
  readonly writes: WriteCall[] = [];
  /** Number of writes that still succeed. */
  writesLeft = Number.POSITIVE_INFINITY;

  override write(from: Uint8Array, at: number): void {
    if (this.writesLeft-- <= 0) throw new StoreError("io-failed", "the test's file is broken");
    this.writes.push({ at, length: from.length });
    super.write(from, at);
  }
}

/** Two header pages, then pages full of `stale` bytes. */
export function staleFile(pages: number, stale: number): RecordingFile {
  return new RecordingFile("journal", new Uint8Array(pages * pageBytes).fill(stale));
}

/** Hands out the pages of a list. */
export class ListSupply implements SegmentPages {
  readonly free: number[];
  readonly ensured: number[] = [];

  constructor(free: readonly number[]) {
    this.free = [...free];
  }

  takePage(): number {
    const page = this.free.shift();
    if (page === undefined) throw new StoreError("disk-full", "the test's list of pages is empty");
    return page;
  }

  returnPage(page: number): void {
    this.free.unshift(page);
  }

  ensurePage(page: number): void {
    this.ensured.push(page);
  }
}

export interface Transaction {
  records: readonly TestRecord[];
}

export interface TestRecord {
  tag: number;
  fields: readonly [number, number, number, number, number];
  payload: Uint8Array;
}

const noise = new Uint8Array(65_536);
for (let i = 0, x = 7; i < noise.length; i++) {
  x = Math.imul(x, 1_664_525) + 1_013_904_223;
  noise[i] = x >>> 24;
}

export function writeOf(id: number, offset: number, length: number, seed = 0): TestRecord {
  const payload = Uint8Array.from({ length }, (_, i) => noise[(seed * 977 + i) % noise.length]!);
  return { tag: recordWrite, fields: [id, offset, 0, length, 0], payload };
}

const none = new Uint8Array(0);
const ids = fc.integer({ min: 1, max: 400 });
const offsets = fc.integer({ min: 0, max: 70_000 });

const anyRecord: fc.Arbitrary<TestRecord> = fc.oneof(
  ids.map((id): TestRecord => ({ tag: recordFree, fields: [id, 0, 0, 0, 0], payload: none })),
  fc
    .tuple(ids, offsets)
    .map(([id, size]): TestRecord => ({ tag: recordResize, fields: [id, size, 0, 0, 0], payload: none })),
  fc
    .tuple(ids, offsets, fc.oneof(fc.nat(60), fc.nat(300), fc.nat(9000)), fc.nat())
    .map(([id, offset, length, seed]) => writeOf(id, offset, length, seed % 1000)),
  fc.tuple(ids, offsets, offsets, fc.uint8Array({ maxLength: 40 })).map(
    ([id, offset, oldLength, payload]): TestRecord => ({
      tag: recordSplice,
      fields: [id, offset, oldLength, payload.length, 0],
      payload,
    }),
  ),
  fc
    .tuple(fc.constantFrom(recordCopy, recordMove), fc.tuple(ids, offsets, ids, offsets, offsets))
    .map(([tag, fields]): TestRecord => ({ tag, fields, payload: none })),
);

export const transactions = (maxLength: number): fc.Arbitrary<Transaction[]> =>
  fc.array(fc.record({ records: fc.array(anyRecord, { maxLength: 6 }) }), { maxLength });

/** Appends to log and arena; returns the rows `[from, to)`. */
export function push(log: Log, arena: Arena, { records }: Transaction): [number, number] {
  const from = log.count;
  for (const { tag, fields, payload } of records) log.push(tag, ...fields, arena.append(payload));
  return [from, log.count];
}

/** Encoded records of a transaction. */
export function recordBytes(transaction: Transaction): Uint8Array {
  const log = new Log();
  const arena = new Arena();
  const [from, to] = push(log, arena, transaction);
  const parts: Uint8Array[] = [];
  for (let i = from; i < to; i++) {
    const bytes = new Uint8Array(recordLength(log, i));
    encodeRecord(log, arena, i, bytes, 0);
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

/** All records of a list of transactions, encoded. */
export const allBytes = (list: readonly Transaction[]): Uint8Array => Buffer.concat(list.map(recordBytes));

export interface Written {
  writer: SegmentWriter;
  /** Stream position behind each transaction, counting 4088 bytes a page. */
  ends: number[];
}

export function writeSegment(
  file: RecordingFile,
  epoch: number,
  pages: readonly number[],
  list: readonly Transaction[],
): Written {
  const log = new Log();
  const arena = new Arena();
  const writer = new SegmentWriter(file, epoch, pages[0]!, new ListSupply(pages.slice(1)));
  const ends: number[] = [];
  for (const transaction of list) {
    writer.append(log, arena, ...push(log, arena, transaction));
    ends.push(writer.streamBytes);
  }
  return { writer, ends };
}

export interface Recovered {
  pages: number[];
  transactions: number;
  bytes: number;
  /** The records, encoded again. */
  records: Uint8Array;
}

/** Reused: thousands of fresh arenas cost more than what they are for. */
const recoveredLog = new Log();
const recoveredArena = new Arena();

export function recoverSegment(file: MemoryFile, epoch: number, firstPage: number): Recovered {
  const log = recoveredLog;
  const arena = recoveredArena;
  log.truncate(0);
  arena.discard(arena.end);
  const filePages = Math.floor(file.size() / pageBytes);
  const result = recoverJournal(file, epoch, firstPage, filePages, log, arena);
  const records: Uint8Array[] = [];
  for (let i = 0; i < log.count; i++) {
    const bytes = new Uint8Array(recordLength(log, i));
    encodeRecord(log, arena, i, bytes, 0);
    records.push(bytes);
  }
  return { ...result, records: Buffer.concat(records) };
}
