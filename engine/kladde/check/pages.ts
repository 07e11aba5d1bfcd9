/**
 * The page table and the slab, compared with what the allocations were found to need (items 3, 5, 8, 9 and 11).
 *
 *  (1) Every page is one thing: header, data, table page that the header reaches, journal, retiring or ready.
 *  (2) A data page is in use as long as a byte of it is; nothing else is charged to a page that is free.
 *  (3) No byte of a data page that this session wrote has two owners. Other writers' files may have such bytes.
 *
 * Cost: a pass over pages and slots; a sort of the fragments in data pages.
 */

import { assert } from "../../errors.ts";
import { contentOffset, firstOrdinaryPage, pageBytes } from "../format/layout.ts";
import { grown } from "../state/columns.ts";
import { kindBytes } from "../state/fragments.ts";
import { isTable, pageData, pageHeader, pageJournal, pageReady, pageRetiring } from "../state/pages.ts";
import type { StoreState } from "../state/state.ts";
import type { Needs } from "./allocations.ts";
import type { TableStatements } from "./statements.ts";

/** Item 3: every slot has the pins that were counted, and the free ones form one list. */
export function checkSlab({ slab }: StoreState, needs: Needs): void {
  let live = 0;
  let free = 0;
  for (let slot = 1; slot < slab.end; slot++) {
    if (slab.pins[slot] !== needs.pins[slot])
      assert(false, `item 3: slot ${slot} has ${slab.pins[slot]} pins, counted are ${needs.pins[slot]}`);
    if (slab.pins[slot]! > 0) live++;
  }
  const seen = new Uint8Array(slab.end);
  slab.visitFree((slot) => {
    assert(
      slab.pins[slot] === 0 && seen[slot] === 0,
      `item 3: slot ${slot} is wrongly in the list of free ones`,
    );
    seen[slot] = 1;
    free++;
  });
  assert(live === slab.count, `item 3: ${live} slots are in use, not ${slab.count}`);
  assert(
    live + free + 1 === slab.end,
    `item 3: ${slab.end - 1} slots, of which ${live} used and ${free} free`,
  );
}

/** Item 3: the slots kept for a page are those of its live statements, at their places; a dead one asks for none. */
export function checkKeptSlots({ pages }: StoreState, table: TableStatements): void {
  let at = 0;
  for (const page of table.pages) {
    const kept = pages.statementSlots.get(page);
    const first = at;
    for (; at < table.count && table.page[at] === page; at++) {
      const slot = table.slot[at]!;
      if (kept !== undefined && slot !== 0 && kept[at - first] !== slot)
        assert(
          false,
          `item 3: slot ${kept[at - first]} is kept for ${table.describe(at)}, which has ${slot}`,
        );
    }
    assert(
      kept === undefined || kept.length === at - first,
      `item 3: ${kept?.length} slots are kept for the ${at - first} statements of page ${page}`,
    );
  }
  for (const page of pages.statementSlots.keys())
    assert(
      pages.state[page] === pageHeader || isTable(pages.state[page]!),
      `item 3: slots are kept for page ${page}, which has left the table`,
    );
}

/** Items 5, 8 and 11. `promised`: the journal pointer of the header. */
export function checkPages(
  state: StoreState,
  table: TableStatements,
  needs: Needs,
  journalPointer: number,
): void {
  const { pages } = state;
  for (let i = 0; i < table.pages.length; i++) needs.coverage[table.pages[i]!]! += table.childBytes[i]!;
  const counts = new Map<number, number>();
  for (let page = 0; page < pages.filePages; page++) {
    const kind = pages.state[page]!;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    checkPage(state, page, kind, needs.coverage[page]!);
  }
  const reached = table.pages.filter((page) => page !== state.headerPage);
  const tablePages = [...counts].reduce((sum, [kind, count]) => sum + (isTable(kind) ? count : 0), 0);
  assert(
    tablePages === reached.length,
    `item 11: ${tablePages} table pages, the header reaches ${reached.length}`,
  );
  assert(
    pages.resident.size === table.pages.length,
    `item 8: ${pages.resident.size} pages are resident, ${table.pages.length} are in the tree`,
  );
  assert(
    pages.ready.count === (counts.get(pageReady) ?? 0),
    `item 11: ${pages.ready.count} pages are in the set of ready ones, ${counts.get(pageReady) ?? 0} in that state`,
  );
  checkRetiring(state, counts.get(pageRetiring) ?? 0);
  checkPromise(state, journalPointer);
}

function checkPage(state: StoreState, page: number, kind: number, needed: number): void {
  const { pages } = state;
  const isSlot = page < firstOrdinaryPage;
  if (isSlot !== (kind === pageHeader)) assert(false, `item 11: page ${page} has state ${kind}`);
  if (pages.coverage[page] !== needed)
    assert(
      false,
      `item 5: page ${page}, of state ${kind}, is charged ${pages.coverage[page]} bytes, not ${needed}`,
    );
  const isUsed = page === state.headerPage || kind === pageData || isTable(kind);
  if (needed > 0 && !isUsed) assert(false, `item 5: page ${page}, of state ${kind}, is needed`);
  if (kind === pageData && needed === 0) assert(false, `item 11: nothing needs data page ${page}`);
  if (pages.ready.has(page) !== (kind === pageReady))
    assert(
      false,
      `item 11: page ${page}, of state ${kind}, is wrongly among the ready ones or missing there`,
    );
  const known =
    isUsed || kind === pageHeader || kind === pageJournal || kind === pageReady || kind === pageRetiring;
  if (!known) assert(false, `item 11: page ${page} has state ${kind} outside a flush`);
  if (kind === pageData && !(pages.epoch[page]! <= state.epoch))
    assert(false, `item 8: data page ${page} has epoch ${pages.epoch[page]}, the store is at ${state.epoch}`);
}

function checkRetiring({ pages }: StoreState, count: number): void {
  const listed = new Set(pages.retiring);
  const wrong = pages.retiring.find((page) => pages.state[page] !== pageRetiring);
  assert(wrong === undefined, `item 11: page ${wrong} is in the list of retiring ones`);
  assert(
    listed.size === count && pages.retiring.length === count,
    `item 11: ${pages.retiring.length} pages are in the list of retiring ones, ${count} in that state`,
  );
}

/** The first page of the journal is in the file, and the journal's, or promised past its end. */
function checkPromise({ pages }: StoreState, journalPointer: number): void {
  const isInside = journalPointer < pages.filePages;
  const isKept = isInside ? pages.state[journalPointer] === pageJournal : pages.promised === journalPointer;
  assert(
    isKept,
    `item 11: the header names page ${journalPointer} for the journal, which is not kept for it`,
  );
  assert(
    !isInside || pages.promised < 0,
    `item 11: page ${pages.promised} is promised, though the journal has one`,
  );
}

/** Address and length of a fragment as one number, `address · 4096 + length − 1`. */
let places: Float64Array = new Float64Array(1024);
/** In files of 2 TiB and more such a number is not exact; item 9 is passed over there. */
const exactPages = 2 ** 29;

/**
 * Items 8 and 9: what fragments name in data pages lies in the written content, and no byte of a page younger than
 * `foreignUpTo` is named twice.
 */
export function checkDataBytes(state: StoreState, foreignUpTo: number): void {
  const { fragments, pages, allocations } = state;
  let count = 0;
  for (let at = fragments.first(); at >= 0; at = fragments.next(at)) {
    const page = fragments.page[at]!;
    if (fragments.kind[at] !== kindBytes) continue;
    const from = fragments.pageOffset[at]!;
    const id = fragments.keyId[at]!;
    const bytes = state.fragmentEnd(at, id, allocations.sizeOf(id)) - fragments.keyOffset[at]!;
    const isData = pages.state[page] === pageData;
    // Unknown when the page was not read yet; a header's content lies further behind than it is long.
    const end = pages.written[page] === 0 || !isData ? pageBytes : contentOffset + pages.written[page]!;
    if (from < contentOffset || from + bytes > end)
      assert(false, `item 8: allocation ${id} names bytes ${from} to ${from + bytes} of page ${page}`);
    if (!isData) continue;
    places = grown(places, count + 1);
    places[count++] = (page * pageBytes + from) * pageBytes + (bytes - 1);
  }
  if (pages.filePages < exactPages)
    requireDisjoint(places.subarray(0, count).sort(), pages.epoch, foreignUpTo);
}

function requireDisjoint(sorted: Float64Array, epoch: Float64Array, foreignUpTo: number): void {
  let end = 0;
  for (const place of sorted) {
    const address = Math.floor(place / pageBytes);
    const page = Math.floor(address / pageBytes);
    if (address < end && epoch[page]! > foreignUpTo)
      assert(false, `item 9: offset ${address - page * pageBytes} of data page ${page} is named twice`);
    end = Math.max(end, address + 1 + (place - address * pageBytes));
  }
}
