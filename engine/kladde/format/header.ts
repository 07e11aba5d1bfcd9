/**
 * The header slots: the fields in front of the root table page, and the choice of the governing slot.
 *
 *  (1) Slot 0 holds even epochs, slot 1 odd ones; the valid slot with the higher epoch governs.
 *  (2) A slot that is not valid is no error by itself: a power cut may tear it, and a new file's slot 1 is zeros.
 */

import type { Crc32c } from "../../codec/crc32c.ts";
import { readU16, readU32, writeU16, writeU32 } from "../../codec/fixed.ts";
import { StoreError } from "../../errors.ts";
import {
  firstOrdinaryPage,
  formatVersion,
  headerLayout,
  log2PageBytes,
  magic,
  pageBytes,
  pageKindTable,
  readerVersion,
} from "./layout.ts";
import { isPageSound, pageEpoch, pageKind } from "./page.ts";

export interface HeaderFields {
  readonly formatVersion: number;
  readonly minReaderVersion: number;
  /** Ids; 0 means none. */
  readonly rootAllocation: number;
  readonly schemaTable: number;
  readonly consolidatorState: number;
  /** 16 bytes that identify the type of the root value. */
  readonly rootFingerprint: Uint8Array;
  /** First page of the journal segment for the epoch after this header's; may lie past the end of the file. */
  readonly journalPointer: number;
}

const at = headerLayout.fields;

export function readHeaderFields(page: Uint8Array): HeaderFields {
  const print = at.rootFingerprint;
  return {
    formatVersion: readU16(page, at.formatVersion.offset),
    minReaderVersion: readU16(page, at.minReaderVersion.offset),
    rootAllocation: readU32(page, at.rootAllocation.offset),
    schemaTable: readU32(page, at.schemaTable.offset),
    consolidatorState: readU32(page, at.consolidatorState.offset),
    rootFingerprint: page.slice(print.offset, print.offset + print.bytes),
    journalPointer: readU32(page, at.journalPointer.offset),
  };
}

export function writeHeaderFields(page: Uint8Array, fields: HeaderFields): void {
  page.set(magic, at.magic.offset);
  page[at.log2PageSize.offset] = log2PageBytes;
  writeU16(page, at.formatVersion.offset, formatVersion);
  writeU16(page, at.minReaderVersion.offset, 0);
  writeU32(page, at.rootAllocation.offset, fields.rootAllocation);
  writeU32(page, at.schemaTable.offset, fields.schemaTable);
  writeU32(page, at.consolidatorState.offset, fields.consolidatorState);
  page.set(fields.rootFingerprint, at.rootFingerprint.offset);
  writeU32(page, at.journalPointer.offset, fields.journalPointer);
}

const hasMagic = (page: Uint8Array): boolean => magic.every((byte, i) => page[at.magic.offset + i] === byte);

/** Why a slot does not count, or undefined if it is valid. `slot` is 0 or 1. */
export function slotFault(page: Uint8Array, slot: number, crc32c: Crc32c): string | undefined {
  if (!isPageSound(page, true, crc32c)) return "checksum does not match";
  if (!hasMagic(page)) return "magic is missing";
  if (page[at.log2PageSize.offset] !== log2PageBytes) return "page size is not 4096";
  if (pageKind(page, true) !== pageKindTable) return "kind is not an address-table page";
  return epochParity(page) === slot ? undefined : "epoch belongs into the other slot";
}

/** From the low byte, since an epoch beyond 2^53 has no exact number. */
const epochParity = (page: Uint8Array): number => page[headerLayout.bytes + 1]! & 1;

/** An epoch beyond 2^53 − 1 reads as NaN; it must still win, so that it is refused rather than passed over. */
function epochOrder(page: Uint8Array): number {
  const epoch = pageEpoch(page, true);
  return Number.isNaN(epoch) ? Number.POSITIVE_INFINITY : epoch;
}

export interface Governing {
  readonly slot: number;
  readonly epoch: number;
  readonly fields: HeaderFields;
  /** The slot's page. */
  readonly page: Uint8Array;
  /** Why the other slot does not count, if it does not. */
  readonly otherFault: string | undefined;
}

/**
 * The governing header of a file whose first pages are `slots` (one page if the file is no longer than that).
 * Throws `not-kladde`, `unsupported-format`, `corrupt` (H5 … H11).
 */
export function chooseHeader(slots: readonly Uint8Array[], file: string, crc32c: Crc32c): Governing {
  const faults = slots.map((page, slot) => slotFault(page, slot, crc32c));
  let best = -1;
  for (let slot = 0; slot < slots.length; slot++) {
    if (faults[slot] !== undefined) continue;
    if (best < 0 || epochOrder(slots[slot]!) > epochOrder(slots[best]!)) best = slot;
  }
  if (best < 0) throw refusal(slots, faults, file);
  const page = slots[best]!;
  const epoch = pageEpoch(page, true);
  const fields = readHeaderFields(page);
  checkGoverning(fields, epoch, best, file);
  const otherFault = best === 0 ? (slots.length > 1 ? faults[1] : "slot is not in the file") : faults[0];
  return { slot: best, epoch, fields, page, otherFault };
}

function checkGoverning(fields: HeaderFields, epoch: number, slot: number, file: string): void {
  const place = (rule: string, offset: number) => ({ file, page: slot, offset, rule });
  if (fields.minReaderVersion > readerVersion)
    throw new StoreError(
      "unsupported-format",
      `the file needs a reader of version ${fields.minReaderVersion}, this one has version ${readerVersion}; use a newer release`,
      place("H8", at.minReaderVersion.offset),
    );
  if (!Number.isSafeInteger(epoch))
    throw new StoreError(
      "corrupt",
      "the epoch is above 2^53 − 1; restore the file from a copy",
      place("H10", headerLayout.bytes + 1),
    );
  if (fields.journalPointer < firstOrdinaryPage)
    throw new StoreError(
      "corrupt",
      `the journal pointer names page ${fields.journalPointer}, a header slot; restore the file from a copy`,
      place("H11", at.journalPointer.offset),
    );
}

function refusal(
  slots: readonly Uint8Array[],
  faults: readonly (string | undefined)[],
  file: string,
): StoreError {
  const marked = slots.filter(hasMagic);
  if (marked.length === 0)
    return new StoreError("not-kladde", "this is not a kladde file; check the path", {
      file,
      offset: 0,
      rule: slots.length === 0 ? "H1" : "H7",
    });
  const sizes = marked.map((page) => page[at.log2PageSize.offset]!);
  const foreign = sizes.find((log2) => log2 >= 13 && log2 <= 16);
  if (foreign !== undefined)
    return new StoreError(
      "unsupported-format",
      `pages of ${2 ** foreign} bytes are reserved by the format; only ${pageBytes} is supported`,
      { file, page: 0, offset: at.log2PageSize.offset, rule: "H5" },
    );
  const reasons = faults.map((fault, slot) => `slot ${slot}: ${fault}`).join("; ");
  return new StoreError(
    "corrupt",
    `neither header slot is valid (${reasons}); restore the file from a copy`,
    {
      file,
      page: 0,
      offset: 0,
      rule: "H6",
    },
  );
}

/** Whether a writer must keep its hands off: a newer format that older readers may still read. */
export const isNewerFormat = (fields: HeaderFields): boolean => fields.formatVersion > formatVersion;
