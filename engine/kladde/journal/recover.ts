/**
 * Reading a journal segment back: what a session that ended left behind.
 *
 *  (1) The journal ends where the first check fails: an absurd length (J1), a CRC (J2, J3), a next page that is past
 *      the end of the file (J4), a header slot or in the segment already (J5). What follows means nothing.
 *  (2) A transaction whose CRC is right but whose records are not (J6, J7) is damage, not an end: `corrupt`.
 *  (3) Nothing is written, and bytes that only claim to be there cost nothing: a transaction is collected page by
 *      page, and no page is entered before its predecessor's trailer has been checked.
 *
 * Cost: one read and one CRC per page of the segment, plus the page behind its end.
 */

import { readU32 } from "../../codec/fixed.ts";
import type { Place } from "../../errors.ts";
import type { StorageFile } from "../../storage/storage.ts";
import {
  crcBytes,
  firstOrdinaryPage,
  pageBytes,
  streamBytesPerPage,
  trailerLayout,
  u32Max,
} from "../format/layout.ts";
import { decodeRecords, type PayloadSink, type RecordSink } from "../format/record.ts";
import { chainStart } from "./segment.ts";

/** Room for a transaction's records at first; doubled as they arrive. */
const bodyBytesFirst = 2 * pageBytes;
const lengthBytesMax = 5;
const nextAt = streamBytesPerPage + trailerLayout.fields.next.offset;
const trailerCrcAt = streamBytesPerPage + trailerLayout.fields.trailerCrc.offset;

export interface RecoveredJournal {
  /** Up to the page that holds the end of the last complete transaction; the first one always, if the file has it. */
  pages: number[];
  /** Complete transactions, empty ones included. */
  transactions: number;
  /** Bytes of their stream, lengths and CRCs included. */
  bytes: number;
}

/**
 * Appends the records of segment `epoch`, which starts at `firstPage` of a file of `filePages` pages, to `log` and
 * `arena`; before those of a transaction, `begin` is told where it lies. Throws `corrupt` (J6, J7), and `io-failed` when
 * a page cannot be read.
 */
export function recoverJournal(
  file: StorageFile,
  epoch: number,
  firstPage: number,
  filePages: number,
  log: RecordSink,
  arena: PayloadSink,
  begin: (place: Place) => void = () => {},
): RecoveredJournal {
  if (firstPage >= filePages) return { pages: [], transactions: 0, bytes: 0 };
  const stream = new SegmentReader(file, epoch, firstPage, filePages);
  const result: RecoveredJournal = { pages: [firstPage], transactions: 0, bytes: 0 };
  for (;;) {
    const place = stream.place();
    const body = stream.nextTransaction();
    if (body === undefined) return result;
    begin(place);
    decodeRecords(body, log, arena, place);
    result.transactions++;
    result.bytes = stream.bytes;
    while (result.pages.length < stream.pages.length) result.pages.push(stream.pages[result.pages.length]!);
  }
}

class SegmentReader {
  /** All pages entered. */
  readonly pages: number[];
  /** Stream bytes consumed. */
  bytes = 0;

  readonly #file: StorageFile;
  readonly #filePages: number;
  readonly #seen: Set<number>;
  readonly #buffer: Uint8Array = new Uint8Array(pageBytes);
  readonly #crc: Uint8Array = new Uint8Array(crcBytes);
  #body: Uint8Array = new Uint8Array(bodyBytesFirst);
  #chain: number;
  #position = 0;
  /** Bytes of the page before this one are in the chain or stay out of it. */
  #fedTo = 0;

  constructor(file: StorageFile, epoch: number, firstPage: number, filePages: number) {
    this.#file = file;
    this.#filePages = filePages;
    this.#chain = chainStart(epoch);
    this.pages = [firstPage];
    this.#seen = new Set(this.pages);
    file.read(this.#buffer, firstPage * pageBytes);
  }

  /** Where the next transaction starts. */
  place(): { file: string; page: number; offset: number } {
    return { file: this.#file.name, page: this.pages.at(-1)!, offset: this.#position };
  }

  /** The records of the next transaction, valid until the next call; undefined where the journal ends. */
  nextTransaction(): Uint8Array | undefined {
    const length = this.#length();
    if (length < 0 || !this.#fillBody(length)) return undefined;
    this.#feed(this.#position);
    const expected = this.#chain;
    for (let i = 0; i < crcBytes; i++) {
      if (!this.#hasByte()) return undefined;
      this.#crc[i] = this.#buffer[this.#position++]!;
      this.#fedTo = this.#position;
    }
    this.bytes += length + crcBytes;
    return readU32(this.#crc, 0) === expected ? this.#body.subarray(0, length) : undefined;
  }

  /** The length prefix, or −1 where the journal ends. */
  #length(): number {
    let value = 0;
    let scale = 1;
    for (let i = 0; i < lengthBytesMax; i++, scale *= 128) {
      if (!this.#hasByte()) return -1;
      const byte = this.#buffer[this.#position++]!;
      this.bytes++;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value <= u32Max ? value : -1;
    }
    return -1;
  }

  /** Collects `length` bytes; false where the journal ends before. */
  #fillBody(length: number): boolean {
    for (let done = 0; done < length; ) {
      if (!this.#hasByte()) return false;
      const count = Math.min(length - done, streamBytesPerPage - this.#position);
      if (done + count > this.#body.length) this.#growBody(done);
      this.#body.set(this.#buffer.subarray(this.#position, this.#position + count), done);
      this.#position += count;
      done += count;
    }
    return true;
  }

  #growBody(used: number): void {
    const larger = new Uint8Array(2 * this.#body.length);
    larger.set(this.#body.subarray(0, used));
    this.#body = larger;
  }

  /** Whether the stream goes on at `position`, after following the trailer at the end of a page. */
  #hasByte(): boolean {
    return this.#position < streamBytesPerPage || this.#followTrailer();
  }

  #followTrailer(): boolean {
    this.#feed(trailerCrcAt);
    if (readU32(this.#buffer, trailerCrcAt) !== this.#chain) return false;
    const next = readU32(this.#buffer, nextAt);
    if (next < firstOrdinaryPage || next >= this.#filePages || this.#seen.has(next)) return false;
    this.#file.read(this.#buffer, next * pageBytes);
    this.pages.push(next);
    this.#seen.add(next);
    this.#position = 0;
    this.#fedTo = 0;
    return true;
  }

  #feed(end: number): void {
    this.#chain = this.#file.crc32c(this.#buffer.subarray(this.#fedTo, end), this.#chain);
    this.#fedTo = end;
  }
}
