/**
 * Where a policy that reclaims space joins a flush. The engine works with all hooks empty: pages that die completely
 * are reused, pages that are half dead stay as they are.
 *
 *  (1) What the fold produced must be written; what a hook offers may be cut short at any point.
 *  (2) A hook takes nothing that points into a page claimed by this flush, and moves nothing after `budgetPages`.
 *  (3) `fillTablePage` leaves alone every id that the flush has a record of.
 */

/** A data page that is being filled. */
export interface OpenDataPage {
  readonly page: number;
  /** Bytes still empty. */
  readonly room: number;
}

export interface ReclaimHooks {
  /** A page's coverage changed by `delta` bytes, for whatever reason. */
  coverage(page: number, delta: number): void;
  /** A fragment of `id` from `from` to `to` points into data page `page` from now on. */
  noteReverse(page: number, id: number, from: number, to: number): void;
  /** The fold is applied: write private state, choose ranges to rewrite. */
  afterFold(): void;
  /** Elastic: place anything that fits `page.room`, or nothing. */
  fillDataPage(page: OpenDataPage): void;
  /** May open further data pages and rewrite table pages. */
  budgetPages(): void;
  /** Elastic: restate up to `room` encoded bytes. */
  fillTablePage(room: number): void;
  afterCommit(): void;
}

const nothing = (): void => {};

export const noReclaim: ReclaimHooks = {
  coverage: nothing,
  noteReverse: nothing,
  afterFold: nothing,
  fillDataPage: nothing,
  budgetPages: nothing,
  fillTablePage: nothing,
  afterCommit: nothing,
};
