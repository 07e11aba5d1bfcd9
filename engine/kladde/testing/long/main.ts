/**
 * The long tests of durability. Exit codes: 0 nothing was found; 1 something was; 2 usage; 130 interrupted.
 */

import { parseArgs } from "node:util";
import { Course, interruptedExit } from "./course.ts";
import { CrashTest } from "./crash.ts";
import { FuzzTest } from "./fuzz.ts";
import { measureOpening } from "./opening.ts";
import { SoakTest } from "./soak.ts";
import { isClean, type LongRun, writeSummary } from "./summary.ts";

const usage = `usage: pnpm crash [--seed N] [--hours H | --histories N] [--kills N] [--scale X] [--summary FILE]
       pnpm fuzz [--seed N] [--hours H | --files N] [--summary FILE]
       pnpm soak [--seed N] [--hours H] [--live M] [--summary FILE]
       pnpm opening [--seed N] [--live M] [--summary FILE]

  --seed N        the first seed; chosen by the clock if not given
  --hours H       how long (default: until all histories are done; a soak: half an hour)
  --histories N   how many (default: 300, with --hours no limit)
  --files N       how many damaged files (default: 100,000, with --hours no limit)
  --kills N       processes to kill (default: 200, with --histories none)
  --live M        MiB: of a soak, that are alive (default: 16); of the file to be opened, its length (default: 64)
  --scale X       steps of a history, as a multiple of those in the test (default: 1)
  --summary FILE  where to write what was counted`;

class UsageError extends Error {}

const options = {
  seed: { type: "string" },
  hours: { type: "string" },
  histories: { type: "string" },
  files: { type: "string" },
  kills: { type: "string" },
  live: { type: "string" },
  scale: { type: "string" },
  summary: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

async function main([command, ...words]: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: words, options });
  if (values.help === true) {
    console.log(usage);
    return 0;
  }
  const number = (name: keyof typeof options, otherwise: number): number => {
    const text = values[name];
    if (typeof text !== "string") return otherwise;
    const value = Number(text);
    if (text.trim() === "" || !(value >= 0)) throw new UsageError(`--${name} must be a number, not ${text}`);
    return value;
  };
  const seed = Math.floor(number("seed", Date.now() % 2 ** 31));
  const hours = number("hours", command === "soak" ? 0.5 : Number.POSITIVE_INFINITY);
  const course = new Course(hours);
  const said = words.filter((word, i) => !word.startsWith("--summary") && words[i - 1] !== "--summary");
  const plan = { seed, words: ["pnpm", command, ...said].join(" ") };
  console.log(`seed ${seed}`);
  const run = await start(command, course, number, plan);
  console.log(course.isInterrupted ? "interrupted" : "done");
  for (const [name, { value, says }] of Object.entries(run.counts))
    console.log(`${name.padEnd(14)}${String(value).padStart(14)}  ${says}`);
  if (values.summary !== undefined) writeSummary(values.summary, run);
  if (!isClean(run)) return 1;
  return course.isInterrupted ? interruptedExit : 0;
}

type NumberOf = (name: keyof typeof options, otherwise: number) => number;

async function start(
  command: string | undefined,
  course: Course,
  number: NumberOf,
  plan: { readonly seed: number; readonly words: string },
): Promise<LongRun> {
  const isTimed = number("hours", -1) >= 0;
  const unlessTimed = (count: number): number => (isTimed ? Number.POSITIVE_INFINITY : count);
  if (command === "fuzz")
    return new FuzzTest({ ...plan, files: number("files", unlessTimed(100_000)) }, course).run();
  if (command === "opening") return measureOpening({ ...plan, live: number("live", 64) });
  if (command === "soak")
    return new SoakTest({ ...plan, hours: number("hours", 0.5), live: number("live", 16) }, course).run();
  const isCounted = number("histories", -1) >= 0;
  if (command !== "crash") throw new UsageError(`unknown command ${command}`);
  return new CrashTest(
    {
      ...plan,
      histories: number("histories", unlessTimed(300)),
      kills: number("kills", isCounted ? 0 : 200),
      scale: number("scale", 1),
    },
    course,
  ).run();
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError || (error instanceof TypeError && "code" in error);
  console.error(isUsage ? `${error.message}\n${usage}` : error);
  process.exitCode = isUsage ? 2 : 1;
}
