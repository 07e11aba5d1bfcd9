/**
 * The rows of the table `flush-time`: the time of a run's flushes, stage by stage, once the store has settled.
 *
 *  (1) What was timed are the flushes of the third quarter; `write`, `read`, `sync` and `rest` make up `flush`.
 *  (2) What was profiled are those of the last quarter. Its parts make up their time by the wall, so they are shares
 *      of a flush; the profiler's own cost is in them.
 */

import type { MeasuredRun, TimedFlush } from "./flush-time.ts";
import { type ProfilePart, profileParts } from "./profile.ts";
import type { Run } from "./runs.ts";
import type { Row } from "./table.ts";

/** What a stage took of one flush, and by what its time is shared. */
type Share = readonly [micros: number, calls: number];

const timedStages = {
  /** The whole flush, by the wall. */
  flush: ({ elapsedMicros }: TimedFlush): Share => [elapsedMicros, 1],
  /** The whole flush but its sync, by the processor. */
  processor: ({ processorMicros }: TimedFlush): Share => [processorMicros, 1],
  write: ({ write }: TimedFlush): Share => [write.elapsedMicros, write.calls],
  read: ({ read }: TimedFlush): Share => [read.elapsedMicros, read.calls],
  sync: ({ sync }: TimedFlush): Share => [sync.elapsedMicros, sync.calls],
  /** What no call of the file explains. */
  rest: (flush: TimedFlush): Share => [restMicros(flush), 1],
  "plain-processor": ({ plain, pages }: TimedFlush): Share => [plain.processorMicros, pages],
  "plain-write": ({ plain, pages }: TimedFlush): Share => [plain.elapsedMicros, pages],
  "plain-sync": ({ plain }: TimedFlush): Share => [plain.syncMicros, 1],
  /** Between flushes. */
  operations: ({ operationMicros, operations }: TimedFlush): Share => [operationMicros, operations],
} as const;

export type Stage = keyof typeof timedStages | ProfilePart;

const restMicros = ({ elapsedMicros, write, read, sync }: TimedFlush): number =>
  elapsedMicros - write.elapsedMicros - read.elapsedMicros - sync.elapsedMicros;

/** The timed flushes of the run's second half. */
export function settledFlushes({ timed, profiled }: MeasuredRun): readonly TimedFlush[] {
  return timed.slice(Math.floor((timed.length + profiled.flushes) / 2));
}

/** One row for each stage. */
export function flushTimeRows(run: Run, measured: MeasuredRun): Row[] {
  const { table: scenario, variant, sizeBytes: size } = run;
  const stages = [...timedRows(settledFlushes(measured)), ...profiledRows(measured)];
  return stages.map((stage, i) => ({ scenario, variant, size, flush: i + 1, ...stage }) as Row);
}

type StageRow = Pick<Row, "stage" | "flushes" | "pages" | "calls" | "micros">;

function timedRows(settled: readonly TimedFlush[]): StageRow[] {
  const total = (of: (flush: TimedFlush) => number) => settled.reduce((sum, flush) => sum + of(flush), 0);
  return Object.entries(timedStages).map(([stage, shareOf]) => ({
    stage,
    flushes: settled.length,
    pages: total(({ pages }) => pages),
    calls: total((flush) => shareOf(flush)[1]),
    micros: Math.round(total((flush) => shareOf(flush)[0])),
  }));
}

function profiledRows({ profiled: { flushes, pages, microsByPart } }: MeasuredRun): StageRow[] {
  return profileParts.map((stage) => ({
    stage,
    flushes,
    pages,
    calls: flushes,
    micros: Math.round(microsByPart.get(stage) ?? 0),
  }));
}
