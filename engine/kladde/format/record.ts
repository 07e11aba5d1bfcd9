/**
 * Journal records: how a mutation is encoded in a transaction, and decoded again.
 *
 *   transaction := length record* crc:u32       length counts the bytes of the records
 *   free        := 01 id
 *   resize      := 02 id size
 *   write       := 03 id offset length bytes
 *   splice      := 04 id offset oldLength length bytes
 *   copy        := 05 src srcOffset length dst dstOffset
 *   move        := 06 src srcOffset length dst dstOffset
 *
 *  (1) The tag is one byte, every other field a varint; fields are absolute, not deltas.
 *  (2) Ids are 1 … 2^32 − 1; sizes and the sums of an offset and a length are at most 2^32 − 1.
 *  (3) The writer uses the shortest varints; the reader accepts longer ones.
 *
 * Pure: from columns to bytes and back. What a record does is the fold's business (flush/fold.ts), how transactions
 * lie in pages the journal's (journal/segment.ts).
 */

import { lebLength, lebNext, lebTooLarge, lebTruncated, readLeb, writeLeb } from "../../codec/leb128.ts";
import { type Place, StoreError } from "../../errors.ts";
import { u32Max } from "./layout.ts";

/** Takes decoded records, one call each; `journal/log.ts` says what an argument holds for which tag. */
export interface RecordSink {
  push(tag: number, a: number, b: number, c: number, d: number, e: number, payload: number): void;
}

/** Takes the bytes of decoded records, and returns where they are. */
export interface PayloadSink {
  append(bytes: Uint8Array): number;
}

/** The columns that records are held in, one row each. */
export interface RecordColumns extends RecordSink {
  readonly tag: Uint8Array;
  readonly a: Uint32Array;
  readonly b: Uint32Array;
  readonly c: Uint32Array;
  readonly d: Uint32Array;
  readonly e: Uint32Array;
  readonly payload: Float64Array;
}

/** Where the bytes of records are held. */
export interface Payloads extends PayloadSink {
  copyTo(position: number, length: number, into: Uint8Array, at: number): void;
}

export const recordFree = 1;
export const recordResize = 2;
export const recordWrite = 3;
export const recordSplice = 4;
export const recordCopy = 5;
export const recordMove = 6;

/** A tag and five varints of five bytes. */
export const recordHeadBytesMax = 26;

/** Bytes of payload behind the head of record `i`. */
export function recordPayloadBytes(log: RecordColumns, i: number): number {
  const tag = log.tag[i]!;
  return tag === recordWrite || tag === recordSplice ? log.d[i]! : 0;
}

/** Encoded bytes of record `i`, its payload included. */
export function recordLength(log: RecordColumns, i: number): number {
  const tag = log.tag[i]!;
  const bytes = 1 + lebLength(log.a[i]!);
  if (tag === recordFree) return bytes;
  const second = bytes + lebLength(log.b[i]!);
  if (tag === recordResize) return second;
  const length = log.d[i]!;
  const third = second + lebLength(length);
  if (tag === recordWrite) return third + length;
  if (tag === recordSplice) return third + lebLength(log.c[i]!) + length;
  return third + lebLength(log.c[i]!) + lebLength(log.e[i]!);
}

/** Writes record `i` without its payload at `at`, and returns the position behind it. */
export function encodeRecordHead(log: RecordColumns, i: number, into: Uint8Array, at: number): number {
  const tag = log.tag[i]!;
  into[at] = tag;
  let next = writeLeb(into, at + 1, log.a[i]!);
  if (tag === recordFree) return next;
  next = writeLeb(into, next, log.b[i]!);
  if (tag === recordResize) return next;
  if (tag === recordSplice) next = writeLeb(into, next, log.c[i]!);
  next = writeLeb(into, next, log.d[i]!);
  if (tag < recordCopy) return next;
  next = writeLeb(into, next, log.c[i]!);
  return writeLeb(into, next, log.e[i]!);
}

/** Writes record `i` at `at`, and returns the position behind it. */
export function encodeRecord(
  log: RecordColumns,
  arena: Payloads,
  i: number,
  into: Uint8Array,
  at: number,
): number {
  const next = encodeRecordHead(log, i, into, at);
  const length = recordPayloadBytes(log, i);
  if (length === 0) return next;
  arena.copyTo(log.payload[i]!, length, into, next);
  return next + length;
}

/**
 * Appends the records that make up `bytes` to `log`, their payloads to `arena`. Throws `corrupt`: J6 when the bytes
 * are no sequence of records, J7 when a field breaks a bound. `place` says where the transaction lies.
 */
export function decodeRecords(bytes: Uint8Array, log: RecordSink, arena: PayloadSink, place: Place): void {
  const reader = new RecordReader(bytes, log, arena, place);
  while (reader.next());
}

class RecordReader {
  readonly #bytes: Uint8Array;
  readonly #log: RecordSink;
  readonly #arena: PayloadSink;
  readonly #place: Place;
  #at = 0;

  constructor(bytes: Uint8Array, log: RecordSink, arena: PayloadSink, place: Place) {
    this.#bytes = bytes;
    this.#log = log;
    this.#arena = arena;
    this.#place = place;
  }

  next(): boolean {
    if (this.#at >= this.#bytes.length) return false;
    const tag = this.#bytes[this.#at++]!;
    if (tag === recordWrite) this.#readWrite();
    else if (tag === recordSplice) this.#readSplice();
    else if (tag === recordCopy || tag === recordMove) this.#readCopy(tag);
    else if (tag === recordFree) this.#log.push(tag, this.#id(), 0, 0, 0, 0, 0);
    else if (tag === recordResize) this.#log.push(tag, this.#id(), this.#bounded(), 0, 0, 0, 0);
    else throw this.#fault(`a record has the reserved tag ${tag}`, "J6");
    return true;
  }

  #readWrite(): void {
    const id = this.#id();
    const offset = this.#bounded();
    const length = this.#lengthAfter(offset);
    this.#log.push(recordWrite, id, offset, 0, length, 0, this.#payload(length));
  }

  #readSplice(): void {
    const id = this.#id();
    const offset = this.#bounded();
    const oldLength = this.#lengthAfter(offset);
    const length = this.#lengthAfter(offset);
    this.#log.push(recordSplice, id, offset, oldLength, length, 0, this.#payload(length));
  }

  #readCopy(tag: number): void {
    const source = this.#id();
    const sourceOffset = this.#bounded();
    const length = this.#lengthAfter(sourceOffset);
    const target = this.#id();
    const targetOffset = this.#varint();
    if (targetOffset + length > u32Max) throw this.#fault("the target range ends past 2^32 − 1", "J7");
    this.#log.push(tag, source, sourceOffset, target, length, targetOffset, 0);
  }

  #id(): number {
    const id = this.#varint();
    if (id < 1 || id > u32Max) throw this.#fault(`id ${id} is out of range`, "J7");
    return id;
  }

  #bounded(): number {
    const value = this.#varint();
    if (value > u32Max) throw this.#fault(`${value} is past 2^32 − 1`, "J7");
    return value;
  }

  #lengthAfter(offset: number): number {
    const length = this.#varint();
    if (offset + length > u32Max)
      throw this.#fault(`${length} bytes at offset ${offset} end past 2^32 − 1`, "J7");
    return length;
  }

  #payload(length: number): number {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw this.#fault("a record's payload is cut off", "J6");
    const position = this.#arena.append(this.#bytes.subarray(this.#at, end));
    this.#at = end;
    return position;
  }

  /** A number above 2^53 − 1 reads as infinite: it breaks every bound. */
  #varint(): number {
    const value = readLeb(this.#bytes, this.#at, this.#bytes.length);
    if (value === lebTruncated) throw this.#fault("a record is cut off", "J6");
    if (value === lebTooLarge) return Number.POSITIVE_INFINITY;
    this.#at = lebNext;
    return value;
  }

  #fault(what: string, rule: string): StoreError {
    const message = `a journal transaction is complete, but ${what}; restore the file from a copy`;
    return new StoreError("corrupt", message, { ...this.#place, rule });
  }
}
