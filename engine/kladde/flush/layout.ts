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

/**
 * Which rows of the derived statements go to which page, in the order of the table: page 0 is the header, the others
 * are leaves.
 */
export class TableRows {
  /** Rows, page after page. */
  order: Uint32Array = new Uint32Array(512);
  /** Position in `order` of each page's first row, and behind the last page's. */
  bounds: number[] = [];

  get leaves(): number {
    return this.bounds.length - 2;
  }

  /** Hot rows go to the header, the rest fills leaves in key order, each closed when the next row does not fit. */
  assign(derived: DerivedStatements): void {
    const { count, hot } = derived;
    this.order = grown(this.order, count);
    let end = 0;
    for (let row = 0; row < count; row++) if (hot[row] === 1) this.order[end++] = row;
    const header = end;
    for (let row = 0; row < count; row++) if (hot[row] === 0) this.order[end++] = row;
    this.bounds = [0];
    this.#breakIntoLeaves(derived, header, end);
  }

  /** Encoded length of page `index`, without its child list. */
  bytes(derived: DerivedStatements, index: number): number {
    let bytes = 0;
    let lastId = 0;
    let lastCursor = 0;
    for (let at = this.bounds[index]!; at < this.bounds[index + 1]!; at++) {
      const row = this.order[at]!;
      bytes += derived.bytes(row, lastId, lastCursor);
      lastId = derived.id[row]!;
      lastCursor = derived.cursor(row);
    }
    return bytes;
  }

  /**
   * Adds the rows from `first` on, derived later, to the last page as far as they fit into `capacity` encoded bytes
   * with what is there; the others spill into further leaves.
   */
  join(derived: DerivedStatements, first: number, capacity: number): void {
    const last = this.bounds.length - 2;
    const start = this.bounds[last]!;
    const before = this.order.slice(start, this.bounds[last + 1]);
    this.order = grown(this.order, this.bounds[last + 1]! + derived.count - first);
    for (let end = derived.count; ; ) {
      this.bounds[last + 1] = this.#merge(derived, before, start, first, end);
      const excess = this.bytes(derived, last) - capacity;
      if (excess <= 0) {
        this.#spill(derived, end);
        return;
      }
      for (let dropped = 0; dropped < excess && end > first; ) dropped += derived.standalone[--end]!;
    }
  }

  /** Writes `before` and the rows `[first, end)` to `order` from `start` on, by key; returns the position behind. */
  #merge(derived: DerivedStatements, before: Uint32Array, start: number, first: number, end: number): number {
    const { id, offset } = derived;
    const precedes = (a: number, b: number): boolean =>
      id[a]! !== id[b]! ? id[a]! < id[b]! : offset[a]! <= offset[b]!;
    let at = start;
    let next = 0;
    for (let row = first; row < end; row++) {
      while (next < before.length && precedes(before[next]!, row)) this.order[at++] = before[next++]!;
      this.order[at++] = row;
    }
    while (next < before.length) this.order[at++] = before[next++]!;
    return at;
  }

  #spill(derived: DerivedStatements, from: number): void {
    if (from === derived.count) return;
    let end = this.bounds.pop()!;
    const start = end;
    for (let row = from; row < derived.count; row++) this.order[end++] = row;
    this.#breakIntoLeaves(derived, start, end);
  }

  /** Bounds of the leaves that the rows at `[start, end)` fill; the first bound ends what comes before. */
  #breakIntoLeaves(derived: DerivedStatements, start: number, end: number): void {
    let used = contentCapacity;
    let lastId = 0;
    let lastCursor = 0;
    for (let at = start; at < end; at++) {
      const row = this.order[at]!;
      let bytes = derived.bytes(row, lastId, lastCursor);
      if (at === start || used + bytes > contentCapacity) {
        this.bounds.push(at);
        used = emptyChildListBytes;
        bytes = derived.standalone[row]!;
      }
      used += bytes;
      lastId = derived.id[row]!;
      lastCursor = derived.cursor(row);
    }
    this.bounds.push(end);
  }
}
