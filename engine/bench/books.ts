/**
 * The books of a run: what its counters were when measuring began, and the rows that follow from them.
 *
 *  (1) Counters of a row run from `begin` on. A store counts from its opening, so what earlier sessions counted is
 *      carried over when the file is opened again.
 *  (2) A row whose books do not balance is thrown, not returned.
 */

import type { StoreStats } from "../kladde/index.ts";
import { type Expected, faultsOf } from "./accounting.ts";
import { storeColumns } from "./columns.ts";
import { type Mixing, noMixing } from "./mixing.ts";
import type { Run } from "./runs.ts";
import type { Row } from "./table.ts";

const counters = storeColumns.filter(({ span }) => span === "since");

/** An interval that has been applied and flushed. */
export interface Flushed {
  readonly stats: StoreStats;
  /** Counted by the workload. */
  readonly operations: number;
  readonly appBytes: number;
  readonly flushMicros: number;
  readonly opsMicros: number;
  readonly mixing?: Mixing;
  readonly expected: Expected;
}

export class Books {
  readonly #run: Run;
  /** What to subtract from the store's counters, one for each of `counters`. */
  #baseline = counters.map(() => 0);
  /** When the interval began. */
  #budget = 0;

  constructor(run: Run) {
    this.#run = run;
  }

  begin(stats: StoreStats): void {
    this.#baseline = counters.map(({ of }) => of(stats));
    this.#budget = stats.budgetPages;
  }

  /** The store is about to be closed: its last counters. */
  close(stats: StoreStats): void {
    this.#baseline = this.#baseline.map((base, i) => base - counters[i]!.of(stats));
  }

  reopen(stats: StoreStats): void {
    this.#budget = stats.budgetPages;
  }

  row(flushed: Flushed, previous: Row | undefined): Row {
    const { stats, expected } = flushed;
    const row = this.#compose(flushed, (previous?.flush ?? 0) + 1);
    const { options } = this.#run;
    const faults = faultsOf({ row, stats, previous, options, budgetBefore: this.#budget, expected });
    if (faults.length > 0) throw new Error(`row ${row.flush}: ${faults.join("; ")}`);
    this.#budget = stats.budgetPages;
    return row;
  }

  #compose(flushed: Flushed, flush: number): Row {
    const { stats, operations, appBytes, flushMicros, opsMicros, mixing = noMixing } = flushed;
    const { table, variant, sizeBytes } = this.#run;
    const now = storeColumns.filter(({ span }) => span === "now").map(({ name, of }) => [name, of(stats)]);
    const since = counters.map(({ name, of }, i) => [name, of(stats) - this.#baseline[i]!]);
    return {
      scenario: table,
      variant,
      size: sizeBytes,
      flush,
      ops: operations,
      app_bytes: appBytes,
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
