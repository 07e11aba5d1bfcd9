/**
 * Appending transactions to a journal segment.
 *
 *   page        := stream area of 4088 bytes, then `next` and `trailer_crc` (4 bytes each) if the stream goes on
 *   transaction := length:varint record* crc:u32, anywhere in the stream
 *
 *  (1) The chain is one running CRC-32C: the segment's epoch, every byte of the stream but the transactions' CRCs,
 *      and every `next` where the stream crosses to that page. A stored CRC is the chain's value at its place.
 *  (2) Every page a transaction needs is taken before its first byte is written: a full disk fails the transaction
 *      and leaves the segment as it was. Afterwards `torn` tells that a write failed half-way; then the segment
 *      must not be used again.
 *  (3) The first write to a page is the whole page, zeros after the stream; later ones are the new bytes only.
 *  (4) When `append` returns, the transaction is with the operating system. Nothing is synced.
 *
 * Cost: one write per page touched. A transaction that fits in the page is encoded straight into the page's buffer;
 * besides the write, the CRC and the copy of the payload nothing is in proportion to its length.
 */

import { crc32c } from "../../codec/crc32c.ts";
import { writeU32, writeU64 } from "../../codec/fixed.ts";
import { lebLength, writeLeb } from "../../codec/leb128.ts";
import { StoreError } from "../../errors.ts";
import type { StorageFile } from "../../storage/storage.ts";
import { crcBytes, pageBytes, streamBytesPerPage, trailerLayout, u32Max } from "../format/layout.ts";
import {
  encodeRecord,
  encodeRecordHead,
  recordHeadBytesMax,
  recordLength,
  recordPayloadBytes,
} from "../format/record.ts";
import type { Arena, Log } from "./log.ts";

/** From here on a call to the platform's CRC costs less than the portable one. */
const nativeCrcBytesMin = 160;

const nextAt = streamBytesPerPage + trailerLayout.fields.next.offset;
const trailerCrcAt = streamBytesPerPage + trailerLayout.fields.trailerCrc.offset;

/** Where a segment gets its pages from. */
export interface SegmentPages {
  /** A page that may be written and that lies inside the file. Throws `disk-full`. */
  takePage(): number;
  /** Takes back a page that was taken and not used. */
  returnPage(page: number): void;
  /** Makes the segment's first page, chosen earlier, part of the file if it is not yet. Throws `disk-full`. */
  ensurePage(page: number): void;
}

/** The chain before the first byte of segment `epoch`. */
export function chainStart(epoch: number): number {
  const bytes = new Uint8Array(8);
  writeU64(bytes, 0, epoch);
  return crc32c(bytes);
}

export class SegmentWriter {
  readonly epoch: number;
  /** In the order of the stream; the first may not exist in the file before the first transaction. */
  readonly pages: number[];
  transactions = 0;
  /** Bytes of all transactions, lengths and CRCs included; page trailers are not. */
  streamBytes = 0;
  /** A write failed, and nobody knows what the page holds now. */
  torn = false;

  readonly #file: StorageFile;
  readonly #supply: SegmentPages;
  readonly #buffer: Uint8Array = new Uint8Array(pageBytes);
  readonly #head: Uint8Array = new Uint8Array(recordHeadBytesMax);
  readonly #taken: number[] = [];
  #page: number;
  #chain: number;
  /** End of the stream in the page. */
  #position = 0;
  /** Bytes from here on are not in the chain yet; only while a transaction is encoded across pages. */
  #fedTo = 0;
  /** Bytes from here on are not in the file yet. */
  #writtenTo = 0;
  /** No write to this page yet. */
  #fresh = true;

  constructor(file: StorageFile, epoch: number, firstPage: number, supply: SegmentPages) {
    this.epoch = epoch;
    this.pages = [firstPage];
    this.#file = file;
    this.#supply = supply;
    this.#page = firstPage;
    this.#chain = chainStart(epoch);
  }

  /**
   * Appends records `[from, to)` as one transaction. Throws `disk-full` (nothing changed unless `torn`), `too-large`
   * for more than 2^32 − 1 bytes of records, and whatever a write throws.
   */
  append(log: Log, arena: Arena, from: number, to: number): void {
    let length = 0;
    for (let i = from; i < to; i++) length += recordLength(log, i);
    if (length > u32Max)
      throw new StoreError("too-large", `a transaction of ${length} bytes exceeds 2^32 − 1`);
    const bytes = lebLength(length) + length + crcBytes;
    if (this.transactions === 0) this.#supply.ensurePage(this.#page);
    const end = this.#position + bytes;
    if (end > streamBytesPerPage) this.#takePages(Math.ceil(end / streamBytesPerPage) - 1);
    this.torn = true;
    if (end > streamBytesPerPage) this.#encodeAcross(log, arena, from, to, length);
    else this.#encodeWithin(log, arena, from, to, length);
    this.#write(this.#position);
    this.torn = false;
    this.transactions++;
    this.streamBytes += bytes;
  }

  /** Takes `count` pages or none. */
  #takePages(count: number): void {
    const taken = this.#taken;
    try {
      while (taken.length < count) taken.push(this.#supply.takePage());
    } catch (error) {
      while (taken.length > 0) this.#supply.returnPage(taken.pop()!);
      throw error;
    }
    taken.reverse();
  }

  #encodeWithin(log: Log, arena: Arena, from: number, to: number, length: number): void {
    const start = this.#position;
    const buffer = this.#buffer;
    let at = writeLeb(buffer, start, length);
    for (let i = from; i < to; i++) at = encodeRecord(log, arena, i, buffer, at);
    this.#feed(start, at);
    writeU32(buffer, at, this.#chain);
    this.#position = at + crcBytes;
  }

  #encodeAcross(log: Log, arena: Arena, from: number, to: number, length: number): void {
    const head = this.#head;
    this.#fedTo = this.#position;
    this.#put(head, writeLeb(head, 0, length));
    for (let i = from; i < to; i++) {
      this.#put(head, encodeRecordHead(log, i, head, 0));
      this.#putPayload(arena, log.payload[i]!, recordPayloadBytes(log, i));
    }
    this.#feed(this.#fedTo, this.#position);
    this.#fedTo = this.#position;
    writeU32(head, 0, this.#chain);
    this.#putCrc(head);
  }

  /** The first `count` bytes. */
  #put(bytes: Uint8Array, count: number): void {
    for (let i = 0; i < count; i++) {
      if (this.#position === streamBytesPerPage) this.#turnPage();
      this.#buffer[this.#position++] = bytes[i]!;
    }
  }

  #putPayload(arena: Arena, position: number, length: number): void {
    for (let done = 0; done < length; ) {
      if (this.#position === streamBytesPerPage) this.#turnPage();
      const count = Math.min(length - done, streamBytesPerPage - this.#position);
      arena.copyTo(position + done, count, this.#buffer, this.#position);
      this.#position += count;
      done += count;
    }
  }

  /** A transaction's CRC stays out of the chain, but not the `next` it may straddle. */
  #putCrc(bytes: Uint8Array): void {
    for (let i = 0; i < crcBytes; i++) {
      if (this.#position === streamBytesPerPage) this.#turnPage();
      this.#buffer[this.#position++] = bytes[i]!;
      this.#fedTo = this.#position;
    }
  }

  /** The stream area is full: writes the trailer and the page, and goes on at the start of the next one. */
  #turnPage(): void {
    const next = this.#taken.pop()!;
    writeU32(this.#buffer, nextAt, next);
    this.#feed(this.#fedTo, trailerCrcAt);
    writeU32(this.#buffer, trailerCrcAt, this.#chain);
    this.#write(pageBytes);
    this.pages.push(next);
    this.#page = next;
    this.#position = 0;
    this.#fedTo = 0;
    this.#writtenTo = 0;
    this.#fresh = true;
  }

  #feed(from: number, to: number): void {
    const bytes = this.#buffer.subarray(from, to);
    const crc = to - from < nativeCrcBytesMin ? crc32c : this.#file.crc32c;
    this.#chain = crc(bytes, this.#chain);
  }

  /** Writes what the file does not have of the page's first `end` bytes. */
  #write(end: number): void {
    const at = this.#page * pageBytes;
    if (this.#fresh) {
      this.#buffer.fill(0, end);
      this.#file.write(this.#buffer, at);
      this.#fresh = false;
    } else this.#file.write(this.#buffer.subarray(this.#writtenTo, end), at + this.#writtenTo);
    this.#writtenTo = end;
  }
}
