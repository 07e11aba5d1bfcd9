/**
 * `pnpm test`: the one gate. Everything that is checked, in one command; continuous integration runs nothing else.
 *
 *     pnpm test                      all steps, up to the first that fails
 *     pnpm test --only types,links   these steps
 *     pnpm test --keep-going         all steps, whatever fails
 *     pnpm test --list               which steps there are
 */

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { choose } from "./gate/choice.ts";
import { type Outcome, runStep } from "./gate/run.ts";
import type { Step } from "./gate/step.ts";
import { steps as all } from "./gate/steps.ts";
import { nodeComplaint } from "./node-version.ts";
import { duration } from "./plan.ts";

const project = resolve(fileURLToPath(new URL("..", import.meta.url)));

const usage = "Usage: pnpm test [--only STEP,STEP] [--keep-going] [--list]";

/** Folders outside the project that some tests compare with, by the variable that names them. */
const OPTIONAL: Readonly<Record<string, string>> = {
  KLADDE_FIXTURES: "files written by the reference implementation are not read",
  KLADDE_REFERENCE: "tables are not compared with those of the reference implementation",
};

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  const complaint = nodeComplaint(process.versions.node);
  if (complaint !== undefined) {
    console.error(complaint);
    return 1;
  }
  const choice = choose(words, all);
  if (typeof choice === "string") {
    console.error(`${choice}\n${usage}\nSteps: ${all.map(({ name }) => name).join(", ")}`);
    return 2;
  }
  if (choice.list) {
    for (const { name, says, expectedSeconds } of all)
      console.log(`${name.padEnd(13)}${says} (about ${expectedSeconds} s)`);
    return 0;
  }
  return run(choice.steps, choice.keepGoing);
}

async function run(steps: readonly Step[], keepGoing: boolean): Promise<number> {
  const seconds = steps.reduce((sum, step) => sum + step.expectedSeconds, 0);
  console.log(`${steps.length} steps, about ${duration(seconds)} on two cores.`);
  tellOptional(steps);
  const outcomes: { step: Step; outcome: Outcome }[] = [];
  for (const step of steps) {
    const outcome = await runAndTell(step);
    outcomes.push({ step, outcome });
    if (outcome.failed > 0 && !keepGoing) break;
  }
  return conclude(steps, outcomes);
}

async function runAndTell(step: Step): Promise<Outcome> {
  console.log(`… ${step.name}: ${step.says} (about ${step.expectedSeconds} s)`);
  const began = performance.now();
  const outcome = await runStep(step, project);
  const took = ((performance.now() - began) / 1000).toFixed(1);
  if (outcome.failed > 0) console.log(outcome.output.trimEnd());
  console.log(`${outcome.failed > 0 ? "✗" : "✓"} ${step.name}: ${outcome.says} (${took} s)`);
  return outcome;
}

function tellOptional(steps: readonly Step[]): void {
  if (!steps.some(({ name }) => name === "unit")) return;
  for (const [name, missing] of Object.entries(OPTIONAL)) {
    if (process.env[name] === undefined) console.log(`! ${name} is not set: ${missing}.`);
  }
}

function conclude(steps: readonly Step[], outcomes: readonly { step: Step; outcome: Outcome }[]): number {
  const sum = (of: (outcome: Outcome) => number): number =>
    outcomes.reduce((total, { outcome }) => total + of(outcome), 0);
  const broken = outcomes.filter(({ outcome }) => outcome.failed > 0).map(({ step }) => step.name);
  const left = steps.length - outcomes.length;
  const skipped = sum((outcome) => outcome.skipped);
  console.log("");
  tellOptional(steps);
  if (skipped > 0) console.log(`${skipped} tests were skipped.`);
  if (broken.length > 0) {
    console.log(`Failed: ${broken.join(", ")}. Run one alone: pnpm test --only ${broken[0]}`);
    if (left > 0) console.log(`${left} of ${steps.length} steps were not run.`);
  }
  console.log(`${sum((outcome) => outcome.passed)} passed, ${sum((outcome) => outcome.failed)} failed`);
  return broken.length > 0 ? 1 : 0;
}
