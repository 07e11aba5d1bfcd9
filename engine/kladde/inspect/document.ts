/**
 * What a survey of a file says, as data: the shape of `kladde inspect --json`, and what text and HTML are made of.
 *
 *  (1) Numbers are numbers, null is "not known" or "does not apply"; nothing is left out for being zero.
 *  (2) Lists that grow with the file (`tree`, `pages`, `allocations`) come last, one row a line.
 *  (3) `version` changes when a field changes its meaning or goes; new fields may come without.
 */

import type { Finding } from "./findings.ts";
import type { OwnerRow, TypedDocument } from "./typed-document.ts";

export const documentVersion = 1;

export interface SurveyHead {
  readonly format: "kladde survey";
  readonly version: number;
  readonly file: string;
  readonly fileBytes: number;
  readonly filePages: number;
  /** Whether there is no fault among the findings. */
  readonly sound: boolean;
  readonly faults: number;
  readonly findings: readonly Finding[];
  /** Of the governing header; null if none governs. */
  readonly epoch: number | null;
  readonly slots: readonly SlotRow[];
  readonly space: readonly SpaceRow[];
  readonly table: TableTotals;
  readonly older: OlderWorld | null;
  readonly journal: JournalContents | null;
}

/** The whole of `--json`. */
export interface SurveyDocument extends SurveyHead {
  readonly tree: readonly TreeRow[];
  readonly pages: readonly PageRow[];
  readonly allocations: readonly AllocationRow[];
  readonly typed: TypedDocument;
}

export interface SlotRow {
  readonly slot: number;
  readonly state: "governs" | "older" | "invalid" | "never written" | "missing";
  /** Why the slot does not count. */
  readonly fault: string | null;
  /** The fields as the bytes say, in an invalid slot too; null where there are none. */
  readonly epoch: number | null;
  readonly formatVersion: number | null;
  readonly minReaderVersion: number | null;
  readonly rootAllocation: number | null;
  readonly schemaTable: number | null;
  readonly consolidatorState: number | null;
  readonly rootFingerprint: string | null;
  readonly journalPointer: number | null;
  readonly contentBytes: number | null;
}

/**
 * What a page is to the governing header. `quarantined`: only the older header needs it, and it may be written again
 * once the governing one is known to be durable. `unknown`: no header governs.
 */
export const pageUses = [
  "free",
  "header",
  "interior",
  "leaf",
  "data",
  "journal",
  "quarantined",
  "unknown",
] as const;
export type PageUse = (typeof pageUses)[number];

/** What the bytes of a page are, whoever needs them. `other`: no frame with a right checksum. */
export const pageHoldings = ["other", "table", "data", "zeros", "header", "unreadable"] as const;
export type PageHolding = (typeof pageHoldings)[number];

export interface PageRow {
  readonly page: number;
  readonly use: PageUse;
  readonly holds: PageHolding;
  /** Flush that wrote the page, as its frame says. */
  readonly epoch: number | null;
  /** Flushes since then. */
  readonly age: number | null;
  readonly contentBytes: number | null;
  /** Bytes of the content that the governing header's state relies on. */
  readonly liveBytes: number;
  /** Allocations with bytes in a data page; the lowest id of them, and the highest. */
  readonly allocations: number;
  readonly firstId: number | null;
  readonly lastId: number | null;
  /** What is wrong with a page that is needed. */
  readonly fault: string | null;
}

export interface SpaceRow {
  readonly use: PageUse;
  readonly pages: number;
  readonly contentBytes: number;
  readonly liveBytes: number;
  /** Pages of this use that are damaged. */
  readonly damaged: number;
  /** Ages of the pages that have one. */
  readonly youngest: number | null;
  readonly oldest: number | null;
}

export interface TableTotals {
  /** Whether every table page was read to its end. If not, older statements may seem to win. */
  readonly complete: boolean;
  /** Without the header. */
  readonly pages: number;
  readonly depth: number;
  readonly statements: number;
  /** Statements that win a byte, or prove a size or that an allocation exists. */
  readonly liveStatements: number;
  /** Encoded bytes of all statements without inline payloads; and of the live ones. */
  readonly framingBytes: number;
  readonly liveFramingBytes: number;
  readonly allocations: number;
  readonly allocationBytes: number;
}

/** The state of the header that does not govern. */
export interface OlderWorld {
  readonly epoch: number;
  readonly pages: number;
  /** Pages that the governing header's state does not need. */
  readonly quarantined: number;
  /** Pages that it named and that have been written over since, or are damaged: then it is gone. */
  readonly lost: number;
}

export interface TreeRow {
  readonly page: number;
  readonly parent: number | null;
  readonly depth: number;
  readonly epoch: number | null;
  readonly age: number | null;
  readonly children: number;
  readonly statements: number;
  readonly firstId: number | null;
  readonly lastId: number | null;
  readonly contentBytes: number | null;
  readonly liveBytes: number;
  readonly fault: string | null;
}

export interface AllocationRow {
  readonly id: number;
  /** In bytes, as of the last flush. */
  readonly size: number;
  /** `dataBytes` lie in data pages, `inlineBytes` in statements; the rest is zeros that take no room. */
  readonly dataBytes: number;
  readonly inlineBytes: number;
  readonly dataPages: number;
  /** Runs of bytes that one statement wins, or nothing does. */
  readonly fragments: number;
  /** Runs that hold bytes, per run that would be needed at least; null without bytes. */
  readonly fragmentation: number | null;
  /** Statements that name it, null if they contradict each other; and those of them that count. */
  readonly statements: number | null;
  readonly liveStatements: number;
  /** Encoded bytes of the statements that count, without inline payloads. */
  readonly descriptionBytes: number;
  /** Of the newest statement that wins a byte of it. */
  readonly newestEpoch: number | null;
  /** Bytes in pages that are damaged. */
  readonly damagedBytes: number;
  /** False: its statements contradict each other; the row says what was resolved before that. */
  readonly resolved: boolean;
}

export interface JournalContents {
  /** Of the segment: the flush that would fold it. */
  readonly epoch: number;
  readonly firstPage: number;
  readonly pages: readonly number[];
  /** Complete transactions, their records and the bytes of their stream. */
  readonly transactions: number;
  readonly records: number;
  readonly streamBytes: number;
  /** The first of them, record by record. */
  readonly listed: readonly TransactionRow[];
}

export interface TransactionRow {
  readonly page: number;
  readonly offset: number;
  readonly records: readonly RecordRow[];
  /** Records that are not listed. */
  readonly omitted: number;
}

export interface RecordRow {
  readonly record: "Free" | "Resize" | "Write" | "Splice" | "Copy" | "Move";
  /** The allocation that changes; of a Move also `source`. */
  readonly id: number;
  readonly offset: number | null;
  /** Bytes written or copied; the new size of a Resize. */
  readonly length: number | null;
  /** Bytes that a Splice replaces. */
  readonly oldLength: number | null;
  readonly source: number | null;
  readonly sourceOffset: number | null;
}

/** `kladde inspect --id`. */
export interface AllocationDocument {
  readonly format: "kladde allocation";
  readonly version: number;
  readonly file: string;
  readonly id: number;
  /** False: the table is damaged, so that statements may be missing. */
  readonly complete: boolean;
  readonly exists: boolean | null;
  readonly size: number | null;
  /** Why it exists or not, and what its size rests on. */
  readonly existsBecause: string;
  readonly sizeBecause: string;
  /** Where statements contradict each other. */
  readonly conflict: string | null;
  readonly statements: readonly StatementRow[];
  /** Statements and runs beyond those listed. */
  readonly statementsOmitted: number;
  readonly runs: readonly RunRow[];
  readonly runsOmitted: number;
  /** Records of the journal that change it, still to be folded. */
  readonly pending: readonly RecordRow[];
  /** The value that it holds, null if there is none; only where types were looked at. */
  readonly owner?: OwnerRow | null;
}

export interface StatementRow {
  readonly statement: "Ref" | "Zero" | "Shrink" | "Grow" | "Tombstone" | "Inline";
  readonly epoch: number;
  readonly page: number;
  /** Offset of the statement in its page. */
  readonly at: number;
  /** Where its range begins; the bound of a Shrink or Grow. */
  readonly offset: number;
  readonly length: number;
  /** Of a Ref: where its bytes lie. */
  readonly dataPage: number | null;
  readonly dataOffset: number | null;
  readonly framingBytes: number;
  /** Bytes below the size that it wins. */
  readonly wins: number;
  readonly live: boolean;
  readonly why: string;
}

/** Bytes `[from, to)` and who wins them. */
export interface RunRow {
  readonly from: number;
  readonly to: number;
  /** Row of `statements`; null: nothing says anything of these bytes, or the statement is not listed. */
  readonly winner: number | null;
  readonly content: "data" | "inline" | "zeros";
  readonly why: string;
  /** What is wrong with the page that holds the bytes. */
  readonly fault: string | null;
}
