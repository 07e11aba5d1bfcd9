/**
 * The consolidator state's bytes: what consolidation has learned, in an allocation of its own, so that a program that
 * opens, flushes once and exits is not a beginner for ever. No part of the format: a reader without it loses nothing
 * but experience. Little-endian:
 *
 *    0   8  tag: writer and layout version
 *    8   8  epoch of the flush that last wrote the state
 *   16   4  budget, f32
 *   20   8  id and offset at which the latest walk of the rotating window began
 *   28   4  length of the snapshot at the start of the records
 *   32   …  records: the snapshot, then one per flush since
 *
 *   record := epoch count id_delta*      varints; ids ascend, the first delta from 0
 *
 *  (1) An id was last written in the epoch of the newest record that names it.
 *  (2) What does not decode is no state. It is never an error: it cannot affect content.
 */

import { readU32, readU64, writeU32, writeU64 } from "../../codec/fixed.ts";
import { lebLength, lebNext, readLeb, writeLeb } from "../../codec/leb128.ts";
import { u32Max } from "../format/layout.ts";

export const stateTag: Uint8Array = Uint8Array.from("kladdets", (letter) => letter.charCodeAt(0));
export const fixedBytes = 32;

export interface StateFields {
  readonly upToDate: number;
  readonly budget: number;
  readonly windowId: number;
  readonly windowOffset: number;
  readonly snapshotBytes: number;
}

/** Called for every id of every record, oldest record first. */
export type VisitAge = (id: number, epoch: number) => void;

const budgetView = new DataView(new ArrayBuffer(4));

export function encodeFields(fields: StateFields): Uint8Array {
  const bytes = new Uint8Array(fixedBytes);
  bytes.set(stateTag);
  writeU64(bytes, 8, fields.upToDate);
  budgetView.setFloat32(0, fields.budget, true);
  for (let i = 0; i < 4; i++) bytes[16 + i] = budgetView.getUint8(i);
  writeU32(bytes, 20, fields.windowId);
  writeU32(bytes, 24, fields.windowOffset);
  writeU32(bytes, 28, fields.snapshotBytes);
  return bytes;
}

/** The record that says that `ids`, ascending, were last written in `epoch`; nothing for no ids. */
export function encodeRecord(epoch: number, ids: ArrayLike<number>): Uint8Array {
  if (ids.length === 0) return new Uint8Array(0);
  let length = lebLength(epoch) + lebLength(ids.length);
  for (let i = 0; i < ids.length; i++) length += lebLength(ids[i]! - (i === 0 ? 0 : ids[i - 1]!));
  const bytes = new Uint8Array(length);
  let at = writeLeb(bytes, writeLeb(bytes, 0, epoch), ids.length);
  for (let i = 0; i < ids.length; i++) at = writeLeb(bytes, at, ids[i]! - (i === 0 ? 0 : ids[i - 1]!));
  return bytes;
}

/** The state's fields, if all of `bytes` decodes under a file of `fileEpoch`; else undefined. */
export function decodeState(bytes: Uint8Array, fileEpoch: number): StateFields | undefined {
  if (bytes.length < fixedBytes || stateTag.some((byte, i) => bytes[i] !== byte)) return undefined;
  const upToDate = readU64(bytes, 8);
  const snapshotBytes = readU32(bytes, 28);
  if (!(upToDate <= fileEpoch) || snapshotBytes > bytes.length - fixedBytes) return undefined;
  for (let i = 0; i < 4; i++) budgetView.setUint8(i, bytes[16 + i]!);
  const budget = budgetView.getFloat32(0, true);
  if (!visitAges(bytes, upToDate, () => {})) return undefined;
  return {
    upToDate,
    budget,
    windowId: readU32(bytes, 20),
    windowOffset: readU32(bytes, 24),
    snapshotBytes,
  };
}

/** Visits all ages in `bytes`; false if a record does not decode or is from an epoch after `newest`. */
export function visitAges(bytes: Uint8Array, newest: number, visit: VisitAge): boolean {
  for (let at = fixedBytes; at < bytes.length; ) {
    const epoch = readWhole(bytes, at);
    if (epoch < 0 || epoch > newest) return false;
    const count = readWhole(bytes, lebNext);
    if (count < 0) return false;
    at = lebNext;
    for (let i = 0, id = 0; i < count; i++) {
      const delta = readWhole(bytes, at);
      id += delta;
      if (delta < 0 || id > u32Max) return false;
      at = lebNext;
      visit(id, epoch);
    }
  }
  return true;
}

/** The varint at `at` in its shortest form; negative if there is none. */
function readWhole(bytes: Uint8Array, at: number): number {
  const value = readLeb(bytes, at, bytes.length);
  return value >= 0 && lebNext - at === lebLength(value) ? value : -1;
}
