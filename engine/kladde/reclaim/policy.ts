/**
 * What a reclamation policy decides: which page is cleaned next, what pays, and how many pages a flush may spend.
 * Moving bytes and keeping books is the same for every policy.
 */

/** Which pages may be chosen at the moment. */
export interface Candidates {
  /** Whether `page`, whose coverage fits, may be a victim. */
  allows(page: number): boolean;
}

export interface Policy {
  /** Pages per flush as the policy has learned it; shown in the statistics and kept in the file. */
  readonly budget: number;
  /** Pages that this flush may use. */
  readonly pages: number;
  /** Largest coverage of a victim that a page is opened for. */
  readonly victimBytesMax: number;

  /** A page's coverage changed. */
  coverageChanged(page: number): void;
  /** `page` has become a live data page or leaf. */
  pageLive(page: number): void;

  /** The best data page with more than `above` and at most `most` bytes, or −1. */
  dataVictim(above: number, most: number, candidates: Candidates): number;
  /** The same of the leaves. */
  leafVictim(above: number, most: number, candidates: Candidates): number;

  /** Whether freeing `reclaimed` bytes is worth writing `written`. */
  pays(reclaimed: number, written: number): boolean;
  /** A flush has committed: `fill` is the live share of the whole file. */
  committed(fill: number): void;
  /** Takes over the budget of an earlier session. */
  resume(budget: number): void;
}
