/**
 * Prints the speed of the typed layer, with the aims beside the figures.
 *
 * Usage: `tsx engine/bench/typed/speed/main.ts [SIZE_MIB] [FOLDER]`: the typed workload of SIZE_MIB (default 16) in FOLDER
 * (default: a temporary one); the file is deleted.
 */

import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { kladdeDocuments } from "../kladde-documents.ts";
import {
  type Memory,
  measureMemory,
  measureOpening,
  measureOperations,
  memoryWord,
  type Opening,
  type Operations,
  removeDocument,
  tellMemory,
} from "./documents.ts";
import { mapReads, propertyReads, type Reading } from "./reading.ts";
import type { Spread } from "./statistics.ts";

const mib = 1024 * 1024;
const operationMicrosAim = 6;
const propertyRatioAim = 3;
const mapRatioAim = 1.2;
const openingMillisAim = 1500;
const memoryRatioAim = 4;

function line(what: string, value: number, unit: string, spread?: Spread, aim?: number): void {
  const range = spread === undefined ? "" : `  (${spread.low.toFixed(2)} to ${spread.high.toFixed(2)})`;
  const verdict = aim === undefined ? "" : `  ≤ ${aim} ${unit} ${value <= aim ? "met" : "MISSED"}`;
  console.log(`  ${what.padEnd(52)}${`${value.toFixed(2)} ${unit}`.trim().padStart(14)}${range}${verdict}`);
}

function printReadings(title: string, readings: readonly Reading[], aim: number): void {
  console.log(`\n${title}`);
  for (const { what, ours, plain, ratio } of readings) {
    line(what, ours.median, "ns", ours);
    line("  plain JavaScript", plain.median, "ns", plain);
    line("  ratio", ratio.median, "", ratio, aim);
  }
}

function printOperations(sizeMiB: number, operations: Operations): void {
  const { perOperation, perOperationMean, processorPerOperation, flushMillis, operationsPerSecond } =
    operations;
  console.log(`\ntyped ${sizeMiB} MiB, second half`);
  line("an operation between flushes, median of rows", perOperation.median, "µs", perOperation);
  line("  mean", perOperationMean, "µs", undefined, operationMicrosAim);
  line("  mean, of the processor", processorPerOperation, "µs");
  line("a flush after a thousand of them", flushMillis.median, "ms", flushMillis);
  line("operations per second, flushes included", operationsPerSecond, "");
}

function printOpening({ strings, fileBytes, millis, processorMillis }: Opening): void {
  console.log(
    `\nopening a file of ${(fileBytes / mib).toFixed(1)} MiB with ${strings} strings, in the page cache`,
  );
  line("median", millis.median, "ms", millis, openingMillisAim);
  line("  of the processor", processorMillis.median, "ms", processorMillis);
  line("  for each MiB of the file", millis.median / (fileBytes / mib), "ms");
}

function printMemory(memory: Memory): void {
  const { liveBytes, strings, heapBytes, bufferBytes, residentBytes, residentBytesBefore } = memory;
  console.log(
    `\nmemory of a process that has opened it, beside ${(liveBytes / mib).toFixed(1)} MiB of live bytes`,
  );
  line("heap and buffers", (heapBytes + bufferBytes) / mib, "MiB");
  line("  over live bytes", (heapBytes + bufferBytes) / liveBytes, "", undefined, memoryRatioAim);
  line("  heap, for each string", heapBytes / strings, "bytes");
  line("  buffers, for each string", bufferBytes / strings, "bytes");
  line("resident, the whole process", residentBytes / mib, "MiB");
  line("  over live bytes", residentBytes / liveBytes, "", undefined, memoryRatioAim);
  line("  before opening", residentBytesBefore / mib, "MiB");
}

function main(sizeMiB: number, folder: string): void {
  const name = path.join(folder, "speed.kladde");
  console.log(`Node ${process.versions.node}, ${os.cpus().length} cores`);
  removeDocument(name);
  try {
    printOperations(sizeMiB, measureOperations(name, sizeMiB * mib));
    printOpening(measureOpening(name));
    printMemory(measureMemory(name));
    printReadings(
      "reading a property of a live object, beside a getter of a plain class",
      propertyReads(),
      propertyRatioAim,
    );
    const document = kladdeDocuments.open(name);
    printReadings("reading the map, beside a plain Map", mapReads(document.texts), mapRatioAim);
    document.close();
  } finally {
    removeDocument(name);
  }
  console.log("\nMedians; in brackets, between which values eight tenths of the measurements lie.");
}

const [first, second] = process.argv.slice(2);
if (first === memoryWord) tellMemory(second!);
else {
  const sizeMiB = Number(first ?? 16);
  if (!(sizeMiB > 0)) throw new TypeError(`SIZE_MIB must be a positive number, not ${first}`);
  const folder = second ?? mkdtempSync(path.join(os.tmpdir(), "daybook-typed-speed-"));
  try {
    main(sizeMiB, folder);
  } finally {
    if (second === undefined) rmSync(folder, { recursive: true, force: true });
  }
}
