/**
 * Rewriting leaves: what a leaf still states is stated again by this flush, and the leaf is unlinked.
 *
 *  (1) Once the statements of the flush are laid out, a leaf is rewritten only if it names no id that the flush has a
 *      record of: restating its size or existence could contradict what is laid out for the same epoch.
 *  (2) What it costs is estimated: shadowing has split fragments that need a statement each now, and statements lose
 *      the neighbours that their short form relied on.
 *
 * Cost: decoding the leaf, which is in memory.
 */

import type { FlushContext } from "../flush/context.ts";
import { StatementReader } from "../format/statement.ts";
import { pageLeaf } from "../state/pages.ts";
import { readResident, rewriteTablePage } from "../state/taking.ts";
import type { Chosen } from "./chosen.ts";
import type { Compaction } from "./compaction.ts";
import type { Candidates, Policy } from "./policy.ts";

/** Bytes stated again per byte of a leaf's coverage, as an estimate. */
export const restatedBytesPerByte = 1.25;

export interface LeafParts {
  readonly flush: FlushContext;
  readonly policy: Policy;
  readonly chosen: Chosen;
  readonly compaction: Compaction;
}

const reader = new StatementReader();

export class LeafRewriting implements Candidates {
  readonly #parts: LeafParts;
  /** Whether a leaf may be rewritten after the layout, as far as it was asked for. */
  readonly #eligible = new Map<number, boolean>();

  constructor(parts: LeafParts) {
    this.#parts = parts;
  }

  rewrite(page: number): void {
    const { flush } = this.#parts;
    rewriteTablePage(flush.state, page);
    flush.counters.tableRewrites++;
  }

  /** Rewrites leaves into `room` bytes of a table page that is laid out already; returns the room left over. */
  fill(room: number): number {
    const { flush, policy } = this.#parts;
    const { coverage } = flush.state.pages;
    this.#eligible.clear();
    let left = room;
    const take = (page: number): void => {
      left -= restatedBytesPerByte * coverage[page]!;
      this.rewrite(page);
    };
    for (let tail = this.#tailWithin(left); tail >= 0; tail = this.#tailWithin(left)) take(tail);
    for (;;) {
      const victim = policy.leafVictim(0, left / restatedBytesPerByte, this);
      if (victim < 0) return left;
      take(victim);
    }
  }

  allows(page: number): boolean {
    return this.#parts.chosen.allows(page) && this.#isEligible(page);
  }

  #tailWithin(room: number): number {
    const { flush, compaction } = this.#parts;
    const tail = compaction.movableTail(pageLeaf);
    if (tail < 0 || restatedBytesPerByte * flush.state.pages.coverage[tail]! > room) return -1;
    return this.#isEligible(tail) ? tail : -1;
  }

  #isEligible(page: number): boolean {
    const known = this.#eligible.get(page);
    if (known !== undefined) return known;
    const isEligible = this.#namesNoLaidOutId(page);
    this.#eligible.set(page, isEligible);
    return isEligible;
  }

  #namesNoLaidOutId(page: number): boolean {
    const { state } = this.#parts.flush;
    const { allocations, records } = state;
    readResident(state, page, reader);
    while (reader.next()) {
      const record = allocations.record[allocations.row(reader.id)]!;
      if (record !== 0 && record < records.firstNew) return false;
    }
    return true;
  }
}
