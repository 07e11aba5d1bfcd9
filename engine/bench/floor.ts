/**
 * Prints the speed of the page store beside the system's calls alone, with the aims beside the figures.
 *
 * Usage: `tsx engine/bench/floor.ts [FOLDER]`; files go to FOLDER (default: a temporary one) and are deleted. All
 * figures are over the second half of a run of `uniform`, as in the table `flush-time`.
 */

import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { flushTimeTable } from "./columns.ts";
import { flushTimeRows, type MeasuredFlush, measureFlushes, type Stage } from "./flush-time.ts";
import { kladdeStores } from "./kladde-stores.ts";
import { measureOpen, type Opening } from "./open-time.ts";
import { type Run, runsOf, runTitle } from "./runs.ts";

const mib = 1024 * 1024;

interface Measured {
  readonly run: Run;
  readonly flushes: readonly MeasuredFlush[];
  /** Over the second half. */
  readonly pages: number;
  readonly micros: (stage: Stage) => number;
  readonly perCall: (stage: Stage) => number;
}

function summarise(run: Run, flushes: readonly MeasuredFlush[]): Measured {
  const rows = new Map(flushTimeRows(run, flushes).map((row) => [row.stage, row]));
  const micros = (stage: Stage) => rows.get(stage)!.micros;
  const perCall = (stage: Stage) => micros(stage) / rows.get(stage)!.calls;
  return { run, flushes, pages: rows.get("flush")!.pages, micros, perCall };
}

const processorPerPage = ({ micros, pages }: Measured): number => micros("processor") / pages;

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

function line(what: string, value: number, unit: string, aim?: number): void {
  const verdict = aim === undefined ? "" : `  ≤ ${aim} ${unit} ${value <= aim ? "met" : "MISSED"}`;
  console.log(`  ${what.padEnd(58)}${`${value.toFixed(2)} ${unit}`.trim().padStart(12)}${verdict}`);
}

function printSpeed(measured: Measured, perPageAim: number | undefined): void {
  const { run, flushes, pages, micros, perCall } = measured;
  const settled = flushes.slice(Math.floor(flushes.length / 2));
  const plain = micros("plain-write") + micros("plain-sync");
  console.log(`\n${runTitle(run).replace(run.table, run.scenario)}: ${settled.length} flushes`);
  line("pages of a flush", pages / settled.length, "");
  line("processor time per page, sync excluded", processorPerPage(measured), "µs", perPageAim);
  line("  median flush", median(settled.map((one) => one.processorMicros / one.pages)), "µs");
  line("  plain writes of the same pages", micros("plain-processor") / pages, "µs");
  line("flush, sync included", micros("flush") / settled.length / 1000, "ms");
  line("  plain writes and fdatasync of the same pages", plain / settled.length / 1000, "ms");
  line("  ratio", micros("flush") / plain, "");
  line("  ratio, median flush", median(settled.map(ratioToPlain)), "");
  line("an operation between flushes", perCall("operations"), "µs", 4);
}

const ratioToPlain = ({ elapsedMicros, plain }: MeasuredFlush): number =>
  elapsedMicros / (plain.elapsedMicros + plain.syncMicros);

/** Microseconds a page of every stage, a column for each run. */
function printStages(all: readonly Measured[]): void {
  const stages = ["write", "read", "sync", "rest", "flush", "processor"] as const;
  const head = all.map(({ run }) => `${run.variant} ${run.sizeBytes / mib} MiB`.padStart(14)).join("");
  console.log(`\nWhere the time of a flush goes, in µs for each page it writes:\n${"".padEnd(30)}${head}`);
  const names = { rest: "the rest of the store", flush: "whole flush", processor: "processor, without sync" };
  for (const stage of stages) {
    const cells = all.map(({ micros, pages }) => (micros(stage) / pages).toFixed(2).padStart(14)).join("");
    console.log(`  ${((names as Record<string, string>)[stage] ?? stage).padEnd(28)}${cells}`);
  }
}

function printOpening({ fileBytes, statements, millis }: Opening): void {
  console.log(`\nopening a file of ${(fileBytes / mib).toFixed(0)} MiB with ${statements} statements`);
  line("verified, in the page cache, median", median(millis), "ms", 1000);
}

/** The runs of the table, and one without reclamation beside them. */
function runsToMeasure(): readonly Run[] {
  const [, eight, ...larger] = runsOf(flushTimeTable);
  return [{ ...eight!, variant: "off", options: { consolidate: false } }, eight!, ...larger];
}

const perPageAims: Readonly<Record<string, number>> = { off: 40, on: 50 };

async function main(folder: string): Promise<void> {
  const name = path.join(folder, "floor.kladde");
  const measure = async (run: Run): Promise<Measured> => {
    try {
      return summarise(run, await measureFlushes(kladdeStores, run, name));
    } finally {
      removeStore(name);
    }
  };
  console.log(`Node ${process.versions.node}, ${os.cpus().length} cores. Warming up.`);
  for (const run of runsOf(flushTimeTable, true)) await measure(run);
  const all: Measured[] = [];
  for (const run of runsToMeasure()) {
    const measured = await measure(run);
    printSpeed(measured, run.sizeBytes === 8 * mib ? perPageAims[run.variant] : undefined);
    all.push(measured);
  }
  const [, eight, largest] = all;
  console.log("\nfrom 8 to 64 MiB");
  line(
    "growth of the processor time per page",
    processorPerPage(largest!) / processorPerPage(eight!),
    "",
    1.3,
  );
  printStages(all);
  try {
    printOpening(measureOpen(kladdeStores, { ...largest!.run, options: { consolidate: false } }, name));
  } finally {
    removeStore(name);
  }
  console.log(`
Processor time is that of the whole process, so that it holds what garbage collection takes; elapsed time depends on
the disk. The plain side writes each page with one writeSync and ends with fdatasyncSync; in both files the journal
pages of the interval are dirty when that begins.`);
}

function removeStore(name: string): void {
  for (const suffix of ["", ".lock"]) rmSync(`${name}${suffix}`, { force: true });
}

const given = process.argv[2];
const folder = given ?? mkdtempSync(path.join(os.tmpdir(), "daybook-floor-"));
try {
  await main(folder);
} finally {
  if (given === undefined) rmSync(folder, { recursive: true, force: true });
}
