/** Runs the histories of reclamation under all oracles. */

import { drawForeignFile } from "./foreign.ts";
import { drawReclaimSetting } from "./reclaim-history.ts";
import { checkReclaim, failOnLostReferrers } from "./reclaim-oracle.ts";
import { failureOf, failureOfSeed, type Reached, runSetting, runSteps } from "./run.ts";
import { drawTrapHistory, trapStore } from "./trap-history.ts";

/** Throws with a small history if something is wrong with the one of `seed`. */
export function runReclaimSeed(seed: number): Reached {
  failOnLostReferrers();
  const { history, options } = drawReclaimSetting(seed);
  return runSetting(seed, history, { options, oracle: checkReclaim });
}

/** As `runReclaimSeed`, shorter, on another writer's file. */
export function runForeignSeed(seed: number): Reached {
  failOnLostReferrers();
  const { history, options } = drawReclaimSetting(seed);
  const start = drawForeignFile(seed);
  return runSetting(seed, { ...history, steps: 200 }, { options, oracle: checkReclaim, start });
}

/** What is wrong, not made smaller; undefined if nothing is. */
export function failureOfReclaimSeed(seed: number): unknown {
  failOnLostReferrers();
  const { history, options } = drawReclaimSetting(seed);
  return failureOfSeed(seed, history, options, checkReclaim);
}

/** As `runReclaimSeed`, of the histories of `trap-history.ts`. */
export function runTrapSeed(seed: number): Reached {
  failOnLostReferrers();
  return runSteps(seed, drawTrapHistory(seed), { options: trapStore, oracle: checkReclaim });
}

export function failureOfTrapSeed(seed: number): unknown {
  failOnLostReferrers();
  return failureOf(drawTrapHistory(seed), { options: trapStore, oracle: checkReclaim });
}
