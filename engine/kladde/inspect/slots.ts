/** The two header slots as they are, and which of them governs. */

import { StoreError } from "../../errors.ts";
import type { StorageFile } from "../../storage/storage.ts";
import { chooseHeader, type Governing, readHeaderFields, slotFault } from "../format/header.ts";
import { pageContentBytes, pageEpoch } from "../format/page.ts";
import type { SlotRow } from "./document.ts";
import type { Findings } from "./findings.ts";

export const hex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** A valid slot as if it governed. */
export function headerOf(page: Uint8Array, slot: number): Governing {
  return { slot, epoch: pageEpoch(page, true), fields: readHeaderFields(page), page, otherFault: undefined };
}

/**
 * The governing header; undefined if there is none under which anything can be read. Throws `not-kladde` and
 * `unsupported-format`: of such a file nothing is known.
 */
export function governingOf(
  slots: readonly Uint8Array[],
  file: StorageFile,
  findings: Findings,
): Governing | undefined {
  try {
    return chooseHeader(slots, file.name, file.crc32c);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "corrupt") throw error;
    findings.refused(error);
    // A journal pointer that is out of range says nothing against the table.
    const slot = error.rule === "H11" ? error.page : undefined;
    return slot === undefined ? undefined : headerOf(slots[slot]!, slot);
  }
}

export function describeSlots(
  slots: readonly Uint8Array[],
  header: Governing | undefined,
  file: StorageFile,
): SlotRow[] {
  return [0, 1].map((slot) => {
    const page = slots[slot];
    if (page === undefined) return emptySlot(slot, "missing");
    if (page.every((byte) => byte === 0)) return emptySlot(slot, "never written");
    const fault = slotFault(page, slot, file.crc32c) ?? null;
    const { fields, epoch } = headerOf(page, slot);
    return {
      slot,
      state: slot === header?.slot ? "governs" : fault === null ? "older" : "invalid",
      fault,
      epoch: Number.isSafeInteger(epoch) ? epoch : null,
      formatVersion: fields.formatVersion,
      minReaderVersion: fields.minReaderVersion,
      rootAllocation: fields.rootAllocation,
      schemaTable: fields.schemaTable,
      consolidatorState: fields.consolidatorState,
      rootFingerprint: hex(fields.rootFingerprint),
      journalPointer: fields.journalPointer,
      contentBytes: pageContentBytes(page, true),
    };
  });
}

function emptySlot(slot: number, state: SlotRow["state"]): SlotRow {
  return {
    slot,
    state,
    fault: null,
    epoch: null,
    formatVersion: null,
    minReaderVersion: null,
    rootAllocation: null,
    schemaTable: null,
    consolidatorState: null,
    rootFingerprint: null,
    journalPointer: null,
    contentBytes: null,
  };
}
