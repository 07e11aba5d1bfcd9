/**
 * Consolidation: the reclamation of space, put together. What each mechanism does is in its own file; here is when.
 *
 *   debt                       paid by
 *   half-dead data pages       evacuation, into room left over (free filling) and into pages opened for it (budget)
 *   half-dead leaves           rewriting, from the budget and into the last table page's room
 *   statements far apart       the rotating window, into what room is left then
 *   allocations in many pieces description defragmentation, from a reserved share of bytes and into room left over
 *   holes before the end       compaction mode, which moves the last pages first, and truncation
 *
 *  (1) Sources only take; statements are derived once, at the cut. So whichever source takes a range last wins, and
 *      each byte is stated once.
 *  (2) Every choice follows from options and operations: no clock, no chance.
 *
 * Cost: O((ranges moved + statements) · log fragments), a scan of the page table per flush.
 */

import type { FlushContext } from "../flush/context.ts";
import { stayingLeaves } from "../flush/leaves.ts";
import { contentCapacity, firstOrdinaryPage } from "../format/layout.ts";
import { StatementReader } from "../format/statement.ts";
import { kindBytes } from "../state/fragments.ts";
import type { OpenDataPage, ReclaimHooks } from "../state/hooks.ts";
import { pageData } from "../state/pages.ts";
import { readResident } from "../state/taking.ts";
import { type BudgetParts, spendBudget } from "./budget.ts";
import { Chosen } from "./chosen.ts";
import { ChurnFloorPolicy } from "./churn-floor.ts";
import { Compaction } from "./compaction.ts";
import { Defragmentation } from "./defragmentation.ts";
import { Evacuation } from "./evacuation.ts";
import { type FillingParts, fillFreeRoom } from "./free-filling.ts";
import { agesFromPages, KeptState, type Position } from "./kept-state.ts";
import { LeafRewriting } from "./leaves.ts";
import type { Policy } from "./policy.ts";
import { ReverseIndex } from "./reverse.ts";
import { Survivors } from "./survivors.ts";
import { RotatingWindow } from "./window.ts";

export class Consolidator implements ReclaimHooks {
  readonly #flush: FlushContext;
  readonly #policy: Policy;
  readonly #reverse = new ReverseIndex();
  readonly #parts: BudgetParts & FillingParts;
  readonly #window: RotatingWindow;
  readonly #kept: KeptState;

  /** For a store that has just been loaded and not been changed since. */
  constructor(flush: FlushContext) {
    const { state, options } = flush;
    const chosen = new Chosen(state);
    const policy = new ChurnFloorPolicy(state, options);
    const compaction = new Compaction(state, options, chosen);
    const evacuation = new Evacuation(flush, new Survivors(flush, this.#reverse), chosen);
    const defragmentation = new Defragmentation(flush);
    const leaves = new LeafRewriting({ flush, policy, chosen, compaction });
    this.#flush = flush;
    this.#policy = policy;
    this.#parts = { flush, policy, chosen, compaction, evacuation, defragmentation, leaves };
    this.#window = new RotatingWindow(flush, defragmentation);
    this.#kept = new KeptState(flush);
    noteAllFragments(flush, this.#reverse);
    this.#resume();
  }

  get budgetPages(): number {
    return this.#policy.budget;
  }

  coverageChanged(page: number): void {
    this.#policy.coverageChanged(page);
  }

  noteReverse(page: number, id: number, from: number, to: number): void {
    this.#reverse.note(page, id, from, to);
  }

  pageLive(page: number): void {
    this.#policy.pageLive(page);
  }

  pageRetired(page: number): void {
    this.#reverse.forget(page);
  }

  begin(): void {
    const { chosen, compaction, flush } = this.#parts;
    chosen.begin();
    compaction.begin();
    if (compaction.isOn) flush.counters.compactionFlushes++;
  }

  afterFold(): void {
    if (this.#flush.options.consolidatorState) this.#kept.write(this.#policy.budget, this.#window);
    this.#parts.defragmentation.spendShare();
  }

  fillDataPage(open: OpenDataPage): void {
    fillFreeRoom(this.#parts, open);
  }

  spendBudget(): void {
    spendBudget(this.#parts);
  }

  fillTablePage(room: number): void {
    this.#window.walk(this.#parts.leaves.fill(room));
  }

  afterCommit(): void {
    this.#steer();
  }

  /**
   * Tells the policy the live share of the whole file: holes count, or they would go unnoticed. Free and journal pages
   * have no coverage. A file of two headers has no share.
   */
  #steer(): void {
    const { coverage, filePages } = this.#flush.state.pages;
    if (filePages === firstOrdinaryPage) return;
    let live = 0;
    for (let page = firstOrdinaryPage; page < filePages; page++) live += coverage[page]!;
    this.#policy.committed(live / ((filePages - firstOrdinaryPage) * contentCapacity));
  }

  /** Goes on where an earlier session stopped: with its budget, and with the candidates that its last walk found. */
  #resume(): void {
    const youngestStatement = agesFromPages(this.#flush.state);
    const kept = this.#flush.options.consolidatorState ? this.#kept.open(youngestStatement) : undefined;
    if (kept !== undefined && Number.isFinite(kept.budget) && kept.budget > 0) {
      this.#policy.resume(kept.budget);
      // The state holds what its flush worked with; the step that followed the commit is made up for.
      if (kept.upToDate === this.#flush.state.epoch) this.#steer();
    }
    const { id, offset } =
      kept === undefined ? anyPosition(this.#flush) : { id: kept.windowId, offset: kept.windowOffset };
    this.#window.id = id;
    this.#window.offset = offset;
    this.#window.walk(0);
  }
}

function noteAllFragments({ state }: FlushContext, reverse: ReverseIndex): void {
  const { allocations, fragments, pages } = state;
  for (let at = fragments.first(); at >= 0; at = fragments.next(at)) {
    const page = fragments.page[at]!;
    if (fragments.kind[at] !== kindBytes || pages.state[page] !== pageData) continue;
    const id = fragments.keyId[at]!;
    reverse.note(page, id, fragments.keyOffset[at]!, state.fragmentEnd(at, id, allocations.sizeOf(id)));
  }
}

/** The first key of a table page that the header's checksum picks: some place, and the same on every machine. */
function anyPosition({ state, file }: FlushContext): Position {
  const pages = [...stayingLeaves(state), state.headerPage];
  const header = state.pages.resident.get(state.headerPage)!;
  const reader = new StatementReader();
  readResident(state, pages[file.crc32c(header) % pages.length]!, reader);
  return reader.next() ? { id: reader.id, offset: reader.offset } : { id: 0, offset: 0 };
}
