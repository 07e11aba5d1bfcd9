/**
 * The benchmark's command line. Exit codes: 0 done; 1 something failed or differs; 2 usage; 130 interrupted.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { differences, fingerprintOf, fingerprints } from "./fingerprints.ts";
import { runTable } from "./kladde-stores.ts";
import { largestRuns, measureMemory, memoryLine } from "./memory.ts";
import { Progress, seconds } from "./progress.ts";
import { type Run, runsOf, runTitle, tables } from "./runs.ts";
import { writeCsv } from "./table.ts";

const memoryMaxMiB = 500;

const usage = `usage: tsx engine/bench/main.ts COMMAND

  run OUT_DIR [TABLE...] [SELECTION]   run tables (default: all) and write OUT_DIR/TABLE.csv
  tables [TABLE...] [SELECTION]        list tables and runs with the time they take
  memory [TABLE...] [SELECTION]        peak memory of each table's largest runs, each in a process of its own;
                                       exit code 1 above ${memoryMaxMiB} MiB
  fingerprints                         compare every workload with its published fingerprint; needs no store

selection: --quick           small sizes, with a check of the store after every flush
           --variant NAME    only runs of this variant
           --size MIB        only runs of this size
tables: ${tables.map(({ name }) => name).join(" ")}`;

class UsageError extends Error {}

async function main(words: readonly string[]): Promise<number> {
  const [command, ...rest] = words;
  switch (command) {
    case "run":
      return runCommand(rest);
    case "tables":
      return tablesCommand(rest);
    case "memory":
      return memoryCommand(rest);
    case "fingerprints":
      return fingerprintsCommand(rest);
    case "--help":
    case "-h":
      console.log(usage);
      return 0;
    default:
      throw new UsageError(command === undefined ? "a command is missing" : `unknown command "${command}"`);
  }
}

async function runCommand(words: readonly string[]): Promise<number> {
  const [directory, ...names] = words.filter((word) => word !== "--tell-memory");
  if (directory === undefined || directory.startsWith("-")) throw new UsageError("OUT_DIR is missing");
  const { quick, selected } = selectionIn(names);
  mkdirSync(directory, { recursive: true });
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort(new Error("interrupted")));
  const progress = new Progress();
  for (const [name, runs] of selected) {
    const only = (run: Run) => runs.some((one) => runTitle(one) === runTitle(run));
    const onProgress = progress.show.bind(progress);
    const table = await runTable(name, { directory, quick, only, onProgress, signal: stop.signal });
    writeFileSync(path.join(directory, `${name}.csv`), writeCsv(table));
  }
  if (words.includes("--tell-memory")) console.log(memoryLine());
  return 0;
}

function tablesCommand(words: readonly string[]): number {
  const { selected } = selectionIn(words);
  let total = 0;
  for (const [name, runs] of selected) {
    console.log(`${name}: ${tables.find((table) => table.name === name)!.describes}`);
    for (const run of runs) {
      console.log(`  ${runTitle(run).padEnd(32)} about ${Math.ceil(run.estimatedSeconds)} s`);
      total += run.estimatedSeconds;
    }
  }
  console.log(`all of these: about ${Math.ceil(total)} s`);
  return 0;
}

function memoryCommand(words: readonly string[]): number {
  const { quick, selected } = selectionIn(words);
  const directory = mkdtempSync(path.join(tmpdir(), "daybook-memory-"));
  let isTooMuch = false;
  try {
    for (const run of largestRuns([...selected.keys()], quick)) {
      if (!selected.get(run.table)!.some((one) => runTitle(one) === runTitle(run))) continue;
      const peakMiB = measureMemory(run, directory);
      isTooMuch ||= peakMiB > memoryMaxMiB;
      const verdict = peakMiB > memoryMaxMiB ? `  MORE than ${memoryMaxMiB}` : "";
      console.log(`${runTitle(run).padEnd(32)}${peakMiB.toFixed(0).padStart(6)} MiB${verdict}`);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return isTooMuch ? 1 : 0;
}

function fingerprintsCommand(words: readonly string[]): number {
  if (words.length > 0) throw new UsageError("fingerprints takes no arguments");
  let differing = 0;
  for (const published of fingerprints) {
    const start = performance.now();
    const faults = differences(fingerprintOf(published.scenario, published.sizeMiB), published);
    if (faults.length > 0) differing++;
    const title = `${published.scenario} ${published.sizeMiB} MiB`.padEnd(14);
    const verdict = faults.length === 0 ? "as published" : `DIFFERS: ${faults.join("; ")}`;
    console.log(`${title} ${seconds(start).padStart(6)}  ${verdict}`);
  }
  console.log(`${fingerprints.length - differing} of ${fingerprints.length} fingerprints are as published`);
  return differing === 0 ? 0 : 1;
}

interface Selection {
  readonly quick: boolean;
  /** By table, in the order asked for; no table without a run. */
  readonly selected: ReadonlyMap<string, readonly Run[]>;
}

function selectionIn(words: readonly string[]): Selection {
  const { values, names } = parse(words);
  const { quick, variant, size } = values;
  const selected = new Map<string, readonly Run[]>();
  for (const name of names.length === 0 ? tables.map((table) => table.name) : names) {
    const runs = knownRuns(name, quick).filter(
      (run) =>
        (variant === undefined || run.variant === variant) &&
        (size === undefined || run.sizeBytes === Number(size) * 1024 * 1024),
    );
    if (runs.length > 0) selected.set(name, runs);
  }
  if (selected.size === 0) throw new UsageError("no run is like that; the command tables lists them all");
  return { quick, selected };
}

function parse(words: readonly string[]) {
  const options = {
    quick: { type: "boolean", default: false },
    variant: { type: "string" },
    size: { type: "string" },
  } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
    return { values, names: positionals };
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

function knownRuns(name: string, quick: boolean): Run[] {
  try {
    return runsOf(name, quick);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const message = messageOf(error);
  if (error instanceof UsageError) console.error(`${message}\n\n${usage}`);
  else console.error(`\n${message}`);
  process.exitCode = error instanceof UsageError ? 2 : message === "interrupted" ? 130 : 1;
}
