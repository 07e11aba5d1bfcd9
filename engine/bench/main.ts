/**
 * The benchmark's command line. Exit codes: 0 done; 1 something failed or differs; 2 usage; 130 interrupted.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { differences, fingerprintOf, fingerprints } from "./fingerprints.ts";
import { runTable } from "./kladde-stores.ts";
import { type Run, runsOf, runTitle, tables } from "./runs.ts";
import { type Row, writeCsv } from "./table.ts";

const usage = `usage: tsx engine/bench/main.ts COMMAND

  run OUT_DIR [TABLE...] [--quick]   run tables (default: all) and write OUT_DIR/TABLE.csv
  tables [--quick]                   list tables and runs with the time they take
  fingerprints                       compare every workload with its published fingerprint; needs no store

tables: ${tables.map(({ name }) => name).join(" ")}`;

class UsageError extends Error {}

async function main(words: readonly string[]): Promise<number> {
  const [command, ...rest] = words;
  switch (command) {
    case "run":
      return runCommand(rest);
    case "tables":
      return tablesCommand(rest);
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
  const { quick, positionals } = parse(words);
  const [directory, ...wanted] = positionals;
  if (directory === undefined) throw new UsageError("OUT_DIR is missing");
  const names = wanted.length === 0 ? tables.map(({ name }) => name) : wanted;
  for (const name of names) knownRuns(name, quick);
  mkdirSync(directory, { recursive: true });
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort(new Error("interrupted")));
  const progress = new Progress();
  for (const name of names) {
    const onProgress = (run: Run, rows: number, row?: Row) => progress.show(run, rows, row);
    const table = await runTable(name, { directory, quick, onProgress, signal: stop.signal });
    writeFileSync(path.join(directory, `${name}.csv`), writeCsv(table));
  }
  return 0;
}

function tablesCommand(words: readonly string[]): number {
  const { quick, positionals } = parse(words);
  if (positionals.length > 0) throw new UsageError(`unexpected "${positionals[0]}"`);
  for (const { name, describes } of tables) {
    console.log(`${name}: ${describes}`);
    for (const run of runsOf(name, quick)) {
      console.log(`  ${runTitle(run).padEnd(24)} about ${Math.ceil(run.estimatedSeconds)} s`);
    }
  }
  return 0;
}

function fingerprintsCommand(words: readonly string[]): number {
  const { quick, positionals } = parse(words);
  if (quick || positionals.length > 0) throw new UsageError("fingerprints takes no arguments");
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

function parse(words: readonly string[]): { quick: boolean; positionals: string[] } {
  try {
    const options = { quick: { type: "boolean", default: false } } as const;
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
    return { quick: values.quick, positionals };
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

function knownRuns(name: string, quick: boolean): void {
  try {
    runsOf(name, quick);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** One line for each run; on a terminal, and not in CI, the line of the current run counts up. */
class Progress {
  readonly #isLive = process.stdout.isTTY === true && !process.env.CI;
  #start = performance.now();
  #shown = 0;

  show(run: Run, rows: number, row?: Row): void {
    if (row !== undefined) {
      if (rows === 1) this.#start = performance.now();
      if (this.#isLive && performance.now() - this.#shown > 100) this.#draw(run, rows, row);
      return;
    }
    this.#write(`${runTitle(run).padEnd(20)} ${String(rows).padStart(5)} rows in ${seconds(this.#start)}\n`);
  }

  #draw(run: Run, rows: number, row: Row): void {
    const share = run.scenario === "shrink" ? rows / 401 : row.app_bytes / (8 * run.sizeBytes);
    const percent = String(Math.min(Math.floor(100 * share), 100)).padStart(3);
    this.#shown = performance.now();
    this.#write(`${runTitle(run).padEnd(20)} ${String(rows).padStart(5)} rows, ${percent} %`);
  }

  #write(line: string): void {
    process.stdout.write(this.#isLive ? `\r\x1b[2K${line}` : line);
  }
}

const seconds = (start: number): string => `${((performance.now() - start) / 1000).toFixed(1)} s`;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const message = messageOf(error);
  if (error instanceof UsageError) console.error(`${message}\n\n${usage}`);
  else console.error(`\n${message}`);
  process.exitCode = error instanceof UsageError ? 2 : message === "interrupted" ? 130 : 1;
}
