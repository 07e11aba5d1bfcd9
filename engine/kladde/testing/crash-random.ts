/**
 * Histories of every size, on stores with options of every kind: reclamation off, on, and with options drawn from
 * their whole range.
 *
 *  (1) A seed is a history, its store options included.
 *  (2) Three in eight are so short that every choice of sectors can be tried at most of its moments.
 *  (3) Copies and moves also name sources that do not exist.
 *  (4) Reclamation gets something to decide: data pages that lose a part of themselves, leaves, descriptions.
 *
 * Cost: tiny histories take some ten milliseconds with all their crashes, large ones some seconds.
 */

import { SplitMix32 } from "../../storage/random.ts";
import type { StoreOptions } from "../options.ts";
import { type CrashHistory, type CrashKind, drawStepsOf } from "./crash-history.ts";
import type { HistoryOptions } from "./history.ts";
import { drawReclaimOptions } from "./reclaim-history.ts";

const base: HistoryOptions = {
  steps: 12,
  allocations: 6,
  smallBytes: 120,
  largeBytes: 9000,
  largeOneIn: 12,
  stepsPerFlush: 5,
  reopenOneIn: 9,
  scopeOneIn: 7,
  transfers: true,
  anySourceOneIn: 4,
};

interface Size {
  readonly history: HistoryOptions;
  readonly prelude: number;
  readonly exhaustive?: number;
}

const tiny: Size = {
  history: { ...base, steps: 6, allocations: 3, smallBytes: 40, largeOneIn: 30, stepsPerFlush: 3 },
  prelude: 0,
  exhaustive: 64,
};
const small: Size = { history: base, prelude: 0 };
/** Pages that lose a part of themselves. */
const pages: Size = { history: { ...base, smallBytes: 900, largeOneIn: 4, allocations: 12 }, prelude: 12 };
/** More statements than a header has room for. */
const leaves: Size = { history: { ...base, smallBytes: 250, largeOneIn: 40 }, prelude: 26 };

const sizes: readonly Size[] = [tiny, small, pages, small, tiny, leaves, tiny, small];

/** What the options of a session are drawn from. */
function drawStore(random: SplitMix32, isLeafy: boolean): StoreOptions {
  const inline: StoreOptions = isLeafy ? { inlineThreshold: 251 } : {};
  const kind = random.below(4);
  if (kind === 0) return { consolidate: false, journalBudgetPages: 2, truncateTail: 1, ...inline };
  if (kind === 1) return { ...inline };
  return { ...drawReclaimOptions(random, false), ...inline };
}

/** The history of a seed; `scale` times as many steps as usual. */
export function drawRandomCrashHistory(seed: number, scale = 1): CrashHistory {
  const random = new SplitMix32(seed ^ 0xc4a5);
  const size = sizes[seed % sizes.length]!;
  const steps = Math.round(size.history.steps * scale * (1 + random.below(100) / 100));
  const store = drawStore(random, size === leaves);
  const kind: CrashKind = { history: { ...size.history, steps }, store, prelude: size.prelude };
  return { ...drawStepsOf(seed, kind), scattered: 3, exhaustive: size.exhaustive ?? 0 };
}
