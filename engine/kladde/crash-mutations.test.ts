/**
 * Proof that the crash tests can fail: each fault of `testing/crash-mutations.ts` is put into the engine, and the
 * histories of the crash tests, or the file of tests it names, must notice it. One of them by hand:
 *
 *     node --test --test-name-pattern="no sync at open" engine/kladde/crash-mutations.test.ts
 */

import { test } from "node:test";
import { AssertionError, assert } from "../errors.ts";
import { drawCrashHistory } from "./testing/crash-history.ts";
import { type CrashMutation, crashMutations } from "./testing/crash-mutations.ts";
import { loadMutated } from "./testing/mutate.ts";
import { runMutatedTests } from "./testing/mutated-tests.ts";

/** As many histories as the crash tests run at least. */
const histories = { cuts: 48, failures: 12 };

for (const mutation of crashMutations)
  test(`noticed: ${mutation.name}`, async (t) => {
    const { noticedBy } = mutation;
    if (noticedBy !== "cuts" && noticedBy !== "failures") {
      t.diagnostic(runMutatedTests(mutation, noticedBy));
      return;
    }
    const run = await runner(mutation, noticedBy);
    for (let seed = mutation.seed ?? 0; seed < histories[noticedBy]; seed++) {
      const noticed = failureOf(() => run(seed));
      if (noticed === undefined) continue;
      t.diagnostic(`seed ${seed}: ${noticed.message.slice(0, 200)}`);
      return;
    }
    throw new AssertionError("no history noticed it");
  });

async function runner(
  mutation: CrashMutation,
  noticedBy: keyof typeof histories,
): Promise<(seed: number) => unknown> {
  if (noticedBy === "cuts") {
    const { runCrashHistory } = await loadMutated<typeof import("./testing/crash.ts")>(
      mutation,
      "testing/crash.ts",
    );
    return (seed) => runCrashHistory(drawCrashHistory(seed));
  }
  const { runFaultHistory } = await loadMutated<typeof import("./testing/crash-faults.ts")>(
    mutation,
    "testing/crash-faults.ts",
  );
  return (seed) => runFaultHistory(drawCrashHistory(seed));
}

function failureOf(step: () => unknown): Error | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    assert(error instanceof Error, "something else than an error was thrown");
    return error;
  }
}
