/** Runs a crash history; a failure tells how to see it again, and the shortest history that shows it. */

import { type CrashCounts, runCrashHistory } from "./crash.ts";
import { type CrashHistory, shortest } from "./crash-history.ts";

const shorteningMillis = 30_000;

/** Throws what went wrong, explained. `again`: the command that shows it again. */
export function runOrExplain(history: CrashHistory, again: string): CrashCounts {
  try {
    return runCrashHistory(history);
  } catch (cause) {
    throw new Error(explain(history, cause, again, runCrashHistory), { cause });
  }
}

/** The failure, and the shortest part of the history with which `run` fails too. */
export function explain(
  history: CrashHistory,
  cause: unknown,
  again: string,
  run: (history: CrashHistory) => unknown,
): string {
  const short = shortest(history, (part) => failureOf(part, run) !== undefined, shorteningMillis);
  const steps = short.steps.map((step) => `  ${JSON.stringify(step)}`).join("\n");
  return (
    `seed ${history.seed}, again by ${again}\n${messageOf(cause)}\n` +
    `shortest history, options ${JSON.stringify(short.store)}:\n${steps}\n` +
    `which fails with: ${messageOf(failureOf(short, run))}`
  );
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function failureOf(history: CrashHistory, run: (history: CrashHistory) => unknown): unknown {
  try {
    run(history);
    return undefined;
  } catch (error) {
    return error;
  }
}
