/**
 * A store under measurement, with the model of what it must hold and the books of what it did.
 *
 * The model is changed while no clock runs; `ops_us` and `flush_us` see the store alone.
 */

import type { Clock } from "../storage/storage.ts";
import { Books } from "./books.ts";
import type { Drawing, Mark } from "./drawing.ts";
import { mixingOf, noMixing } from "./mixing.ts";
import { Model } from "./model.ts";
import type { Run } from "./runs.ts";
import { apply, type BenchStore } from "./store.ts";
import type { Row } from "./table.ts";

export class MeasuredStore {
  readonly model = new Model();
  /** Of each slot. */
  readonly ids: number[] = [];
  readonly #books: Books;
  readonly #drawing: Drawing;
  readonly #clock: Clock;
  /** None while the file is closed: another store may be in memory then. */
  #open: BenchStore | undefined;
  #classOfId: ReadonlyMap<number, number> | undefined;

  constructor(run: Run, store: BenchStore, drawing: Drawing, clock: Clock) {
    this.#books = new Books(run);
    this.#open = store;
    this.#drawing = drawing;
    this.#clock = clock;
  }

  get #store(): BenchStore {
    if (this.#open === undefined) throw new TypeError("the file is closed");
    return this.#open;
  }

  check(): void {
    this.#store.check();
  }

  /** Counters go on when another store is opened on the file. */
  close(): void {
    this.#books.close(this.#store.stats());
    this.#store.close();
    this.#open = undefined;
  }

  reopen(store: BenchStore): void {
    this.#open = store;
    this.#books.reopen(store.stats());
  }

  /** Applies the interval and flushes; a row for the mark `row`. */
  go(mark: Mark, previous: Row | undefined): Row | undefined {
    const { interval } = this.#drawing;
    this.model.apply(interval);
    const store = this.#store;
    const start = this.#clock.nowMicros();
    apply(store, this.ids, interval);
    const applied = this.#clock.nowMicros();
    store.flush();
    const flushed = this.#clock.nowMicros();
    if (mark === "row") return this.#row(previous, flushed - applied, applied - start);
    if (mark === "begin") this.#begin();
    return undefined;
  }

  #begin(): void {
    this.#books.begin(this.#store.stats());
    const { classes } = this.#drawing;
    if (classes !== undefined) this.#classOfId = new Map(this.ids.map((id, slot) => [id, classes[slot]!]));
  }

  #row(previous: Row | undefined, flushMicros: number, opsMicros: number): Row {
    const { operations, appBytes } = this.#drawing;
    const { allocations, allocationBytes } = this.model;
    return this.#books.row(
      {
        stats: this.#store.stats(),
        operations,
        appBytes,
        flushMicros,
        opsMicros,
        mixing: this.#classOfId === undefined ? noMixing : mixingOf(this.#store, this.#classOfId),
        expected: { allocations, bytesLeast: allocationBytes, bytesMost: allocationBytes },
      },
      previous,
    );
  }
}
