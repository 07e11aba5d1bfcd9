/**
 * How long flushes take, beside the system's calls alone, and where in the store the time goes.
 *
 *  (1) Store and plain file work on the same pages in the same interval of the same process, one after the other, so
 *      that a slow moment of the machine meets both. The plain file gets nothing but one write of 4 KiB for each page.
 *  (2) Both files have the interval's journal pages dirty when the flush begins.
 *  (3) Processor time is that of the whole process, garbage collection and compilation included, without `sync`.
 *  (4) No clock runs inside the store: what it does is told apart by the calls its file gets.
 *  (5) In the last quarter of a run a profiler runs instead, which says which part of the store took how much.
 */

import { openNodeFile } from "../storage/node.ts";
import { Breath } from "./breath.ts";
import { type Cost, costNow, costSince } from "./cost.ts";
import type { Interval } from "./interval.ts";
import { Model } from "./model.ts";
import { PlainFile } from "./plain-file.ts";
import { microsByPart, type ProfilePart, Profiler, type Window } from "./profile.ts";
import { type Calls, RecordingFile } from "./recording-file.ts";
import { compareReopened } from "./reopened.ts";
import type { Run } from "./runs.ts";
import { apply, type BenchStore, type Stores } from "./store.ts";
import type { Standing } from "./table.ts";
import { draw } from "./workloads.ts";

/** A flush and the operations before it. */
export interface TimedFlush {
  readonly pages: number;
  readonly operations: number;
  readonly operationMicros: number;
  /** Sync included. */
  readonly elapsedMicros: number;
  /** Sync excluded. */
  readonly processorMicros: number;
  readonly write: Calls;
  readonly read: Calls;
  readonly sync: Calls;
  /** Plain writes of the same pages, sync excluded, and their sync. */
  readonly plain: Cost & { readonly syncMicros: number };
}

/** All profiled flushes of a run together. */
export interface ProfiledFlushes {
  readonly flushes: number;
  readonly pages: number;
  readonly microsByPart: ReadonlyMap<ProfilePart, number>;
}

export interface MeasuredRun {
  /** In order, from the first on. */
  readonly timed: readonly TimedFlush[];
  /** Those after them. */
  readonly profiled: ProfiledFlushes;
}

export interface MeasureOptions {
  readonly check?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (standing: Standing) => void;
}

/** Measures a run. The store's file has this name; the caller deletes it. */
export async function measureFlushes(
  stores: Stores,
  run: Run,
  name: string,
  { check = false, signal, onProgress }: MeasureOptions = {},
): Promise<MeasuredRun> {
  const { drawing, marks } = draw(run.scenario, run.sizeBytes, run.operationsPerRow);
  const breath = new Breath(signal);
  const model = new Model();
  const flushing = new Flushing(stores, run, name);
  let rows = 0;
  try {
    for (const mark of marks) {
      model.apply(drawing.interval);
      flushing.go(drawing.interval, mark === "row");
      if (check) flushing.store.check();
      if (mark === "row") onProgress?.({ flush: ++rows, app_bytes: drawing.appBytes });
      // Three quarters of what the workload writes in all.
      if (drawing.appBytes >= 6 * run.sizeBytes) flushing.profile();
      if (breath.isDue) await breath.take();
    }
    const measured = flushing.end();
    compareReopened(stores, name, { model, ids: flushing.ids, options: run.options }, check);
    return measured;
  } finally {
    flushing.release();
  }
}

class Flushing {
  readonly store: BenchStore;
  /** Of each slot. */
  readonly ids: number[] = [];
  readonly #file: RecordingFile;
  readonly #plain: PlainFile;
  readonly #timed: TimedFlush[] = [];
  readonly #windows: Window[] = [];
  #profiledPages = 0;
  #profiler: Profiler | undefined;

  constructor(stores: Stores, { options }: Run, name: string) {
    this.#file = new RecordingFile(openNodeFile(name, "create"));
    this.#plain = new PlainFile(`${name}.plain`);
    this.store = stores.create(this.#file, options);
  }

  /** Applies an interval and flushes. Only what is counted is timed or profiled. */
  go(interval: Interval, counts: boolean): void {
    const start = costNow();
    apply(this.store, this.ids, interval);
    const operationMicros = costSince(start).elapsedMicros;
    this.#plain.write(this.#file.take().changes);
    if (this.#profiler !== undefined) {
      this.#flushProfiled(this.#profiler);
      return;
    }
    const flush = this.#flushTimed();
    if (counts) this.#timed.push({ ...flush, operations: interval.count, operationMicros });
  }

  /** From here on flushes are profiled. */
  profile(): void {
    if (this.#profiler !== undefined) return;
    this.#profiler = new Profiler();
    this.#profiler.start();
  }

  /** Closes the store. */
  end(): MeasuredRun {
    const profile = this.#profiler?.stop();
    this.#profiler = undefined;
    this.store.close();
    const profiled = {
      flushes: this.#windows.length,
      pages: this.#profiledPages,
      microsByPart: profile === undefined ? new Map() : microsByPart(profile, this.#windows),
    };
    return { timed: this.#timed, profiled };
  }

  /** Whatever a failure left open. */
  release(): void {
    this.#profiler?.stop();
    this.#file.close();
    this.#plain.remove();
  }

  #flushTimed(): Omit<TimedFlush, "operations" | "operationMicros"> {
    const before = pagesWritten(this.store);
    const start = costNow();
    this.store.flush();
    const flush = costSince(start);
    const { changes, write, read, sync } = this.#file.take();
    const { written, durable } = this.#plain.flush(changes);
    return {
      pages: pagesWritten(this.store) - before,
      elapsedMicros: flush.elapsedMicros,
      processorMicros: flush.processorMicros - sync.processorMicros,
      write,
      read,
      sync,
      plain: { ...written, syncMicros: durable.elapsedMicros - written.elapsedMicros },
    };
  }

  /** The plain file gets its pages here too: what the disk has to do between two flushes stays the same. */
  #flushProfiled(profiler: Profiler): void {
    const before = pagesWritten(this.store);
    const from = profiler.now();
    this.store.flush();
    this.#windows.push({ from, to: profiler.now() });
    this.#plain.flush(this.#file.take().changes);
    this.#profiledPages += pagesWritten(this.store) - before;
  }
}

function pagesWritten(store: BenchStore): number {
  const { dataPagesWritten, tablePagesWritten, headersWritten } = store.stats();
  return dataPagesWritten + tablePagesWritten + headersWritten;
}
