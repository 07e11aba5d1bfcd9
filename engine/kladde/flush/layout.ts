/**
 * Laying out: which statements stay in the header, and how the others fill leaves.
 *
 *  (1) The header is rewritten by every flush for free, so it holds what changes most: the hottest statements that fit.
 *  (2) The rest goes into leaves in key order, each closed when the next statement does not fit.
 *  (3) Sums of standalone lengths never underestimate, because encoded lengths are subadditive.
 *
 * Cost: a counting sort by heat, then one pass.
 */

import { contentCapacity, headerContentCapacity } from "../format/layout.ts";
import { grown } from "../state/columns.ts";
import type { DerivedStatements } from "./derive.ts";

/**
 * Bytes left spare in the header. The value is the reference implementation's, found by comparing its rows with ours: with
 * any other the choice differs by a statement or two a flush.
 */
const headerSpareBytes = 80;

/** Bytes by which the room is lowered when the header turns out too full. */
export const headerRoomStep = 256;

/** Whether all statements fit into `room`, encoded in key order. */
export function allFit(derived: DerivedStatements, room: number): boolean {
  let bytes = 0;
  let lastId = 0;
  let lastCursor = 0;
  for (let row = 0; row < derived.count && bytes <= room; row++) {
    bytes += derived.bytes(row, lastId, lastCursor);
    lastId = derived.id[row]!;
    lastCursor = derived.cursor(row);
  }
  return bytes <= room;
}

/** Room for statements in a header that may have to name the leaves of all that does not fit. */
export function headerRoom(derived: DerivedStatements, childBytes: (newLeaves: number) => number): number {
  const newLeaves = Math.floor(standaloneBytes(derived) / contentCapacity) + 2;
  return headerContentCapacity - childBytes(newLeaves) - headerSpareBytes;
}

/** Marks the hottest statements that fit into `room`, and returns their standalone length. */
export function chooseHot(derived: DerivedStatements, room: number): number {
  derived.hot.fill(0, 0, derived.count);
  const order = byHeat(derived);
  let left = room;
  for (let i = 0; i < derived.count && left > 0; i++) {
    const row = order[i]!;
    const bytes = derived.standalone[row]!;
    if (bytes > left) continue;
    left -= bytes;
    derived.hot[row] = 1;
  }
  return room - left;
}

function standaloneBytes(derived: DerivedStatements): number {
  let bytes = 0;
  for (let row = 0; row < derived.count; row++) bytes += derived.standalone[row]!;
  return bytes;
}

/** Heat from here on is all the same: an allocation that was not written for so long is cold. */
const heatMax = 4095;
const heatCounts = new Uint32Array(heatMax + 2);
let heatOrder: Uint32Array = new Uint32Array(1024);

/** Rows, hottest first, ties in key order: a counting sort, since heats are small. */
function byHeat(derived: DerivedStatements): Uint32Array {
  const { count, heat } = derived;
  heatOrder = grown(heatOrder, count);
  heatCounts.fill(0);
  for (let row = 0; row < count; row++) heatCounts[Math.min(heat[row]!, heatMax) + 1]!++;
  for (let h = 1; h <= heatMax; h++) heatCounts[h]! += heatCounts[h - 1]!;
  for (let row = 0; row < count; row++) {
    const h = Math.min(heat[row]!, heatMax);
    heatOrder[heatCounts[h]!] = row;
    heatCounts[h]!++;
  }
  return heatOrder;
}

/** A leaf names no children: its list is the terminator. */
export const emptyChildListBytes = 1;

/** First row of each leaf, in order. Leaves hold the rows that are not hot. */
export function breakIntoLeaves(derived: DerivedStatements): number[] {
  const starts: number[] = [];
  let used = contentCapacity;
  let lastId = 0;
  let lastCursor = 0;
  for (let row = 0; row < derived.count; row++) {
    if (derived.hot[row] === 1) continue;
    let bytes = derived.bytes(row, lastId, lastCursor);
    if (starts.length === 0 || used + bytes > contentCapacity) {
      starts.push(row);
      used = emptyChildListBytes;
      bytes = derived.standalone[row]!;
    }
    used += bytes;
    lastId = derived.id[row]!;
    lastCursor = derived.cursor(row);
  }
  return starts;
}
