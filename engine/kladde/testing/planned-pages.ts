/**
 * Page tables made up for tests of what chooses pages: nothing but kind, coverage and age of each page is there.
 */

import { resolveOptions, type StoreOptions } from "../options.ts";
import { ChurnFloorPolicy } from "../reclaim/churn-floor.ts";
import type { Candidates } from "../reclaim/policy.ts";
import { pageData, pageHeader, pageJournal, pageLeaf, pageReady, pageRetiring } from "../state/pages.ts";
import { StoreState } from "../state/state.ts";

const kinds = {
  data: pageData,
  leaf: pageLeaf,
  ready: pageReady,
  retiring: pageRetiring,
  journal: pageJournal,
} as const;

export interface PlannedPage {
  readonly kind: keyof typeof kinds;
  readonly bytes?: number;
  /** Flushes since the page was written, as of the flush in progress; 1 unless given. */
  readonly age?: number;
}

export const data = (bytes: number, age = 1): PlannedPage => ({ kind: "data", bytes, age });
export const leaf = (bytes: number, age = 1): PlannedPage => ({ kind: "leaf", bytes, age });
export const free = (kind: "ready" | "retiring"): PlannedPage => ({ kind });
export const repeated = (count: number, page: PlannedPage): PlannedPage[] =>
  Array.from({ length: count }, () => page);

const plannedEpoch = 1000;

/** A state whose pages from 2 on are `pages`. */
export function plannedState(pages: readonly PlannedPage[]): StoreState {
  const state = new StoreState();
  state.epoch = plannedEpoch;
  const table = state.pages;
  table.extendTo(2 + pages.length);
  table.state.fill(pageHeader, 0, 2);
  pages.forEach(({ kind, bytes = 0, age = 1 }, i) => {
    const page = 2 + i;
    if (kind === "ready") table.makeReady(page);
    else if (kind === "retiring") table.retire(page);
    else table.state[page] = kinds[kind];
    table.coverage[page] = bytes;
    table.epoch[page] = plannedEpoch + 1 - age;
  });
  return state;
}

/** The default policy over `state`, which tells it of changes from now on. */
export function plannedPolicy(state: StoreState, options: StoreOptions = {}): ChurnFloorPolicy {
  const policy = new ChurnFloorPolicy(state, resolveOptions(options));
  state.hooks = { ...state.hooks, coverageChanged: (page) => policy.coverageChanged(page) };
  return policy;
}

export const anyPage: Candidates = { allows: () => true };
