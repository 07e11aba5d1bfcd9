/**
 * Power cuts at every write, truncate and sync of random histories of every size, with reclamation off, on, and with
 * random options. `pnpm crash` runs the same for as long as it is told. By hand:
 *
 *     SEED=17 node --test engine/kladde/crash-random.test.ts      one history; a failure prints its shortest part
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { CrashCounts } from "./testing/crash.ts";
import { runOrExplain } from "./testing/crash-explain.ts";
import { drawRandomCrashHistory } from "./testing/crash-random.ts";

const firstSeed = Number(process.env.SEED ?? 0);
const histories = Number(process.env.HISTORIES ?? (process.env.SEED === undefined ? 264 : 1));

test(`${histories} histories of every size and policy survive a power cut anywhere`, (t) => {
  const total = { cuts: 0, exhausted: 0, images: 0, distinct: 0, innerImages: 0, innerDistinct: 0 };
  for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
    const again = `SEED=${seed} node --test engine/kladde/crash-random.test.ts`;
    const counts = runOrExplain(drawRandomCrashHistory(seed), again);
    for (const key of Object.keys(total) as (keyof CrashCounts)[]) total[key] += counts[key];
  }
  t.diagnostic(
    `${histories} histories, ${total.cuts} cuts, at ${total.exhausted} moments every choice of sectors, ` +
      `${total.images} images (${total.distinct} distinct), ` +
      `${total.innerImages} images of cuts during recoveries (${total.innerDistinct} distinct)`,
  );
  if (histories > 1)
    assert.ok(total.cuts > 10 * histories && total.exhausted > histories, "the cuts are real ones");
});
