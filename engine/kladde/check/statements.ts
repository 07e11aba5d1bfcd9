/**
 * Every statement of the table, decoded afresh from the resident pages that the header reaches.
 *
 *  (1) The tree is walked by the child lists in the pages, not by those kept in memory, which are compared with it.
 *  (2) Statements are chained per allocation; a chain is in no order.
 *
 * Cost: table bytes, and 40 bytes a statement in columns.
 */

import { assert } from "../../errors.ts";
import { contentOffset, headerContentOffset, pageKindTable } from "../format/layout.ts";
import { pageContentBytes, pageEpoch, pageKind } from "../format/page.ts";
import { childListBytes, StatementReader, statementNames } from "../format/statement.ts";
import { grown } from "../state/columns.ts";
import { isTable, pageHeader, pageInterior } from "../state/pages.ts";
import type { StoreState } from "../state/state.ts";

export const noStatement = 0xffffffff;

export class TableStatements {
  count = 0;
  page: Uint32Array = new Uint32Array(1024);
  epoch: Float64Array = new Float64Array(1024);
  id: Uint32Array = new Uint32Array(1024);
  kind: Uint8Array = new Uint8Array(1024);
  offset: Uint32Array = new Uint32Array(1024);
  size: Uint32Array = new Uint32Array(1024);
  address: Float64Array = new Float64Array(1024);
  payloadAt: Uint16Array = new Uint16Array(1024);
  framing: Uint8Array = new Uint8Array(1024);
  /** Slot in the slab, once something is found that names it; 0: none. */
  slot: Uint32Array = new Uint32Array(1024);
  /** The next statement of the same allocation. */
  next: Uint32Array = new Uint32Array(1024);
  /** First statement by row of the allocation table. */
  first: Uint32Array = new Uint32Array(256);
  /** Table pages that the header reaches, itself included. */
  readonly pages: number[] = [];
  /** Bytes of the child list in each of them, in the shortest form; none is charged for the empty list of a leaf. */
  readonly childBytes: number[] = [];

  /** For messages. */
  describe(statement: number): string {
    if (statement === noStatement) return "nothing";
    const { page, id, kind, offset, size, epoch } = this;
    const name = statementNames[kind[statement]!]!;
    return `${name}(${id[statement]}, ${offset[statement]}, ${size[statement]}) of epoch ${epoch[statement]} in page ${page[statement]}`;
  }

  /** Decodes everything that the header reaches. */
  read(state: StoreState): void {
    this.count = 0;
    this.pages.length = 0;
    this.childBytes.length = 0;
    const rows = state.allocations.state.length;
    this.first = grown(this.first, rows);
    this.first.fill(noStatement, 0, rows);
    const seen = new Set([state.headerPage]);
    const queue = [state.headerPage];
    for (let i = 0; i < queue.length; i++) {
      const page = queue[i]!;
      for (const child of this.#readPage(state, page)) {
        assert(!seen.has(child), `item 8: table page ${child} is named twice, here by page ${page}`);
        requireNotNewer(state, child, page);
        seen.add(child);
        queue.push(child);
      }
    }
  }

  #readPage(state: StoreState, page: number): readonly number[] {
    const bytes = state.pages.resident.get(page);
    assert(bytes !== undefined, `item 8: table page ${page} is not resident`);
    const isHeader = page === state.headerPage;
    const start = isHeader ? headerContentOffset : contentOffset;
    const contentBytes = pageContentBytes(bytes, isHeader);
    const epoch = pageEpoch(bytes, isHeader);
    requireSame(state, page, epoch, contentBytes, pageKind(bytes, isHeader));
    reader.open(bytes, start, start + contentBytes, "", page);
    const children = reader.children();
    this.pages.push(page);
    this.childBytes.push(isHeader || children.length > 0 ? childListBytes(children) : 0);
    requireSameChildren(state, page, children);
    while (reader.next()) this.#push(state, page, epoch);
    return children;
  }

  #push(state: StoreState, page: number, epoch: number): void {
    const row = state.allocations.row(reader.id);
    if (row < 0)
      assert(false, `item 7: page ${page} names allocation ${reader.id}, of which nothing is known`);
    const at = this.count++;
    if (at >= this.page.length) this.#grow(at + 1);
    this.page[at] = page;
    this.epoch[at] = epoch;
    this.id[at] = reader.id;
    this.kind[at] = reader.kind;
    this.offset[at] = reader.offset;
    this.size[at] = reader.size;
    this.address[at] = reader.address;
    this.payloadAt[at] = reader.payloadAt;
    this.framing[at] = reader.framing;
    this.slot[at] = 0;
    this.next[at] = this.first[row]!;
    this.first[row] = at;
  }

  #grow(rows: number): void {
    this.page = grown(this.page, rows);
    this.epoch = grown(this.epoch, rows);
    this.id = grown(this.id, rows);
    this.kind = grown(this.kind, rows);
    this.offset = grown(this.offset, rows);
    this.size = grown(this.size, rows);
    this.address = grown(this.address, rows);
    this.payloadAt = grown(this.payloadAt, rows);
    this.framing = grown(this.framing, rows);
    this.slot = grown(this.slot, rows);
    this.next = grown(this.next, rows);
  }
}

const reader = new StatementReader();

/** The page says of itself what the page table says of it. */
function requireSame(
  state: StoreState,
  page: number,
  epoch: number,
  contentBytes: number,
  kind: number,
): void {
  const { pages } = state;
  const known = pages.state[page]!;
  const expected = page === state.headerPage ? known === pageHeader : isTable(known);
  assert(
    expected && kind === pageKindTable,
    `item 8: page ${page} of the tree has state ${known}, kind ${kind}`,
  );
  assert(
    epoch === pages.epoch[page] && epoch <= state.epoch,
    `item 8: page ${page} has epoch ${epoch}, the page table says ${pages.epoch[page]}, the store is at ${state.epoch}`,
  );
  assert(
    contentBytes === pages.written[page],
    `item 8: page ${page} has ${contentBytes} bytes of content, the page table says ${pages.written[page]}`,
  );
}

/** A page is never written after its parent was. */
function requireNotNewer(state: StoreState, child: number, parent: number): void {
  const { epoch } = state.pages;
  assert(epoch[child]! <= epoch[parent]!, `item 8: table page ${child} is newer than its parent ${parent}`);
}

function requireSameChildren(state: StoreState, page: number, children: readonly number[]): void {
  const isHeader = page === state.headerPage;
  const known = isHeader ? state.rootChildren : (state.pages.children.get(page) ?? []);
  const same = known.length === children.length && known.every((child, i) => child === children[i]);
  assert(same, `item 8: page ${page} lists the children ${children}, memory has ${known}`);
  const isInterior = state.pages.state[page] === pageInterior;
  assert(isHeader || isInterior === children.length > 0, `item 8: page ${page} is taken for the wrong layer`);
}
