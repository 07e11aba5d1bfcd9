/**
 * The survivors of a data page: its live fragments, found through the reverse index, and moving them.
 *
 *  (1) Found are all or nothing: if their lengths do not add up to the page's coverage, somebody who points into the
 *      page is not known, and the page must be left alone.
 *  (2) Survivors come in key order. Positions hold until a fragment is split.
 *  (3) A survivor is moved whole or in two parts; its content does not change, so neither does when it was written.
 *
 * Cost: a descent per range noted for the page, one copy per byte moved.
 */

import { copyBytes } from "../../codec/copy.ts";
import { StoreError } from "../../errors.ts";
import type { FlushContext } from "../flush/context.ts";
import { nextAddress } from "../flush/open-page.ts";
import { addressOf, addressPage, contentOffset, pageBytes } from "../format/layout.ts";
import { grown } from "../state/columns.ts";
import { kindBytes, kindPending } from "../state/fragments.ts";
import type { OpenDataPage } from "../state/hooks.ts";
import { pageData } from "../state/pages.ts";
import { placeData } from "../state/pending.ts";
import type { StoreState } from "../state/state.ts";
import { repoint } from "../state/taking.ts";
import type { ReverseIndex } from "./reverse.ts";

/** File address of the bytes of the fragment at `at`, if they are in a data page or have their place in one; else −1. */
export function dataAddress({ fragments, pending, pages }: StoreState, at: number): number {
  const ref = fragments.ref[at]!;
  if (fragments.kind[at] === kindPending)
    return pending.place[ref] === placeData ? pending.address[ref]! : -1;
  const page = fragments.page[at]!;
  const isData = fragments.kind[at] === kindBytes && pages.state[page] === pageData;
  return isData ? addressOf(page, fragments.pageOffset[at]!) : -1;
}

export class Survivors {
  page = 0;
  count = 0;
  id: Uint32Array = new Uint32Array(64);
  from: Uint32Array = new Uint32Array(64);
  bytes: Uint32Array = new Uint32Array(64);
  /** Position in the fragment map, as long as nothing was split. */
  at: Uint32Array = new Uint32Array(64);
  /** Statement that states the survivor; 0 for one that this flush has taken already. */
  owner: Uint32Array = new Uint32Array(64);
  /** File address of the first byte. */
  address: Float64Array = new Float64Array(64);

  readonly #flush: FlushContext;
  readonly #state: StoreState;
  readonly #reverse: ReverseIndex;
  readonly #ranges: number[] = [];
  /** Bytes of the page. */
  #source: Uint8Array = new Uint8Array(0);

  constructor(flush: FlushContext, reverse: ReverseIndex) {
    this.#flush = flush;
    this.#state = flush.state;
    this.#reverse = reverse;
  }

  /** Collects the live fragments of data page `page`; false if not all of them are known, or it cannot be read. */
  find(page: number): boolean {
    this.page = page;
    this.count = 0;
    for (const slot of this.#rangesByKey(page)) this.#collect(page, slot);
    let bytes = 0;
    for (let i = 0; i < this.count; i++) bytes += this.bytes[i]!;
    return bytes === this.#state.pages.coverage[page] && this.#read(page);
  }

  /** Notes for the page what was found in it and nothing else. Worth it where the page stays. */
  renote(): void {
    this.#reverse.forget(this.page);
    for (let i = 0; i < this.count; i++)
      this.#reverse.note(this.page, this.id[i]!, this.from[i]!, this.from[i]! + this.bytes[i]!);
  }

  /** Moves survivor `i`, which fits, into `open`. The caller charges and releases coverage, for all it moves at once. */
  move(i: number, open: OpenDataPage): void {
    this.#move(this.at[i]!, this.address[i]!, this.id[i]!, this.from[i]!, this.bytes[i]!, this.#source, open);
  }

  /** The same for the fragment at `at`, `bytes` of `id` from `from` on: what a survivor was cut into. */
  movePart(at: number, id: number, from: number, bytes: number, open: OpenDataPage): void {
    const address = dataAddress(this.#state, at);
    const page = addressPage(address);
    const source = this.#flush.cache.get(page, address - page * pageBytes + bytes);
    this.#move(at, address, id, from, bytes, source, open);
  }

  #move(
    at: number,
    address: number,
    id: number,
    from: number,
    bytes: number,
    source: Uint8Array,
    open: OpenDataPage,
  ): void {
    copyBytes(source, address % pageBytes, bytes, open.bytes, contentOffset + open.used);
    repoint(this.#state, at, bytes, address, nextAddress(open));
    this.#reverse.note(open.page, id, from, from + bytes);
    open.used += bytes;
  }

  /** Slots of the ranges noted for `page`, in key order. */
  #rangesByKey(page: number): readonly number[] {
    const { id, from, next } = this.#reverse;
    const ranges = this.#ranges;
    ranges.length = 0;
    for (let slot = this.#reverse.first(page); slot !== 0; slot = next[slot]!) ranges.push(slot);
    // Noted last comes first, and most pages are filled in key order.
    ranges.reverse();
    for (let i = 1; i < ranges.length; i++) {
      const slot = ranges[i]!;
      let to = i;
      for (; to > 0; to--) {
        const before = ranges[to - 1]!;
        if (id[before]! < id[slot]! || (id[before] === id[slot] && from[before]! <= from[slot]!)) break;
        ranges[to] = before;
      }
      ranges[to] = slot;
    }
    return ranges;
  }

  /** Adds the fragments in `page` that overlap a noted range and were not found through the one before it. */
  #collect(page: number, slot: number): void {
    const { allocations, fragments } = this.#state;
    const id = this.#reverse.id[slot]!;
    const size = allocations.sizeOf(id);
    const last = this.count - 1;
    const foundTo = last >= 0 && this.id[last] === id ? this.from[last]! + this.bytes[last]! : 0;
    const from = Math.max(this.#reverse.from[slot]!, foundTo);
    const end = Math.min(this.#reverse.to[slot]!, size);
    if (from >= end) return;
    for (
      let at = this.#state.fragmentAt(id, from);
      at >= 0 && fragments.keyId[at] === id && fragments.keyOffset[at]! < end;
      at = fragments.next(at)
    ) {
      const start = fragments.keyOffset[at]!;
      if (start >= foundTo) this.#add(page, at, id, start, this.#state.fragmentEnd(at, id, size) - start);
    }
  }

  #add(page: number, at: number, id: number, from: number, bytes: number): void {
    const address = dataAddress(this.#state, at);
    if (address < 0 || addressPage(address) !== page) return;
    const row = this.count++;
    if (row >= this.id.length) this.#grow(this.count);
    this.id[row] = id;
    this.from[row] = from;
    this.bytes[row] = bytes;
    this.at[row] = at;
    const { kind, ref } = this.#state.fragments;
    this.owner[row] = kind[at] === kindPending ? 0 : ref[at]!;
    this.address[row] = address;
  }

  /** A page that open did not verify may be damaged: whoever reads its bytes must hear of it, not a flush. */
  #read(page: number): boolean {
    const start = page * pageBytes;
    let end = contentOffset;
    for (let i = 0; i < this.count; i++) end = Math.max(end, this.address[i]! - start + this.bytes[i]!);
    try {
      this.#source = this.#flush.cache.get(page, end);
      return true;
    } catch (error) {
      if (error instanceof StoreError && error.code === "corrupt") return false;
      throw error;
    }
  }

  #grow(rows: number): void {
    this.id = grown(this.id, rows);
    this.from = grown(this.from, rows);
    this.bytes = grown(this.bytes, rows);
    this.at = grown(this.at, rows);
    this.owner = grown(this.owner, rows);
    this.address = grown(this.address, rows);
  }
}
