/**
 * Creating and opening a file.
 *
 *  (1) A file that breaks a rule is refused before anything is written to it, and before it is locked: a lock may
 *      leave something beside it. Whether the file changed in between is looked at under the lock.
 *  (2) One sync, after the headers were read, makes the governing header durable; only then may the world of the
 *      older header be reused. Its failure is final.
 *  (3) Transactions that recovery found are folded before anything is appended.
 */

import { StoreError } from "../../errors.ts";
import type { StorageFile } from "../../storage/storage.ts";
import { type FlushContext, newScratch } from "../flush/context.ts";
import { applyInMemory } from "../flush/flush.ts";
import {
  chooseHeader,
  type Governing,
  type HeaderFields,
  isNewerFormat,
  writeHeaderFields,
} from "../format/header.ts";
import {
  firstOrdinaryPage,
  formatVersion,
  headerContentOffset,
  headerLayout,
  pageBytes,
  pageKindTable,
  u32Max,
} from "../format/layout.ts";
import { sealPage } from "../format/page.ts";
import { recordCopy, recordFree, recordMove, recordSplice } from "../format/record.ts";
import { Geometry } from "../journal/geometry.ts";
import { Arena, Log } from "../journal/log.ts";
import { type RecoveredJournal, recoverJournal } from "../journal/recover.ts";
import { type ResolvedOptions, resolveOptions } from "../options.ts";
import { Consolidator } from "../reclaim/consolidator.ts";
import { Session } from "../session.ts";
import type { AllocationTable } from "../state/allocations.ts";
import { PageCache } from "../state/cache.ts";
import { pageHeader, pageJournal, pageReady } from "../state/pages.ts";
import type { StoreState } from "../state/state.ts";
import { checkDataPage, loadState, readGoverning, readSlots } from "./load.ts";

const emptyFields: HeaderFields = {
  formatVersion,
  minReaderVersion: 0,
  rootAllocation: 0,
  schemaTable: 0,
  consolidatorState: 0,
  rootFingerprint: new Uint8Array(headerLayout.fields.rootFingerprint.bytes),
  journalPointer: firstOrdinaryPage,
};

/** The epoch of a file that no flush has written to. */
export const firstEpoch = 0;

/** Slot 0 of an empty file. */
function emptyHeader(file: StorageFile): Uint8Array {
  const page = new Uint8Array(pageBytes);
  writeHeaderFields(page, emptyFields);
  page[headerContentOffset] = 0;
  sealPage(page, true, pageKindTable, firstEpoch, 1, file.crc32c);
  return page;
}

/**
 * Whether there is nothing but what a crash may leave of `writeEmptyFile`: no bytes, or those of two pages, which are zeros
 * or bytes of its header. Zeros of another length are somebody's.
 */
export function isBlank(file: StorageFile): boolean {
  const bytes = file.size();
  if (bytes !== 0 && bytes !== firstOrdinaryPage * pageBytes) return false;
  const found = new Uint8Array(bytes);
  file.read(found, 0);
  const header = emptyHeader(file);
  return found.every((byte, at) => byte === 0 || byte === header[at]);
}

/** Writes an empty file; durable when it returns. The caller holds the lock. */
function writeEmptyFile(file: StorageFile): void {
  file.truncate(0);
  file.truncate(firstOrdinaryPage * pageBytes);
  file.write(emptyHeader(file), 0);
  // Slot 1 too, zeros as they are: on a disk that fills up later, the first flush must find room for it.
  file.write(new Uint8Array(pageBytes), pageBytes);
  file.sync();
}

/**
 * Makes a new file and opens it; the caller closes it on a failure, which leaves a file empty that was. Throws `exists` over
 * content without `overwrite`.
 */
export function createSession(file: StorageFile, options: ResolvedOptions, overwrite: boolean): Session {
  if (!overwrite) requireEmpty(file);
  file.lock();
  if (!overwrite) requireEmpty(file);
  const wasEmpty = file.size() === 0;
  try {
    writeEmptyFile(file);
    return startSession(file, load(file, options));
  } catch (cause) {
    if (wasEmpty) cutToNothing(file);
    throw cause;
  }
}

/** Takes back the making of a file, whose lock is held, after a failure that tells more than one of this. */
export function cutToNothing(file: StorageFile): void {
  try {
    file.truncate(0);
  } catch {
    // What is left of it is blank, or an empty file.
  }
}

function requireEmpty(file: StorageFile): void {
  if (file.size() === 0) return;
  throw new StoreError("exists", "the file has content; open it, or create with overwrite: true", {
    file: file.name,
  });
}

/** Opens a file for writing. The caller closes it on a failure. */
export function openSession(file: StorageFile, options: ResolvedOptions): Session {
  const slots = readSlots(file);
  requireWritable(chooseHeader(slots, file.name, file.crc32c), file);
  const loaded = loadUnlocked(file, options, slots);
  file.lock();
  const isCurrent = loaded !== undefined && isUnchanged(file, loaded, slots);
  return startSession(file, isCurrent ? loaded : load(file, options));
}

/**
 * Loads a file that somebody else may be writing. While its slots and its length stay as they are, no page under them
 * is written, so a fault found then is the file's; otherwise the result is undefined.
 */
function loadUnlocked(
  file: StorageFile,
  options: ResolvedOptions,
  slots: readonly Uint8Array[],
): LoadedFile | undefined {
  const size = file.size();
  try {
    return load(file, options);
  } catch (error) {
    if (hasSlots(file, slots) && file.size() === size) throw error;
    return undefined;
  }
}

/** Whether nobody wrote between loading and locking. */
function isUnchanged(
  file: StorageFile,
  { context, header, journal }: LoadedFile,
  slots: readonly Uint8Array[],
): boolean {
  const { pages, epoch } = context.state;
  if (!hasSlots(file, slots) || Math.floor(file.size() / pageBytes) !== pages.filePages) return false;
  const first = header.fields.journalPointer;
  const again = recoverJournal(file, epoch + 1, first, pages.filePages, new Log(), new Arena());
  return again.bytes === journal.bytes;
}

const hasSlots = (file: StorageFile, slots: readonly Uint8Array[]): boolean => {
  const now = readSlots(file);
  return now.length === slots.length && now.every((page, slot) => areEqual(page, slots[slot]!));
};

const areEqual = (a: Uint8Array, b: Uint8Array): boolean => a.every((byte, i) => byte === b[i]);

/** A store that could not be opened holds nothing: neither lock nor handle. */
export function closingOnFailure<T>(file: StorageFile, step: () => T): T {
  try {
    return step();
  } catch (cause) {
    file.close();
    throw cause;
  }
}

function requireWritable(header: Governing, file: StorageFile): void {
  if (!isNewerFormat(header.fields)) return;
  throw new StoreError(
    "unsupported-format",
    `the file was written by format version ${header.fields.formatVersion}; it can be opened for reading only`,
    { file: file.name, page: header.slot, offset: headerLayout.fields.formatVersion.offset, rule: "H9" },
  );
}

function startSession(file: StorageFile, { context, log, journal }: LoadedFile): Session {
  file.sync();
  ensureSlots(file, context.state);
  if (context.options.consolidate) context.state.hooks = new Consolidator(context);
  const session = new Session(context, log);
  if (journal.transactions > 0) session.flushRecovered(journal.pages);
  session.cutTail();
  return session;
}

export interface Snapshot {
  readonly context: FlushContext;
  readonly header: Governing;
  readonly journal: RecoveredJournal;
}

/** Loads a file for reading: recovered transactions are applied in memory, nothing is locked or written. */
export function openSnapshot(file: StorageFile, options: ResolvedOptions = resolveOptions()): Snapshot {
  return closingOnFailure(file, () => {
    const { context, header, log, journal } = load(file, options);
    applyInMemory(context, log);
    return { context, header, journal };
  });
}

/** A file may end before slot 1; what was behind the last whole page must not become a slot. */
function ensureSlots(file: StorageFile, { pages }: StoreState): void {
  if (pages.filePages >= firstOrdinaryPage) return;
  file.truncate(pages.filePages * pageBytes);
  file.truncate(firstOrdinaryPage * pageBytes);
  pages.extendTo(firstOrdinaryPage);
  pages.state[1] = pageHeader;
}

interface LoadedFile {
  readonly context: FlushContext;
  readonly header: Governing;
  readonly log: Log;
  readonly journal: RecoveredJournal;
}

function load(file: StorageFile, options: ResolvedOptions): LoadedFile {
  const header = readGoverning(file);
  const { state, unproven, mixedPages } = loadState(file, header, options.verify === "eager");
  const log = new Log();
  const arena = new Arena();
  const { journalPointer } = header.fields;
  requireFreeJournal(state, file, [journalPointer]);
  const journal = recoverJournal(file, state.epoch + 1, journalPointer, state.pages.filePages, log, arena);
  requireFreeJournal(state, file, journal.pages);
  requireSizes(state.allocations, file, log, journalPointer);
  for (const page of journal.pages) state.pages.claimForJournal(page);
  if (journalPointer >= state.pages.filePages) state.pages.promised = journalPointer;
  claimNamedIds(state, log);
  const consolidatorState = unlessNamed(privateAllocation(state, header.fields), log);
  const context: FlushContext = {
    file,
    state,
    cache: new PageCache(file, (bytes, page) => checkDataPage(state, bytes, page, file)),
    arena,
    options,
    counters: {
      flushes: 0,
      dataPagesWritten: 0,
      tablePagesWritten: 0,
      headersWritten: 0,
      growths: 0,
      truncations: 0,
      freshBytes: 0,
      evacuatedPages: 0,
      evacuatedBytes: 0,
      freeFilledPages: 0,
      budgetPagesUsed: 0,
      tableRewrites: 0,
      windowRestated: 0,
      defragRewrites: 0,
      defragBytes: 0,
      compactionFlushes: 0,
    },
    ...newScratch(),
    fields: { ...header.fields, consolidatorState },
    hasFlushed: false,
    waitingSources: new Set(),
    mixedPages,
    unproven,
  };
  return { context, header, log, journal };
}

/** The consolidator's own allocation, 0 if there is none: what the application names too is not taken for it. */
function privateAllocation(
  { allocations }: StoreState,
  { consolidatorState, rootAllocation, schemaTable }: HeaderFields,
): number {
  const isShared = consolidatorState === rootAllocation || consolidatorState === schemaTable;
  return isShared || !allocations.exists(consolidatorState) ? 0 : consolidatorState;
}

/**
 * A journal of ours never names the consolidator's own allocation. One that does has made something else of it: it is
 * freed, and a later flush makes another.
 */
function unlessNamed(consolidatorState: number, log: Log): number {
  if (consolidatorState === 0) return 0;
  for (let row = 0; row < log.count; row++) {
    const isTransfer = log.tag[row] === recordCopy || log.tag[row] === recordMove;
    if (log.a[row] !== consolidatorState && !(isTransfer && log.c[row] === consolidatorState)) continue;
    log.push(recordFree, consolidatorState, 0, 0, 0, 0, 0);
    return 0;
  }
  return consolidatorState;
}

/** The journal lies in pages that nothing else needs (H12). */
function requireFreeJournal(state: StoreState, file: StorageFile, journalPages: readonly number[]): void {
  for (const page of journalPages) {
    if (page >= state.pages.filePages || state.pages.state[page] === pageReady) continue;
    if (state.pages.state[page] === pageJournal) continue;
    throw new StoreError("corrupt", "the journal names a page that is in use; restore the file from a copy", {
      file: file.name,
      page,
      rule: "H12",
    });
  }
}

/** No record leaves an allocation larger than 2^32 − 1 bytes (J8). */
export function requireSizes(allocations: AllocationTable, file: StorageFile, log: Log, page: number): void {
  const geometry = new Geometry(allocations);
  for (let row = 0; row < log.count; row++) {
    geometry.apply(log, row);
    if (log.tag[row] !== recordSplice) continue;
    const id = log.a[row]!;
    const size = geometry.now(id);
    if (size <= u32Max) continue;
    const message = `a journal transaction makes an allocation ${size} bytes long, past 2^32 − 1; restore the file from a copy`;
    throw new StoreError("corrupt", message, { file: file.name, page, id, rule: "J8" });
  }
}

/** No id that a recovered record brings to life, or ends, may be handed out as new. */
function claimNamedIds(state: StoreState, log: Log): void {
  for (let row = 0; row < log.count; row++) {
    const isTransfer = log.tag[row] === recordCopy || log.tag[row] === recordMove;
    // A source need not exist: its number says nothing about how far ids were used.
    state.ids.claim(isTransfer ? log.c[row]! : log.a[row]!);
  }
}
