/**
 * The journal of a document's file, record by record, by the second reader of the format.
 *
 *  (1) A record is shown with its allocation as `root`, `new` (first named in the same transaction) or `old`.
 */

import { type Content, lengthOf } from "../../testing/independent/content.ts";
import { replay } from "../../testing/independent/journal.ts";
import { readIndependently } from "../../testing/independent/read.ts";
import { Cursor } from "../../testing/independent/tables.ts";
import type { Access } from "../plain/index.ts";

const kinds = ["", "free", "resize", "write", "splice", "copy", "move"] as const;

export interface JournalRecord {
  readonly kind: (typeof kinds)[number];
  readonly id: number;
  readonly offset: number;
  /** Bytes that a splice takes out. */
  readonly removed: number;
  /** Bytes of the payload; a resize's new size. */
  readonly length: number;
  /** The record as it is in the file. */
  readonly bytes: Uint8Array;
}

/** The records of one transaction. */
export function recordsOf(transaction: Uint8Array): JournalRecord[] {
  const cursor = new Cursor(transaction, "J6");
  const records: JournalRecord[] = [];
  while (!cursor.isAtEnd) {
    const from = cursor.at;
    const kind = kinds[cursor.byte()]!;
    const id = cursor.varint();
    const offset = kind === "free" || kind === "resize" ? 0 : cursor.varint();
    const removed = kind === "splice" ? cursor.varint() : 0;
    const length = kind === "free" ? 0 : cursor.varint();
    if (kind === "write" || kind === "splice") cursor.bytes(length, "J6");
    if (kind === "copy" || kind === "move") [cursor.varint(), cursor.varint()];
    records.push({ kind, id, offset, removed, length, bytes: transaction.slice(from, cursor.at) });
  }
  return records;
}

/** The transactions in the journal of the file. */
export const journalOf = (file: Uint8Array): JournalRecord[][] =>
  readIndependently(file).transactions.map(recordsOf);

/** A transaction's records as text: kind, allocation, offset, and bytes, of a splice those before and after. */
export function show(records: readonly JournalRecord[], known: ReadonlySet<number>, root: number): string[] {
  return records.map(({ kind, id, offset, removed, length }) => {
    const name = id === root ? "root" : known.has(id) ? "old" : "new";
    if (kind === "free") return `free ${name}`;
    if (kind === "resize") return `resize ${name} ${length}`;
    return `${kind} ${name} ${offset} ${kind === "splice" ? `${removed}→${length}` : length}`;
  });
}

/** Bytes of the stream that each transaction ends behind. */
export function endsOf(transactions: readonly Uint8Array[]): number[] {
  let end = 0;
  return transactions.map(({ length }) => {
    let bytes = 1;
    for (let rest = length; rest >= 128; rest = Math.floor(rest / 128)) bytes++;
    end += bytes + length + 4;
    return end;
  });
}

/** Contents after the first `count` records of `transaction` on top of `before`, for a reader of values. */
export function afterRecords(
  before: ReadonlyMap<number, Content>,
  records: readonly JournalRecord[],
): Access & { readonly ids: ReadonlySet<number> } {
  const contents = new Map(before);
  for (const { bytes } of records) replay(bytes, contents);
  return {
    ids: new Set(contents.keys()),
    size: (id) => {
      const content = contents.get(id);
      return content === undefined ? -1 : lengthOf(content);
    },
    read: (id, into) => {
      let at = 0;
      for (const { length, bytes } of contents.get(id) ?? []) {
        if (bytes !== undefined) into.set(bytes.subarray(0, Math.max(0, into.length - at)), at);
        at += length;
      }
    },
  };
}
