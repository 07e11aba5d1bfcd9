/**
 * Proof that the tests of reclamation can fail: each fault of `testing/reclaim-mutations.ts` is put into the engine,
 * and what it names must notice it. One of them by hand:
 *
 *     node --test --test-name-pattern="in quarantine" engine/kladde/reclaim/mutations.test.ts
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { loadMutated } from "../testing/mutate.ts";
import { runMutatedTests } from "../testing/mutated-tests.ts";
import { type ReclaimMutation, reclaimMutations } from "../testing/reclaim-mutations.ts";

type Kind = "histories" | "traps";

/** As many histories of each kind as the tests run. */
const seeds: Readonly<Record<Kind, number>> = { histories: 64, traps: 12 };

const isKind = (noticedBy: string): noticedBy is Kind => Object.hasOwn(seeds, noticedBy);

for (const mutation of reclaimMutations)
  test(`${mutation.noticedBy}: ${mutation.name}`, async (t) => {
    const { noticedBy } = mutation;
    if (isKind(noticedBy)) t.diagnostic(await drawn(mutation, noticedBy));
    else t.diagnostic(runMutatedTests(mutation, noticedBy));
  });

/** Says which history noticed it. */
async function drawn(mutation: ReclaimMutation, kind: Kind): Promise<string> {
  const run = await loadMutated<typeof import("../testing/reclaim-run.ts")>(
    mutation,
    "testing/reclaim-run.ts",
  );
  const failureOf = kind === "traps" ? run.failureOfTrapSeed : run.failureOfReclaimSeed;
  for (let seed = mutation.seed ?? 0; seed < seeds[kind]; seed++) {
    const failure = failureOf(seed);
    if (failure !== undefined) return `seed ${seed}: ${String(failure).slice(0, 160)}`;
  }
  assert.fail("no history noticed it");
}
