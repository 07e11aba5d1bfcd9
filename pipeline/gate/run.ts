/**
 * Runs steps and counts: fails at the first failure, shows its output whole, and keeps quiet about what went well.
 *
 *  (1) Node's test runner ends with 0 when it found no test, so tests are counted, and none is a failure.
 *  (2) A step counts as one, or as its tests where it has some; a skipped test is neither passed nor failed.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, sep } from "node:path";
import { $, type ProcessOutput } from "zx";
import { isTest } from "./arrows.ts";
import type { CheckReport, Command, Step } from "./step.ts";

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface Outcome extends Tally {
  /** One line about what was done. */
  readonly says: string;
  /** Shown when the step failed. */
  readonly output: string;
}

/** Of one program, in seconds: what hangs is a failure, not a wait. Three times what the longest takes on two cores. */
const limitSeconds = 2400;

export async function runStep(step: Step, project: string, seconds = limitSeconds): Promise<Outcome> {
  const { work } = step;
  switch (work.kind) {
    case "commands":
      return runCommands(work.commands, project, seconds);
    case "tests":
      return runTests(testsIn(project, work.within, work.without), project, seconds);
    case "canary":
      return runCanary(work.file, project, seconds);
    case "check":
      return runCheck(work.check, project);
    default:
      return work satisfies never;
  }
}

const passed = (says: string): Outcome => ({ passed: 1, failed: 0, skipped: 0, says, output: "" });
const failed = (says: string, output: string): Outcome => ({
  passed: 0,
  failed: 1,
  skipped: 0,
  says,
  output,
});

async function execute(
  { words, environment }: Command,
  project: string,
  seconds: number,
): Promise<ProcessOutput> {
  // What a test runner sets for its children would make another runner below it report to nobody.
  const { NODE_TEST_CONTEXT: _context, FORCE_COLOR: _color, ...rest } = process.env;
  const env = { ...rest, TZ: "UTC", LC_ALL: "C.UTF-8", NO_COLOR: "1", ...environment };
  const limits = { timeout: `${seconds}s`, timeoutSignal: "SIGKILL" } as const;
  return $({ cwd: project, env, quiet: true, nothrow: true, preferLocal: project, ...limits })`${words}`;
}

/** What to say of a program that did not end by itself; nothing of one that did. */
const stopped = ({ signal }: ProcessOutput, seconds: number): string | undefined =>
  signal === null ? undefined : `stopped by ${signal}; a program may take ${seconds} s`;

async function runCommands(commands: readonly Command[], project: string, seconds: number): Promise<Outcome> {
  let last = "";
  for (const command of commands) {
    const result = await execute(command, project, seconds);
    const { exitCode, stdout, stderr } = result;
    const shown = command.words.map((word) => (word === process.execPath ? "node" : word)).join(" ");
    const why = stopped(result, seconds);
    if (why !== undefined) return failed(`${shown}: ${why}`, stdout + stderr);
    if (exitCode !== 0) return failed(`${shown}: exit code ${exitCode}`, stdout + stderr);
    if (command.expect?.test(stdout) === false) return failed(`${shown}: not what it should print`, stdout);
    last = stdout.trim().split("\n").at(-1) || "nothing to say";
  }
  return passed(last);
}

/** Files of tests below folders; a file stands for itself. */
export function testsIn(
  project: string,
  within: readonly string[],
  without: readonly string[] = [],
): string[] {
  return within
    .flatMap((place) => {
      if (!statSync(join(project, place)).isDirectory()) return [place];
      const below = readdirSync(join(project, place), { recursive: true, encoding: "utf8" });
      return below.map((path) => `${place}/${path.split(sep).join("/")}`).filter((path) => isTest(path));
    })
    .filter((path) => !without.includes(path))
    .sort();
}

async function runTests(files: readonly string[], project: string, seconds: number): Promise<Outcome> {
  if (files.length === 0) return failed("no file of tests", "");
  const folder = mkdtempSync(join(tmpdir(), "daybook-test-"));
  try {
    const report = join(folder, "report.tap");
    const words = [
      process.execPath,
      "--test",
      // Left to itself the runner keeps one core free.
      `--test-concurrency=${availableParallelism()}`,
      "--test-reporter=spec",
      "--test-reporter-destination=stdout",
      "--test-reporter=tap",
      `--test-reporter-destination=${report}`,
      ...files,
    ];
    const result = await execute({ words }, project, seconds);
    const { exitCode, stdout, stderr } = result;
    const output = stdout + stderr;
    const why = stopped(result, seconds);
    if (why !== undefined) return { passed: 0, failed: 1, skipped: 0, says: why, output };
    const { passed, failed, skipped } = tallyOf(readFileSync(report, "utf8"));
    const says = `${passed} of ${passed + failed} tests in ${files.length} files`;
    const reasons = skipReasons(readFileSync(report, "utf8"));
    const told = [says, ...(skipped > 0 ? [`${skipped} skipped: ${reasons.join("; ")}`] : [])].join(", ");
    if (passed + failed + skipped === 0)
      return { passed, failed: 1, skipped, says: "no test was found", output };
    if (exitCode !== 0 && failed === 0)
      return { passed, failed: 1, skipped, says: `exit code ${exitCode}`, output };
    return { passed, failed, skipped, says: told, output };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The totals at the end of a TAP report; cancelled tests have failed. */
export function tallyOf(report: string): Tally {
  const count = (name: string): number =>
    Number(new RegExp(`^# ${name} (\\d+)$`, "m").exec(report)?.[1] ?? 0);
  return {
    passed: count("pass"),
    failed: count("fail") + count("cancelled"),
    skipped: count("skipped") + count("todo"),
  };
}

export function skipReasons(report: string): string[] {
  const reasons = [...report.matchAll(/# SKIP ?(.*)$/gm)].map((match) => match[1] || "no reason given");
  return [...new Set(reasons)];
}

async function runCanary(file: string, project: string, seconds: number): Promise<Outcome> {
  const outcome = await runTests([file], project, seconds);
  return outcome.failed === 1 && outcome.passed === 0
    ? passed("the test that must fail fails")
    : failed("the test that must fail did not: no other result can be believed", outcome.output);
}

function runCheck(check: (project: string) => CheckReport, project: string): Outcome {
  try {
    const { says, faults } = check(project);
    return faults.length === 0
      ? passed(says)
      : { passed: 0, failed: faults.length, skipped: 0, says, output: faults.join("\n") };
  } catch (error) {
    return failed("it could not be checked", error instanceof Error ? error.message : String(error));
  }
}
