/**
 * Prints the speed floor of the page store as a table, with the aims beside the figures.
 *
 * Usage: `tsx engine/bench/floor.ts [FOLDER]`; files go to FOLDER (default: a temporary one) and are deleted. The first
 * flushes are left out: they run code that is not compiled yet.
 */

import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Interval, measureFlushes, measureOpen, type Opening } from "./floor-measure.ts";
import { kladdeStores } from "./kladde-stores.ts";

const flushesLeftOut = 32;

/** Value at a share of the sorted numbers. */
function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))]!;
}

interface Line {
  readonly what: string;
  readonly values: readonly number[];
  readonly unit: string;
  readonly aim?: number;
  /** Shown and held against the aim; the median where not given. */
  readonly value?: number;
}

function linesOf(intervals: readonly Interval[], { millis }: Opening): Line[] {
  const per = (of: (interval: Interval) => number) => intervals.map(of);
  const operations = intervals.reduce((sum, one) => sum + one.operations, 0);
  const operationMicros = intervals.reduce((sum, one) => sum + one.operationMicros, 0);
  return [
    {
      what: "flush: processor time per page, sync excluded",
      values: per((one) => one.processorMicros / one.pages),
      unit: "µs",
      aim: 40,
    },
    {
      what: "  plain writes of the same pages",
      values: per((one) => one.plainProcessorMicros / one.pages),
      unit: "µs",
    },
    { what: "flush: elapsed, sync included", values: per((one) => one.elapsedMicros / 1000), unit: "ms" },
    {
      what: "  plain writes and fdatasync of the same pages",
      values: per((one) => one.plainElapsedMicros / 1000),
      unit: "ms",
    },
    {
      what: "  ratio",
      values: per((one) => one.elapsedMicros / one.plainElapsedMicros),
      unit: "",
      aim: 1.5,
    },
    {
      what: "an operation between flushes, mean",
      values: per((one) => one.operationMicros / one.operations),
      unit: "µs",
      aim: 4,
      value: operationMicros / operations,
    },
    { what: "opening a 64 MiB store, verified", values: millis, unit: "ms", aim: 1000 },
  ];
}

function print(intervals: readonly Interval[], opening: Opening): void {
  const pages = quantile(
    intervals.map((one) => one.pages),
    0.5,
  );
  console.log(
    `\nuniform off 8 MiB on Node ${process.versions.node}, ${os.cpus().length} cores: ` +
      `${intervals.length} flushes of ${pages} pages (median)\n` +
      `opened: a file of ${opening.fileMiB.toFixed(0)} MiB with ${opening.statements} statements, in the page cache\n`,
  );
  const cell = (value: number, unit: string) => `${value.toFixed(2)} ${unit}`.trim().padStart(11);
  console.log(`${"".padEnd(48)}${"median".padStart(11)}${"10 %".padStart(11)}${"90 %".padStart(11)}  aim`);
  for (const { what, values, unit, aim, value = quantile(values, 0.5) } of linesOf(intervals, opening)) {
    const verdict = aim === undefined ? "" : `  ≤ ${aim} ${unit} ${value <= aim ? "met" : "MISSED"}`;
    const spread = [quantile(values, 0.1), quantile(values, 0.9)].map((one) => cell(one, unit)).join("");
    console.log(`${what.padEnd(48)}${cell(value, unit)}${spread}${verdict}`);
  }
  console.log(`
Processor time is that of the whole process, so that it holds what garbage collection takes; elapsed time depends on
the disk. The plain side writes each page with one writeSync and ends with fdatasyncSync; in both files the journal
pages of the interval are dirty when that begins. The ratio is taken flush by flush.`);
}

const given = process.argv[2];
const folder = given ?? mkdtempSync(path.join(os.tmpdir(), "daybook-floor-"));
try {
  const stores = kladdeStores;
  console.log("warming up");
  for (let round = 0; round < 2; round++) measureFlushes(stores, folder, 1);
  console.log("measuring flushes");
  const intervals = measureFlushes(stores, folder, 8).slice(flushesLeftOut);
  console.log("measuring open");
  print(intervals, measureOpen(stores, folder, 64));
} finally {
  if (given === undefined) rmSync(folder, { recursive: true, force: true });
}
