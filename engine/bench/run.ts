/**
 * The harness: one run of one workload against one store on a real file, one row per measured flush.
 *
 *  (1) An interval is drawn while no clock runs.
 *  (2) The fill is flushed where the workload says so and not measured. At `begin` the store is flushed and its
 *      counters become the baseline; the operation counter goes on.
 *  (3) In a run of sessions the file is closed after `begin` and after every row, and opened again before the next
 *      one. A row is read off after the session's flush and before its close, which has nothing left to flush but may
 *      cut free pages off the end of the file; that shows in the next row. Opening is in no column of times.
 *  (4) At the end the file is opened again with default options and every allocation compared, whole, with the model.
 *  (5) Whatever happens, the file and its lock are deleted.
 *
 * A run gives the event loop a turn now and then, between rows, so that progress can be shown and a signal seen.
 */

import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { nodeClock, openNodeFile } from "../storage/node.ts";
import type { Clock } from "../storage/storage.ts";
import { Breath } from "./breath.ts";
import { flushTimeTable } from "./columns.ts";
import { measureFlushes } from "./flush-time.ts";
import { flushTimeRows } from "./flush-time-rows.ts";
import { MeasuredStore } from "./measured-store.ts";
import { compareReopened } from "./reopened.ts";
import { type Run, runsOf, runTitle } from "./runs.ts";
import type { Stores } from "./store.ts";
import { type Row, type Standing, type Table, tableOf } from "./table.ts";
import { measureTyped } from "./typed/run.ts";
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
  /** Runs of the table to make; all where not given. */
  readonly only?: (run: Run) => boolean;
  /** Call `check()` after every flush; the default is `quick`. */
  readonly check?: boolean;
  readonly clock?: Clock;
  /** Called after every measured flush, and at the end of every run without a standing. */
  readonly onProgress?: (run: Run, rows: number, standing?: Standing) => void;
  readonly signal?: AbortSignal;
}

/** Runs the runs of a table, one after the other. Rejects with a `RunError`, or with the signal's reason. */
export async function runTableWith(stores: Stores, table: string, options: RunTableOptions): Promise<Table> {
  const { only = () => true } = options;
  const rows: Row[] = [];
  for (const run of runsOf(table, options.quick).filter(only)) {
    rows.push(...(await runOnce(stores, run, options)));
  }
  return tableOf(table, rows);
}

export async function runOnce(stores: Stores, run: Run, options: RunTableOptions): Promise<Row[]> {
  const name = path.join(options.directory, `${run.table}-${run.variant}-${run.sizeBytes / 1024}.kladde`);
  const measuring = new Measuring(run, options);
  mkdirSync(options.directory, { recursive: true });
  remove(name);
  try {
    return await measuring.measure(stores, name);
  } catch (error) {
    if (options.signal?.aborted === true && error === options.signal.reason) throw error;
    throw new RunError(run, measuring.rowCount, error);
  } finally {
    remove(name);
  }
}

/** One run, and how far it came. */
class Measuring {
  rowCount = 0;
  readonly #run: Run;
  readonly #options: RunTableOptions;
  readonly #check: boolean;

  constructor(run: Run, options: RunTableOptions) {
    this.#run = run;
    this.#options = options;
    this.#check = options.check ?? run.quick;
  }

  async measure(stores: Stores, name: string): Promise<Row[]> {
    const run = this.#run;
    const rows = await this.#rows(stores, name);
    this.#options.onProgress?.(run, this.rowCount);
    return rows;
  }

  #rows(stores: Stores, name: string): Promise<Row[]> {
    if (this.#run.table === flushTimeTable) return this.#split(stores, name);
    if (this.#run.scenario === "typed") return this.#measureTyped(stores, name);
    return this.#measureRows(stores, name);
  }

  #report(standing: Standing): void {
    this.rowCount = standing.flush;
    this.#options.onProgress?.(this.#run, standing.flush, standing);
  }

  async #split(stores: Stores, name: string): Promise<Row[]> {
    const { signal } = this.#options;
    const onProgress = (standing: Standing) => this.#report(standing);
    const measured = await measureFlushes(stores, this.#run, name, {
      check: this.#check,
      signal,
      onProgress,
    });
    return flushTimeRows(this.#run, measured);
  }

  async #measureTyped({ documents }: Stores, name: string): Promise<Row[]> {
    if (documents === undefined) throw new TypeError("these stores have no documents");
    const { clock, signal } = this.#options;
    const onProgress = (standing: Standing) => this.#report(standing);
    return measureTyped(documents, this.#run, name, { check: this.#check, clock, signal, onProgress });
  }

  async #measureRows(stores: Stores, name: string): Promise<Row[]> {
    const { clock = nodeClock, signal } = this.#options;
    const { scenario, sizeBytes, operationsPerRow, options } = this.#run;
    const { drawing, marks } = draw(scenario, sizeBytes, operationsPerRow);
    const inSessions = scenario === "sessions";
    const rows: Row[] = [];
    const breath = new Breath(signal);
    let file = openNodeFile(name, "create");
    try {
      const measured = new MeasuredStore(this.#run, stores.create(file, options), drawing, clock);
      for (const mark of marks) {
        if (inSessions && mark === "row") {
          file = openNodeFile(name, "write");
          measured.reopen(stores.open(file, options));
          if (this.#check) measured.check();
        }
        const row = measured.go(mark, rows.at(-1));
        if (this.#check) measured.check();
        if (inSessions && mark !== "fill") measured.close();
        if (row !== undefined) {
          rows.push(row);
          this.#report(row);
        }
        if (breath.isDue) await breath.take();
      }
      if (!inSessions) measured.close();
      compareReopened(stores, name, { model: measured.model, ids: measured.ids, options }, this.#check);
    } finally {
      file.close(); // where a failure left it open
    }
    return rows;
  }
}

/** A killed run leaves the lock's own journal too. */
function remove(name: string): void {
  for (const suffix of ["", ".lock", ".lock-journal", ".plain"]) rmSync(`${name}${suffix}`, { force: true });
}
