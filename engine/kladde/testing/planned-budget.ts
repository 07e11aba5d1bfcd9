/**
 * Spending a budget over a made-up page table: pages are moved by their coverage alone, and what was done with which
 * is written down.
 *
 *  (1) What is planned with is the real thing: policy, compaction, offers.
 */

import { MemoryFile } from "../../storage/memory.ts";
import { type FlushContext, newScratch } from "../flush/context.ts";
import { resolveOptions, type StoreOptions } from "../options.ts";
import { type BudgetParts, spendBudget } from "../reclaim/budget.ts";
import { Chosen } from "../reclaim/chosen.ts";
import { Compaction } from "../reclaim/compaction.ts";
import type { Carried, Evacuation } from "../reclaim/evacuation.ts";
import type { LeafRewriting } from "../reclaim/leaves.ts";
import type { OpenDataPage } from "../state/hooks.ts";
import type { StoreState } from "../state/state.ts";
import { type PlannedPage, plannedPolicy, plannedState } from "./planned-pages.ts";

/** One page of the budget: leaves stated again, or a data page and what was put into it. */
export type Spent =
  | { readonly kind: "leaves"; readonly pages: readonly number[] }
  | {
      readonly kind: "data";
      readonly page: number;
      /** Bytes that an earlier victim left over. */
      readonly carried: number;
      readonly whole: readonly number[];
      readonly cut: number | undefined;
      readonly used: number;
    };

export interface Spending {
  readonly spent: readonly Spent[];
  readonly budgetPagesUsed: number;
}

/** Spends `budget` pages on `pages`, which are numbered from 2. */
export function spend(pages: readonly PlannedPage[], budget: number, options: StoreOptions = {}): Spending {
  const state = plannedState(pages);
  const policy = plannedPolicy(state, options);
  policy.resume(budget);
  const chosen = new Chosen(state);
  const resolved = resolveOptions(options);
  const compaction = new Compaction(state, resolved, chosen);
  const counters = { budgetPagesUsed: 0, dataPagesWritten: 0, growths: 0 };
  const file = new MemoryFile();
  const flush = { state, file, options: resolved, counters, ...newScratch() } as unknown as FlushContext;
  compaction.begin();
  const recording = new Recording(state, chosen, counters);
  const parts = { flush, policy, chosen, compaction, evacuation: recording, leaves: recording };
  spendBudget(parts as unknown as BudgetParts);
  return { spent: recording.finish(), budgetPagesUsed: counters.budgetPagesUsed };
}

type Doing =
  | { number: number; kind: "leaves"; pages: number[] }
  | {
      number: number;
      kind: "data";
      page: number;
      carried: number;
      whole: number[];
      cut: number | undefined;
      used: number;
    };

class Recording implements Pick<Evacuation, "whole" | "across" | "lead">, Pick<LeafRewriting, "rewrite"> {
  readonly #state: StoreState;
  readonly #chosen: Chosen;
  readonly #counters: { readonly budgetPagesUsed: number };
  readonly #spent: Doing[] = [];

  constructor(state: StoreState, chosen: Chosen, counters: { readonly budgetPagesUsed: number }) {
    this.#state = state;
    this.#chosen = chosen;
    this.#counters = counters;
  }

  finish(): readonly Spent[] {
    return this.#spent.map(({ number, ...rest }) => rest);
  }

  rewrite(page: number): void {
    this.#state.rewritten.add(page);
    const last = this.#spent.at(-1);
    const number = this.#counters.budgetPagesUsed;
    if (last?.kind === "leaves" && last.number === number) last.pages.push(page);
    else this.#spent.push({ number, kind: "leaves", pages: [page] });
  }

  lead({ victim, bytes }: Carried, open: OpenDataPage): void {
    this.#into(open).carried += bytes;
    this.#move(victim, bytes, open);
  }

  whole(victim: number, open: OpenDataPage): boolean {
    this.#into(open).whole.push(victim);
    this.#move(victim, this.#state.pages.coverage[victim]!, open);
    return true;
  }

  across(victim: number, open: OpenDataPage): Carried | undefined {
    this.#into(open).cut = victim;
    const left = this.#state.pages.coverage[victim]! - open.room;
    this.#move(victim, open.room, open);
    this.#chosen.skipped.add(victim);
    return left > 0 ? { victim, parts: [], bytes: left } : undefined;
  }

  #into({ page }: OpenDataPage): Extract<Doing, { kind: "data" }> {
    const last = this.#spent.at(-1);
    if (last?.kind === "data" && last.page === page) return last;
    const doing = {
      number: this.#counters.budgetPagesUsed,
      kind: "data" as const,
      page,
      carried: 0,
      whole: [],
      cut: undefined,
      used: 0,
    };
    this.#spent.push(doing);
    return doing;
  }

  #move(victim: number, bytes: number, open: OpenDataPage): void {
    open.used += bytes;
    this.#into(open).used = open.used;
    this.#state.cover(open.page, bytes);
    this.#state.uncover(victim, bytes);
  }
}
