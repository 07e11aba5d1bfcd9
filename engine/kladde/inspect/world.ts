/**
 * The table under one header, as far as it can be read.
 *
 *  (1) A page with a fault is left out, and what only it leads to; of a page whose statements stop decoding the ones
 *      before count. Both make the world incomplete.
 *  (2) Merging the statements of `statementPages` cannot fail any more.
 *
 * Cost: the table's bytes in memory, and one pass over its statements.
 */

import { writeU16 } from "../../codec/fixed.ts";
import { StoreError } from "../../errors.ts";
import type { StorageFile } from "../../storage/storage.ts";
import type { Governing } from "../format/header.ts";
import { contentOffset, frameLayout, headerContentOffset, headerLayout } from "../format/layout.ts";
import { pageContentBytes } from "../format/page.ts";
import { StatementReader } from "../format/statement.ts";
import { StatementMerge } from "../open/merge.ts";
import { loadTree } from "../open/tree.ts";
import { StoreState } from "../state/state.ts";

/** Counts over the statements of one table page. */
export interface PageStatements {
  readonly count: number;
  readonly framingBytes: number;
  readonly firstId: number;
  readonly lastId: number;
}

export interface World {
  readonly state: StoreState;
  readonly header: Governing;
  readonly complete: boolean;
  readonly statementPages: readonly number[];
  readonly statements: ReadonlyMap<number, PageStatements>;
  /** What is wrong with pages that the tree names. */
  readonly faults: ReadonlyMap<number, string>;
}

/** Every fault also goes to `refuse`. */
export function readWorld(file: StorageFile, header: Governing, refuse: (fault: StoreError) => void): World {
  const faults = new Map<number, string>();
  const statements = new Map<number, PageStatements>();
  let complete = true;
  const note = (fault: StoreError): void => {
    complete = false;
    if (fault.page !== undefined && !faults.has(fault.page)) faults.set(fault.page, shortOf(fault));
    refuse(fault);
  };
  const state = new StoreState();
  const statementPages = loadTree(state, file, header, note);
  for (const page of statementPages) statements.set(page, countStatements(state, page, file.name, note));
  return { state, header, complete, statementPages, statements, faults };
}

/** The message without the place, which the reader of a row knows, and without advice. */
export function shortOf(fault: Pick<StoreError, "message" | "rule">): string {
  const what = fault.message.replace(/^.*?, rule \w+: /s, "").replace(/; restore the file from a copy$/, "");
  return fault.rule === undefined ? what : `${fault.rule}: ${what}`;
}

export const mergeOf = (world: World, file: string): StatementMerge =>
  new StatementMerge(world.state, world.statementPages, file);

const reader = new StatementReader();

function countStatements(
  state: StoreState,
  page: number,
  file: string,
  refuse: (fault: StoreError) => void,
): PageStatements {
  const bytes = state.pages.resident.get(page)!;
  const isHeader = page === state.headerPage;
  const start = isHeader ? headerContentOffset : contentOffset;
  reader.open(bytes, start, start + pageContentBytes(bytes, isHeader), file, page);
  reader.children();
  const counts = { count: 0, framingBytes: 0, firstId: 0, lastId: 0 };
  let soundEnd = reader.position;
  try {
    while (reader.next()) {
      counts.count++;
      counts.framingBytes += reader.framing;
      if (counts.firstId === 0) counts.firstId = reader.id;
      counts.lastId = reader.id;
      soundEnd = reader.position;
    }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    state.pages.resident.set(page, cutContent(bytes, isHeader, soundEnd - start));
    refuse(error);
  }
  return counts;
}

/** A copy whose content ends earlier; its checksum no longer matters. */
function cutContent(bytes: Uint8Array, isHeader: boolean, contentBytes: number): Uint8Array {
  const cut = bytes.slice();
  const frame = isHeader ? headerLayout.bytes : 0;
  writeU16(cut, frame + frameLayout.fields.contentSize.offset, contentBytes);
  return cut;
}
