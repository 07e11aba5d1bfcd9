/**
 * What a store has done and what it holds: the numbers that the benchmark's tables are made of.
 *
 * Counters run from `open` and never fall; the benchmark subtracts a baseline. Everything is exact: a function of
 * the operations and the options, the same on every machine. A store opened for reading has read pages, and taken from
 * the journal what it applied in memory; its other counters stay 0.
 */
import type { FlushContext } from "./flush/context.ts";
import { noReclaim } from "./state/hooks.ts";
import { isTable, type PageTable, pageData, pageJournal, pageLeaf } from "./state/pages.ts";

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

/** What a session has appended since `open`, and where its journal lies now. */
export interface JournalUse {
  readonly transactions: number;
  readonly bytes: number;
  readonly pages: readonly number[];
}

/** Reads the numbers off a store. */
export function collectStats(
  { state, counters, cache, options, fields }: FlushContext,
  journal: JournalUse,
): StoreStats {
  const { pages, allocations, slab, fragments, hooks } = state;
  const now = countPages(pages);
  const hidden = allocations.exists(fields.consolidatorState) ? 1 : 0;
  const isReclaiming = options.consolidate && hooks !== noReclaim;
  return {
    ...counters,
    transactions: journal.transactions,
    journalBytes: journal.bytes,
    pagesRead: cache.reads,
    filePages: pages.filePages,
    ...now,
    // A page that the journal was promised may not be in the file yet.
    journalPages: journal.pages.filter((page) => pages.state[page] === pageJournal).length,
    readyPages: pages.ready.count,
    retiringPages: pages.retiring.length,
    allocations: allocations.existing.count - hidden,
    allocationBytes: allocations.bytes - allocations.sizeOf(fields.consolidatorState),
    statements: slab.count,
    fragments: fragments.count,
    budgetPages: isReclaiming ? Math.floor(hooks.budgetPages) : options.budgetStart,
  };
}

function countPages(pages: PageTable): {
  dataPages: number;
  leafPages: number;
  interiorPages: number;
  liveDataBytes: number;
  liveTableBytes: number;
} {
  const now = { dataPages: 0, leafPages: 0, interiorPages: 0, liveDataBytes: 0, liveTableBytes: 0 };
  for (let page = 0; page < pages.filePages; page++) {
    const state = pages.state[page]!;
    if (state === pageData) {
      now.dataPages++;
      now.liveDataBytes += pages.coverage[page]!;
    } else if (isTable(state)) {
      if (state === pageLeaf) now.leafPages++;
      else now.interiorPages++;
      now.liveTableBytes += pages.coverage[page]!;
    }
  }
  return now;
}
