/**
 * What a document of the typed workload costs: an operation between flushes, opening, and memory.
 *
 * Memory is that of a process of its own, which opens the file and nothing else, after collecting garbage.
 */

import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openNodeFile } from "../../../storage/node.ts";
import { type Cost, costNow, costSince } from "../../cost.ts";
import { applyTyped, type BenchDocument } from "../document.ts";
import { kladdeDocuments } from "../kladde-documents.ts";
import { drawTyped } from "../workload.ts";
import { type Spread, spreadOf, sumOf } from "./statistics.ts";

export interface Operations {
  /** Microseconds an operation between flushes, by rows of the second half. */
  readonly perOperation: Spread;
  /** The same over all of these rows: what is slow now and then counts in full. */
  readonly perOperationMean: number;
  /** In microseconds of the processor, for the whole process: what others do meanwhile is not in it. */
  readonly processorPerOperation: number;
  readonly flushMillis: Spread;
  /** Flushes included. */
  readonly operationsPerSecond: number;
}

interface TimedInterval {
  readonly operations: number;
  readonly ops: Cost;
  readonly flush: Cost;
}

/** Runs the workload; the file has this name and stays. */
export function measureOperations(name: string, sizeBytes: number): Operations {
  const document = kladdeDocuments.create(name, {});
  const { drawing, marks } = drawTyped(sizeBytes);
  const timed: TimedInterval[] = [];
  for (const mark of marks) {
    const { count } = drawing.interval;
    const start = costNow();
    applyTyped(document.texts, drawing.interval);
    const applied = costNow();
    if (mark === "fill") continue;
    document.flush();
    const flush = costSince(applied);
    if (mark === "row") timed.push({ operations: count, ops: costSince(start, applied), flush });
  }
  document.close();
  return summarise(timed.slice(Math.floor(timed.length / 2)));
}

function summarise(rows: readonly TimedInterval[]): Operations {
  const operations = sumOf(rows.map((row) => row.operations));
  const opsMicros = sumOf(rows.map(({ ops }) => ops.elapsedMicros));
  const flushMicros = sumOf(rows.map(({ flush }) => flush.elapsedMicros));
  return {
    perOperation: spreadOf(rows.map((row) => row.ops.elapsedMicros / row.operations)),
    perOperationMean: opsMicros / operations,
    processorPerOperation: sumOf(rows.map(({ ops }) => ops.processorMicros)) / operations,
    flushMillis: spreadOf(rows.map(({ flush }) => flush.elapsedMicros / 1000)),
    operationsPerSecond: (operations / (opsMicros + flushMicros)) * 1e6,
  };
}

export interface Opening {
  readonly strings: number;
  readonly fileBytes: number;
  readonly millis: Spread;
  readonly processorMillis: Spread;
}

const openings = 7;

export function measureOpening(name: string): Opening {
  const costs: Cost[] = [];
  let strings = 0;
  for (let round = 0; round < openings; round++) {
    const start = costNow();
    const document = kladdeDocuments.open(name);
    costs.push(costSince(start));
    strings = document.texts.size;
    document.close();
  }
  const file = openNodeFile(name, "read");
  const fileBytes = file.size();
  file.close();
  return {
    strings,
    fileBytes,
    millis: spreadOf(costs.map(({ elapsedMicros }) => elapsedMicros / 1000)),
    processorMillis: spreadOf(costs.map(({ processorMicros }) => processorMicros / 1000)),
  };
}

export interface Memory {
  /** Bytes of all allocations. */
  readonly liveBytes: number;
  readonly strings: number;
  /** Of JavaScript's heap and of buffers outside, by what opening added. */
  readonly heapBytes: number;
  readonly bufferBytes: number;
  /** Of the whole process, and of it before opening. */
  readonly residentBytes: number;
  readonly residentBytesBefore: number;
}

const script = fileURLToPath(new URL("main.ts", import.meta.url));
export const memoryWord = "--memory-of";

export function measureMemory(name: string): Memory {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, script, memoryWord, name],
    {
      encoding: "utf8",
    },
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Memory;
}

/** In the process of its own: prints what opening this file takes. */
export function tellMemory(name: string): void {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const used = () => {
    collectGarbage();
    collectGarbage();
    return process.memoryUsage();
  };
  const before = used();
  const document: BenchDocument = kladdeDocuments.open(name);
  const after = used();
  const { allocationBytes } = document.stats();
  const memory: Memory = {
    liveBytes: allocationBytes,
    strings: document.texts.size,
    heapBytes: after.heapUsed - before.heapUsed,
    bufferBytes: after.arrayBuffers - before.arrayBuffers,
    residentBytes: after.rss,
    residentBytesBefore: before.rss,
  };
  document.close();
  console.log(JSON.stringify(memory));
}

export function removeDocument(name: string): void {
  for (const suffix of ["", ".lock", ".lock-journal"]) rmSync(`${name}${suffix}`, { force: true });
}
