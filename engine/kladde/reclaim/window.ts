/**
 * The rotating window: every flush, a walk goes on over all fragments in key order, and states some of them anew, side
 * by side, in room that is left in a table page. It keeps the delta encoding of the table short, empties old leaves,
 * and finds what description defragmentation looks for.
 *
 *  (1) The cursor is a key, so an allocation larger than one window is resumed in its middle.
 *  (2) Taken in place, a fragment costs its exact encoded length behind the one before; the first that does not fit
 *      ends the taking, not the walk.
 *  (3) Where the last thing that proves an id's size or existence lies in a page that something was taken from, it is
 *      stated again too, so that the page can become empty; not if the flush has settled the id already.
 *
 * Cost: `walk` fragments a flush.
 */

import type { FlushContext } from "../flush/context.ts";
import { addressOf } from "../format/layout.ts";
import { framingBytes, tagInline, tagRef, tagZero } from "../format/statement.ts";
import { kindBytes, kindPending, kindZeroByDefault } from "../state/fragments.ts";
import { pageData } from "../state/pages.ts";
import { replaceAnchor, replaceGrow } from "../state/records.ts";
import { takeFragmentInPlace } from "../state/taking.ts";
import type { Defragmentation } from "./defragmentation.ts";
import { DescriptionSearch } from "./description.ts";

export class RotatingWindow {
  /** Where the next walk begins. */
  id = 0;
  offset = 0;
  readonly #flush: FlushContext;
  readonly #defragmentation: Defragmentation;
  readonly #search: DescriptionSearch;
  /** Table pages that fragments were taken from, and the ids of those. */
  readonly #pages = new Set<number>();
  readonly #ids: number[] = [];
  #room = 0;
  #lastId = 0;
  #lastCursor = 0;

  constructor(flush: FlushContext, defragmentation: Defragmentation) {
    const { mu, inlineThreshold } = flush.options;
    this.#flush = flush;
    this.#defragmentation = defragmentation;
    this.#search = new DescriptionSearch(flush.state, mu, inlineThreshold, (id, from, to) =>
      defragmentation.propose(id, from, to),
    );
  }

  /** One step of the walk, with `room` encoded bytes for what it states. */
  walk(room: number): void {
    const { fragments } = this.#flush.state;
    const visits = Math.min(this.#flush.options.walk, fragments.count);
    this.#begin(room);
    let at = visits > 0 ? fragments.seek(this.id, this.offset) : -1;
    for (let left = visits; left > 0; left--) {
      if (at < 0) at = this.#wrap();
      this.#visit(at);
      at = fragments.next(at);
    }
    this.#search.finish();
    this.#restateProofs();
  }

  #begin(room: number): void {
    this.#defragmentation.beginWalk();
    this.#pages.clear();
    this.#ids.length = 0;
    this.#room = room;
    this.#lastId = 0;
    this.#lastCursor = 0;
  }

  /** The statements taken before the wrap go behind those after it. */
  #wrap(): number {
    this.#search.finish();
    this.#lastId = 0;
    this.#lastCursor = 0;
    return this.#flush.state.fragments.first();
  }

  #visit(at: number): void {
    const { state } = this.#flush;
    const id = state.fragments.keyId[at]!;
    const row = state.allocations.row(id);
    const end = state.fragmentEnd(at, id, state.allocations.size[row]!);
    this.#search.visit(at, end);
    this.#take(at, id, row, end);
    this.id = id;
    this.offset = end;
  }

  #take(at: number, id: number, row: number, end: number): void {
    const { state, counters } = this.#flush;
    const { fragments, slab } = state;
    const kind = fragments.kind[at]!;
    if (this.#room <= 0 || kind === kindPending || kind === kindZeroByDefault) return;
    const bytes = this.#encodedBytes(at, id, end);
    if (bytes > this.#room) {
      this.#room = 0;
      return;
    }
    this.#room -= bytes;
    this.#lastId = id;
    this.#lastCursor = end;
    this.#pages.add(slab.page[fragments.ref[at]!]!);
    if (this.#ids.at(-1) !== id) this.#ids.push(id);
    const from = fragments.keyOffset[at]!;
    takeFragmentInPlace(state, at, row, end - from);
    state.dirty.add(id, from, end, at);
    counters.windowRestated++;
  }

  /** Encoded length of the statement that the fragment would get, behind the last one taken. */
  #encodedBytes(at: number, id: number, end: number): number {
    const { fragments, pages } = this.#flush.state;
    const from = fragments.keyOffset[at]!;
    const isBytes = fragments.kind[at] === kindBytes;
    const page = fragments.page[at]!;
    const kind = !isBytes ? tagZero : pages.state[page] === pageData ? tagRef : tagInline;
    const address = kind === tagRef ? addressOf(page, fragments.pageOffset[at]!) : 0;
    const framing = framingBytes(kind, id, from, end - from, address, this.#lastId, this.#lastCursor);
    return kind === tagInline ? framing + end - from : framing;
  }

  #restateProofs(): void {
    const { allocations, records, slab } = this.#flush.state;
    const restate = (id: number, statement: number, flag: number): void => {
      if (statement !== 0 && this.#pages.has(slab.page[statement]!)) this.#flush.state.mark(id, flag);
    };
    for (const id of this.#ids) {
      const row = allocations.row(id);
      const record = allocations.record[row]!;
      if (record !== 0 && record < records.firstNew) continue;
      restate(id, allocations.anchor[row]!, replaceAnchor);
      restate(id, allocations.grow[row]!, replaceGrow);
    }
  }
}
