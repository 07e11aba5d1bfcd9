/**
 * Storing a value in a place: the one path that struct fields, elements and map values share.
 *
 *  (1) The value is made before anything is recorded, recorded before memory changes.
 *  (2) An equal primitive records nothing, nor does an object that is stored where it is.
 *  (3) A place outside every file changes in memory only.
 */

import { lebLength } from "../../../codec/leb128.ts";
import type { ContentNode } from "./content-node.ts";
import type { Ledger, Undo } from "./ledger.ts";
import { blame } from "./mistakes.ts";
import {
  admitClaims,
  claimMark,
  dropClaims,
  keepClaims,
  Node,
  pathAt,
  place,
  refuseCycle,
  undoOutside,
} from "./node.ts";
import { recordText } from "./text-edit.ts";
import { encodePointer } from "./text-types.ts";
import type { Type } from "./type.ts";

/** What a place of a box does itself: the box stays, its content changes. */
export interface Cell {
  $set(input: unknown): void;
}

export const isCell = (value: unknown): value is Cell =>
  typeof value === "object" && value !== null && "$set" in value;

/** Stores `input` in a place. Throws `TypeError`, `RangeError`, and as the store does; nothing has changed then. */
export function assign(holder: Node, index: number, input: unknown): void {
  const old = holder.$valueAt(index);
  if (isCell(old)) {
    old.$set(input);
    return;
  }
  const type = holder.$typeAt(index);
  if (input === old && input instanceof Node) return;
  const mark = claimMark();
  const stored = makeFor(holder, index, type, input, mark);
  // What makes the value may have changed the place, if it is in no file.
  if (type.isEqual(holder.$valueAt(index), stored)) return;
  if (holder.$doc === null) storeOutside(holder, index, stored, mark);
  else if (type.holding === "text") storeText(holder.$doc, holder, index, type, stored, mark);
  else storeInline(holder.$doc, holder, index, type, stored, mark);
}

/** The stored form of `input` for a place of `holder`; mistakes name the place. */
export function makeFor(holder: Node, index: number, type: Type, input: unknown, mark: number): unknown {
  const ledger = holder.$doc;
  if (ledger !== null) ledger.making++;
  try {
    const stored = type.make(input);
    refuseCycle(holder, stored);
    admitClaims(mark, holder);
    return stored;
  } catch (cause) {
    dropClaims(mark);
    throw blame(cause, pathAt(holder, index));
  } finally {
    if (ledger !== null) ledger.making--;
  }
}

function storeOutside(holder: Node, index: number, stored: unknown, mark: number): void {
  const undo = undoOutside(holder);
  const old = holder.$valueAt(index);
  const bytes = holder.$typeAt(index).holding === "text" ? holder.$bytesAt(index) : 0;
  const id = holder.$idAt(index);
  undo?.push(() => putBack(holder, index, old, id, bytes));
  if (old instanceof Node) old.$parent = null;
  put(holder, index, stored, 0, 0);
  keepClaims(mark, undo);
}

function put(holder: Node, index: number, stored: unknown, id: number, bytes: number): void {
  holder.$storeAt(index, stored, id, bytes);
  if (stored instanceof Node) place(stored, holder, index);
}

function putBack(holder: Node, index: number, old: unknown, id: number, bytes: number): void {
  holder.$storeAt(index, old, id, bytes);
  if (old instanceof Node) place(old, holder, index);
}

/** Plain values and nodes: the place's bytes are the value. */
function storeInline(
  ledger: Ledger,
  holder: Node,
  index: number,
  type: Type,
  stored: unknown,
  mark: number,
): void {
  const old = holder.$valueAt(index);
  let delta = 0;
  ledger.record(mark, () => {
    type.attach(ledger, ledger.out, holder.$isPacked(), stored, 0);
    ledger.drain();
    delta = publish(ledger, holder, index, type, old, 0, stored);
    ledger.retire(type, old, 0);
  });
  change(ledger, holder, index, stored, 0, 0, delta);
  keepClaims(mark, ledger.undo);
  ledger.settle();
}

/** Memory follows the records. */
function change(
  ledger: Ledger,
  holder: Node,
  index: number,
  stored: unknown,
  id: number,
  bytes: number,
  delta: number,
): void {
  const { undo } = ledger;
  if (undo !== null) pushUndo(undo, holder, index, delta);
  put(holder, index, stored, id, bytes);
  if (delta !== 0) holder.$shiftAt(index, delta);
}

function pushUndo(undo: Undo[], holder: Node, index: number, delta: number): void {
  const old = holder.$valueAt(index);
  const id = holder.$idAt(index);
  const bytes = holder.$typeAt(index).holding === "text" ? holder.$bytesAt(index) : 0;
  undo.push(() => {
    if (delta !== 0) holder.$shiftAt(index, -delta);
    putBack(holder, index, old, id, bytes);
  });
}

/** Records what `ledger.out` holds as the place's bytes; returns how much longer the place has become. */
export function publish(
  ledger: Ledger,
  holder: Node,
  index: number,
  type: Type,
  old: unknown,
  oldId: number,
  stored: unknown,
): number {
  const offset = holder.$offsetAt(index);
  const bytes = ledger.out.view();
  if (!holder.$isPacked()) {
    // Zeros behind both values are there already.
    const used = Math.max(type.extent(old), type.extent(stored));
    if (used > 0) ledger.store.write(holder.$allocationAt(index), offset, bytes.subarray(0, used));
    return 0;
  }
  const before = encodedBytes(ledger, type, old, oldId);
  holder.$patch(ledger, { offset, removed: before, bytes });
  return bytes.length - before;
}

/** Bytes of a packed value as it stands. */
export function encodedBytes(ledger: Ledger, type: Type, stored: unknown, id: number): number {
  const encoder = ledger.content.clear();
  type.encode(encoder, true, stored, id);
  return encoder.at;
}

function storeText(
  ledger: Ledger,
  holder: Node,
  index: number,
  type: Type,
  stored: unknown,
  mark: number,
): void {
  const old = holder.$valueAt(index);
  const before = holder.$idAt(index);
  let id = before;
  let bytes = 0;
  let delta = 0;
  ledger.record(mark, () => {
    if (before > 0 && type.fillsAllocation(stored)) {
      bytes = recordText(ledger, before, type.textOf(old), holder.$bytesAt(index), type.textOf(stored));
      return;
    }
    id = type.attach(ledger, ledger.out, holder.$isPacked(), stored, 0);
    bytes = ledger.textBytes;
    delta = publish(ledger, holder, index, type, old, before, stored);
    ledger.retire(type, old, before);
  });
  change(ledger, holder, index, stored, stored === null ? 0 : id, bytes, delta);
  ledger.settle();
}

/** Records a container's pointer, new or none; returns how much longer its place becomes. */
export function publishPointer(ledger: Ledger, node: ContentNode, id: number): number {
  const holder = node.$parent as Node;
  const type = holder.$typeAt(node.$index);
  const offset = holder.$offsetAt(node.$index) + type.shift;
  const packed = holder.$isPacked() && !type.forcesSlot;
  const before = packed ? lebLength(node.$id) : 4;
  const out = ledger.content.clear();
  encodePointer(out, packed, id);
  const delta = out.at - before;
  holder.$patch(ledger, { offset, removed: before, bytes: out.view() });
  return delta;
}

/** A container's pointer has become longer: memory follows. */
export function shiftPlace(node: Node, delta: number): void {
  if (delta !== 0) (node.$parent as Node).$shiftAt(node.$index, delta);
}
