/**
 * Prints the speed of the page store beside the system's calls alone, with the aims beside the figures.
 *
 * Usage: `tsx engine/bench/floor.ts [FOLDER]`; files go to FOLDER (default: a temporary one) and are deleted. The
 * figures are those of the table `flush-time`.
 */

import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { flushTimeTable } from "./columns.ts";
import { type MeasuredRun, measureFlushes, type TimedFlush } from "./flush-time.ts";
import { flushTimeRows, type Stage, settledFlushes } from "./flush-time-rows.ts";
import { kladdeStores } from "./kladde-stores.ts";
import { measureOpen, type Opening } from "./open-time.ts";
import { profileParts } from "./profile.ts";
import { type Run, runsOf, runTitle } from "./runs.ts";

const mib = 1024 * 1024;
const perPageAims: Readonly<Record<string, number>> = { off: 40, on: 50 };
const growthAim = 1.3;
const operationAim = 4;
const openingAim = 1000;

interface Measured {
  readonly run: Run;
  readonly settled: readonly TimedFlush[];
  /** Microseconds of a stage for each page that its flushes wrote. */
  readonly perPage: (stage: Stage) => number;
  readonly perFlush: (stage: Stage) => number;
  readonly perCall: (stage: Stage) => number;
}

function summarise(run: Run, measured: MeasuredRun): Measured {
  const rows = new Map(flushTimeRows(run, measured).map((row) => [row.stage, row]));
  const shared = (by: "pages" | "flushes" | "calls") => (stage: Stage) =>
    rows.get(stage)!.micros / rows.get(stage)![by];
  return {
    run,
    settled: settledFlushes(measured),
    perPage: shared("pages"),
    perFlush: shared("flushes"),
    perCall: shared("calls"),
  };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

function line(what: string, value: number, unit: string, aim?: number): void {
  const verdict = aim === undefined ? "" : `  ≤ ${aim} ${unit} ${value <= aim ? "met" : "MISSED"}`;
  console.log(`  ${what.padEnd(58)}${`${value.toFixed(2)} ${unit}`.trim().padStart(12)}${verdict}`);
}

function printSpeed({ run, settled, perPage, perFlush, perCall }: Measured): void {
  const aim = run.sizeBytes === 8 * mib ? perPageAims[run.variant] : undefined;
  const plain = perFlush("plain-write") + perFlush("plain-sync");
  const of = (value: (flush: TimedFlush) => number) => settled.map(value);
  console.log(`\n${runTitle({ ...run, table: run.scenario })}: ${settled.length} flushes`);
  line("pages of a flush", of((one) => one.pages).reduce((sum, one) => sum + one, 0) / settled.length, "");
  line("processor time per page, sync excluded", perPage("processor"), "µs", aim);
  line("  median flush", median(of((one) => one.processorMicros / one.pages)), "µs");
  line("  plain writes of the same pages", perPage("plain-processor"), "µs");
  line("flush, sync included", perFlush("flush") / 1000, "ms");
  line("  plain writes and fdatasync of the same pages", plain / 1000, "ms");
  line("  ratio", perFlush("flush") / plain, "");
  line("  ratio, median flush", median(of(ratioToPlain)), "");
  line("an operation between flushes", perCall("operations"), "µs", operationAim);
}

const ratioToPlain = ({ elapsedMicros, plain }: TimedFlush): number =>
  elapsedMicros / (plain.elapsedMicros + plain.syncMicros);

const timedStages = ["write", "read", "sync", "rest", "flush", "processor"] as const;
const titles: Partial<Record<Stage, string>> = {
  rest: "the rest of the store",
  flush: "whole flush",
  processor: "processor, without sync",
  file: "calls of the file",
  garbage: "garbage collection",
};

/** Microseconds a page of every stage, a column for each run. */
function printStages(title: string, stages: readonly Stage[], all: readonly Measured[]): void {
  const head = all.map(({ run }) => `${run.variant} ${run.sizeBytes / mib} MiB`.padStart(12)).join("");
  console.log(`\n${title}\n${"".padEnd(30)}${head}`);
  for (const stage of stages) {
    const cells = all.map(({ perPage }) => perPage(stage).toFixed(2).padStart(12)).join("");
    console.log(`  ${(titles[stage] ?? stage).padEnd(28)}${cells}`);
  }
}

function printGrowth(all: readonly Measured[]): void {
  const perPageAt = (sizeMiB: number) =>
    all.find(({ run }) => run.variant === "on" && run.sizeBytes === sizeMiB * mib)!.perPage("processor");
  console.log("\nfrom 8 to 64 MiB");
  line("growth of the processor time per page", perPageAt(64) / perPageAt(8), "", growthAim);
}

function printOpening({ fileBytes, statements, millis }: Opening): void {
  console.log(`\nopening a file of ${(fileBytes / mib).toFixed(0)} MiB with ${statements} statements`);
  line("verified, in the page cache, median", median(millis), "ms", openingAim);
}

async function main(folder: string): Promise<void> {
  const name = path.join(folder, "floor.kladde");
  const measure = async (run: Run): Promise<Measured> => {
    try {
      return summarise(run, await measureFlushes(kladdeStores, run, name));
    } finally {
      removeStore(name);
    }
  };
  console.log(`Node ${process.versions.node}, ${os.cpus().length} cores`);
  const all: Measured[] = [];
  for (const run of runsOf(flushTimeTable)) {
    all.push(await measure(run));
    printSpeed(all.at(-1)!);
  }
  printGrowth(all);
  printStages("Where the time of a flush goes, in µs for each page it writes", timedStages, all);
  printStages("The same by part of the store, profiled", profileParts, all);
  try {
    const largest = all.find(({ run }) => run.sizeBytes === 64 * mib)!.run;
    printOpening(measureOpen(kladdeStores, largest, name));
  } finally {
    removeStore(name);
  }
  console.log(`
Figures are over the third quarter of a run, those of the profile over the last one. Processor time is that of the
whole process, so that it holds what garbage collection takes; elapsed time depends on the disk. The plain side writes
each page with one writeSync and ends with fdatasyncSync; in both files the journal pages of the interval are dirty when
that begins.`);
}

function removeStore(name: string): void {
  for (const suffix of ["", ".lock", ".plain"]) rmSync(`${name}${suffix}`, { force: true });
}

const given = process.argv[2];
const folder = given ?? mkdtempSync(path.join(os.tmpdir(), "daybook-floor-"));
try {
  await main(folder);
} finally {
  if (given === undefined) rmSync(folder, { recursive: true, force: true });
}
