/**
 * Where results lie below `content/evaluation`, and reading and writing them there.
 *
 *     data/<study>/<run>/<table>.csv.gz        the rows
 *     data/<study>/<run>/<table>.times.csv.gz  the times of further repetitions, one after another
 *     data/<study>/<run>/manifest.json         what was run, where, from which commit
 *     summary/<study>.json                     numbers, tables, claims, comparison
 *     figures/<study>/<figure>.{svg,csv,vl.json}
 *     columns.json                             what the tables' columns mean
 *
 *  (1) A file is complete or not there: it is written under another name and renamed.
 *  (2) What is read is checked: columns by the benchmark's declaration, hashes by the manifest.
 */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type Column,
  columnsOf,
  exactColumnsOf,
  readCsv,
  type Section,
  sectionsOf,
  type Table,
  writeCsv,
} from "../../engine/bench/index.ts";
import { compress, decompress } from "./gzip.ts";
import { formatJson, type Manifest, type Summary } from "./summary.ts";

/** The columns of a table of times: which row it is, and the measured columns. */
const TIMES_KEYS = ["scenario", "variant", "size", "flush"] as const;
const timesColumns = (table: string): Column[] =>
  columnsOf(table).filter(
    ({ name, kind }) => (TIMES_KEYS as readonly string[]).includes(name) || kind === "measured",
  );

export const runFolder = (study: string, run: string): string => join("data", study, run);
export const tablePath = (study: string, run: string, table: string): string =>
  join(runFolder(study, run), `${table}.csv.gz`);
export const timesPath = (study: string, run: string, table: string): string =>
  join(runFolder(study, run), `${table}.times.csv.gz`);
export const manifestPath = (study: string, run: string): string =>
  join(runFolder(study, run), "manifest.json");
export const summaryPath = (study: string): string => join("summary", `${study}.json`);
export const changesPath = (study: string): string => join("summary", `${study}.changes.json`);
export const columnsPath = "columns.json";
export const figureFolder = (study: string): string => join("figures", study);

export function writeWhole(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.draft`;
  writeFileSync(draft, content);
  renameSync(draft, path);
}

export const encodeTable = (table: Table): Uint8Array => compress(writeCsv(table));
export const decodeTable = (name: string, bytes: Uint8Array): Table => readCsv(name, decompress(bytes));

/** Repetitions one after another; each has rows of the table, with the measured columns of that repetition. */
export function encodeTimes(repetitions: readonly Table[]): Uint8Array {
  const [first, ...others] = repetitions.map((table) => writeCsv(table, timesColumns(table.name)));
  if (first === undefined) throw new TypeError("no repetitions to write");
  return compress(first + others.map((text) => text.slice(text.indexOf("\n") + 1)).join(""));
}

/** Every repetition holds the same runs of the table, each whole. */
export function decodeTimes(table: Table, bytes: Uint8Array): Table[] {
  const [header = "", ...lines] = decompress(bytes).trimEnd().split("\n");
  const keys = (line: string): string => line.split(",").slice(0, TIMES_KEYS.length).join(",");
  const first = keys(lines[0] ?? "");
  const starts = lines.flatMap((line, index) => (keys(line) === first ? [index] : []));
  return starts.map((from, repetition) => {
    const part = lines.slice(from, starts[repetition + 1]);
    const times = readCsv(table.name, [header, ...part, ""].join("\n"), timesColumns(table.name));
    checkRuns(table, times);
    return times;
  });
}

function checkRuns(table: Table, times: Table): void {
  const runs = sectionsOf(table);
  for (const section of sectionsOf(times)) {
    const run = runs.find((candidate) => isSameRun(candidate, section));
    const there = `${times.name}.times: ${section.scenario} ${section.variant} ${section.sizeBytes}`;
    if (run === undefined) throw new Error(`${there} is no run of the table`);
    const rows = section.to - section.from;
    if (rows !== run.to - run.from) throw new Error(`${there} has ${rows} rows, not ${run.to - run.from}`);
    for (let row = 0; row < rows; row++) {
      if (times.columns.flush[section.from + row] === table.columns.flush[run.from + row]) continue;
      throw new Error(`${there}, row ${row + 1}: flush is not the table's`);
    }
  }
}

export const isSameRun = (a: Section, b: Section): boolean =>
  a.scenario === b.scenario && a.variant === b.variant && a.sizeBytes === b.sizeBytes;

/** What the manifest keeps of a table: the hash of the columns that every machine must reproduce. */
export const exactHash = (table: Table): string =>
  createHash("sha256")
    .update(writeCsv(table, exactColumnsOf(table.name)))
    .digest("hex");

export interface KeptTable {
  readonly table: Table;
  readonly times: readonly Table[];
}

export function readTable(root: string, study: string, run: string, name: string): KeptTable {
  const tableAt = join(root, tablePath(study, run, name));
  if (!existsSync(tableAt)) throw new Error(`${tableAt} is missing; pnpm reproduce --only ${study} makes it`);
  const table = decodeTable(name, readFileSync(tableAt));
  const timesAt = join(root, timesPath(study, run, name));
  return { table, times: existsSync(timesAt) ? decodeTimes(table, readFileSync(timesAt)) : [] };
}

export function writeTable(root: string, study: string, run: string, { table, times }: KeptTable): void {
  writeWhole(join(root, tablePath(study, run, table.name)), encodeTable(table));
  const timesAt = join(root, timesPath(study, run, table.name));
  if (times.length > 0) writeWhole(timesAt, encodeTimes(times));
  else rmSync(timesAt, { force: true });
}

export const readManifest = (root: string, study: string, run: string): Manifest =>
  readJson(join(root, manifestPath(study, run)));

export const readSummary = (root: string, study: string): Summary => readJson(join(root, summaryPath(study)));

export const writeJson = (path: string, value: unknown): void => writeWhole(path, formatJson(value));

function readJson<T>(path: string): T {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as T;
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
