/**
 * What a journal segment holds, transaction by transaction.
 *
 *  (1) Payloads are not kept, and no more than `recordsMax` records are listed: memory does not follow the journal.
 *
 * Cost: one read and one CRC a page of the segment.
 */

import { type Place, StoreError } from "../../errors.ts";
import type { StorageFile } from "../../storage/storage.ts";
import type { Governing } from "../format/header.ts";
import { pageBytes } from "../format/layout.ts";
import {
  type RecordSink,
  recordCopy,
  recordFree,
  recordMove,
  recordResize,
  recordSplice,
} from "../format/record.ts";
import { recoverJournal } from "../journal/recover.ts";
import type { JournalContents, RecordRow, TransactionRow } from "./document.ts";

/** More than these, over all transactions, are counted but not listed. */
export const recordsMax = 10_000;

const names = ["", "Free", "Resize", "Write", "Splice", "Copy", "Move"] as const;

function rowOf(tag: number, a: number, b: number, c: number, d: number, e: number): RecordRow {
  const record = names[tag] as RecordRow["record"];
  const row = {
    record,
    id: a,
    offset: null,
    length: null,
    oldLength: null,
    source: null,
    sourceOffset: null,
  };
  if (tag === recordFree) return row;
  if (tag === recordResize) return { ...row, length: b };
  if (tag === recordCopy || tag === recordMove)
    return { ...row, id: c, offset: e, length: d, source: a, sourceOffset: b };
  return { ...row, offset: b, length: d, oldLength: tag === recordSplice ? c : null };
}

interface Draft {
  readonly page: number;
  readonly offset: number;
  readonly records: RecordRow[];
  omitted: number;
}

class Listing implements RecordSink {
  readonly listed: Draft[] = [];
  records = 0;
  transactions = 0;
  readonly pages = new Set<number>();
  readonly #isWanted: (row: RecordRow) => boolean;
  #kept = 0;
  #current: Draft = { page: 0, offset: 0, records: [], omitted: 0 };

  constructor(isWanted: (row: RecordRow) => boolean) {
    this.#isWanted = isWanted;
  }

  begin({ page, offset }: Place): void {
    this.transactions++;
    if (page !== undefined) this.pages.add(page);
    this.#current = { page: page ?? 0, offset: offset ?? 0, records: [], omitted: 0 };
    if (this.listed.length < recordsMax) this.listed.push(this.#current);
  }

  push(tag: number, a: number, b: number, c: number, d: number, e: number): void {
    this.records++;
    const row = rowOf(tag, a, b, c, d, e);
    if (!this.#isWanted(row)) return;
    if (this.#kept >= recordsMax) this.#current.omitted++;
    else {
      this.#kept++;
      this.#current.records.push(row);
    }
  }
}

const forget = { append: (): number => 0 };

/** The segment that `header` names. Damage goes to `refuse`; what comes before it is still listed. */
export function readJournalContents(
  file: StorageFile,
  header: Governing,
  refuse: (fault: StoreError) => void,
  isWanted: (row: RecordRow) => boolean = () => true,
): JournalContents {
  const listing = new Listing(isWanted);
  const firstPage = header.fields.journalPointer;
  const epoch = header.epoch + 1;
  const filePages = Math.floor(file.size() / pageBytes);
  let recovered = { pages: firstPage < filePages ? [firstPage] : [], transactions: 0, bytes: 0 };
  try {
    const begin = (place: Place): void => listing.begin(place);
    recovered = recoverJournal(file, epoch, firstPage, filePages, listing, forget, begin);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    refuse(error);
    // The transaction that does not decode is listed last; it does not count.
    recovered.transactions = Math.max(0, listing.transactions - 1);
    recovered.pages = [...new Set([...recovered.pages, ...listing.pages])];
  }
  return {
    epoch,
    firstPage,
    pages: recovered.pages,
    transactions: recovered.transactions,
    records: listing.records,
    streamBytes: recovered.bytes,
    listed: listing.listed satisfies readonly TransactionRow[],
  };
}

/** Whether a record changes allocation `id`; a Move also changes its source. */
export const changes = (row: RecordRow, id: number): boolean =>
  row.id === id || (row.record === names[recordMove] && row.source === id);
