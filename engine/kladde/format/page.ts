/**
 * The frame of a page: sealing one before it is written, checking one after it was read.
 *
 *  (1) The CRC covers everything before the content size, and the content; a wrong size finds a wrong CRC.
 *  (2) A sealed page has zeros after its CRC, so no old content leaks into the file.
 *
 * Cost: one CRC over the content.
 */

import { type Crc32c, crc32c as crc32cPure } from "../../codec/crc32c.ts";
import { readU16, readU32, readU64, writeU16, writeU32, writeU64 } from "../../codec/fixed.ts";
import {
  contentOffset,
  crcBytes,
  frameLayout,
  headerContentOffset,
  headerLayout,
  pageBytes,
} from "./layout.ts";

const { kind: kindField, epoch: epochField, contentSize: sizeField } = frameLayout.fields;

const frameAt = (header: boolean): number => (header ? headerLayout.bytes : 0);
const contentAt = (header: boolean): number => (header ? headerContentOffset : contentOffset);

export const pageKind = (page: Uint8Array, header: boolean): number =>
  page[frameAt(header) + kindField.offset]!;
/** Not a safe integer when the file says more than 2^53 − 1. */
export const pageEpoch = (page: Uint8Array, header: boolean): number =>
  readU64(page, frameAt(header) + epochField.offset);
export const pageContentBytes = (page: Uint8Array, header: boolean): number =>
  readU16(page, frameAt(header) + sizeField.offset);

function pageCrc(page: Uint8Array, header: boolean, contentBytes: number, crc32c: Crc32c): number {
  const prefix = crc32cPure(page.subarray(0, frameAt(header) + sizeField.offset));
  const start = contentAt(header);
  return crc32c(page.subarray(start, start + contentBytes), prefix);
}

/** Whether the frame fits the page and its CRC is right. */
export function isPageSound(page: Uint8Array, header: boolean, crc32c: Crc32c): boolean {
  const contentBytes = pageContentBytes(page, header);
  const crcAt = contentAt(header) + contentBytes;
  if (crcAt + crcBytes > pageBytes) return false;
  return pageCrc(page, header, contentBytes, crc32c) === readU32(page, crcAt);
}

/** Frames content that is already in place; of a header page the fields before the frame must be there too. */
export function sealPage(
  page: Uint8Array,
  header: boolean,
  kind: number,
  epoch: number,
  contentBytes: number,
  crc32c: Crc32c,
): void {
  const frame = frameAt(header);
  page[frame + kindField.offset] = kind;
  writeU64(page, frame + epochField.offset, epoch);
  writeU16(page, frame + sizeField.offset, contentBytes);
  const crcAt = contentAt(header) + contentBytes;
  writeU32(page, crcAt, pageCrc(page, header, contentBytes, crc32c));
  page.fill(0, crcAt + crcBytes, pageBytes);
}
