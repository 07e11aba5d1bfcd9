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
  /** Where there are no more images of whole sectors than this, all of them. */
  readonly exhaustive?: number;
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
  anySourceOneIn: 0,
};

/** On top of what is there from the start. */
const leafyShortHistory: HistoryOptions = { ...shortHistory, steps: 26, smallBytes: 250, largeOneIn: 40 };

/** Pages come and go as often as they can: flushes by themselves, tails cut at once, batches split. */
const restlessStore: StoreOptions = {
  inlineThreshold: 0,
  journalBudgetPages: 1,
  batchBytes: 100,
  truncateTail: 1,
  verify: "lazy",
};

export interface CrashKind {
  readonly history: HistoryOptions;
  readonly store: StoreOptions;
  /** Allocations that are there from the start; more than a header has room for make leaves. */
  readonly prelude: number;
}

const kinds: readonly CrashKind[] = [
  { history: shortHistory, store: {}, prelude: 0 },
  { history: shortHistory, store: restlessStore, prelude: 0 },
  { history: leafyShortHistory, store: leafyStore, prelude: 26 },
  {
    history: shortHistory,
    store: { ...restlessStore, journalBudgetPages: 2, inlineThreshold: 251 },
    prelude: 0,
  },
];

/** The history of a seed. */
export function drawCrashHistory(seed: number): CrashHistory {
  return { ...drawStepsOf(seed, kinds[seed % kinds.length]!), scattered: 3 };
}

/** Steps of a kind, and its store. */
export function drawStepsOf(
  seed: number,
  { history, store, prelude }: CrashKind,
): Omit<CrashHistory, "scattered"> {
  const random = new SplitMix32(seed ^ 0x5eed);
  const steps: CrashStep[] = preludeOf(prelude, random);
  for (const step of drawHistory(seed, history)) {
    if (random.below(20) === 0) steps.push({ do: "setRoots", root: random.below(1000) });
    if (prelude > 0 && random.below(3) === 0) steps.push(stepOnPrelude(-1 - random.below(prelude), random));
    const isCut = (step.do === "kill" && random.below(3) > 0) || random.below(40) === 0;
    steps.push(isCut ? { do: "cut", pick: random.next() } : step);
  }
  return { seed, steps, store };
}

const preludeBytes = 200;

/** Makes `count` allocations in one transaction; their slots are below 0. */
function preludeOf(count: number, random: SplitMix32): Step[] {
  if (count === 0) return [];
  const steps: Step[] = [{ do: "begin" }];
  for (let slot = -1; slot >= -count; slot--)
    steps.push(
      { do: "alloc", slot, size: 0 },
      { do: "write", slot, offset: 0, length: preludeBytes, seed: random.next() },
    );
  steps.push({ do: "commit" }, { do: "flush" });
  return steps;
}

function stepOnPrelude(slot: number, random: SplitMix32): Step {
  const kind = random.below(6);
  if (kind === 0) return { do: "free", slot };
  if (kind < 3) return { do: "resize", slot, size: random.below(2 * preludeBytes) };
  const offset = random.below(preludeBytes);
  return { do: "write", slot, offset, length: 1 + random.below(60), seed: random.next() };
}

/**
 * A part of `history` that still fails, shorter where `millis` allow: given time enough, without any one of its steps
 * it does not fail.
 */
export function shortest(
  history: CrashHistory,
  fails: (history: CrashHistory) => boolean,
  millis: number,
): CrashHistory {
  const deadline = performance.now() + millis;
  let steps = history.steps;
  for (let size = steps.length; size >= 1; ) {
    const before = steps.length;
    for (let at = 0; at < steps.length && performance.now() < deadline; ) {
      const rest = steps.toSpliced(at, size);
      if (fails({ ...history, steps: rest })) steps = rest;
      else at += size;
    }
    if (size > 1) size = Math.floor(size / 2);
    else if (steps.length === before || performance.now() >= deadline) break;
  }
  return { ...history, steps };
}
