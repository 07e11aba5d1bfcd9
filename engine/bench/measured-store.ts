/**
 * A store under measurement, with the model of what it must hold and the books of what it did.
 *
 *  (1) The model is changed while no clock runs; `ops_us` and `flush_us` see the store alone.
 *  (2) Counters of a row run from `begin` on. A store counts from its opening, so what earlier sessions counted is
 *      carried over when the file is opened again.
 *  (3) A row whose books do not balance is thrown, not returned.
 */

import type { StoreStats } from "../kladde/index.ts";
import type { Clock } from "../storage/storage.ts";
import { faultsOf } from "./accounting.ts";
import { storeColumns } from "./columns.ts";
import type { Drawing, Mark } from "./drawing.ts";
import { type Mixing, mixingOf, noMixing } from "./mixing.ts";
import { Model } from "./model.ts";
import type { Run } from "./runs.ts";
import { apply, type BenchStore } from "./store.ts";
import type { Row } from "./table.ts";

const counters = storeColumns.filter(({ span }) => span === "since");

export class MeasuredStore {
  readonly model = new Model();
  /** Of each slot. */
  readonly ids: number[] = [];
  readonly #run: Run;
  readonly #drawing: Drawing;
  readonly #clock: Clock;
  /** None while the file is closed: another store may be in memory then. */
  #open: BenchStore | undefined;
  /** What to subtract from the store's counters, one for each of `counters`. */
  #baseline = counters.map(() => 0);
  /** When the interval began. */
  #budget = 0;
  #classOfId: ReadonlyMap<number, number> | undefined;

  constructor(run: Run, store: BenchStore, drawing: Drawing, clock: Clock) {
    this.#run = run;
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
    const stats = this.#store.stats();
    this.#baseline = this.#baseline.map((base, i) => base - counters[i]!.of(stats));
    this.#store.close();
    this.#open = undefined;
  }

  reopen(store: BenchStore): void {
    this.#open = store;
    this.#budget = store.stats().budgetPages;
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
    const stats = this.#store.stats();
    this.#baseline = counters.map(({ of }) => of(stats));
    this.#budget = stats.budgetPages;
    const { classes } = this.#drawing;
    if (classes !== undefined) this.#classOfId = new Map(this.ids.map((id, slot) => [id, classes[slot]!]));
  }

  #row(previous: Row | undefined, flushMicros: number, opsMicros: number): Row {
    const stats = this.#store.stats();
    const mixing = this.#classOfId === undefined ? noMixing : mixingOf(this.#store, this.#classOfId);
    const row = this.#compose(stats, mixing, (previous?.flush ?? 0) + 1, flushMicros, opsMicros);
    const faults = faultsOf({
      row,
      stats,
      previous,
      options: this.#run.options,
      budgetBefore: this.#budget,
      modelAllocations: this.model.allocations,
      modelBytes: this.model.allocationBytes,
    });
    if (faults.length > 0) throw new Error(`row ${row.flush}: ${faults.join("; ")}`);
    this.#budget = stats.budgetPages;
    return row;
  }

  #compose(stats: StoreStats, mixing: Mixing, flush: number, flushMicros: number, opsMicros: number): Row {
    const { table, variant, sizeBytes } = this.#run;
    const now = storeColumns.filter(({ span }) => span === "now").map(({ name, of }) => [name, of(stats)]);
    const since = counters.map(({ name, of }, i) => [name, of(stats) - this.#baseline[i]!]);
    return {
      scenario: table,
      variant,
      size: sizeBytes,
      flush,
      ops: this.#drawing.operations,
      app_bytes: this.#drawing.appBytes,
      ...Object.fromEntries([...now, ...since]),
      flush_us: Math.round(flushMicros),
      ops_us: Math.round(opsMicros),
      kappa: 0,
      static_pages: 0,
      static_bytes: 0,
      ...mixing,
    } as Row;
  }
}
