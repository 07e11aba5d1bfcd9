/**
 * What a long run leaves for the page: how much was tried, and how much of it failed, in the shape that pages read.
 *
 *  (1) Each command replaces its own values and claims; those of the others stay as they were.
 *  (2) Every number comes from the counters of the run.
 */

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import { assert } from "../../../errors.ts";

/** What is counted, and what a reader is told it is. */
export interface Count {
  readonly says: string;
  readonly value: number;
  readonly unit?: "count" | "bytes" | "micros";
}

/** What must not be more than something else, both measured. */
export interface Bound {
  readonly says: string;
  readonly left: number;
  readonly right: number;
}

export interface LongRun {
  readonly command: "crash" | "fuzz" | "soak" | "opening";
  readonly words: string;
  readonly seed: number;
  readonly counts: Readonly<Record<string, Count>>;
  /** Things that went wrong. */
  readonly faults: number;
  readonly bounds?: Readonly<Record<string, Bound>>;
}

/** Whether nothing went wrong, and no bound was passed. */
export const isClean = ({ faults, bounds = {} }: LongRun): boolean =>
  faults === 0 && Object.values(bounds).every(({ left, right }) => left <= right);

interface Value {
  readonly value: number;
  readonly unit: string;
  readonly kind: "exact" | "measured";
  readonly says: string;
}

interface Claim {
  readonly says: string;
  readonly kind: "exact" | "measured";
  readonly left: number;
  readonly relation: "<=";
  readonly right: number;
  readonly holds: boolean;
}

interface Manifest {
  /** Of each command: its words, and the commit and day it ran on. */
  readonly options: Record<string, string>;
  readonly seeds: Record<string, number>;
  readonly [key: string]: unknown;
}

interface Summary {
  readonly manifest: Manifest;
  readonly values: Record<string, Value>;
  readonly claims: Record<string, Claim>;
  readonly [key: string]: unknown;
}

const study = "durability";

/** Adds the run to the summary at `path`, which is made if there is none. */
export function writeSummary(path: string, run: LongRun): void {
  const before = fs.existsSync(path) ? (JSON.parse(fs.readFileSync(path, "utf8")) as Summary) : undefined;
  assert(before === undefined || before.study === study, `${path} is not the summary of ${study}`);
  const isOther = ([key]: readonly [string, unknown]): boolean => !key.startsWith(`${run.command}.`);
  const others = <T>(from: Record<string, T> = {}): Record<string, T> =>
    Object.fromEntries(Object.entries(from).filter(isOther));
  const values = Object.entries(run.counts).map(([key, { says, value, unit = "count" }]) => {
    const kind = unit === "count" ? "exact" : "measured";
    return [`${run.command}.${key}`, { value, unit, kind, says } satisfies Value] as const;
  });
  const summary: Summary = {
    study,
    title: "Durability",
    question: "What does a crash or damage leave behind, and is it what was promised?",
    manifest: manifestOf(run, before?.manifest),
    values: sorted({ ...others(before?.values), ...Object.fromEntries(values) }),
    tables: {},
    figures: {},
    claims: sorted({ ...others(before?.claims), ...claimsOf(run) }),
    comparison: [],
  };
  fs.writeFileSync(path, `${JSON.stringify(summary, null, 2)}\n`);
}

const sound: Readonly<Record<LongRun["command"], string>> = {
  crash: "no crash broke the promise",
  fuzz: "no damaged file was mistaken for another",
  soak: "the contents were always the model's",
  opening: "nothing was wrong with the file",
};

function claimsOf({ command, faults, bounds = {} }: LongRun): Record<string, Claim> {
  const claim = (kind: Claim["kind"], { says, left, right }: Bound): Claim => ({
    says,
    kind,
    left,
    relation: "<=",
    right,
    holds: left <= right,
  });
  const measured = Object.entries(bounds).map(
    ([name, bound]) => [`${command}.${name}`, claim("measured", bound)] as const,
  );
  return {
    [`${command}.faults`]: claim("exact", { says: sound[command], left: faults, right: 0 }),
    ...Object.fromEntries(measured),
  };
}

const sorted = <T>(from: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(from).sort(([a], [b]) => (a < b ? -1 : 1)));

function manifestOf(run: LongRun, before?: Manifest): Manifest {
  const memoryGiB = Math.round(os.totalmem() / 1024 ** 3);
  const commit = git("rev-parse", "HEAD");
  const date = new Date().toISOString().slice(0, 10);
  const said = `${run.words}, at commit ${commit.slice(0, 10)} on ${date}`;
  const options = { ...before?.options, [run.command]: said };
  return {
    study,
    run: "long",
    commit,
    dirty: git("status", "--porcelain", "--", "engine") !== "",
    date,
    command: Object.values(options).join("; "),
    repeats: 1,
    options,
    seeds: { ...before?.seeds, [run.command]: run.seed },
    machine: {
      cpu: os.cpus()[0]?.model ?? "unknown",
      cores: os.availableParallelism(),
      memoryGiB,
      kernel: `${os.type()} ${os.release()}`,
      fileSystem: "in memory, and the folder for temporary files",
      node: process.versions.node,
    },
    tables: {},
  };
}

function git(...words: readonly string[]): string {
  try {
    return execFileSync("git", words, { encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}
