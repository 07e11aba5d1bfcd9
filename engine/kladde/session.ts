/**
 * A writing session: the log of mutations, the journal they go to, and the flushes that fold it.
 *
 *  (1) Outside a scope a record is with the operating system when its call returns.
 *  (2) An append that cannot get its pages fails its own records and nothing else.
 *  (3) After any other failure of a write or a sync the session is poisoned: only opening the file again tells what
 *      is on disk.
 *  (4) The records that wait for a flush never come to more pieces than its fold can hold.
 *  (5) Columns of the log: `[0, appended)` are in the journal, the rest waits for its scope to end.
 *  (6) A flush that nobody asked for fails no call: the next one, or `close`, says that the session is poisoned.
 */

import { assert, StoreError } from "../errors.ts";
import type { StorageFile } from "../storage/storage.ts";
import { growFile, truncateTail } from "./flush/commit.ts";
import type { FlushContext } from "./flush/context.ts";
import { runFlush } from "./flush/flush.ts";
import type { HeaderFields } from "./format/header.ts";
import { pageBytes } from "./format/layout.ts";
import { recordCopy, recordLength, recordMove } from "./format/record.ts";
import { Geometry } from "./journal/geometry.ts";
import type { Arena, Log } from "./journal/log.ts";
import { type Mark, Scopes } from "./journal/scopes.ts";
import { SegmentWriter } from "./journal/segment.ts";
import { pageJournal } from "./state/pages.ts";
import type { StoreState } from "./state/state.ts";
import type { JournalUse } from "./stats.ts";

const zeroPage = new Uint8Array(pageBytes);

/** The fold refuses 2^25 pieces; half of that is left for what a count by record misses. */
const piecesMax = 2 ** 24;
/** Budgets of journal after which a flush is not put off any more. */
const postponedBudgetsMax = 4;

/** Pieces after which a flush happens by itself. */
const piecesDue = 2 ** 20;
/** Bytes that a piece of a copied range has on average at least; the fold gathers smaller ones. */
const copiedPieceBytes = 32;

/** Pieces that a record may add to the fold: a copy brings the pieces of its source. */
const piecesOf = (tag: number, length: number): number =>
  tag === recordCopy || tag === recordMove ? 3 + Math.ceil(length / copiedPieceBytes) : 3;

export class Session {
  readonly flushing: FlushContext;
  readonly log: Log;
  readonly arena: Arena;
  readonly geometry: Geometry;
  readonly scopes = new Scopes();
  /** Ids minted since the last flush that a transaction may give back. */
  readonly minted: number[] = [];
  #status: "open" | "closed" | "poisoned" = "open";
  #poisonCause: unknown;
  /** Whether a failure has poisoned the session and no call has said so yet. */
  #isUntold = false;
  #appended = 0;
  /** Arena position behind the payloads of the appended records. */
  #appendedArenaEnd = 0;
  #readyBytes = 0;
  /** What the records that are not folded yet may come to, in pieces of the fold. */
  #pieces = 0;
  #segment: SegmentWriter;
  #journalBytes = 0;
  #transactions = 0;
  #fieldsChanged = false;
  /** Whether a flush that was put off has yet to run. */
  #isPostponed = false;

  constructor(flushing: FlushContext, log: Log) {
    this.flushing = flushing;
    this.log = log;
    this.arena = flushing.arena;
    this.geometry = new Geometry(flushing.state.allocations);
    this.#segment = this.#startSegment(flushing.fields.journalPointer);
  }

  get state(): StoreState {
    return this.flushing.state;
  }

  get file(): StorageFile {
    return this.flushing.file;
  }

  get isPoisoned(): boolean {
    return this.#status === "poisoned";
  }

  get journal(): JournalUse {
    const { pages, transactions, streamBytes } = this.#segment;
    return {
      pages,
      transactions: this.#transactions + transactions,
      bytes: this.#journalBytes + streamBytes,
    };
  }

  /** Throws `closed` or `poisoned` unless the session can go on. */
  requireUsable(): void {
    if (this.#status === "open") return;
    this.#isUntold = false;
    const place = { file: this.file.name };
    if (this.#status === "closed")
      throw new StoreError("closed", "the store was closed; open the file again", place);
    throw this.#poisonedError();
  }

  #poisonedError(): StoreError {
    const cause = this.#poisonCause instanceof StoreError ? this.#poisonCause.code : undefined;
    const what = cause === undefined ? "an earlier failure" : `an earlier failure, ${cause},`;
    const room = cause === "disk-full" ? "make room, " : "";
    return new StoreError(
      "poisoned",
      `${what} left memory and disk in doubt; ${room}close the store and open the file again, nothing acknowledged is lost`,
      { file: this.file.name },
      this.#poisonCause,
    );
  }

  poison(cause: unknown): void {
    if (this.#status !== "open") return;
    this.#status = "poisoned";
    this.#poisonCause = cause;
  }

  /** Runs `step`; whatever it throws poisons the session. */
  guard<T>(step: () => T): T {
    try {
      return step();
    } catch (cause) {
      this.poison(cause);
      throw cause;
    }
  }

  /** Adds one record, already checked, and appends it unless a scope holds it back. */
  record(
    tag: number,
    a: number,
    b: number,
    c: number,
    d: number,
    e: number,
    payload: Uint8Array | undefined,
  ): void {
    const { log, arena, scopes } = this;
    const row = log.count;
    this.#requirePieces(tag, d);
    log.push(tag, a, b, c, d, e, payload === undefined ? 0 : arena.append(payload));
    this.geometry.apply(log, row);
    if (!scopes.isOpen) {
      this.#appendTo(log.count);
      this.#flushIfDue();
    } else if (!scopes.inTransaction) this.#hold(row);
  }

  /**
   * Counts what a record may add to the fold. A flush comes before there is more than it can hold; inside a
   * transaction the record is refused, or the journal would hold what no flush can fold.
   */
  #requirePieces(tag: number, length: number): void {
    const pieces = piecesOf(tag, length);
    if (this.#pieces + pieces > piecesMax && this.#pieces > 0) {
      if (this.scopes.inTransaction)
        throw new StoreError(
          "too-large",
          "the open transaction does more than one flush can hold; end it and begin another",
          { file: this.file.name },
        );
      this.flush();
    }
    this.#pieces += pieces;
  }

  /** Keeps an id that was minted outside a transaction without a record yet. */
  keepReserved(): void {
    if (!this.scopes.isOpen) this.#settle();
  }

  begin(kind: Mark["kind"]): void {
    const { log, arena, geometry, minted } = this;
    this.scopes.begin({
      kind,
      logCount: log.count,
      arenaEnd: arena.end,
      undoLength: geometry.undoLength,
      mintedCount: minted.length,
    });
  }

  /** Ends the innermost scope. If its records cannot be appended they are taken back, and the call throws. */
  end(kind: Mark["kind"]): void {
    const { scopes } = this;
    const mark = scopes.end(kind);
    if (scopes.inTransaction) return;
    if (scopes.isOpen) {
      if (kind === "transaction") this.#hold(mark.logCount);
      return;
    }
    this.#appendReady();
    // Without a record in the scope nothing was appended, but an id may have been minted.
    this.#settle();
    this.#flushIfDue();
  }

  /** Takes back everything since the innermost scope, a transaction, began. */
  abort(): void {
    const mark = this.scopes.end("transaction");
    this.#takeBack(mark);
  }

  /** Ends scopes until `depth` are left: transactions are taken back, batches just end. */
  unwind(depth: number): void {
    const { marks } = this.scopes;
    while (marks.length > depth) {
      if (marks.at(-1)!.kind === "transaction") this.abort();
      else this.end("batch");
    }
  }

  setFields(change: Partial<HeaderFields>): void {
    this.flushing.fields = { ...this.flushing.fields, ...change };
    this.#fieldsChanged = true;
  }

  /** Folds everything appended; the records of an open transaction stay in the log. */
  flush(): void {
    if (this.scopes.isOpen) this.#appendReady();
    this.guard(() => this.#runFlush(this.#segment.pages));
  }

  /** Folds what recovery found in `pages` of the journal. */
  flushRecovered(pages: readonly number[]): void {
    for (let row = 0; row < this.log.count; row++) this.geometry.apply(this.log, row);
    this.#appended = this.log.count;
    this.guard(() => this.#runFlush(pages));
  }

  /** Flushes if there is anything to flush, gives back the free end of the file, and releases it. */
  close(): void {
    if (this.#status === "closed") return;
    if (this.scopes.isOpen && this.#status === "open")
      throw new TypeError("close inside an open transaction or batch; end it first");
    try {
      if (this.#status === "open") {
        if (this.#appended > 0 || this.#fieldsChanged) this.flush();
        this.cutTail();
      }
    } finally {
      this.#status = "closed";
      this.file.close();
    }
    if (this.#isUntold) throw this.#poisonedError();
  }

  /** Cuts every free page off the end, and the journal's page while nothing is in it. */
  cutTail(): void {
    const { pages } = this.state;
    const journalPage = this.#segment.pages[0]!;
    const isEmpty = this.#segment.transactions === 0 && pages.state[journalPage] === pageJournal;
    if (isEmpty) pages.makeReady(journalPage);
    this.guard(() => truncateTail(this.flushing, 1));
    if (!isEmpty) return;
    if (journalPage < pages.filePages) pages.claimForJournal(journalPage);
    else pages.promised = journalPage;
  }

  #startSegment(firstPage: number): SegmentWriter {
    const { file, state } = this.flushing;
    return new SegmentWriter(file, state.epoch + 1, firstPage, {
      takePage: () => this.#takeJournalPage(),
      returnPage: (page) => state.pages.makeReady(page),
      ensurePage: (page) => this.#ensureJournalPage(page),
    });
  }

  #takeJournalPage(): number {
    const { pages } = this.state;
    const before = pages.filePages;
    const page = pages.take(pageJournal);
    this.#materialise(before, page);
    return page;
  }

  #ensureJournalPage(page: number): void {
    const { pages } = this.state;
    const before = pages.filePages;
    if (pages.state[page] === pageJournal && page < before) return;
    pages.claimForJournal(page);
    this.#materialise(before, page);
  }

  /** Makes pages behind the old end real. Written, not only claimed: a full disk must show here, not at the sync. */
  #materialise(before: number, page: number): void {
    const { pages } = this.state;
    if (pages.filePages === before) return;
    try {
      growFile(this.flushing);
      for (let added = before; added < pages.filePages; added++) this.file.write(zeroPage, added * pageBytes);
    } catch (cause) {
      if (this.state.pages.state[page] === pageJournal) pages.makeReady(page);
      if (this.#segment.pages[0] === page) pages.promised = page;
      pages.cutReadyTail(1);
      this.file.truncate(pages.filePages * pageBytes);
      throw cause;
    }
  }

  /** Records from `row` on join what the batch holds back. */
  #hold(row: number): void {
    for (let held = row; held < this.log.count; held++) this.#readyBytes += recordLength(this.log, held);
    if (this.#readyBytes <= this.flushing.options.batchBytes) return;
    this.#appendReady();
    this.#flushIfDue();
  }

  #appendReady(): void {
    const end = this.scopes.readyEnd(this.log.count);
    if (end > this.#appended) this.#appendTo(end);
  }

  /** Appends the records up to `end` as one transaction; if there is no room, those that no scope holds go. */
  #appendTo(end: number): void {
    try {
      this.#segment.append(this.log, this.arena, this.#appended, end);
    } catch (cause) {
      if (this.#segment.torn) this.poison(cause);
      else if (!this.scopes.inTransaction) this.#forget();
      if (!this.#segment.torn) this.#giveBackTail();
      throw cause;
    }
    this.#appended = end;
    this.#readyBytes = 0;
    if (!this.scopes.inTransaction) this.#settle();
    else this.#appendedArenaEnd = this.scopes.marks[this.scopes.outerTransaction]!.arenaEnd;
  }

  /** Pages that were added for an append that failed must not keep a full disk full. */
  #giveBackTail(): void {
    const { pages } = this.state;
    if (pages.cutReadyTail(1) > 0) this.file.truncate(pages.filePages * pageBytes);
  }

  /** What happened so far cannot be taken back any more. */
  #settle(): void {
    this.#appendedArenaEnd = this.arena.end;
    this.geometry.keep();
    if (this.minted.length > 0) this.minted.length = 0;
  }

  /** Drops every record that is not appended. */
  #forget(): void {
    const arenaEnd = this.#appendedArenaEnd;
    this.#takeBack({
      kind: "transaction",
      logCount: this.#appended,
      arenaEnd,
      undoLength: 0,
      mintedCount: 0,
    });
    this.#readyBytes = 0;
  }

  #takeBack(mark: Mark): void {
    const { allocations, ids } = this.state;
    this.log.truncate(mark.logCount);
    this.arena.truncate(mark.arenaEnd);
    this.geometry.rollBack(mark.undoLength);
    while (this.minted.length > mark.mintedCount) {
      const id = this.minted.pop()!;
      // A reservation from before a flush is not on the undo list any more.
      this.geometry.forget(id);
      const row = allocations.row(id);
      ids.recycle(id, row >= 0 && allocations.anchor[row] !== 0);
    }
  }

  #flushIfDue(): void {
    const { journalBudgetPages, postpone } = this.flushing.options;
    const journalPages = this.#segment.pages.length;
    const isFull = this.#pieces > piecesDue || journalPages > postponedBudgetsMax * journalBudgetPages;
    if (journalPages <= journalBudgetPages && !isFull) return;
    if (postpone === null || isFull) this.#flushUnasked();
    else if (!this.#isPostponed) this.#flushLater(postpone);
  }

  #flushLater(postpone: (flush: () => void) => void): void {
    this.#isPostponed = true;
    postpone(() => {
      this.#isPostponed = false;
      const isLong = this.#segment.pages.length > this.flushing.options.journalBudgetPages;
      if (!isLong || this.#status !== "open" || this.scopes.isOpen) return;
      this.#flushUnasked();
    });
  }

  /**
   * A flush that nobody asked for. What the call did that it is due to is with the operating system, so the call must not
   * fail: if the flush does, the next one says so, or `close`.
   */
  #flushUnasked(): void {
    try {
      this.flush();
    } catch (cause) {
      if (!this.isPoisoned) throw cause;
      this.#isUntold = true;
    }
  }

  #runFlush(segmentPages: readonly number[]): void {
    const { log, geometry } = this;
    const sizeNow = this.#appended === log.count ? (id: number) => geometry.now(id) : undefined;
    const nextJournal = runFlush(this.flushing, log, this.#appended, segmentPages, sizeNow);
    // A lost header is made up for by the journal, but header fields are not in the journal.
    if (this.#fieldsChanged) this.file.sync();
    this.#transactions += this.#segment.transactions;
    this.#journalBytes += this.#segment.streamBytes;
    this.#segment = this.#startSegment(nextJournal);
    this.#fieldsChanged = false;
    this.#keepWaiting();
    truncateTail(this.flushing, this.flushing.options.truncateTail);
  }

  /** The folded records go; those of an open transaction stay, and the marks move with them. */
  #keepWaiting(): void {
    const { log, arena, geometry, scopes, minted } = this;
    const folded = this.#appended;
    const outer = scopes.marks[scopes.outerTransaction];
    log.discard(folded);
    this.#appended = 0;
    this.#appendedArenaEnd = outer?.arenaEnd ?? arena.end;
    arena.discard(this.#appendedArenaEnd);
    this.#pieces = 0;
    for (let waiting = 0; waiting < log.count; waiting++)
      this.#pieces += piecesOf(log.tag[waiting]!, log.d[waiting]!);
    geometry.restart(outer?.undoLength ?? geometry.undoLength);
    const settled = outer?.mintedCount ?? minted.length;
    minted.splice(0, settled);
    let row = 0;
    for (const mark of scopes.marks) {
      mark.logCount = Math.max(0, mark.logCount - folded);
      mark.mintedCount = Math.max(0, mark.mintedCount - settled);
      for (; row < mark.logCount; row++) geometry.apply(log, row);
      mark.undoLength = geometry.undoLength;
    }
    for (; row < log.count; row++) geometry.apply(log, row);
    assert(scopes.inTransaction || log.count === 0, "records without a transaction are waiting");
  }
}
