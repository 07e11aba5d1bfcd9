/** Asks a file of tests whether it notices a fault of the engine. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Mutation } from "./mutate.ts";
import { misplacedExit } from "./mutated-process.ts";

const project = fileURLToPath(new URL("../../..", import.meta.url));

const timeoutMillis = 120_000;

/**
 * Runs `file`, from the project's folder, on an engine with the fault. Throws if its tests pass all the same; tests
 * that never end have noticed it.
 */
export function runMutatedTests(mutation: Mutation, file: string): string {
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    ["--import", "./engine/kladde/testing/mutated-process.ts", file],
    {
      cwd: project,
      encoding: "utf8",
      timeout: timeoutMillis,
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, ENGINE_FAULT: JSON.stringify(mutation) },
    },
  );
  if ((error as NodeJS.ErrnoException | undefined)?.code === "ETIMEDOUT") return "it does not end";
  assert.notEqual(status, misplacedExit, `the passage is not in ${mutation.file} exactly once:\n${stderr}`);
  assert.equal(status, 1, `${file} does not notice it`);
  return /^.*Error.*$/m.exec(stdout)?.[0]?.trim() ?? "";
}
