/**
 * Reading the tree of table pages under a governing header into the page table.
 *
 *  (1) Every table page is reached once; a second visit, which a cycle needs too, is refused.
 *  (2) No page is newer than its parent, nor than the header.
 *  (3) Nothing is written.
 *  (4) A page is queued twice at most, and one that is not in the file once for each page that names such: what a
 *      damaged file repeats costs nothing.
 *
 * Cost: one read and one CRC a table page, which then stays resident.
 */

import { StoreError } from "../../errors.ts";
import type { StorageFile } from "../../storage/storage.ts";
import type { Governing } from "../format/header.ts";
import { contentOffset, headerContentOffset, pageBytes, pageKindTable } from "../format/layout.ts";
import { isPageSound, pageContentBytes, pageEpoch, pageKind } from "../format/page.ts";
import { childListBytes, StatementReader } from "../format/statement.ts";
import { pageHeader, pageInterior, pageLeaf } from "../state/pages.ts";
import type { StoreState } from "../state/state.ts";

/**
 * Fills in header and table pages, and returns the table pages that hold statements, the header among them. What is
 * wrong with a page goes to `refuse`; if that returns, the page and what only it leads to are left out.
 */
export function loadTree(
  state: StoreState,
  file: StorageFile,
  header: Governing,
  refuse: (fault: StoreError) => void = rethrow,
): number[] {
  const { pages } = state;
  describePages(state, file);
  for (let slot = 0; slot < Math.min(2, pages.filePages); slot++) pages.state[slot] = pageHeader;
  state.epoch = header.epoch;
  state.headerPage = header.slot;
  pages.resident.set(header.slot, header.page);
  pages.epoch[header.slot] = header.epoch;
  pages.written[header.slot] = pageContentBytes(header.page, true);
  const queue: { page: number; parent: number }[] = [];
  const named = new Set<number>();
  const namedAgain = new Set<number>();
  const readChildren = (page: number): number[] => {
    const children = decodeChildren(state, file, page);
    for (const child of children) {
      if (namedAgain.has(child)) continue;
      (named.has(child) ? namedAgain : named).add(child);
      queue.push({ page: child, parent: page });
      // Children ascend: all that follow are past the end too.
      if (child >= pages.filePages) break;
    }
    return children;
  };
  const tablePages: number[] = [];
  const visit = (page: number, load: () => void): void => {
    try {
      load();
      tablePages.push(page);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      refuse(error);
    }
  };
  visit(header.slot, () => {
    state.rootChildren = readChildren(header.slot);
  });
  for (let next = 0; next < queue.length; next++) {
    const { page, parent } = queue[next]!;
    visit(page, () => {
      loadTablePage(state, file, page, parent);
      const children = readChildren(page);
      pages.state[page] = children.length > 0 ? pageInterior : pageLeaf;
      if (children.length > 0) pages.children.set(page, children);
    });
  }
  return tablePages;
}

function rethrow(fault: StoreError): never {
  throw fault;
}

function describePages({ pages }: StoreState, file: StorageFile): void {
  const count = Math.floor(file.size() / pageBytes);
  try {
    pages.extendTo(count);
  } catch (cause) {
    const message = `${count} pages are more than this program can describe in memory`;
    throw new StoreError("too-large", message, { file: file.name }, cause);
  }
}

function loadTablePage(state: StoreState, file: StorageFile, page: number, parent: number): void {
  const { pages } = state;
  const refuse = (what: string, rule: string): StoreError =>
    new StoreError("corrupt", `${what}; restore the file from a copy`, { file: file.name, page, rule });
  if (page >= pages.filePages)
    throw refuse(`table page, named by page ${parent}, lies past the end of the file`, "T3");
  if (pages.resident.has(page)) throw refuse(`table page is named twice, here by page ${parent}`, "T4");
  const bytes = new Uint8Array(pageBytes);
  file.read(bytes, page * pageBytes);
  if (!isPageSound(bytes, false, file.crc32c)) throw refuse("table page has a wrong checksum", "T5");
  if (pageKind(bytes, false) !== pageKindTable)
    throw refuse("page named as a table page is of another kind", "T6");
  const epoch = pageEpoch(bytes, false);
  if (!(epoch <= state.epoch)) throw refuse(`table page has epoch ${epoch}, the header ${state.epoch}`, "T7");
  if (epoch > pages.epoch[parent]!)
    throw refuse(`table page has epoch ${epoch}, newer than its parent`, "T8");
  pages.resident.set(page, bytes);
  pages.epoch[page] = epoch;
  pages.written[page] = pageContentBytes(bytes, false);
}

const reader = new StatementReader();

/** The children that a resident page lists; their references are charged to it. */
function decodeChildren(state: StoreState, file: StorageFile, page: number): number[] {
  const header = page === state.headerPage;
  const bytes = state.pages.resident.get(page)!;
  const start = header ? headerContentOffset : contentOffset;
  reader.open(bytes, start, start + pageContentBytes(bytes, header), file.name, page);
  const children = reader.children();
  if (header || children.length > 0) state.pages.coverage[page] = childListBytes(children);
  return children;
}
