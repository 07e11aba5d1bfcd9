/**
 * Random histories of a store: a list of plain steps, drawn from a seed. `perform.ts` performs them.
 *
 *  (1) A step names allocations by slot, the number of the step that made them, not by id. A step whose slot is not
 *      alive, or whose scope is not open, is skipped. So every part of a history is a history: what fails can be
 *      made smaller by leaving steps out.
 *  (2) The bytes a step writes follow from its `seed`.
 *  (3) The mistakes that hide best are drawn most: shrink and grow again, growth without writing at the end, sizes of
 *      0, an id that comes back, moves onto themselves, writes across pages, transactions in transactions.
 *
 * `HistoryOptions` says how much of what. `leafyHistory` makes the header overflow within a few flushes, together
 * with the store options `leafyStore`: most mistakes with anchors show only when one of them lies in a leaf.
 */

import { SplitMix32 } from "../../storage/random.ts";
import type { StoreOptions } from "../options.ts";
import type { Contents } from "./model.ts";

export type Step =
  | { readonly do: "alloc"; readonly slot: number; readonly size: number }
  | { readonly do: "newId"; readonly slot: number }
  | { readonly do: "free"; readonly slot: number }
  | { readonly do: "resize"; readonly slot: number; readonly size: number }
  | {
      readonly do: "write";
      readonly slot: number;
      readonly offset: number;
      readonly length: number;
      readonly seed: number;
    }
  | {
      readonly do: "splice";
      readonly slot: number;
      readonly offset: number;
      readonly oldLength: number;
      readonly length: number;
      readonly seed: number;
    }
  | {
      readonly do: "copy" | "move";
      readonly slot: number;
      readonly offset: number;
      readonly length: number;
      readonly to: number;
      readonly toOffset: number;
      /** An id, whether it exists or not, that takes the place of the slot's. */
      readonly source?: number;
    }
  | { readonly do: "begin" | "commit" | "abort" | "beginBatch" | "endBatch" | "flush" }
  /** The session is closed, or its process dies; another one opens the file. Only outside scopes. */
  | { readonly do: "reopen" | "kill" };

export interface HistoryOptions {
  readonly steps: number;
  /** Allocations are made up to this number, then freed as often as made. */
  readonly allocations: number;
  /** Most sizes lie below; one in `largeOneIn` is up to `largeBytes`. */
  readonly smallBytes: number;
  readonly largeBytes: number;
  readonly largeOneIn: number;
  /** Mean number of steps from one flush to the next. */
  readonly stepsPerFlush: number;
  readonly reopenOneIn: number;
  /** One step in so many begins or ends a scope; 0: none does. */
  readonly scopeOneIn: number;
  /** Splices, copies and moves too. */
  readonly transfers: boolean;
  /** One copy or move in so many has a low number for its source, which may or may not exist; 0: none has. */
  readonly anySourceOneIn: number;
}

export const plainHistory: HistoryOptions = {
  steps: 300,
  allocations: 12,
  smallBytes: 120,
  largeBytes: 14000,
  largeOneIn: 12,
  stepsPerFlush: 8,
  reopenOneIn: 60,
  scopeOneIn: 8,
  transfers: true,
  anySourceOneIn: 0,
};

export const leafyHistory: HistoryOptions = {
  ...plainHistory,
  steps: 600,
  allocations: 90,
  smallBytes: 250,
  largeOneIn: 60,
  stepsPerFlush: 12,
};

/**
 * Shrinks, growths, frees and new allocations, and so many of them that anchors and the growths above them come to lie
 * in leaves and headers of different ages.
 */
export const anchorHistory: HistoryOptions = {
  ...leafyHistory,
  steps: 1000,
  allocations: 200,
  smallBytes: 150,
  scopeOneIn: 0,
  transfers: false,
};

/** Few statements fill the header when each may carry 251 bytes; few journal pages make flushes by themselves. */
export const leafyStore: StoreOptions = { consolidate: false, inlineThreshold: 251, journalBudgetPages: 4 };

/** Slot of an allocation that is there at the start. */
export const slotAtStart = (id: number): number => -id;

/** Draws a history for a store that holds `atStart`. */
export function drawHistory(seed: number, options: HistoryOptions, atStart: Contents = new Map()): Step[] {
  const drawing = new Drawing(new SplitMix32(seed), options, atStart);
  while (drawing.steps.length < options.steps) drawing.step();
  return drawing.steps;
}

/** Keeps a rough idea of which slots are alive and how large they are; aborts make it wrong, which costs a skip. */
class Drawing {
  readonly steps: Step[] = [];
  readonly #random: SplitMix32;
  readonly #options: HistoryOptions;
  readonly #sizes = new Map<number, number>();
  readonly #alive: number[] = [];
  readonly #scopes: ("transaction" | "batch")[] = [];

  constructor(random: SplitMix32, options: HistoryOptions, atStart: Contents) {
    this.#random = random;
    this.#options = options;
    for (const [id, { length }] of atStart) {
      this.#alive.push(slotAtStart(id));
      this.#sizes.set(slotAtStart(id), length);
    }
  }

  step(): void {
    const { stepsPerFlush, reopenOneIn, scopeOneIn, allocations } = this.#options;
    if (this.#oneIn(stepsPerFlush)) this.steps.push({ do: "flush" });
    else if (this.#scopes.length === 0 && this.#oneIn(reopenOneIn))
      this.steps.push({ do: this.#oneIn(2) ? "reopen" : "kill" });
    else if (scopeOneIn > 0 && this.#oneIn(scopeOneIn)) this.#scope();
    else if (this.#alive.length === 0 || (this.#alive.length < allocations && this.#oneIn(2))) this.#make();
    else if (this.#oneIn(this.#alive.length >= allocations ? 4 : 12)) this.#free();
    else this.#change();
  }

  #oneIn(n: number): boolean {
    return this.#random.below(n) === 0;
  }

  #scope(): void {
    const open = this.#scopes.at(-1);
    if (open === undefined || (this.#scopes.length < 4 && this.#oneIn(3))) {
      const kind = this.#oneIn(3) ? "batch" : "transaction";
      this.#scopes.push(kind);
      this.steps.push({ do: kind === "batch" ? "beginBatch" : "begin" });
      return;
    }
    this.#scopes.pop();
    if (open === "batch") this.steps.push({ do: "endBatch" });
    else this.steps.push({ do: this.#oneIn(3) ? "abort" : "commit" });
  }

  #make(): void {
    const slot = this.steps.length;
    const size = this.#size();
    this.#alive.push(slot);
    if (this.#oneIn(6)) {
      this.steps.push({ do: "newId", slot });
      this.#sizes.set(slot, 0);
      return;
    }
    this.steps.push({ do: "alloc", slot, size });
    this.#sizes.set(slot, size);
    const length = this.#oneIn(3) ? 0 : this.#oneIn(2) ? size : this.#random.below(size + 1);
    if (length > 0) this.steps.push({ do: "write", slot, offset: 0, length, seed: this.#random.next() });
  }

  #free(): void {
    const at = this.#random.below(this.#alive.length);
    const slot = this.#alive[at]!;
    this.#alive.splice(at, 1);
    this.steps.push({ do: "free", slot });
    // An id comes back through the flush that freed it.
    if (this.#oneIn(2)) this.steps.push({ do: "flush" });
    if (this.#oneIn(2)) this.#make();
  }

  #change(): void {
    const kind = this.#random.below(this.#options.transfers ? 10 : 6);
    const slot = this.#pick();
    if (kind < 3) this.#resize(slot);
    else if (kind < 6) this.#write(slot);
    else if (kind < 7) this.#splice(slot);
    else this.#transfer(slot, kind === 9 ? "copy" : "move");
  }

  /** Half of the changes go to the four youngest, so that others are left alone and grow cold. */
  #pick(): number {
    const count = this.#alive.length;
    const from = this.#oneIn(2) ? Math.max(0, count - 4) : 0;
    return this.#alive[from + this.#random.below(count - from)]!;
  }

  #resize(slot: number): void {
    const size = this.#sizes.get(slot)!;
    const cases = [
      () => 0,
      () => this.#random.below(size + 1),
      () => Math.max(0, size - 1 - this.#random.below(8)),
      () => size + 1 + this.#random.below(40),
      () => size,
      () => this.#size(),
    ];
    this.#setSize(slot, cases[this.#random.below(cases.length)]!());
    // Shrink and grow again, in one flush or across one, the new end unwritten.
    if (this.#oneIn(4)) {
      if (this.#oneIn(2)) this.steps.push({ do: "flush" });
      this.#setSize(slot, this.#oneIn(2) ? size : size + this.#random.below(40));
    }
  }

  #setSize(slot: number, size: number): void {
    this.steps.push({ do: "resize", slot, size });
    this.#sizes.set(slot, size);
  }

  #write(slot: number): void {
    const size = this.#sizes.get(slot)!;
    const length = this.#oneIn(12) ? 0 : 1 + this.#size();
    const inside = Math.max(1, size - length + 1);
    const offset = this.#oneIn(8) ? size + this.#random.below(30) : this.#random.below(inside);
    this.steps.push({ do: "write", slot, offset, length, seed: this.#random.next() });
    this.#sizes.set(slot, Math.max(size, offset + length));
  }

  #splice(slot: number): void {
    const size = this.#sizes.get(slot)!;
    const offset = this.#random.below(size + (this.#oneIn(8) ? 20 : 1));
    const oldLength = this.#oneIn(4) ? 0 : this.#random.below(Math.max(1, size - offset + 1));
    const length = this.#oneIn(4) ? 0 : this.#random.below(60);
    this.steps.push({ do: "splice", slot, offset, oldLength, length, seed: this.#random.next() });
    this.#sizes.set(slot, Math.max(size, offset + oldLength) - oldLength + length);
  }

  #transfer(slot: number, kind: "copy" | "move"): void {
    const size = this.#sizes.get(slot)!;
    const to = this.#oneIn(3) ? slot : this.#pick();
    const length = this.#random.below(Math.min(size, 5000) + 20);
    const offset = this.#random.below(size + (this.#oneIn(8) ? 20 : 1));
    const near = Math.max(0, offset + this.#random.below(40) - 20);
    const toSize = this.#sizes.get(to)!;
    const toOffset = to === slot && this.#oneIn(2) ? near : this.#random.below(toSize + 10);
    const { anySourceOneIn, allocations } = this.#options;
    const isAny = anySourceOneIn > 0 && this.#oneIn(anySourceOneIn);
    const source = isAny ? { source: 1 + this.#random.below(allocations + 2) } : {};
    this.steps.push({ do: kind, slot, offset, length, to, toOffset, ...source });
    this.#sizes.set(to, Math.max(toSize, toOffset + length));
  }

  #size(): number {
    const { smallBytes, largeBytes, largeOneIn } = this.#options;
    if (this.#oneIn(5)) return 0;
    return this.#random.below(this.#oneIn(largeOneIn) ? largeBytes : smallBytes);
  }
}
