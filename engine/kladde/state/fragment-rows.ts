/**
 * What the fragment map is made of: the kinds, the columns, rows on their way in, and the builder of a whole map.
 */

import { assert } from "../../errors.ts";
import { grown } from "./columns.ts";

/** Bytes in a data page or, for an inline payload, in a table page. */
export const kindBytes = 1;
/** Zeros that a statement says. */
export const kindZero = 2;
/** Zeros that nothing says. */
export const kindZeroByDefault = 3;
/** Taken by the flush in progress; `ref` is a row of its pending table. */
export const kindPending = 4;

/** A bulk load leaves room, so that the first insertions split nothing. */
const bulkSlots = 56;
/** The columns that the map and the staging area have alike. */
export interface EntryColumns {
  keyId: Uint32Array;
  keyOffset: Uint32Array;
  kind: Uint8Array;
  ref: Uint32Array;
  page: Uint32Array;
  pageOffset: Uint16Array;
}

/** Rows on their way into the map, in key order. */
export class StagedFragments implements EntryColumns {
  count = 0;
  keyId: Uint32Array = new Uint32Array(16);
  keyOffset: Uint32Array = new Uint32Array(16);
  kind: Uint8Array = new Uint8Array(16);
  ref: Uint32Array = new Uint32Array(16);
  page: Uint32Array = new Uint32Array(16);
  pageOffset: Uint16Array = new Uint16Array(16);

  clear(): void {
    this.count = 0;
  }

  push(id: number, offset: number, kind: number, ref: number, page: number, pageOffset: number): void {
    const row = this.count++;
    if (row === this.kind.length) growEntries(this, row + 1);
    this.keyId[row] = id;
    this.keyOffset[row] = offset;
    this.kind[row] = kind;
    this.ref[row] = ref;
    this.page[row] = page;
    this.pageOffset[row] = pageOffset;
  }
}

/** Fills an empty map; made by `bulkLoad`. Until `finish`, the map must not be used otherwise. */
export class FragmentBuilder {
  readonly #appendLeaf: (last: number, staged: StagedFragments) => number;
  readonly #finish: () => void;
  readonly #staged = new StagedFragments();
  #last = 0;
  #lastId = -1;
  #lastOffset = 0;

  constructor(appendLeaf: (last: number, staged: StagedFragments) => number, finish: () => void) {
    this.#appendLeaf = appendLeaf;
    this.#finish = finish;
  }

  /** Keys must ascend strictly. */
  push(id: number, offset: number, kind: number, ref: number, page: number, pageOffset: number): void {
    const ascends = id > this.#lastId || (id === this.#lastId && offset > this.#lastOffset);
    assert(ascends, "fragments are loaded out of order");
    this.#lastId = id;
    this.#lastOffset = offset;
    if (this.#staged.count === bulkSlots) this.#flush();
    this.#staged.push(id, offset, kind, ref, page, pageOffset);
  }

  finish(): void {
    if (this.#staged.count > 0) this.#flush();
    this.#finish();
  }

  #flush(): void {
    this.#last = this.#appendLeaf(this.#last, this.#staged);
    this.#staged.clear();
  }
}

export function growEntries(columns: EntryColumns, entries: number): void {
  columns.keyId = grown(columns.keyId, entries);
  columns.keyOffset = grown(columns.keyOffset, entries);
  columns.kind = grown(columns.kind, entries);
  columns.ref = grown(columns.ref, entries);
  columns.page = grown(columns.page, entries);
  columns.pageOffset = grown(columns.pageOffset, entries);
}
