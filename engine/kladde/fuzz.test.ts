/**
 * Damaged files, most of them with checksums that are right again. `pnpm fuzz` tries as many as one likes. By hand:
 *
 *     SEED=17 node --test engine/kladde/fuzz.test.ts      one of them
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SplitMix32 } from "../storage/random.ts";
import { within } from "./testing/crash-recovery.ts";
import { judge } from "./testing/fuzz.ts";
import { damaged } from "./testing/fuzz-mutate.ts";
import { drawFuzzSeed, fuzzSeeds } from "./testing/fuzz-seeds.ts";

const firstSeed = Number(process.env.SEED ?? 0);
const count = process.env.SEED === undefined ? 2000 : 1;

test(`${count} damaged files are refused, or hold what the format says`, (t) => {
  const outcomes = { refused: 0, opened: 0, choice: 0 };
  const seeds = Array.from({ length: fuzzSeeds }, (_, i) => drawFuzzSeed(i));
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const { bytes, what } = damaged(seeds[seed % fuzzSeeds]!, new SplitMix32(seed));
    within(`SEED=${seed}, ${what}`, () => outcomes[judge(bytes)]++);
  }
  t.diagnostic(
    `${outcomes.refused} refused, ${outcomes.opened} opened, ${outcomes.choice} where a reader may choose`,
  );
  if (count > 1) assert.ok(Math.min(outcomes.refused, outcomes.opened) > count / 5, "both happen");
});

test("the files that damage starts from are sound, some with a journal, some with a kept state", () => {
  for (let seed = 0; seed < fuzzSeeds; seed++)
    within(`file ${seed}`, () => assert.equal(judge(drawFuzzSeed(seed)), "opened"));
});
