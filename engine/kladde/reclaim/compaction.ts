/**
 * Compaction mode: while free pages below the tail are too large a share of the file, its last live pages are moved
 * downward whatever they cost, because a file shrinks only from its end.
 *
 *  (1) Decided once per flush, before anything is taken. Pages in quarantine are no holes: they are what the next
 *      flushes write to, and counting them kept small files in the mode for ever.
 *  (2) The tail is the highest page with live data or statements; it moves only while a free page lies below it.
 *  (3) What the mode did is not undone outside it, so entering and leaving at one threshold wastes nothing.
 *
 * Cost: a walk from the end of the file to the tail.
 */

import type { ResolvedOptions } from "../options.ts";
import { type PageTable, pageData, pageLeaf, pageReady } from "../state/pages.ts";
import type { StoreState } from "../state/state.ts";
import type { Chosen } from "./chosen.ts";

/** Whether free and writable pages below `tail` are more than `holeShare` of the file. */
export function isHoled(pages: PageTable, tail: number, holeShare: number): boolean {
  let above = 0;
  for (let page = tail + 1; page < pages.filePages; page++) if (pages.state[page] === pageReady) above++;
  return pages.ready.count - above > holeShare * pages.filePages;
}

export class Compaction {
  /** Whether this flush is in the mode. */
  isOn = false;
  readonly #state: StoreState;
  readonly #options: ResolvedOptions;
  readonly #chosen: Chosen;
  #tail = 0;

  constructor(state: StoreState, options: ResolvedOptions, chosen: Chosen) {
    this.#state = state;
    this.#options = options;
    this.#chosen = chosen;
  }

  begin(): void {
    const { pages } = this.#state;
    this.#tail = pages.filePages - 1;
    this.isOn = this.#options.holeShare < 1 && isHoled(pages, this.tail(), this.#options.holeShare);
  }

  /** The highest live data page or leaf that this flush leaves where it is; −1 if there is none. */
  tail(): number {
    const { state, coverage } = this.#state.pages;
    for (; this.#tail >= 0; this.#tail--) {
      const page = this.#tail;
      const isLive = (state[page] === pageData || state[page] === pageLeaf) && coverage[page]! > 0;
      if (isLive && this.#chosen.allows(page)) return page;
    }
    return -1;
  }

  /** In the mode, the tail while a free page lies below it, if it is in `kind`; else −1. */
  movableTail(kind: typeof pageData | typeof pageLeaf): number {
    if (!this.isOn) return -1;
    const { pages } = this.#state;
    const tail = this.tail();
    const lowest = pages.ready.lowest();
    return tail >= 0 && pages.state[tail] === kind && lowest >= 0 && lowest < tail ? tail : -1;
  }

  /** In the mode, the tail if it is a data page above `page`; else −1. */
  tailAbove(page: number): number {
    if (!this.isOn) return -1;
    const tail = this.tail();
    return tail > page && this.#state.pages.state[tail] === pageData ? tail : -1;
  }
}
