/**
 * Measuring: runs the benchmark's tables, as often as asked. The benchmark checks every row and the store's content.
 *
 *  (1) Repetitions are interleaved: every table once, then every table again, so that drift of the machine hits all.
 *  (2) Exact columns of all repetitions are equal; otherwise the run fails.
 *  (3) Runs larger than `REPEATED_BYTES_MAX` are made once, however often the others are repeated: they take most of
 *      the time, and their times are of flushes so many that a single run shows their spread. Those of the table that
 *      splits the time of a flush are repeated too: times are all it holds.
 *  (4) A run that was stopped goes on where it was: finished tables wait in a folder under a stamp of everything that
 *      could change them. Uncommitted code has no stamp, so it always starts afresh.
 */

import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Run, RunTable, Table } from "../engine/bench/index.ts";
import { type CodeState, UNKNOWN_COMMIT } from "./data/committed.ts";
import { compareExact, sharedRuns } from "./data/compare.ts";
import { decodeTable, encodeTable, writeJson, writeWhole } from "./data/files.ts";
import type { MachineCard } from "./data/summary.ts";
import type { Part } from "./selection.ts";
import { MIB } from "./studies/series.ts";

/** One table of one run, one repetition. */
export interface Job {
  readonly part: Part;
  readonly table: string;
  /** From 1. */
  readonly repetition: number;
  readonly title: string;
  readonly estimatedSeconds: number;
}

export interface Bench {
  readonly runTable: RunTable;
  readonly runsOf: (table: string, quick?: boolean) => Run[];
}

export const REPEATED_BYTES_MAX = 16 * MIB;

/** Whether a run is made in this repetition. */
export const isMadeIn = (
  repetition: number,
  { table, sizeBytes }: Pick<Run, "table" | "sizeBytes">,
): boolean => repetition === 1 || sizeBytes <= REPEATED_BYTES_MAX || table === "flush-time";

export function jobsOf(parts: readonly Part[], repeat: number, quick: boolean, bench: Bench): Job[] {
  return Array.from({ length: repeat }, (_, index) => index + 1).flatMap((repetition) =>
    parts.flatMap((part) =>
      part.tables.flatMap((table) => {
        const runs = bench.runsOf(table, quick).filter((run) => isMadeIn(repetition, run));
        if (runs.length === 0) return [];
        const title = `${part.study.id} ${part.run.label} ${table}`;
        return [
          {
            part,
            table,
            repetition,
            title: repeat > 1 ? `${title} (${repetition} of ${repeat})` : title,
            estimatedSeconds: runs.reduce((sum, run) => sum + run.estimatedSeconds, 0),
          },
        ];
      }),
    ),
  );
}

export const jobKey = ({ part, table, repetition }: Job): string =>
  [part.study.id, part.run.label, table, repetition].join("/");

export const isResumable = ({ commit, dirty }: CodeState): boolean => commit !== UNKNOWN_COMMIT && !dirty;

/** Finished tables of a run that may be stopped; without a stamp nothing is kept. */
export class Unfinished {
  readonly #folder: string | undefined;

  /** Without a folder nothing is kept or found. */
  constructor(folder: string | undefined, code: CodeState, machine: MachineCard, quick: boolean) {
    this.#folder = isResumable(code) ? folder : undefined;
    if (folder === undefined || this.#folder === undefined) return;
    const stamp = JSON.stringify({ ...code, machine, quick });
    const stampAt = join(folder, "stamp.json");
    if (existsSync(stampAt) && JSON.stringify(JSON.parse(readFileSync(stampAt, "utf8"))) === stamp) return;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeJson(stampAt, JSON.parse(stamp));
  }

  find(job: Job): Table | undefined {
    const path = this.#path(job);
    return path !== undefined && existsSync(path) ? decodeTable(job.table, readFileSync(path)) : undefined;
  }

  keep(job: Job, table: Table): void {
    const path = this.#path(job);
    if (path !== undefined) writeWhole(path, encodeTable(table));
  }

  forget(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  #path(job: Job): string | undefined {
    return this.#folder === undefined ? undefined : join(this.#folder, `${jobKey(job)}.csv.gz`);
  }
}

/** All repetitions of one table, the first one first. */
export type Measured = ReadonlyMap<string, readonly Table[]>;

export const measuredKey = (part: Part, table: string): string =>
  [part.study.id, part.run.label, table].join("/");

/** Collects finished jobs and refuses a table whose exact columns differ from its first repetition's. */
export class Gathering {
  readonly #tables = new Map<string, Table[]>();

  add(job: Job, table: Table): void {
    const key = measuredKey(job.part, job.table);
    const sofar = this.#tables.get(key) ?? [];
    if (sofar[0] !== undefined) {
      const { first } = compareExact(sharedRuns(sofar[0], table), table);
      if (first !== undefined) {
        throw new Error(`${job.title}: not what repetition 1 gave: ${first.replace("committed", "then")}`);
      }
    }
    this.#tables.set(key, [...sofar, table]);
  }

  all(): Measured {
    return this.#tables;
  }
}
