/**
 * The verdict at the end: which exact columns are as committed, what differs, how ours stand beside the published ones.
 */

import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Table } from "../engine/bench/index.ts";
import type { Committed } from "./data/committed.ts";
import {
  compareExact,
  compareMeasured,
  type ExactComparison,
  identicalColumns,
  NOT_COMMITTED,
} from "./data/compare.ts";
import {
  changesPath,
  decodeTable,
  encodeTable,
  readTable,
  summaryPath,
  tablePath,
  writeJson,
} from "./data/files.ts";
import type { Changes, Summary } from "./data/summary.ts";
import { formatJson } from "./data/summary.ts";
import { type Measured, measuredKey } from "./measure.ts";
import type { Options } from "./options.ts";
import type { Redrawn } from "./redraw.ts";
import type { Part } from "./selection.ts";
import type { Study } from "./studies/study.ts";

type Log = (line: string) => void;

function committedTable(committed: Committed, study: string, run: string, name: string): Table | undefined {
  const bytes = committed.read(tablePath(study, run, name));
  return bytes === undefined ? undefined : decodeTable(name, bytes);
}

/** Says and returns whether all exact columns of what was measured are as committed. */
export function exactVerdict(
  parts: readonly Part[],
  { quick }: Options,
  measured: Measured,
  committed: Committed,
  log: Log,
): boolean {
  let same = true;
  for (const part of parts) {
    const label = quick ? `${part.run.label}-quick` : part.run.label;
    const comparisons = part.tables.map((name) => {
      const ours = measured.get(measuredKey(part, name))![0]!;
      return compareExact(committedTable(committed, part.study.id, label, name), ours);
    });
    const run = `${part.study.id}/${label}`;
    const known = comparisons.some(({ first }) => first !== NOT_COMMITTED);
    if (known) for (const line of exactLines(run, comparisons, committed.against)) log(line);
    else log(`${run}: nothing of it is committed yet, so there is nothing to compare with.`);
    same = same && comparisons.every(({ differing }) => differing === 0);
  }
  return same;
}

export function exactLines(run: string, comparisons: readonly ExactComparison[], against: string): string[] {
  const { same, of } = identicalColumns(comparisons);
  const rows = comparisons.reduce((sum, comparison) => sum + comparison.rows, 0);
  const tables = comparisons.length === 1 ? "1 table" : `${comparisons.length} tables`;
  const lines = [
    `${run}: ${same} of ${of} exact columns identical to ${against} (${rows} rows in ${tables}).`,
  ];
  for (const { table, rows: all, differing, columns, first } of comparisons) {
    if (differing === 0) continue;
    lines.push(`  ${table}: ${differing} of ${all} rows differ, in ${shortList(columns)}. First: ${first}.`);
  }
  return lines;
}

const LISTED = 6;

const shortList = (names: readonly string[]): string =>
  names.length <= LISTED
    ? names.join(", ")
    : `${names.slice(0, LISTED).join(", ")} and ${names.length - LISTED} more columns`;

export function publishedVerdict({ id }: Study, { comparison }: Summary, log: Log): void {
  const off = comparison.filter(({ verdict }) => verdict === "differs");
  const count = comparison.length - off.length;
  log(`${id}: ${count} of ${comparison.length} published numbers reproduced within their tolerance.`);
  for (const { what, published, ours, reason } of off) {
    log(`  ${what}: ours ${ours}, published ${published}${reason === undefined ? "" : `. ${reason}`}`);
  }
}

/** Says and returns whether every claim of the page holds. */
export function claimsVerdict({ id }: Study, { claims }: Summary, log: Log): boolean {
  const all = Object.entries(claims);
  const broken = all.filter(([, { holds }]) => holds === false);
  const open = all.filter(([, { holds }]) => holds === null).length;
  const unjudged = open === 0 ? "" : `; ${open} on times are not judged, which takes five repetitions`;
  log(`${id}: ${all.length - broken.length - open} of ${all.length} claims hold${unjudged}.`);
  for (const [name, { says, left, relation, right, tolerance }] of broken) {
    const how =
      tolerance === undefined
        ? `${left} ${relation} ${right}`
        : `${left} ${relation} ${tolerance} of ${right}`;
    log(`  ${name}: "${says}" not ${how}.`);
  }
  return broken.length === 0;
}

/** Says and returns whether what was drawn again is, byte for byte, what lies there. */
export function drawnVerdict({ id }: Study, { summary, files }: Redrawn, root: string, log: Log): boolean {
  const all = new Map([...files, [summaryPath(id), formatJson(summary)]]);
  const differing = [...all].filter(([path, content]) => {
    const at = join(root, path);
    return !existsSync(at) || readFileSync(at, "utf8") !== content;
  });
  log(`${id}: ${all.size - differing.length} of ${all.size} drawn files are identical when drawn again.`);
  for (const [path] of differing) log(`  ${path} differs; pnpm reproduce --no-bench writes it anew.`);
  return differing.length === 0;
}

/** Writes and says what changed against the committed results; removes the file when nothing did, times included. */
export function writeChanges(
  root: string,
  study: Study,
  summary: Summary,
  committed: Committed,
  log: Log,
): void {
  const path = join(root, changesPath(study.id));
  let identical = true;
  const exact = study.runs.flatMap(({ label, tables }) =>
    tables.map((name) => {
      const { table } = readTable(root, study.id, label, name);
      const there = committedTable(committed, study.id, label, name);
      identical =
        identical && there !== undefined && Buffer.compare(encodeTable(there), encodeTable(table)) === 0;
      const { columns: _columns, ...change } = compareExact(there, table);
      return study.runs.length > 1 ? { ...change, table: `${label}/${name}` } : change;
    }),
  );
  if (identical) {
    rmSync(path, { force: true });
    return;
  }
  const changes: Changes = {
    against: committed.against,
    exact,
    measured: compareMeasured(committedSummary(committed, study.id), summary),
  };
  writeJson(path, changes);
  for (const line of timesLines(study, changes)) log(line);
}

function timesLines({ id }: Study, { measured, against }: Changes): string[] {
  if (measured.length === 0) return [];
  const ratios = measured.map(({ ratio }) => ratio);
  const range = `${Math.min(...ratios)} to ${Math.max(...ratios)} of those of ${against}`;
  const different = measured.filter(({ verdict }) => verdict === "different").length;
  const judged = measured.filter(({ verdict }) => !verdict.startsWith("no verdict")).length;
  const told = judged === 0 ? "" : `; ${different} of ${judged} with bands are different`;
  return [`${id}: ${measured.length} times and rates compared, ${range}${told}.`];
}

function committedSummary(committed: Committed, study: string): Summary | undefined {
  const bytes = committed.read(summaryPath(study));
  return bytes === undefined ? undefined : (JSON.parse(Buffer.from(bytes).toString("utf8")) as Summary);
}
