/**
 * The allocation table: what is known of each id, as columns.
 *
 *  (1) An id has a row once a statement or a record has named it, and no other has one: a file may name ids that lie
 *      far apart, and what it names must be all that it costs.
 *  (2) `existing` holds exactly the ids whose row is in state `existing`.
 *  (3) The columns of a recyclable id stay in use: its tombstone is its anchor, and its mentions still count.
 *  (4) `record` is the flush in progress's record of the id, 0 outside a flush.
 *  (5) Rows are found by index below the end of `#dense`, beyond it through a map. That end follows the rows: ids are
 *      dense, unless a foreign file makes them not.
 *
 * Cost: 53 bytes a row, and 4 for the index or some 40 in the map; lookups O(1).
 */

import { StoreError } from "../../errors.ts";
import { Bitmap } from "./bitmap.ts";
import { grown } from "./columns.ts";

export const idUnknown = 0;
export const idExisting = 1;
export const idRecyclable = 2;

/** Ids found by index in any case; and how many for each row that there is. */
const denseIdsMin = 2 ** 18;
const denseIdsPerRow = 4;
/** What a map can hold, nearly. */
const sparseIdsMax = 2 ** 24 - 2;

export class AllocationTable {
  readonly existing = new Bitmap();
  /** Sum of the sizes of existing ids. */
  bytes = 0;

  state: Uint8Array = new Uint8Array(0);
  /** Committed size. */
  size: Uint32Array = new Uint32Array(0);
  fragments: Uint32Array = new Uint32Array(0);
  /** Framing of the live statements that name the id. */
  statementBytes: Uint32Array = new Uint32Array(0);
  /** Statements naming the id that are physically in reachable table pages, live or dead. */
  mentions: Uint32Array = new Uint32Array(0);
  /** Existing: the newest Shrink or Tombstone. Recyclable: the tombstone. 0: none. */
  anchor: Uint32Array = new Uint32Array(0);
  /** The anchor's bound; 0 for a Tombstone. */
  anchorBound: Uint32Array = new Uint32Array(0);
  /** The grow witness: a Grow to `size` that may be the only proof of the size, or of existence; 0: none. */
  grow: Uint32Array = new Uint32Array(0);
  growBound: Uint32Array = new Uint32Array(0);
  /** Epoch of the youngest page that holds a byte of the id, as far as is known: 0 after a shrink. */
  youngest: Float64Array = new Float64Array(0);
  /** Epoch of the flush that last wrote the id. */
  lastWritten: Float64Array = new Float64Array(0);
  record: Uint32Array = new Uint32Array(0);

  #rows = 0;
  #dense: Int32Array = new Int32Array(0);
  readonly #sparse = new Map<number, number>();

  /** The id's row, or −1. */
  row(id: number): number {
    if (id < this.#dense.length) return this.#dense[id]! - 1;
    return this.#sparse.size === 0 ? -1 : (this.#sparse.get(id) ?? -1);
  }

  /** The id's row, made if need be. */
  ensureRow(id: number): number {
    const row = this.row(id);
    return row >= 0 ? row : this.#addRow(id);
  }

  exists(id: number): boolean {
    const row = this.row(id);
    return row >= 0 && this.state[row] === idExisting;
  }

  /** Committed size; 0 for an id that does not exist. */
  sizeOf(id: number): number {
    const row = this.row(id);
    return row >= 0 && this.state[row] === idExisting ? this.size[row]! : 0;
  }

  setState(id: number, row: number, state: number): void {
    this.state[row] = state;
    if (state === idExisting) this.existing.add(id);
    else this.existing.delete(id);
  }

  setSize(row: number, size: number): void {
    this.bytes += size - this.size[row]!;
    this.size[row] = size;
  }

  #addRow(id: number): number {
    const row = this.#rows;
    if (row === this.state.length) this.#growRows(row + 1);
    if (id < this.#dense.length || id < Math.max(denseIdsMin, denseIdsPerRow * row)) this.#index(id, row);
    else if (this.#sparse.size < sparseIdsMax) this.#sparse.set(id, row);
    else throw new StoreError("too-large", "the file has more ids that lie far apart than can be indexed");
    this.#rows = row + 1;
    return row;
  }

  /** Ids that the index reaches now leave the map. */
  #index(id: number, row: number): void {
    if (id >= this.#dense.length) {
      this.#dense = grown(this.#dense, id + 1);
      for (const [other, otherRow] of this.#sparse) {
        if (other >= this.#dense.length) continue;
        this.#dense[other] = otherRow + 1;
        this.#sparse.delete(other);
      }
    }
    this.#dense[id] = row + 1;
  }

  #growRows(rows: number): void {
    this.state = grown(this.state, rows);
    this.size = grown(this.size, rows);
    this.fragments = grown(this.fragments, rows);
    this.statementBytes = grown(this.statementBytes, rows);
    this.mentions = grown(this.mentions, rows);
    this.anchor = grown(this.anchor, rows);
    this.anchorBound = grown(this.anchorBound, rows);
    this.grow = grown(this.grow, rows);
    this.growBound = grown(this.growBound, rows);
    this.youngest = grown(this.youngest, rows);
    this.lastWritten = grown(this.lastWritten, rows);
    this.record = grown(this.record, rows);
  }
}
