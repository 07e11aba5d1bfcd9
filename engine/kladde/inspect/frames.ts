/**
 * Every page of the file read once: what its bytes are, whoever needs them.
 *
 *  (1) A page counts as framed only if its checksum is right; the bytes of others prove nothing.
 *
 * Cost: one read of the file in pieces, 11 bytes of memory a page.
 */

import { StoreError } from "../../errors.ts";
import type { StorageFile } from "../../storage/storage.ts";
import {
  contentOffset,
  firstOrdinaryPage,
  pageBytes,
  pageKindData,
  pageKindTable,
} from "../format/layout.ts";
import { isPageSound, pageContentBytes, pageEpoch, pageKind } from "../format/page.ts";
import { type PageHolding, pageHoldings } from "./document.ts";

const piecePages = 64;

export const holdingOther: number = pageHoldings.indexOf("other");
export const holdingTable: number = pageHoldings.indexOf("table");
export const holdingData: number = pageHoldings.indexOf("data");
const holdingZeros: number = pageHoldings.indexOf("zeros");
const holdingHeader: number = pageHoldings.indexOf("header");
const holdingUnreadable: number = pageHoldings.indexOf("unreadable");

export class Frames {
  readonly count: number;
  readonly holds: Uint8Array;
  /** NaN where the page has none. */
  readonly epoch: Float64Array;
  readonly contentBytes: Uint16Array;

  constructor(count: number) {
    try {
      this.holds = new Uint8Array(count);
      this.epoch = new Float64Array(count).fill(Number.NaN);
      this.contentBytes = new Uint16Array(count);
    } catch (cause) {
      const message = `${count} pages are more than this program can describe in memory`;
      throw new StoreError("too-large", message, {}, cause);
    }
    this.count = count;
  }

  holding(page: number): PageHolding {
    return pageHoldings[this.holds[page]!]!;
  }

  isFramed(page: number): boolean {
    return this.holds[page] === holdingTable || this.holds[page] === holdingData;
  }

  /** Why `page` cannot serve as a data page to a table of `epoch`, or undefined. */
  dataFault(page: number, epoch: number): string | undefined {
    if (page < firstOrdinaryPage || page >= this.count) return "not a page of the file for data";
    if (this.holds[page] === holdingTable) return "holds statements, not data";
    if (this.holds[page] !== holdingData) return "wrong checksum";
    return this.epoch[page]! <= epoch ? undefined : `epoch ${this.epoch[page]}, newer than the header`;
  }

  /** Behind the last content byte of `page`, as an offset in it. */
  contentEnd(page: number): number {
    return contentOffset + this.contentBytes[page]!;
  }
}

/** Reads every page; `headers` are the slots that are valid. */
export function readFrames(file: StorageFile, headers: readonly number[]): Frames {
  const count = Math.floor(file.size() / pageBytes);
  const frames = new Frames(count);
  const buffer = new Uint8Array(piecePages * pageBytes);
  for (let first = 0; first < count; first += piecePages) {
    const pages = Math.min(piecePages, count - first);
    const isRead = tryRead(file, buffer.subarray(0, pages * pageBytes), first);
    for (let i = 0; i < pages; i++) {
      const bytes = buffer.subarray(i * pageBytes, (i + 1) * pageBytes);
      if (!isRead && !tryRead(file, bytes, first + i)) frames.holds[first + i] = holdingUnreadable;
      else describe(frames, first + i, bytes, file, headers.includes(first + i));
    }
  }
  return frames;
}

function tryRead(file: StorageFile, into: Uint8Array, page: number): boolean {
  try {
    file.read(into, page * pageBytes);
    return true;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return false;
  }
}

function describe(frames: Frames, page: number, bytes: Uint8Array, file: StorageFile, header: boolean): void {
  const kind = pageKind(bytes, header);
  const isFramed = header || ((kind === pageKindTable || kind === pageKindData) && page >= firstOrdinaryPage);
  if (isFramed && isPageSound(bytes, header, file.crc32c)) {
    frames.holds[page] = header ? holdingHeader : kind === pageKindTable ? holdingTable : holdingData;
    frames.epoch[page] = pageEpoch(bytes, header);
    frames.contentBytes[page] = pageContentBytes(bytes, header);
  } else frames.holds[page] = bytes.every((byte) => byte === 0) ? holdingZeros : holdingOther;
}
