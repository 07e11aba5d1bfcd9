/**
 * Where a policy that reclaims space joins a flush. The engine works with all hooks empty: pages that die completely
 * are reused, pages that are half dead stay as they are.
 *
 *  (1) What the fold produced must be written; what a hook offers may be cut short at any point.
 *  (2) A hook takes nothing that points into a page claimed by this flush, and moves nothing after `spendBudget`.
 *  (3) `fillTablePage` rewrites no leaf that names an id of which the flush had a record before.
 */

/** A data page that is being filled. */
export interface OpenDataPage {
  readonly page: number;
  readonly bytes: Uint8Array;
  /** Content bytes so far. */
  used: number;
  /** Bytes still empty. */
  readonly room: number;
}

export interface ReclaimHooks {
  /** Pages per flush that may be opened to reclaim, as the policy has it now. */
  readonly budgetPages: number;

  /** A page's coverage changed, for whatever reason. */
  coverageChanged(page: number): void;
  /** Bytes `[from, to)` of `id` lie in data page `page` from now on. */
  noteReverse(page: number, id: number, from: number, to: number): void;
  /** A commit has made `page` a live data page or leaf. */
  pageLive(page: number): void;
  /** A commit has stopped using `page`. */
  pageRetired(page: number): void;

  /** A flush begins; nothing is taken yet. */
  begin(): void;
  /** The fold is applied: write private state, choose ranges to rewrite. */
  afterFold(): void;
  /** Elastic: place anything that fits `open.room`, or nothing. */
  fillDataPage(open: OpenDataPage): void;
  /** May open further data pages and rewrite table pages. */
  spendBudget(): void;
  /** Elastic: restate up to `room` encoded bytes. Called once per flush. */
  fillTablePage(room: number): void;
  afterCommit(): void;
}

const nothing = (): void => {};

export const noReclaim: ReclaimHooks = {
  budgetPages: 0,
  coverageChanged: nothing,
  noteReverse: nothing,
  pageLive: nothing,
  pageRetired: nothing,
  begin: nothing,
  afterFold: nothing,
  fillDataPage: nothing,
  spendBudget: nothing,
  fillTablePage: nothing,
  afterCommit: nothing,
};
