/** Which pages the flush in progress has done with, or is about to: they are no victims any more. */

import type { StoreState } from "../state/state.ts";
import type { Candidates } from "./policy.ts";

export class Chosen implements Candidates {
  /** Pages that could not be cleaned in this flush, or are as good as clean. */
  readonly skipped = new Set<number>();
  /** Pages in the offer that is being made. */
  readonly offered = new Set<number>();
  readonly #state: StoreState;

  constructor(state: StoreState) {
    this.#state = state;
  }

  begin(): void {
    this.skipped.clear();
    this.offered.clear();
  }

  allows(page: number): boolean {
    return !this.skipped.has(page) && !this.offered.has(page) && !this.#state.rewritten.has(page);
  }
}
