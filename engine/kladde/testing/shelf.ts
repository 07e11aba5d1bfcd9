/**
 * A store whose header can be filled at will, so that a test can put a statement of its choice into a leaf.
 *
 *  (1) The fillers' statements alone are more than a header holds. In a flush that has rewritten all of them the rest
 *      goes into leaves, but for what fits into the few bytes that no filler fits into.
 *  (2) How many those are depends on the length of the tuner, the first allocation: there is one that leaves none.
 *  (3) After every flush: `check()`, and what is loaded from the file is what memory holds.
 */

import assert from "node:assert/strict";
import { MemoryFile } from "../../storage/memory.ts";
import { Store } from "../index.ts";
import type { StoreOptions } from "../options.ts";
import { pageHeader, pageLeaf } from "../state/pages.ts";
import { compareWithReload, contextOf } from "./reload.ts";

const fillers = 70;
const fillerBytes = 60;
/** Lengths of the tuner: a filler and its framing. */
export const tunings: readonly number[] = Array.from({ length: fillerBytes + 4 }, (_, i) => i + 1);

export class Shelf {
  file: MemoryFile = new MemoryFile();
  store: Store;
  readonly #tuner: number;
  readonly #fillers: readonly number[];
  #round = 0;

  constructor(options: StoreOptions = { consolidate: false }) {
    this.store = Store.create(this.file, options);
    this.#tuner = this.store.alloc(1);
    this.#fillers = Array.from({ length: fillers }, () => this.store.alloc(fillerBytes));
  }

  flush(): void {
    this.store.flush();
    this.store.check();
    compareWithReload(contextOf(this.store));
  }

  /** Rewrites all fillers, and the tuner with `tuning` bytes, without a flush. */
  crowd(tuning: number): void {
    this.#round = (this.#round + 1) % 256;
    this.store.resize(this.#tuner, tuning);
    this.store.write(this.#tuner, 0, new Uint8Array(tuning).fill(this.#round));
    for (const id of this.#fillers) this.store.write(id, 0, new Uint8Array(fillerBytes).fill(this.#round));
  }

  /** Flushes until everything about `id` lies in leaves. */
  shelve(id: number): void {
    for (const tuning of tunings) {
      this.crowd(tuning);
      this.store.flush();
      if (this.places(id).join() !== "leaf") continue;
      this.store.check();
      return;
    }
    assert.fail(`allocation ${id} was to lie in leaves`);
  }

  /** Another session. */
  reopen(): void {
    this.store.close();
    this.file = this.file.clone();
    this.store = Store.open(this.file, { consolidate: false });
    this.store.check();
  }

  /** Where the live statements of `id` lie: "header", "leaf" or both. */
  places(id: number): string[] {
    const { slab, pages } = contextOf(this.store).state;
    const found = new Set<string>();
    for (let slot = 1; slot < slab.end; slot++) {
      if (slab.pins[slot] === 0 || slab.id[slot] !== id) continue;
      const state = pages.state[slab.page[slot]!];
      assert.ok(state === pageHeader || state === pageLeaf);
      found.add(state === pageHeader ? "header" : "leaf");
    }
    return [...found].sort();
  }

  /** Where the anchor of `id` lies; undefined without one. */
  anchorPlace(id: number): "header" | "leaf" | undefined {
    const { allocations, slab, headerPage } = contextOf(this.store).state;
    const anchor = allocations.anchor[allocations.row(id)]!;
    if (anchor === 0) return undefined;
    return slab.page[anchor] === headerPage ? "header" : "leaf";
  }

  content(id: number): Uint8Array {
    return this.store.read(id, 0, this.store.committedSize(id));
  }
}
