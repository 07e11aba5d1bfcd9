/**
 * Where the time of a flush goes, beside the system's calls alone.
 *
 *  (1) Store and plain file work on the same pages in the same interval of the same process, one after the other, so
 *      that a slow moment of the machine meets both. The plain file gets nothing but one write of 4 KiB for each page.
 *  (2) Both files have the interval's journal pages dirty when the flush begins.
 *  (3) Processor time is that of the whole process, garbage collection and compilation included, without `sync`.
 *  (4) No clock runs inside the store: stages are told apart by the calls its file gets.
 */

import { openNodeFile } from "../storage/node.ts";
import { Breath } from "./breath.ts";
import { type Cost, costNow, costSince } from "./cost.ts";
import { Model } from "./model.ts";
import { PlainFile } from "./plain-file.ts";
import { type Calls, RecordingFile } from "./recording-file.ts";
import { compareReopened } from "./reopened.ts";
import type { Run } from "./runs.ts";
import { apply, type BenchStore, type Stores } from "./store.ts";
import type { Row, Standing } from "./table.ts";
import { draw } from "./workloads.ts";

/** A flush and the operations before it. */
export interface MeasuredFlush {
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

export interface MeasureOptions {
  readonly check?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (standing: Standing) => void;
}

/** Every measured flush of a run. The store's file has this name; the caller deletes it. */
export async function measureFlushes(
  stores: Stores,
  run: Run,
  name: string,
  { check = false, signal, onProgress }: MeasureOptions = {},
): Promise<MeasuredFlush[]> {
  const { options } = run;
  const { drawing, marks } = draw(run.scenario, run.sizeBytes, run.operationsPerRow);
  const breath = new Breath(signal);
  const model = new Model();
  const ids: number[] = [];
  const flushes: MeasuredFlush[] = [];
  const file = new RecordingFile(openNodeFile(name, "create"));
  const plain = new PlainFile(`${name}.plain`);
  try {
    const store = stores.create(file, options);
    for (const mark of marks) {
      model.apply(drawing.interval);
      const start = costNow();
      apply(store, ids, drawing.interval);
      const operationMicros = costSince(start).elapsedMicros;
      plain.write(file.take().changes);
      const flushed = flushBoth(store, file, plain);
      if (check) store.check();
      if (mark === "row") {
        flushes.push({ ...flushed, operations: drawing.interval.count, operationMicros });
        onProgress?.({ flush: flushes.length, app_bytes: drawing.appBytes });
      }
      if (breath.isDue) await breath.take();
    }
    store.close();
    compareReopened(stores, name, { model, ids, options }, check);
  } finally {
    file.close(); // where a failure left it open
    plain.remove();
  }
  return flushes;
}

function flushBoth(
  store: BenchStore,
  file: RecordingFile,
  plain: PlainFile,
): Omit<MeasuredFlush, "operations" | "operationMicros"> {
  const before = pagesWritten(store);
  const start = costNow();
  store.flush();
  const flush = costSince(start);
  const { changes, write, read, sync } = file.take();
  const { written, durable } = plain.flush(changes);
  return {
    pages: pagesWritten(store) - before,
    elapsedMicros: flush.elapsedMicros,
    processorMicros: flush.processorMicros - sync.processorMicros,
    write,
    read,
    sync,
    plain: { ...written, syncMicros: durable.elapsedMicros - written.elapsedMicros },
  };
}

function pagesWritten(store: BenchStore): number {
  const { dataPagesWritten, tablePagesWritten, headersWritten } = store.stats();
  return dataPagesWritten + tablePagesWritten + headersWritten;
}

/** What a stage took of one flush, and by what its time is shared. */
type Share = readonly [micros: number, calls: number];

const stages = {
  /** The whole flush, by the wall. */
  flush: ({ elapsedMicros }: MeasuredFlush): Share => [elapsedMicros, 1],
  /** The whole flush but its sync, by the processor. */
  processor: ({ processorMicros }: MeasuredFlush): Share => [processorMicros, 1],
  write: ({ write }: MeasuredFlush): Share => [write.elapsedMicros, write.calls],
  read: ({ read }: MeasuredFlush): Share => [read.elapsedMicros, read.calls],
  sync: ({ sync }: MeasuredFlush): Share => [sync.elapsedMicros, sync.calls],
  /** What no call of the file explains. */
  rest: (flush: MeasuredFlush): Share => [restMicros(flush), 1],
  "plain-processor": ({ plain, pages }: MeasuredFlush): Share => [plain.processorMicros, pages],
  "plain-write": ({ plain, pages }: MeasuredFlush): Share => [plain.elapsedMicros, pages],
  "plain-sync": ({ plain }: MeasuredFlush): Share => [plain.syncMicros, 1],
  /** Between flushes. */
  operations: ({ operationMicros, operations }: MeasuredFlush): Share => [operationMicros, operations],
} as const;

export type Stage = keyof typeof stages;

const restMicros = ({ elapsedMicros, write, read, sync }: MeasuredFlush): number =>
  elapsedMicros - write.elapsedMicros - read.elapsedMicros - sync.elapsedMicros;

/** One row for each stage, each a total over the second half of the run, where the store has settled. */
export function flushTimeRows({ table, variant, sizeBytes }: Run, measured: readonly MeasuredFlush[]): Row[] {
  const settled = measured.slice(Math.floor(measured.length / 2));
  const total = (of: (flush: MeasuredFlush) => number) => settled.reduce((sum, flush) => sum + of(flush), 0);
  return Object.entries(stages).map(([stage, shareOf], i) => {
    const row: Partial<Row> = {
      scenario: table,
      variant,
      size: sizeBytes,
      flush: i + 1,
      stage,
      flushes: settled.length,
      pages: total(({ pages }) => pages),
      calls: total((flush) => shareOf(flush)[1]),
      micros: Math.round(total((flush) => shareOf(flush)[0])),
    };
    return row as Row;
  });
}
