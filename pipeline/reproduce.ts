/**
 * The main job: measure, keep the tables, derive the numbers, draw the figures, build the site, and say what changed.
 *
 *  (1) Nothing is written before everything was measured and checked; `--check` writes nothing at all.
 *  (2) Quick runs go to `<run>-quick` and touch no page.
 *  (3) The exit code is 0 only when all that was asked for succeeded: a difference found by `--check`, a claim that
 *      does not hold and a site that does not build are failures.
 */

import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Listr, type ListrTask } from "listr2";
import { type Committed, codeState, committedResults } from "./data/committed.ts";
import { manifestPath, readManifest, writeJson, writeTable } from "./data/files.ts";
import { machineCard } from "./data/machine.ts";
import type { Manifest } from "./data/summary.ts";
import { makeManifest } from "./manifests.ts";
import {
  type Bench,
  Gathering,
  isMadeIn,
  isResumable,
  type Job,
  jobsOf,
  type Measured,
  measuredKey,
  Unfinished,
} from "./measure.ts";
import { commandOf, type Options } from "./options.ts";
import { plan } from "./plan.ts";
import { type Redrawn, redraw, writeRedrawn } from "./redraw.ts";
import { type Part, select } from "./selection.ts";
import type { Study } from "./studies/study.ts";
import { claimsVerdict, drawnVerdict, exactVerdict, publishedVerdict, writeChanges } from "./verdict.ts";

/** Everything outside that the job needs, so that a test can run it in a folder of its own. */
export interface World {
  readonly project: string;
  /** Where results lie: `content/evaluation` of the project. */
  readonly root: string;
  readonly studies: readonly Study[];
  readonly bench: Bench;
  readonly log: (line: string) => void;
  readonly now: () => Date;
  readonly progress: "default" | "simple" | "silent";
  readonly signal: AbortSignal;
  /** Builds the site and says where it is; undefined when there is none. */
  readonly buildSite: (() => Promise<string>) | undefined;
}

export async function reproduce(options: Options, world: World): Promise<number> {
  const parts = select(world.studies, options.only);
  const committed = committedResults(world.project, world.root);
  for (const line of plan(options, parts, world.bench, isResumable(codeState(world.project))))
    world.log(line);
  if (!options.bench) return redrawOnly(options, parts, committed, world);
  const measured = await measure(options, parts, world);
  if (!options.check) keepTables(options, parts, measured.tables, measured.machine, world);
  const same = exactVerdict(parts, options, measured.tables, committed, world.log);
  let good = same || !options.check;
  if (!options.check && !options.quick) good = (await redrawAll(parts, committed, world)) && good;
  measured.unfinished.forget();
  return finish(options, good, world);
}

const cacheFolder = (project: string): string => join(project, "node_modules", ".cache", "daybook");

const FILES = "files-";

/** What a killed process left; a living one keeps its own. */
function removeLeftFolders(cache: string): void {
  for (const name of existsSync(cache) ? readdirSync(cache) : []) {
    if (name.startsWith(FILES) && !isRunning(Number(name.slice(FILES.length)))) {
      rmSync(join(cache, name), { recursive: true, force: true });
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

interface Measurement {
  readonly tables: Measured;
  readonly machine: Manifest["machine"];
  readonly unfinished: Unfinished;
}

async function measure(options: Options, parts: readonly Part[], world: World): Promise<Measurement> {
  const { project, bench, signal } = world;
  removeLeftFolders(cacheFolder(project));
  const directory = join(cacheFolder(project), `${FILES}${process.pid}`);
  mkdirSync(directory, { recursive: true });
  try {
    const machine = machineCard(directory);
    const kept = options.check ? undefined : join(cacheFolder(project), options.quick ? "quick" : "full");
    const unfinished = new Unfinished(kept, codeState(project), machine, options.quick);
    const gathering = new Gathering();
    const jobs = jobsOf(parts, options.repeat, options.quick, bench);
    const tasks = jobs.map((job) => taskOf(job, options, directory, world, unfinished, gathering));
    await list(tasks, world).run();
    signal.throwIfAborted();
    return { tables: gathering.all(), machine, unfinished };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The signal is ours: a stopped benchmark deletes its file. */
function list(tasks: ListrTask[], { progress }: World): Listr {
  return new Listr(tasks, {
    concurrent: false,
    exitOnError: true,
    renderer: progress,
    registerSignalListeners: false,
  });
}

function taskOf(
  job: Job,
  { quick }: Options,
  directory: string,
  { bench, signal, progress }: World,
  unfinished: Unfinished,
  gathering: Gathering,
): ListrTask {
  return {
    title: `${job.title}, about ${Math.ceil(job.estimatedSeconds)} s`,
    task: async (_context, task) => {
      const found = unfinished.find(job);
      const began = performance.now();
      const table =
        found ??
        (await bench.runTable(job.table, {
          directory,
          quick,
          signal,
          only: (run) => isMadeIn(job.repetition, run),
          onProgress: (run, rows) => {
            if (progress === "default")
              task.output = `${run.variant} ${run.sizeBytes / 2 ** 20} MiB: ${rows} rows`;
          },
        }));
      gathering.add(job, table);
      if (found === undefined) unfinished.keep(job, table);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      const how = found === undefined ? `in ${seconds} s` : "kept from the run that was stopped";
      task.title = `${job.title}: ${table.rowCount} rows ${how}`;
    },
  };
}

function keepTables(
  options: Options,
  parts: readonly Part[],
  measured: Measured,
  machine: Manifest["machine"],
  { project, root, bench, now }: World,
): void {
  const circumstances = {
    ...codeState(project),
    date: now().toISOString(),
    machine,
    command: commandOf(options),
    repeats: options.repeat,
    quick: options.quick,
  };
  for (const part of parts) {
    const label = options.quick ? `${part.run.label}-quick` : part.run.label;
    const tables = part.tables.map((name) => measured.get(measuredKey(part, name))!);
    for (const [table, ...times] of tables) writeTable(root, part.study.id, label, { table: table!, times });
    const at = join(root, manifestPath(part.study.id, label));
    const before = existsSync(at) ? readManifest(root, part.study.id, label) : undefined;
    const runs = part.tables.flatMap((name) => bench.runsOf(name, options.quick));
    const made = tables.map(([table]) => table!);
    writeJson(at, makeManifest(part, label, made, runs, circumstances, before));
  }
}

const studiesIn = (parts: readonly Part[]): Study[] => [...new Set(parts.map(({ study }) => study))];

/** Draws again what follows from the tables, writes it, and says whether all claims hold. */
async function redrawAll(parts: readonly Part[], committed: Committed, world: World): Promise<boolean> {
  const drawn = new Map<Study, Redrawn>();
  const tasks = studiesIn(parts).map((study) => ({
    title: `${study.id}: numbers and figures`,
    task: async () => {
      const redrawn = await redraw(world.root, study);
      writeRedrawn(world.root, study, redrawn);
      drawn.set(study, redrawn);
    },
  }));
  await list(tasks, world).run();
  return [...drawn]
    .map(([study, { summary }]) => {
      writeChanges(world.root, study, summary, committed, world.log);
      publishedVerdict(study, summary, world.log);
      return claimsVerdict(study, summary, world.log);
    })
    .every((holds) => holds);
}

async function redrawOnly(
  options: Options,
  parts: readonly Part[],
  committed: Committed,
  world: World,
): Promise<number> {
  if (!options.check) return finish(options, await redrawAll(parts, committed, world), world);
  let same = true;
  for (const study of studiesIn(parts)) {
    const redrawn = await redraw(world.root, study);
    same = drawnVerdict(study, redrawn, world.root, world.log) && same;
    same = claimsVerdict(study, redrawn.summary, world.log) && same;
  }
  return same ? 0 : 1;
}

async function finish(options: Options, good: boolean, { buildSite, log }: World): Promise<number> {
  if (options.check || options.quick || !options.site || buildSite === undefined) return good ? 0 : 1;
  try {
    log(await buildSite());
    return good ? 0 : 1;
  } catch (error) {
    log(`The site was not built: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}
