/** Runs the histories of reclamation under all oracles. */

import { drawReclaimSetting } from "./reclaim-history.ts";
import { checkReclaim, failOnLostReferrers } from "./reclaim-oracle.ts";
import { failureOfSeed, type Reached, runSetting } from "./run.ts";

/** Throws with a small history if something is wrong with the one of `seed`. */
export function runReclaimSeed(seed: number): Reached {
  failOnLostReferrers();
  const { history, options } = drawReclaimSetting(seed);
  return runSetting(seed, history, { options, oracle: checkReclaim });
}

/** What is wrong, not made smaller; undefined if nothing is. */
export function failureOfReclaimSeed(seed: number): unknown {
  failOnLostReferrers();
  const { history, options } = drawReclaimSetting(seed);
  return failureOfSeed(seed, history, options, checkReclaim);
}
