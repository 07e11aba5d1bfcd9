/**
 * Checking the state in memory: every counter and every invariant, recomputed from the table pages.
 *
 *   item  what is true outside a flush
 *    1    the fragments of an existing allocation cover it without gap or overlap; nothing else has any
 *    2    an allocation's count of fragments is right
 *    3    a statement's pins are the fragments, anchors and witnesses that name it; free slots are named by nothing;
 *         the slots kept for a page are those of its statements
 *    4    existence, size, anchor, witness and every fragment are what the statements in the pages say, and what is
 *         pinned says as much as all of them
 *    5    a page's coverage is the bytes that fragments name in it, the framing of its live statements, and its child
 *         references; free, retiring and journal pages have none
 *    6    an allocation's live framing is right
 *    7    an allocation's mentions are the statements that name it
 *    8    the tree in memory is that in the pages; what is named lies in a page's written content
 *    9    no byte of a data page has two owners, in pages that this session wrote
 *   10    the statements of one allocation and epoch say each thing once; what other writers may get wrong without
 *         harm is forgiven in pages that this session did not write
 *   11    ready, retiring, table, data and journal pages and header slots are all pages of the file, each one thing
 *   12    no id can be minted that exists, that a statement names as fresh, or that a record since the last flush names
 *
 * Contents are resolved by the definition in the format, not by the engine's sweep, and never built.
 *
 * Cost: table bytes, fragments and pages; about 2 µs for each statement.
 */

import { assert } from "../errors.ts";
import { AllocationCheck, Needs } from "./check/allocations.ts";
import { checkDataBytes, checkKeptSlots, checkPages, checkSlab } from "./check/pages.ts";
import { TableStatements } from "./check/statements.ts";
import type { FlushContext } from "./flush/context.ts";
import { pageBytes } from "./format/layout.ts";
import type { Geometry } from "./journal/geometry.ts";

/** Statements up to which the columns of a check are kept for the next one. */
const keptStatementsMax = 2 ** 16;

let table = new TableStatements();
let needs = new Needs();

/** Throws `AssertionError` naming the first item that is broken, and the allocation or page. */
export function checkState(context: FlushContext): void {
  try {
    checkAll(context);
  } finally {
    if (table.count > keptStatementsMax) {
      table = new TableStatements();
      needs = new Needs();
    }
  }
}

function checkAll(context: FlushContext): void {
  const { state } = context;
  state.fragments.verify();
  // A store opened for reading may have applied recovered records to what the table says; it cannot be compared.
  if (state.records.end > 1) return;
  assert(
    state.pending.count === 0 && state.dirty.count === 0 && state.rewritten.size === 0,
    "item 1: the scratch of a flush is in use outside one",
  );
  // Epochs of this session's flushes lie above.
  const foreignUpTo = state.epoch - context.counters.flushes;
  table.read(state);
  needs.clear(state.slab.end, Math.max(2, state.pages.filePages));
  new AllocationCheck(state, table, needs, foreignUpTo, context.unproven).run();
  checkSlab(state, needs);
  checkKeptSlots(state, table);
  checkPages(state, table, needs, context.fields.journalPointer);
  checkDataBytes(state, foreignUpTo);
  const filePages = Math.floor(context.file.size() / pageBytes);
  assert(
    filePages === state.pages.filePages,
    `item 11: the file has ${filePages} pages, not ${state.pages.filePages}`,
  );
}

/** The part of item 12 that a session knows. */
export function checkMinting({ state }: FlushContext, geometry: Geometry): void {
  for (const id of geometry.ids()) {
    const isKept = !state.ids.isRecyclable(id) && id < state.ids.nextFresh;
    assert(isKept, `item 12: allocation ${id}, in use since the last flush, could be minted`);
  }
}
