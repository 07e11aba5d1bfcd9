/**
 * Power cuts at every write, truncate and sync, and full disks, of histories in which every mechanism of reclamation
 * works in nearly every flush. By hand:
 *
 *     SEED=17 node --test engine/kladde/reclaim/crash.test.ts             one history
 *     HISTORIES=200 node --test engine/kladde/reclaim/crash.test.ts       more of them
 */

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { SplitMix32 } from "../../storage/random.ts";
import { Store, type StoreOptions, type StoreStats } from "../index.ts";
import { runOrExplain } from "../testing/crash-explain.ts";
import { runFaultHistory } from "../testing/crash-faults.ts";
import type { CrashHistory, CrashStep } from "../testing/crash-history.ts";
import { within } from "../testing/crash-recovery.ts";
import { failOnLostReferrers } from "../testing/reclaim-oracle.ts";
import { type Reclaimed, sumOfReclaimed } from "../testing/run.ts";

const firstSeed = Number(process.env.SEED ?? 0);
const histories = Number(process.env.HISTORIES ?? (process.env.SEED === undefined ? 9 : 1));

failOnLostReferrers();

interface Kind {
  readonly store: StoreOptions;
  /** Allocations that are there from the start, and their length. */
  readonly count: number;
  readonly bytes: number;
  /** Longest patch. */
  readonly patchBytes: number;
  /** Written to data pages between two of the flushes, one each. */
  readonly rounds: number;
}

const eager: StoreOptions = {
  churnFloor: 0.5,
  theta: 0.5,
  holeShare: 0.05,
  truncateTail: 1,
  mu: 0.001,
  budgetStart: 3,
  budgetMax: 4,
};

const kinds: readonly Kind[] = [
  { store: eager, count: 9, bytes: 2600, patchBytes: 900, rounds: 7 },
  {
    store: { ...eager, inlineThreshold: 251, walk: 40, churnFloor: 1 },
    count: 50,
    bytes: 230,
    patchBytes: 40,
    rounds: 7,
  },
  {
    store: { ...eager, inlineThreshold: 0, defragShare: 0.2, walk: 20 },
    count: 4,
    bytes: 900,
    patchBytes: 30,
    rounds: 9,
  },
];

/** `share` of the rounds of its kind. */
function drawHistory(seed: number, share = 1): CrashHistory {
  const kind = kinds[seed % kinds.length]!;
  const random = new SplitMix32(seed ^ 0x5ace);
  const steps: CrashStep[] = [{ do: "begin" }];
  for (let slot = 0; slot < kind.count; slot++)
    steps.push(
      { do: "alloc", slot, size: 0 },
      { do: "write", slot, offset: 0, length: kind.bytes, seed: random.next() },
    );
  steps.push({ do: "commit" }, { do: "flush" });
  for (let round = 0; round < share * kind.rounds; round++) {
    // One transaction a flush, so that a cut costs little time.
    steps.push({ do: "begin" });
    for (let changes = 2 + random.below(4); changes > 0; changes--) steps.push(change(kind, random));
    if (round === 1) for (let slot = 0; slot < kind.count / 2; slot++) steps.push({ do: "free", slot });
    steps.push({ do: "commit" }, { do: "flush" });
    if (random.below(6) === 0) steps.push({ do: random.below(2) === 0 ? "reopen" : "kill" });
    if (random.below(8) === 0) steps.push({ do: "cut", pick: random.next() });
  }
  return { seed, steps, store: kind.store, scattered: 1 };
}

function change({ count, bytes, patchBytes }: Kind, random: SplitMix32): CrashStep {
  const slot = random.below(count);
  const offset = random.below(bytes);
  if (random.below(8) === 0) return { do: "resize", slot, size: offset };
  return { do: "write", slot, offset, length: 1 + random.below(patchBytes), seed: random.next() };
}

/** What all stores that were asked for their statistics have reclaimed while `body` ran. */
function reclaimedIn(body: () => void): Reclaimed {
  /** Of each store, what it had reclaimed when it was asked last. */
  const before = new WeakMap<Store, Reclaimed>();
  const total: Record<keyof Reclaimed, number> = { ...sumOfReclaimed([]) };
  const { stats } = Store.prototype;
  const spy = mock.method(Store.prototype, "stats", function (this: Store): StoreStats {
    const now = stats.call(this);
    const last = before.get(this) ?? sumOfReclaimed([]);
    for (const name of Object.keys(total) as (keyof Reclaimed)[]) total[name] += now[name] - last[name];
    before.set(this, now);
    return now;
  });
  body();
  spy.mock.restore();
  return total;
}

const seeds = Array.from({ length: histories }, (_, i) => firstSeed + i);

function requireAll(reclaimed: Reclaimed): void {
  if (histories === 1) return;
  for (const [name, count] of Object.entries(reclaimed))
    assert.ok(count >= histories, `${name}: ${count} in ${histories} histories`);
}

const listed = (reclaimed: Reclaimed): string =>
  Object.entries(reclaimed)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");

test(`${histories} histories of reclamation survive a power cut anywhere, and another one during the recovery`, (t) => {
  let cuts = 0;
  const reclaimed = reclaimedIn(() => {
    for (const seed of seeds) {
      const again = `SEED=${seed} node --test engine/kladde/reclaim/crash.test.ts`;
      cuts += runOrExplain(drawHistory(seed), again).cuts;
    }
  });
  t.diagnostic(`${cuts} cuts; ${listed(reclaimed)}`);
  assert.ok(cuts > 40 * histories, "the cuts are real ones");
  requireAll(reclaimed);
});

test("the first rounds of a third of them keep their promise whichever call fails, and wherever the disk is full", (t) => {
  let faults = 0;
  const some = seeds.slice(0, Math.ceil(histories / 3));
  const reclaimed = reclaimedIn(() => {
    for (const seed of some)
      faults += within(`SEED=${seed}`, () => runFaultHistory(drawHistory(seed, 0.5))).faults;
  });
  t.diagnostic(`${faults} failures; ${listed(reclaimed)}`);
  assert.ok(faults > 100 * some.length);
  requireAll(reclaimed);
});
