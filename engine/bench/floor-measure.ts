/**
 * The measurements of the speed floor: what a flush, an operation and an open cost, beside the system's calls alone.
 *
 *  (1) Store and plain file work on the same pages in the same interval of the same process, one after the other, so
 *      that a slow moment of the machine meets both.
 *  (2) Both files have the interval's journal pages dirty when the flush begins.
 *  (3) Processor time is that of the whole process, garbage collection and compilation included, without `sync`.
 */

import { rmSync } from "node:fs";
import path from "node:path";
import { openNodeFile } from "../storage/node.ts";
import { PlainFile } from "./plain-file.ts";
import { costNow, costSince, RecordingFile } from "./recording-file.ts";
import { apply, type BenchStore, type Stores } from "./store.ts";
import { draw } from "./workloads.ts";

const mib = 1024 * 1024;
const withoutConsolidation = { consolidate: false };

export interface Interval {
  readonly pages: number;
  readonly operations: number;
  readonly operationMicros: number;
  /** Sync excluded. */
  readonly processorMicros: number;
  readonly plainProcessorMicros: number;
  /** Sync included. */
  readonly elapsedMicros: number;
  readonly plainElapsedMicros: number;
}

/** Measured intervals of a whole run of `uniform`. */
export function measureFlushes(stores: Stores, folder: string, sizeMiB: number): Interval[] {
  const name = path.join(folder, "floor.kladde");
  const file = new RecordingFile(openNodeFile(name, "create"));
  const plain = new PlainFile(path.join(folder, "floor.plain"));
  const intervals: Interval[] = [];
  try {
    const store = stores.create(file, withoutConsolidation);
    const { drawing, marks } = draw("uniform", sizeMiB * mib);
    const ids: number[] = [];
    for (const mark of marks) {
      const start = costNow();
      apply(store, ids, drawing.interval);
      const operationMicros = costSince(start).elapsedMicros;
      plain.write(file.take().changes);
      const flushed = flushBoth(store, file, plain);
      const operations = drawing.interval.count;
      if (mark === "row") intervals.push({ ...flushed, operations, operationMicros });
    }
    store.close();
  } finally {
    file.close();
    plain.remove();
    removeStore(name);
  }
  return intervals;
}

function flushBoth(
  store: BenchStore,
  file: RecordingFile,
  plain: PlainFile,
): Omit<Interval, "operations" | "operationMicros"> {
  const before = pagesWritten(store);
  const start = costNow();
  store.flush();
  const flush = costSince(start);
  const pages = pagesWritten(store) - before;
  const { changes, sync } = file.take();
  const { written, durable } = plain.flush(changes);
  return {
    pages,
    processorMicros: flush.processorMicros - sync.processorMicros,
    plainProcessorMicros: written.processorMicros,
    elapsedMicros: flush.elapsedMicros,
    plainElapsedMicros: durable.elapsedMicros,
  };
}

function pagesWritten(store: BenchStore): number {
  const { dataPagesWritten, tablePagesWritten, headersWritten } = store.stats();
  return dataPagesWritten + tablePagesWritten + headersWritten;
}

export interface Opening {
  readonly fileMiB: number;
  readonly statements: number;
  readonly millis: readonly number[];
}

/** Opens a filled and patched store several times, verifying it each time as by default. */
export function measureOpen(stores: Stores, folder: string, sizeMiB: number): Opening {
  const name = path.join(folder, "open.kladde");
  try {
    fillAndPatch(stores, name, sizeMiB, 100);
    const millis: number[] = [];
    let statements = 0;
    let fileMiB = 0;
    for (let round = 0; round < 7; round++) {
      const file = openNodeFile(name, "write");
      const start = performance.now();
      const store = stores.open(file);
      millis.push(performance.now() - start);
      statements = store.stats().statements;
      fileMiB = file.size() / mib;
      store.close();
    }
    return { fileMiB, statements, millis };
  } finally {
    removeStore(name);
  }
}

function fillAndPatch(stores: Stores, name: string, sizeMiB: number, rows: number): void {
  const store = stores.create(openNodeFile(name, "create"), withoutConsolidation);
  const { drawing, marks } = draw("uniform", sizeMiB * mib);
  const ids: number[] = [];
  let left = rows;
  for (const mark of marks) {
    apply(store, ids, drawing.interval);
    store.flush();
    if (mark === "row" && --left === 0) break;
  }
  store.close();
}

function removeStore(name: string): void {
  rmSync(name, { force: true });
  rmSync(`${name}.lock`, { force: true });
}
