/**
 * Sizes and existence as of now: what the committed table says, changed by the records since the last flush.
 *
 *  (1) Every id that a record of the segment touched has an entry; a freed one keeps it, or its id would leak.
 *  (2) Every change is on the undo list until the records that caused it are appended.
 *
 * Cost: one map look-up per operation, one more entry per change of size.
 */

import {
  recordCopy,
  recordFree,
  recordMove,
  recordResize,
  recordSplice,
  recordWrite,
} from "../format/record.ts";
import type { AllocationTable } from "../state/allocations.ts";
import type { Log } from "./log.ts";

/** Entries that are no size. */
export const geometryFreed = -1;
/** Minted, without a record yet: its first record creates it. */
export const geometryReserved = -2;
/** No entry, on the undo list; and "does not exist" as an answer. */
export const geometryAbsent = -3;

export class Geometry {
  readonly #committed: AllocationTable;
  readonly #entries = new Map<number, number>();
  readonly #undoIds: number[] = [];
  readonly #undoEntries: number[] = [];

  constructor(committed: AllocationTable) {
    this.#committed = committed;
  }

  /** Length of the undo list: a mark for `rollBack`. */
  get undoLength(): number {
    return this.#undoIds.length;
  }

  /** The size of an existing id, `geometryReserved`, or `geometryAbsent`. */
  now(id: number): number {
    const entry = this.#entries.get(id);
    if (entry !== undefined) return entry === geometryFreed ? geometryAbsent : entry;
    return this.#committed.exists(id) ? this.#committed.sizeOf(id) : geometryAbsent;
  }

  /** Every id the segment knows, freed and reserved ones too. */
  ids(): Iterable<number> {
    return this.#entries.keys();
  }

  set(id: number, entry: number): void {
    this.#undoIds.push(id);
    this.#undoEntries.push(this.#entries.get(id) ?? geometryAbsent);
    this.#entries.set(id, entry);
  }

  /** Takes back every change since the undo list had `length` entries. */
  rollBack(length: number): void {
    while (this.#undoIds.length > length) {
      const id = this.#undoIds.pop()!;
      const entry = this.#undoEntries.pop()!;
      if (entry === geometryAbsent) this.#entries.delete(id);
      else this.#entries.set(id, entry);
    }
  }

  /** What happened so far cannot be taken back any more. */
  keep(): void {
    // Setting a length is a call into the runtime; most operations change no size.
    if (this.#undoIds.length === 0) return;
    this.#undoIds.length = 0;
    this.#undoEntries.length = 0;
  }

  /**
   * After a flush: only reserved ids stay, among them those that a record used which is still in the log, undo
   * entries from `waiting` on. The caller applies those records again.
   */
  restart(waiting: number): void {
    for (const [id, entry] of this.#entries) if (entry !== geometryReserved) this.#entries.delete(id);
    for (let i = waiting; i < this.#undoIds.length; i++)
      if (this.#undoEntries[i] === geometryReserved) this.#entries.set(this.#undoIds[i]!, geometryReserved);
    this.keep();
  }

  /** The id was taken back: nothing is known of it. */
  forget(id: number): void {
    this.#entries.delete(id);
  }

  /** The effect of record `row` of `log` on its target. */
  apply(log: Log, row: number): void {
    const tag = log.tag[row]!;
    if (tag === recordFree) this.set(log.a[row]!, geometryFreed);
    else if (tag === recordResize) this.set(log.a[row]!, log.b[row]!);
    else this.#reach(log, row, tag);
  }

  /** Records that make their target reach the end of a range. */
  #reach(log: Log, row: number, tag: number): void {
    const elsewhere = tag === recordCopy || tag === recordMove;
    const id = elsewhere ? log.c[row]! : log.a[row]!;
    const now = this.now(id);
    const size = Math.max(now, 0);
    if (tag === recordSplice) {
      const reached = Math.max(size, log.b[row]! + log.c[row]!);
      this.set(id, reached - log.c[row]! + log.d[row]!);
      return;
    }
    const end = (tag === recordWrite ? log.b[row]! : log.e[row]!) + log.d[row]!;
    if (end > size || now < 0) this.set(id, Math.max(size, end));
  }
}
