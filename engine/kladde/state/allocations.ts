/**
 * The allocation table: what is known of each id, as columns.
 *
 *  (1) An id has a row once a statement or a record has named it; ids are dense, so rows come in chunks of 16.
 *  (2) `existing` holds exactly the ids whose row is in state `existing`.
 *  (3) The columns of a recyclable id stay in use: its tombstone is its anchor, and its mentions still count.
 *  (4) `record` is the flush in progress's record of the id, 0 outside a flush.
 *
 * Cost: about 60 bytes a row; lookups O(1).
 */

import { Bitmap } from "./bitmap.ts";
import { grown } from "./columns.ts";

export const idUnknown = 0;
export const idExisting = 1;
export const idRecyclable = 2;

const chunkBits = 4;
const chunkRows = 1 << chunkBits;
/** Chunks found by index, four million ids; ids beyond, which only a foreign file uses, through a map. */
const denseChunks = 1 << 18;

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
    const chunk = id >>> chunkBits;
    const base = chunk < this.#dense.length ? this.#dense[chunk]! - 1 : this.#sparseBase(chunk);
    return base < 0 ? -1 : base + (id & (chunkRows - 1));
  }

  /** The id's row, made if need be. */
  ensureRow(id: number): number {
    const row = this.row(id);
    return row >= 0 ? row : this.#addChunk(id >>> chunkBits) + (id & (chunkRows - 1));
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

  #sparseBase(chunk: number): number {
    return chunk < denseChunks ? -1 : (this.#sparse.get(chunk) ?? -1);
  }

  #addChunk(chunk: number): number {
    const base = this.#rows;
    if (chunk < denseChunks) {
      this.#dense = grown(this.#dense, chunk + 1);
      this.#dense[chunk] = base + 1;
    } else this.#sparse.set(chunk, base);
    this.#rows = base + chunkRows;
    const rows = this.#rows;
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
    return base;
  }
}
