/**
 * Peak resident memory of runs, each in a process of its own: what an earlier run left would count otherwise.
 *
 * The peak holds the model too, which has all of the workload's data in memory beside the store.
 */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { peakMemoryMiB } from "./progress.ts";
import { type Run, runsOf } from "./runs.ts";

const script = fileURLToPath(new URL("main.ts", import.meta.url));
const word = "peak-memory-mib";

/** The words that make a process run just this run and say its peak at the end. */
const wordsOf = ({ table, variant, sizeBytes, quick }: Run, directory: string): string[] => [
  "run",
  directory,
  table,
  "--variant",
  variant,
  "--size",
  String(sizeBytes / 1024 / 1024),
  "--tell-memory",
  ...(quick ? ["--quick"] : []),
];

export const memoryLine = (): string => `${word} ${peakMemoryMiB().toFixed(1)}`;

/** In MiB. Throws when the run fails, with what it said. */
export function measureMemory(run: Run, directory: string): number {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...wordsOf(run, directory)], {
    encoding: "utf8",
  });
  const [, found] = new RegExp(`${word} ([\\d.]+)`).exec(stdout) ?? [];
  if (status !== 0 || found === undefined)
    throw new Error(stderr.trim() || `the process ended with ${status}`);
  return Number(found);
}

/** The runs whose memory is a promise: the largest of each table, or all of those named. */
export function largestRuns(names: readonly string[], quick: boolean): Run[] {
  return names.flatMap((name) => {
    const runs = runsOf(name, quick);
    const largest = Math.max(...runs.map(({ sizeBytes }) => sizeBytes));
    return runs.filter(({ sizeBytes }) => sizeBytes === largest);
  });
}
