/**
 * Histories for crash tests: those of `history.ts` with power cuts and header fields, on stores whose options make
 * pages come and go.
 *
 *  (1) A seed is a history, its store options included.
 *  (2) Any steps may be left out; what is left is a history.
 */

import { SplitMix32 } from "../../storage/random.ts";
import type { StoreOptions } from "../options.ts";
import { drawHistory, type HistoryOptions, leafyStore, type Step } from "./history.ts";

export type CrashStep =
  | Step
  | { readonly do: "setRoots"; readonly root: number }
  /** The power is cut; `pick` says with which of the images since the step before. */
  | { readonly do: "cut"; readonly pick: number };

export interface CrashHistory {
  readonly seed: number;
  readonly steps: readonly CrashStep[];
  readonly store: StoreOptions;
  /** Images by chance at every moment, besides the named ones. */
  readonly scattered: number;
}

const shortHistory: HistoryOptions = {
  steps: 36,
  allocations: 7,
  smallBytes: 120,
  largeBytes: 12000,
  largeOneIn: 10,
  stepsPerFlush: 6,
  reopenOneIn: 9,
  scopeOneIn: 6,
  transfers: true,
};

/** Enough small allocations to overflow the header, so that there are leaves. */
const leafyShortHistory: HistoryOptions = {
  ...shortHistory,
  steps: 70,
  allocations: 40,
  smallBytes: 250,
  largeOneIn: 60,
  stepsPerFlush: 12,
  scopeOneIn: 10,
};

/** Pages come and go as often as they can: flushes by themselves, tails cut at once, batches split. */
const restlessStore: StoreOptions = {
  inlineThreshold: 0,
  journalBudgetPages: 1,
  batchBytes: 100,
  truncateTail: 1,
  verify: "lazy",
};

const kinds: readonly { readonly history: HistoryOptions; readonly store: StoreOptions }[] = [
  { history: shortHistory, store: {} },
  { history: shortHistory, store: restlessStore },
  { history: leafyShortHistory, store: leafyStore },
  { history: shortHistory, store: { ...restlessStore, journalBudgetPages: 2, inlineThreshold: 251 } },
];

/** The history of a seed. */
export function drawCrashHistory(seed: number): CrashHistory {
  const kind = kinds[seed % kinds.length]!;
  const random = new SplitMix32(seed ^ 0x5eed);
  const steps: CrashStep[] = [];
  for (const step of drawHistory(seed, kind.history)) {
    if (random.below(20) === 0) steps.push({ do: "setRoots", root: random.below(1000) });
    const isCut = (step.do === "kill" && random.below(3) > 0) || random.below(40) === 0;
    steps.push(isCut ? { do: "cut", pick: random.next() } : step);
  }
  return { seed, steps, store: kind.store, scattered: 3 };
}

/** A shortest part of `history` that still fails: without any one of its steps it does not. */
export function shortest(history: CrashHistory, fails: (history: CrashHistory) => boolean): CrashHistory {
  let steps = history.steps;
  for (let size = steps.length; size >= 1; ) {
    const before = steps.length;
    for (let at = 0; at < steps.length; ) {
      const rest = steps.toSpliced(at, size);
      if (fails({ ...history, steps: rest })) steps = rest;
      else at += size;
    }
    if (size > 1) size = Math.floor(size / 2);
    else if (steps.length === before) break;
  }
  return { ...history, steps };
}
