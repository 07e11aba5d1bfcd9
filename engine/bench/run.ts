/**
 * The harness: one run of one workload against one store on a real file, one row per measured flush.
 *
 *  (1) An interval is drawn, and the model changed, while no clock runs; `ops_us` and `flush_us` see the store alone.
 *  (2) The fill is flushed where the workload says so and not measured. At `begin` the store is flushed and its
 *      counters become the baseline; the operation counter goes on.
 *  (3) At the end the file is opened again with default options and every allocation compared, whole, with the model.
 *  (4) Whatever happens, the file and its lock are deleted.
 *
 * A run gives the event loop a turn now and then, between rows, so that progress can be shown and a signal seen.
 */

import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import type { StoreStats } from "../kladde/index.ts";
import { nodeClock, openNodeFile } from "../storage/node.ts";
import type { Clock } from "../storage/storage.ts";
import { faultsOf } from "./accounting.ts";
import { storeColumns } from "./columns.ts";
import type { Drawing, Mark } from "./drawing.ts";
import { type Mixing, mixingOf, noMixing } from "./mixing.ts";
import { Model } from "./model.ts";
import { type Run, runsOf, runTitle } from "./runs.ts";
import { apply, type BenchStore, type Stores } from "./store.ts";
import { type Row, type Table, tableOf } from "./table.ts";
import { draw } from "./workloads.ts";

/** A run that failed: which, in which row, and why. */
export class RunError extends Error {
  override readonly name = "RunError";
  readonly run: Run;

  constructor(run: Run, rows: number, cause: unknown) {
    const what = cause instanceof Error ? cause.message : String(cause);
    super(`${runTitle(run)}, after ${rows} rows: ${what}`, { cause });
    this.run = run;
  }
}

export interface RunTableOptions {
  /** Folder for the store's file; made if missing. The file is deleted after each run. */
  readonly directory: string;
  readonly quick?: boolean;
  /** Call `check()` after every flush; the default is `quick`. */
  readonly check?: boolean;
  readonly clock?: Clock;
  /** Called after every row, and at the end of every run without one. */
  readonly onProgress?: (run: Run, rows: number, row?: Row) => void;
  readonly signal?: AbortSignal;
}

/** Runs all runs of a table, one after the other. Rejects with a `RunError`, or with the signal's reason. */
export async function runTableWith(stores: Stores, table: string, options: RunTableOptions): Promise<Table> {
  const rows: Row[] = [];
  for (const run of runsOf(table, options.quick)) rows.push(...(await runOnce(stores, run, options)));
  return tableOf(table, rows);
}

export async function runOnce(stores: Stores, run: Run, options: RunTableOptions): Promise<Row[]> {
  const name = path.join(options.directory, `${run.table}-${run.variant}-${run.sizeBytes / 1024}.kladde`);
  const rows: Row[] = [];
  mkdirSync(options.directory, { recursive: true });
  remove(name);
  try {
    await fillMeasureCompare(stores, run, name, rows, options);
  } catch (error) {
    if (options.signal?.aborted === true && error === options.signal.reason) throw error;
    throw new RunError(run, rows.length, error);
  } finally {
    remove(name);
  }
  options.onProgress?.(run, rows.length);
  return rows;
}

async function fillMeasureCompare(
  stores: Stores,
  run: Run,
  name: string,
  rows: Row[],
  { check = run.quick, clock = nodeClock, onProgress, signal }: RunTableOptions,
): Promise<void> {
  const { drawing, marks } = draw(run.scenario, run.sizeBytes);
  const breath = new Breath(signal);
  const file = openNodeFile(name, "create");
  try {
    const session = new Session(run, stores.create(file, run.options), drawing, clock);
    for (const mark of marks) {
      const row = session.go(mark, rows.at(-1));
      if (check) session.store.check();
      if (row !== undefined) {
        rows.push(row);
        onProgress?.(run, rows.length, row);
      }
      if (breath.isDue) await breath.take();
    }
    session.store.close();
    compareReopened(stores, name, session, check);
  } finally {
    file.close(); // where a failure left it open
  }
}

/** A store with the model of what it must hold. */
class Session {
  readonly store: BenchStore;
  readonly model = new Model();
  /** Of each slot. */
  readonly ids: number[] = [];
  readonly #run: Run;
  readonly #drawing: Drawing;
  readonly #clock: Clock;
  #baseline: StoreStats;
  #classOfId: ReadonlyMap<number, number> | undefined;

  constructor(run: Run, store: BenchStore, drawing: Drawing, clock: Clock) {
    this.store = store;
    this.#run = run;
    this.#drawing = drawing;
    this.#clock = clock;
    this.#baseline = store.stats();
  }

  /** Applies the interval and flushes; a row for the mark `row`. */
  go(mark: Mark, previous: Row | undefined): Row | undefined {
    const { interval } = this.#drawing;
    this.model.apply(interval);
    const start = this.#clock.nowMicros();
    apply(this.store, this.ids, interval);
    const applied = this.#clock.nowMicros();
    this.store.flush();
    const flushed = this.#clock.nowMicros();
    if (mark === "row") return this.#row(previous, flushed - applied, applied - start);
    if (mark === "begin") this.#begin();
    return undefined;
  }

  #begin(): void {
    this.#baseline = this.store.stats();
    const { classes } = this.#drawing;
    if (classes !== undefined) this.#classOfId = new Map(this.ids.map((id, slot) => [id, classes[slot]!]));
  }

  #row(previous: Row | undefined, flushMicros: number, opsMicros: number): Row {
    const stats = this.store.stats();
    const mixing = this.#classOfId === undefined ? noMixing : mixingOf(this.store, this.#classOfId);
    const row = this.#compose(stats, mixing, (previous?.flush ?? 0) + 1, flushMicros, opsMicros);
    const { allocations: modelAllocations, allocationBytes: modelBytes } = this.model;
    const { options } = this.#run;
    const faults = faultsOf({ row, stats, options, previous, modelAllocations, modelBytes });
    if (faults.length > 0) throw new Error(`row ${row.flush}: ${faults.join("; ")}`);
    return row;
  }

  #compose(stats: StoreStats, mixing: Mixing, flush: number, flushMicros: number, opsMicros: number): Row {
    const { scenario, variant, sizeBytes } = this.#run;
    const fromStore = Object.fromEntries(
      storeColumns.map(({ name, span, of }) => [
        name,
        of(stats) - (span === "since" ? of(this.#baseline) : 0),
      ]),
    );
    return {
      scenario,
      variant,
      size: sizeBytes,
      flush,
      ops: this.#drawing.operations,
      app_bytes: this.#drawing.appBytes,
      ...fromStore,
      flush_us: Math.round(flushMicros),
      ops_us: Math.round(opsMicros),
      kappa: 0,
      static_pages: 0,
      static_bytes: 0,
      ...mixing,
    } as Row;
  }
}

/** Throws on the first difference between the reopened file and the model. */
function compareReopened(stores: Stores, name: string, { ids, model }: Session, check: boolean): void {
  const file = openNodeFile(name, "write");
  try {
    const store = stores.open(file);
    if (check) store.check();
    const found = new Set(store.ids());
    if (found.size !== model.allocations) {
      throw new Error(`reopened: ${found.size} allocations, the model has ${model.allocations}`);
    }
    for (const slot of model.slots()) compareAllocation(store, ids[slot]!, model.contents(slot)!);
    store.close();
  } finally {
    file.close();
  }
}

function compareAllocation(store: BenchStore, id: number, expected: Uint8Array): void {
  const size = store.committedSize(id);
  if (size !== expected.length) {
    throw new Error(`reopened: allocation ${id} has ${size} bytes, the model has ${expected.length}`);
  }
  const bytes = store.read(id, 0, size);
  if (Buffer.compare(bytes, expected) === 0) return;
  const at = expected.findIndex((byte, i) => byte !== bytes[i]);
  throw new Error(`reopened: allocation ${id} differs from the model at offset ${at} of ${size}`);
}

/** A turn for the event loop, at most every 50 ms. */
class Breath {
  readonly #signal: AbortSignal | undefined;
  #last = performance.now();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.throwIfAborted();
  }

  get isDue(): boolean {
    return performance.now() - this.#last > 50;
  }

  async take(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#signal?.throwIfAborted();
    this.#last = performance.now();
  }
}

/** A killed run leaves the lock's own journal too. */
function remove(name: string): void {
  for (const suffix of ["", ".lock", ".lock-journal"]) rmSync(`${name}${suffix}`, { force: true });
}
