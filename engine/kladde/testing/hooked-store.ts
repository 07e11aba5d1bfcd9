/**
 * A store in whose flushes a test does what a policy would: its mechanisms are there, its choices are the test's.
 *
 *  (1) What the test does not do is not done.
 */

import { assert } from "../../errors.ts";
import { MemoryFile } from "../../storage/memory.ts";
import type { FlushContext } from "../flush/context.ts";
import { contentOffset } from "../format/layout.ts";
import { Store, type StoreOptions } from "../index.ts";
import { Chosen } from "../reclaim/chosen.ts";
import { Defragmentation } from "../reclaim/defragmentation.ts";
import { Evacuation } from "../reclaim/evacuation.ts";
import { ReverseIndex } from "../reclaim/reverse.ts";
import { Survivors } from "../reclaim/survivors.ts";
import { RotatingWindow } from "../reclaim/window.ts";
import { kindBytes } from "../state/fragments.ts";
import { noReclaim, type ReclaimHooks } from "../state/hooks.ts";
import { pageData } from "../state/pages.ts";
import { compareWithReload, contextOf } from "./reload.ts";

type Doing = Partial<Pick<ReclaimHooks, "afterFold" | "fillDataPage" | "spendBudget" | "fillTablePage">>;

/** Together more than a header holds; the small ones leave no room for a Ref. */
const crowd = { large: 60, largeBytes: 60, small: 80 };

export class HookedStore {
  readonly file = new MemoryFile();
  readonly store: Store;
  readonly context: FlushContext;
  readonly reverse = new ReverseIndex();
  readonly chosen: Chosen;
  readonly evacuation: Evacuation;
  readonly defragmentation: Defragmentation;
  readonly window: RotatingWindow;
  readonly #hooks: ReclaimHooks;
  readonly #fillers: (readonly number[])[] = [];
  #round = 0;

  constructor(options: StoreOptions = {}) {
    this.store = Store.create(this.file, { ...options, consolidate: false });
    this.context = contextOf(this.store);
    this.chosen = new Chosen(this.context.state);
    const survivors = new Survivors(this.context, this.reverse);
    this.evacuation = new Evacuation(this.context, survivors, this.chosen);
    this.defragmentation = new Defragmentation(this.context);
    this.window = new RotatingWindow(this.context, this.defragmentation);
    this.#hooks = {
      ...noReclaim,
      noteReverse: (page, id, from, to) => this.reverse.note(page, id, from, to),
      pageRetired: (page) => this.reverse.forget(page),
      begin: () => this.chosen.begin(),
    };
    this.context.state.hooks = this.#hooks;
  }

  /** A flush in which `doing` is done; memory and file are checked after it. */
  flush(doing: Doing = {}): void {
    this.context.state.hooks = { ...this.#hooks, ...doing };
    this.store.flush();
    this.store.check();
    compareWithReload(this.context);
  }

  /**
   * A flush that fills the header with other statements, so that all that was not written lately goes to leaves. Those
   * of different sets are different allocations.
   */
  crowd(set = 0, doing: Doing = {}, tuning: number = crowd.largeBytes): void {
    const fillers = this.#fillersOf(set);
    this.store.resize(fillers[0]!, tuning);
    fillers.forEach((id, i) => {
      const bytes = i === 0 ? tuning : i < crowd.large ? crowd.largeBytes : 1;
      this.store.write(id, 0, new Uint8Array(bytes).fill(++this.#round));
    });
    this.flush(doing);
  }

  /** Crowds the header until nothing of `id`, not even a tombstone of two bytes, lies in it. */
  shelve(id: number, set = 0): void {
    for (let tuning = 1; tuning <= crowd.largeBytes + 4; tuning++) {
      this.crowd(set, {}, tuning);
      if (!this.tablePages(id).includes(this.context.state.headerPage)) return;
    }
    assert(false, `allocation ${id} stays in the header`);
  }

  #fillersOf(set: number): readonly number[] {
    const known = this.#fillers[set];
    if (known !== undefined) return known;
    const made = Array.from({ length: crowd.large + crowd.small }, () => this.store.alloc(0));
    this.#fillers[set] = made;
    return made;
  }

  /** Pages in which live statements of `id` lie, header slots included. */
  tablePages(id: number): number[] {
    const { slab } = this.context.state;
    const pages = new Set<number>();
    for (let slot = 1; slot < slab.end; slot++)
      if (slab.pins[slot]! > 0 && slab.id[slot] === id) pages.add(slab.page[slot]!);
    return [...pages].sort((a, b) => a - b);
  }

  /** The fragments of `id` that lie in data pages, in key order. */
  places(id: number): Place[] {
    const { state } = this.context;
    const { fragments, pages, allocations } = state;
    const places: Place[] = [];
    for (let at = fragments.seek(id, 0); at >= 0 && fragments.keyId[at] === id; at = fragments.next(at)) {
      const page = fragments.page[at]!;
      if (fragments.kind[at] !== kindBytes || pages.state[page] !== pageData) continue;
      const from = fragments.keyOffset[at]!;
      const bytes = state.fragmentEnd(at, id, allocations.sizeOf(id)) - from;
      places.push({ from, bytes, page, position: fragments.pageOffset[at]! - contentOffset });
    }
    return places;
  }
}

export interface Place {
  readonly from: number;
  readonly bytes: number;
  readonly page: number;
  /** Of the first byte, within the page's content. */
  readonly position: number;
}
