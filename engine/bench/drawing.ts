/**
 * What a workload draws with: chance, the interval its operations go to, and the counters that decide where rows are.
 *
 *  (1) Every `alloc` counts one operation, that of the fill too; `write`, `resize` and `free` count from `begin` on.
 *      The counter is never reset.
 *  (2) A write draws its bytes when it is recorded, and adds them to `appBytes` from `begin` on.
 *  (3) A row is due when the counter is an exact multiple of the operations per row (1000 but in the study of flush
 *      intervals) after a step. A step that adds several operations may step over one; then the interval goes on to
 *      the next multiple that is met.
 */

import { Chance } from "./chance.ts";
import { Interval } from "./interval.ts";

/** What to do with the operations drawn since the last mark: flush; flush and start counting; flush and record a row. */
export type Mark = "fill" | "begin" | "row";

export const operationsPerRow = 1000;

/** Classes of data in the workload `mixed`. */
export const dataClass = { hot: 0, cool: 1, cold: 2 } as const;
export const dataClasses = 3;

export class Drawing {
  readonly sizeBytes: number;
  readonly chance: Chance;
  readonly interval = new Interval();
  operations = 0;
  appBytes = 0;
  /** Slots whose contents, in this order, are the final content; undefined: all live ones, ascending. */
  order: readonly number[] | undefined;
  /** Class of each slot, where the workload has classes. */
  classes: Uint8Array | undefined;
  /** What the workload says about itself at its end, for its fingerprint. */
  facts: Readonly<Record<string, number>> = {};
  readonly #operationsPerRow: number;
  #measuring = false;
  #slots = 0;

  constructor(sizeBytes: number, seed: number, perRow: number = operationsPerRow) {
    this.sizeBytes = sizeBytes;
    this.chance = new Chance(seed);
    this.#operationsPerRow = perRow;
  }

  begin(): Mark {
    this.#measuring = true;
    return "begin";
  }

  get rowIsDue(): boolean {
    return this.operations % this.#operationsPerRow === 0;
  }

  /** Returns the slot. */
  alloc(size: number): number {
    this.interval.alloc(this.#slots, size);
    this.operations++;
    return this.#slots++;
  }

  write(slot: number, offset: number, length: number): void {
    const position = this.interval.write(slot, offset, length);
    this.chance.bytes(this.interval.bytes, position, length);
    if (!this.#measuring) return;
    this.operations++;
    this.appBytes += length;
  }

  resize(slot: number, size: number): void {
    this.interval.resize(slot, size);
    if (this.#measuring) this.operations++;
  }

  free(slot: number): void {
    this.interval.free(slot);
    if (this.#measuring) this.operations++;
  }
}
