/**
 * Histories and store options under which every mechanism of reclamation works within a few flushes.
 *
 *  (1) A seed is a history and the options of each of its sessions.
 *  (2) Options are drawn from their whole range, its ends included, most of them so small that a small file gives
 *      reclamation something to decide.
 */

import { SplitMix32 } from "../../storage/random.ts";
import type { StoreOptions } from "../options.ts";
import { anchorHistory, type HistoryOptions, leafyHistory, plainHistory } from "./history.ts";
import type { OptionsOfSession } from "./run.ts";

/** Data pages that lose a part of themselves. */
const pageHistory: HistoryOptions = {
  ...plainHistory,
  steps: 500,
  allocations: 40,
  smallBytes: 700,
  largeBytes: 9000,
  largeOneIn: 5,
  stepsPerFlush: 10,
};

/** Few allocations, written in many small pieces: long descriptions. */
const pieceHistory: HistoryOptions = {
  ...plainHistory,
  steps: 600,
  allocations: 5,
  smallBytes: 25,
  largeBytes: 2000,
  largeOneIn: 15,
  stepsPerFlush: 4,
  scopeOneIn: 0,
};

/** Many leaves, and many freed ids whose tombstones lie in them. */
const tableHistory: HistoryOptions = {
  ...leafyHistory,
  steps: 700,
  allocations: 150,
  stepsPerFlush: 8,
  scopeOneIn: 40,
};

interface Kind {
  readonly history: HistoryOptions;
  /** Options that override the drawn ones: few statements fill a header when each carries many bytes. */
  readonly options: StoreOptions;
}

const kinds: readonly Kind[] = [
  { history: pageHistory, options: {} },
  { history: tableHistory, options: { inlineThreshold: 251 } },
  { history: pieceHistory, options: {} },
  { history: { ...anchorHistory, steps: 700, stepsPerFlush: 8 }, options: { inlineThreshold: 251 } },
];

export interface ReclaimSetting {
  readonly history: HistoryOptions;
  readonly options: OptionsOfSession;
}

export function drawReclaimSetting(seed: number): ReclaimSetting {
  const { history, options } = kinds[seed % kinds.length]!;
  const reopenOneIn = [12, 60][Math.floor(seed / 4) % 2]!;
  // One policy throughout, or another one in every session.
  const isSteady = Math.floor(seed / 8) % 2 === 0;
  const optionsOf: OptionsOfSession = (session) => ({
    ...drawReclaimOptions(new SplitMix32((seed * 1000 + (isSteady ? 0 : session)) ^ 0x7ec1a1), !isSteady),
    ...options,
  });
  return { history: { ...history, reopenOneIn }, options: optionsOf };
}

/** Any options; `mayBeOff`: one in six does not consolidate. */
export function drawReclaimOptions(random: SplitMix32, mayBeOff: boolean): StoreOptions {
  const pick = <T>(...choices: readonly T[]): T => choices[random.below(choices.length)]!;
  const budgetMin = pick(1, 1, 1, 3);
  return {
    consolidate: !(mayBeOff && random.below(6) === 0),
    journalBudgetPages: pick(2, 4, 256),
    batchBytes: pick(100, 65536),
    inlineThreshold: pick(0, 4, 64, 64, 251),
    theta: pick(0, 0.05, 0.05, 0.5, 0.99),
    lookahead: pick(1, 2, 16),
    truncateTail: pick(1, 4, 1000),
    sample: pick(1, 2, 8),
    churnFloor: pick(0.3, 0.5, 1, 2, 4),
    targetFill: pick(0.3, 0.6, 0.8, 0.95),
    budgetStart: pick(1, 2, 8, 65536),
    budgetMin,
    budgetMax: pick(budgetMin, 4, 256),
    walk: pick(0, 1, 7, 60, 512),
    defragShare: pick(0, 0.02, 1, 16),
    mu: pick(0, 0.001, 0.02, 0.2, Number.POSITIVE_INFINITY),
    holeShare: pick(0.01, 0.1, 0.25, 0.6, 1),
    consolidatorState: random.below(4) > 0,
    verify: pick("eager" as const, "lazy" as const),
  };
}
