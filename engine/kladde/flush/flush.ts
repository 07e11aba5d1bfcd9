/**
 * The flush: fold the journal, take what changes, place it, state it, commit it.
 *
 *  (1) Everything the old header states is taken and stated again: the header is rewritten by every flush anyway.
 *  (2) An error on the way leaves memory half-changed: the store must be poisoned. No header reaches what was written.
 *
 * Cost: dirty bytes / 4081 data pages, leaves that do not fit the header, one header, one sync.
 */

import { assert } from "../../errors.ts";
import { recordCopy, recordMove } from "../format/record.ts";
import type { Log } from "../journal/log.ts";
import { isNew } from "../state/records.ts";
import type { StoreState } from "../state/state.ts";
import { rewriteTablePage } from "../state/taking.ts";
import { applyFold } from "./apply.ts";
import { commit } from "./commit.ts";
import { collectContent, NewContent } from "./content.ts";
import type { FlushContext } from "./context.ts";
import { cutAddressTable } from "./cut.ts";
import { type Committed, Fold, foldRecords } from "./fold.ts";
import { packDataPages } from "./pack.ts";

const fold = new Fold();
const content = new NewContent();

/** Sizes as of now, for the consistency check between the fold and what the calls said. */
export type SizeNow = (id: number) => number;

/**
 * Commits records `[0, appended)` of the log and returns the first page of the next segment. `sizeNow` gives the size
 * of an id after those records, negative if it does not exist; undefined if more records are waiting.
 */
export function runFlush(
  flush: FlushContext,
  log: Log,
  appended: number,
  segmentPages: readonly number[],
  sizeNow: SizeNow | undefined,
): number {
  const { state } = flush;
  const arenaEnd = flush.arena.end;
  flush.staging.clear();
  flush.waitingSources = sourcesFrom(log, appended);
  state.hooks.begin();
  rewriteTablePage(state, state.headerPage);
  for (const page of flush.mixedPages) rewriteTablePage(state, page);
  foldRecords(log, flush.arena, 0, appended, committedOf(state), fold);
  if (sizeNow !== undefined) compareWithGeometry(sizeNow);
  collectContent(state, fold, content);
  applyFold(flush, fold, content);
  for (const id of flush.unproven) if (state.allocations.exists(id)) state.mark(id, isNew);
  state.hooks.afterFold();
  packDataPages(flush);
  state.hooks.spendBudget();
  const table = cutAddressTable(flush);
  const nextJournal = commit(flush, table, segmentPages);
  recycleIds(flush);
  state.endFlush();
  // What reclamation has put behind the payloads of records.
  flush.arena.truncate(arenaEnd);
  flush.mixedPages = [];
  flush.unproven = [];
  state.hooks.afterCommit();
  return nextJournal;
}

const committedOf = ({ allocations }: StoreState): Committed => ({
  exists: (id) => allocations.exists(id),
  size: (id) => allocations.sizeOf(id),
});

function sourcesFrom(log: Log, row: number): ReadonlySet<number> {
  const sources = new Set<number>();
  for (let waiting = row; waiting < log.count; waiting++)
    if (log.tag[waiting] === recordCopy || log.tag[waiting] === recordMove) sources.add(log.a[waiting]!);
  return sources;
}

/** The cheapest consistency check there is: the calls kept sizes one way, the log says them another. */
function compareWithGeometry(sizeNow: SizeNow): void {
  for (let row = 0; row < fold.count; row++) {
    const id = fold.ids[row]!;
    const expected = sizeNow(id);
    const folded = fold.exists(row) ? fold.size(row) : -1;
    if (folded !== Math.max(expected, -1))
      assert(false, `allocation ${id} folds to ${folded} bytes, the calls left it at ${expected}`);
  }
}

/** Ids that do not exist any more may be handed out again. */
function recycleIds(flush: FlushContext): void {
  const { allocations, ids } = flush.state;
  for (let row = 0; row < fold.count; row++) {
    if (fold.exists(row)) continue;
    const id = fold.ids[row]!;
    const idRow = allocations.row(id);
    ids.recycle(id, idRow >= 0 && allocations.anchor[idRow] !== 0);
  }
}

/** Applies records in memory only, for a store that was opened for reading. */
export function applyInMemory(flush: FlushContext, log: Log): void {
  foldRecords(log, flush.arena, 0, log.count, committedOf(flush.state), fold);
  collectContent(flush.state, fold, content);
  applyFold(flush, fold, content);
}
