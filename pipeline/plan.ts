/**
 * What a command will do, in words, before it does it: so that nobody waits or fills a disk by surprise.
 */

import { type Bench, jobsOf } from "./measure.ts";
import type { Options } from "./options.ts";
import type { Part } from "./selection.ts";

/** The largest file of a run, in nominal sizes: append without consolidation swings to nine times what is live. */
const LARGEST_FILE = 9;
const SECONDS_TO_REDRAW = 5;
const SECONDS_TO_BUILD = 15;
const MIB = 2 ** 20;

export function plan(options: Options, parts: readonly Part[], bench: Bench, resumable: boolean): string[] {
  const what = parts.map(
    ({ study, run, tables, whole }) =>
      `${study.id}, run ${run.label}${whole ? "" : `: ${tables.join(", ")}`}`,
  );
  const lines = [`This will ${options.bench ? "measure" : "redraw"} ${what.join("; ")}.`];
  const drawing = options.quick || options.check ? 0 : SECONDS_TO_REDRAW;
  const building = options.quick || options.check || !options.site ? 0 : SECONDS_TO_BUILD;
  const runs = parts.flatMap(({ tables }) => tables.flatMap((table) => bench.runsOf(table, options.quick)));
  const jobs = options.bench ? jobsOf(parts, options.repeat, options.quick, bench) : [];
  const measuring = jobs.reduce((sum, { estimatedSeconds }) => sum + estimatedSeconds, 0);
  lines.push(
    `It takes about ${duration(measuring + drawing + building)} on two cores${disk(options, runs)}.`,
  );
  lines.push(ending(options));
  if (options.bench && !options.check && resumable) {
    lines.push("Stop it at any time with Ctrl-C: finished tables are kept, and the next run goes on there.");
  }
  return lines;
}

function disk({ bench }: Options, runs: readonly { readonly sizeBytes: number }[]): string {
  if (!bench) return "";
  const largest = Math.max(...runs.map(({ sizeBytes }) => sizeBytes)) * LARGEST_FILE;
  return ` and at most ${Math.ceil(largest / MIB / 10) * 10} MiB of disk, one file at a time`;
}

function ending({ bench, check, quick, site }: Options): string {
  if (check && !bench)
    return "It writes nothing: summary and figures are compared with those that are there.";
  if (check) return "It writes nothing: exact columns are compared with the committed ones.";
  if (quick) return "It replaces the quick tables, which no page shows.";
  const built = site ? ", and the site is built" : "";
  return bench
    ? `It replaces tables, summary and figures in content/evaluation${built}.`
    : `It replaces summary and figures in content/evaluation${built}.`;
}

export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(5, Math.ceil(seconds / 5) * 5)} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
