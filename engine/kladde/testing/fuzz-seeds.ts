/**
 * Files of ours for damage to start from: small ones with everything in them that a file can have.
 *
 *  (1) A seed is a file. Three in four have reclamation on, and some of those a state kept by it.
 *  (2) One in two ends with a journal that no flush has folded.
 */

import { MemoryFile } from "../../storage/memory.ts";
import { Store } from "../index.ts";
import { drawRandomCrashHistory } from "./crash-random.ts";
import type { Step } from "./history.ts";
import { Model } from "./model.ts";
import { perform, type Slots } from "./perform.ts";

/** As many as make every kind of file. */
export const fuzzSeeds = 32;

export function drawFuzzSeed(seed: number): Uint8Array {
  const history = drawRandomCrashHistory(seed, 2);
  const file = new MemoryFile("seed");
  let store = Store.create(file, history.store);
  const model = new Model();
  const slots: Slots = new Map();
  const open = (): Store => Store.open(file, history.store);
  for (const step of history.steps) {
    if (step.do === "setRoots" || step.do === "cut") continue;
    if (isMutation(step)) performOne(step, store, model, slots);
    else if (model.depth === 0) {
      if (step.do === "reopen") store.close();
      else file.close();
      model.reopen();
      store = open();
    }
  }
  while (model.depth > 0)
    perform({ do: model.scope === "batch" ? "endBatch" : "commit" }, store, model, slots);
  if (seed % 2 === 0) store.close();
  return file.bytes();
}

type Mutation = Exclude<Step, { do: "reopen" | "kill" }>;

const isMutation = (step: Step): step is Mutation => step.do !== "reopen" && step.do !== "kill";

function performOne(step: Mutation, store: Store, model: Model, slots: Slots): void {
  const { flushes } = store.stats();
  perform(step, store, model, slots);
  if (step.do !== "flush" && store.stats().flushes > flushes) model.flush();
}
