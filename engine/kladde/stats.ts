/**
 * What a store has done and what it holds: the numbers that the benchmark's tables are made of.
 *
 * Counters run from `open` and never fall; the benchmark subtracts a baseline. Everything is exact: a function of
 * the operations and the options, the same on every machine.
 */
export interface StoreStats {
  // Counters
  readonly flushes: number;
  readonly transactions: number;
  /** Bytes of the journal stream, page trailers not included. */
  readonly journalBytes: number;
  readonly dataPagesWritten: number;
  /** Leaves and interior pages, headers not included. */
  readonly tablePagesWritten: number;
  readonly headersWritten: number;
  readonly pagesRead: number;
  readonly growths: number;
  readonly truncations: number;
  /** Bytes of new content that folds have taken from the journal. */
  readonly freshBytes: number;
  readonly evacuatedPages: number;
  readonly evacuatedBytes: number;
  readonly freeFilledPages: number;
  readonly budgetPagesUsed: number;
  readonly tableRewrites: number;
  readonly windowRestated: number;
  readonly defragRewrites: number;
  readonly defragBytes: number;
  readonly compactionFlushes: number;

  // Now
  /** Length of the file, header slots included. */
  readonly filePages: number;
  readonly dataPages: number;
  readonly leafPages: number;
  readonly interiorPages: number;
  readonly journalPages: number;
  /** Free and writable. */
  readonly readyPages: number;
  /** Free, but an older header may still need them. */
  readonly retiringPages: number;
  /** Bytes of data pages that the current state relies on. */
  readonly liveDataBytes: number;
  /** The same of leaves and interior pages, headers not included. */
  readonly liveTableBytes: number;
  readonly allocations: number;
  readonly allocationBytes: number;
  readonly statements: number;
  readonly fragments: number;
  /** Pages per flush that reclamation may open, rounded down; its start value while reclamation is off. */
  readonly budgetPages: number;
}
