/**
 * Proof that the tests of the state can fail: each fault of `testing/state-mutations.ts` is put into the engine, and
 * what it names must notice it. One of them by hand:
 *
 *     node --test --test-name-pattern="tombstone is let go" engine/kladde/state-mutations.test.ts
 */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { anchorHistory, leafyHistory, leafyStore, plainHistory } from "./testing/history.ts";
import { loadMutated } from "./testing/mutate.ts";
import { misplacedExit } from "./testing/mutated-process.ts";
import { type StateMutation, stateMutations } from "./testing/state-mutations.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));
/** As many histories of each kind as the tests run. */
const seeds = 20;

for (const mutation of stateMutations)
  test(`${mutation.noticedBy}: ${mutation.name}`, async (t) => {
    const { noticedBy } = mutation;
    t.diagnostic(noticedBy === "histories" ? await histories(mutation) : testFile(mutation, noticedBy));
  });

/** Says which history noticed it. */
async function histories(mutation: StateMutation): Promise<string> {
  const run = await loadMutated<typeof import("./testing/run.ts")>(mutation, "testing/run.ts");
  for (let seed = 0; seed < seeds; seed++)
    for (const [history, options] of [
      [leafyHistory, leafyStore],
      [anchorHistory, leafyStore],
      [plainHistory, { consolidate: false }],
    ] as const) {
      const failure = run.failureOfSeed(seed, history, options);
      if (failure !== undefined) return `seed ${seed}: ${String(failure).slice(0, 160)}`;
    }
  assert.fail("no history noticed it");
}

function testFile(mutation: StateMutation, file: string): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "./engine/kladde/testing/mutated-process.ts", file],
    {
      cwd: project,
      encoding: "utf8",
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, ENGINE_FAULT: JSON.stringify(mutation) },
    },
  );
  assert.notEqual(status, misplacedExit, `the passage is not in ${mutation.file} exactly once:\n${stderr}`);
  assert.equal(status, 1, `${file} does not notice it`);
  return /^.*Error.*$/m.exec(stdout)?.[0]?.trim() ?? "";
}
