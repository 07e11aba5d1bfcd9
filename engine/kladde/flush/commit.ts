/**
 * The commit: what the flush has made becomes durable, the new header is written, and memory follows.
 *
 *  (1) One sync makes everything durable that the new header reaches, and the previous header; only then is the
 *      new header written, over the older slot.
 *  (2) Nothing in the world of a header that recovery could still choose is overwritten before; what a power cut
 *      has left of a header is no header.
 *  (3) What the previous commit dropped becomes writable now; what this one drops does not.
 *  (4) A failed sync is final: nothing is retried and no header is written.
 *
 * Cost: one write per run of adjacent pages, one sync, one header write.
 */

import type { StorageFile } from "../../storage/storage.ts";
import { writeHeaderFields } from "../format/header.ts";
import { pageBytes, pageKindTable } from "../format/layout.ts";
import { isPageSound, sealPage } from "../format/page.ts";
import { pageClaimed, pageData, pageHeader, pageJournal, pageLeaf } from "../state/pages.ts";
import type { StoreState } from "../state/state.ts";
import type { FlushContext } from "./context.ts";
import type { CutTable } from "./cut.ts";

/** Writes everything and returns the first page of the next journal segment. */
export function commit(flush: FlushContext, table: CutTable, segmentPages: readonly number[]): number {
  const { state, file } = flush;
  const nextJournal = chooseJournalPage(state);
  flush.fields = { ...flush.fields, journalPointer: nextJournal };
  writePages(flush, nextJournal);
  if (!flush.hasFlushed) clearTornSlot(file, table.headerPage);
  file.sync();
  writeHeader(flush, table);
  adopt(flush, table, segmentPages, nextJournal);
  return nextJournal;
}

/** The lowest ready page, else the one directly behind the file, which need not exist yet. */
function chooseJournalPage(state: StoreState): number {
  const { pages } = state;
  if (pages.ready.count === 0) return pages.filePages;
  const page = pages.ready.lowest();
  pages.claimForJournal(page);
  return page;
}

/** Writes the pages made so far; no header reaches them yet. */
export function writeStaged(flush: FlushContext): void {
  growFile(flush);
  flush.staging.writeTo(flush.file);
}

function writePages(flush: FlushContext, nextJournal: number): void {
  const { file, state } = flush;
  writeStaged(flush);
  // A first flush may reissue an epoch that was lost; stale transactions of it must not validate again.
  if (!flush.hasFlushed && nextJournal < state.pages.filePages)
    file.write(new Uint8Array(pageBytes), nextJournal * pageBytes);
}

/**
 * What is left of a header that was lost half-written must go before one of the same epoch, and perhaps the same
 * content, is written over it: in another power cut the two halves could make the lost one whole, and its journal,
 * with transactions that recovery had found to be lost, would be back.
 */
function clearTornSlot(file: StorageFile, slot: number): void {
  const page = new Uint8Array(pageBytes);
  file.read(page, slot * pageBytes);
  if (isPageSound(page, true, file.crc32c) || page.every((byte) => byte === 0)) return;
  file.write(page.fill(0), slot * pageBytes);
}

/** Makes the file as long as the page table says. */
export function growFile(flush: Pick<FlushContext, "file" | "state" | "counters">): void {
  const { file, state } = flush;
  const bytes = state.pages.filePages * pageBytes;
  const before = file.size();
  if (bytes <= before) return;
  file.truncate(bytes);
  flush.counters.growths++;
}

function writeHeader(flush: FlushContext, table: CutTable): void {
  const { state, file } = flush;
  const bytes = state.pages.resident.get(table.headerPage)!;
  writeHeaderFields(bytes, flush.fields);
  sealPage(bytes, true, pageKindTable, state.epoch + 1, table.headerContentBytes, file.crc32c);
  file.write(bytes, table.headerPage * pageBytes);
  flush.counters.headersWritten++;
}

/** Memory follows the disk. Nothing here may throw. */
function adopt(
  flush: FlushContext,
  table: CutTable,
  segmentPages: readonly number[],
  nextJournal: number,
): void {
  const { state, cache, staging } = flush;
  const { pages } = state;
  pages.releaseRetired();
  for (let slot = 0; slot < staging.count; slot++) {
    const page = staging.page[slot]!;
    cache.forget(page);
    if (pages.state[page] !== pageClaimed) continue;
    pages.state[page] = pageData;
    pages.epoch[page] = state.epoch + 1;
    if (pages.coverage[page] === 0) state.emptied.push(page);
    state.hooks.pageLive(page);
  }
  for (const page of table.leaves) state.hooks.pageLive(page);
  for (const page of table.dropped) retire(state, page);
  for (const page of segmentPages) if (pages.state[page] === pageJournal) pages.retire(page);
  retireDrained(state);
  pages.resident.delete(state.headerPage);
  pages.state[state.headerPage] = pageHeader;
  state.headerPage = table.headerPage;
  state.rootChildren = [...table.rootChildren];
  state.epoch++;
  pages.promised = nextJournal < pages.filePages ? -1 : nextJournal;
  flush.hasFlushed = true;
  flush.counters.flushes++;
}

/** Data pages that nothing relies on retire now; a leaf waits for the next cut to unlink it. */
function retireDrained(state: StoreState): void {
  const { pages } = state;
  const leaves: number[] = [];
  for (const page of state.emptied) {
    if (pages.coverage[page] !== 0) continue;
    if (pages.state[page] === pageData) retire(state, page);
    else if (pages.state[page] === pageLeaf) leaves.push(page);
  }
  state.emptied = leaves;
}

function retire(state: StoreState, page: number): void {
  state.pages.retire(page);
  state.hooks.pageRetired(page);
}

/** Cuts free pages off the end of the file once there are `atLeast`. */
export function truncateTail(
  flush: Pick<FlushContext, "file" | "state" | "counters">,
  atLeast: number,
): void {
  const { file, state } = flush;
  if (state.pages.cutReadyTail(atLeast) === 0) return;
  file.truncate(state.pages.filePages * pageBytes);
  flush.counters.truncations++;
}
