/**
 * The default policy: victims by cost and benefit, a floor under what a written byte must free, and a budget of pages
 * that a controller steers by the file's fill.
 *
 *  (1) The score of a page is (1 − u) · age / (1 + u), with u its live share: what is freed, for reading and writing
 *      it, weighted by how long it has been left alone. (The cost-benefit rule of log-structured file systems,
 *      Rosenblum and Ousterhout 1992.) A young page will probably empty further without help.
 *  (2) The sparsest bucket that has a candidate is sampled, from a place that moves on: every page gets its turn.
 *  (3) The budget moves by exp(4 · (target − fill)) per flush, between its bounds.
 *
 * Cost: `sample` scores a choice.
 */

import { contentCapacity } from "../format/layout.ts";
import type { ResolvedOptions } from "../options.ts";
import { pageData, pageLeaf } from "../state/pages.ts";
import type { StoreState } from "../state/state.ts";
import { Buckets, bucketCount, bucketOf, smallestCoverage } from "./buckets.ts";
import type { Candidates, Policy } from "./policy.ts";

/** Speed of the budget controller: at a fill of 0.1 below the target the budget grows by half per flush. */
const budgetGain = 4;

export class ChurnFloorPolicy implements Policy {
  readonly victimBytesMax: number;
  budget: number;
  readonly data = new Buckets();
  readonly leaves = new Buckets();
  readonly #state: StoreState;
  readonly #options: ResolvedOptions;
  /** Where the next sample starts; kept across flushes. */
  #rotation = 0;

  constructor(state: StoreState, options: ResolvedOptions) {
    this.#state = state;
    this.#options = options;
    this.victimBytesMax = Math.floor(contentCapacity / (1 + options.churnFloor));
    this.budget = this.#clamped(options.budgetStart);
    const { pages } = state;
    for (let page = 0; page < pages.filePages; page++) this.pageLive(page);
  }

  get pages(): number {
    return Math.round(this.budget);
  }

  coverageChanged(page: number): void {
    const { state, coverage } = this.#state.pages;
    const kind = state[page];
    if (kind === pageData) this.data.update(page, coverage[page]!);
    else if (kind === pageLeaf) this.leaves.update(page, coverage[page]!);
  }

  pageLive(page: number): void {
    const { state, coverage } = this.#state.pages;
    if (state[page] === pageData) this.data.enter(page, coverage[page]!);
    else if (state[page] === pageLeaf) this.leaves.enter(page, coverage[page]!);
  }

  dataVictim(above: number, most: number, candidates: Candidates): number {
    return this.#pick(this.data, above, most, candidates);
  }

  leafVictim(above: number, most: number, candidates: Candidates): number {
    return this.#pick(this.leaves, above, most, candidates);
  }

  pays(reclaimed: number, written: number): boolean {
    return reclaimed >= this.#options.churnFloor * written;
  }

  committed(fill: number): void {
    const step = Math.exp(budgetGain * (this.#options.targetFill - fill));
    this.budget = this.#clamped(Math.max(this.budget, 1) * step);
  }

  resume(budget: number): void {
    this.budget = this.#clamped(budget);
  }

  #clamped(budget: number): number {
    return Math.min(Math.max(budget, this.#options.budgetMin), this.#options.budgetMax);
  }

  #pick(queue: Buckets, above: number, most: number, candidates: Candidates): number {
    for (let bucket = above > 0 ? bucketOf(above + 1) : 0; bucket < bucketCount; bucket++) {
      if (smallestCoverage(bucket) > most) return -1;
      const { pages, count } = queue.lists[bucket]!;
      if (count === 0) continue;
      const best = this.#bestOf(pages, count, above, most, candidates);
      if (best >= 0) return best;
    }
    return -1;
  }

  /** The best of a sample of `pages`; of equals the later one. */
  #bestOf(pages: Uint32Array, count: number, above: number, most: number, candidates: Candidates): number {
    const { coverage, epoch } = this.#state.pages;
    const now = this.#state.epoch + 1;
    const start = this.#rotation++ % count;
    const sampled = Math.min(count, this.#options.sample);
    let best = -1;
    let bestScore = -1;
    for (let i = 0; i < sampled; i++) {
      const page = pages[start + i < count ? start + i : start + i - count]!;
      const live = coverage[page]!;
      if (live > most || live <= above) continue;
      const u = live / contentCapacity;
      const score = ((1 - u) * (now - epoch[page]!)) / (1 + u);
      if (score < bestScore || !candidates.allows(page)) continue;
      best = page;
      bestScore = score;
    }
    return best;
  }
}
