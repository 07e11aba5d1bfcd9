/**
 * Runs of pieces, and the draft that changes them. What a piece is: pieces.ts.
 *
 *  (1) All runs lie in the same columns; a run is `count` pieces from `start` on, with room for `capacity`, a power
 *      of two. Run 0 is empty and has no room.
 *  (2) Offsets are relative to the run, whose first piece begins at 0; the length of what a run covers is the
 *      caller's to know.
 *  (3) The draft is a sequence of pieces on its own, offsets relative to its start, neighbours already joined.
 *  (4) A free run is found again by its capacity; its count is then the next free run.
 */

import { StoreError } from "../../errors.ts";
import { grown } from "../state/columns.ts";

export const sourceLiteral = 1;
export const sourceStorage = 2;
export const sourceZero = 3;

/** 2^25 pieces are 570 MB. */
export const piecesMax = 2 ** 25;
/** A table of one piece has room for that one; the next step is 8. */
const smallRunLog2 = 3;
/** Columns up to this length are kept from one fold to the next. */
const keptPiecesMax = 2 ** 18;
/** Up to here moving one by one is faster than `copyWithin`. */
const loopPiecesMax = 24;

/** The columns of pieces. */
export class Pieces {
  offset: Uint32Array = new Uint32Array(64);
  source: Uint8Array = new Uint8Array(64);
  sourceId: Uint32Array = new Uint32Array(64);
  at: Float64Array = new Float64Array(64);

  /** Whether a reset gives the columns back. */
  get isLarge(): boolean {
    return this.offset.length > keptPiecesMax;
  }

  reserve(count: number): void {
    if (count <= this.offset.length) return;
    if (count > piecesMax)
      throw new StoreError("too-large", `the journal describes more than ${piecesMax} pieces`);
    this.offset = grown(this.offset, count);
    this.source = grown(this.source, count);
    this.sourceId = grown(this.sourceId, count);
    this.at = grown(this.at, count);
  }

  set(index: number, offset: number, source: number, sourceId: number, at: number): void {
    this.offset[index] = offset;
    this.source[index] = source;
    this.sourceId[index] = sourceId;
    this.at[index] = at;
  }

  /** Whether a piece at `offset` of this origin continues piece `index`, seen as if that one began at `begin`. */
  isContinued(
    index: number,
    begin: number,
    offset: number,
    source: number,
    sourceId: number,
    at: number,
  ): boolean {
    if (this.source[index]! !== source) return false;
    if (source === sourceZero) return true;
    return this.sourceId[index]! === sourceId && this.at[index]! + (offset - begin) === at;
  }

  /** Moves `count` pieces and adds `shift` to their offsets. */
  move(from: number, to: number, count: number, shift: number): void {
    if (count === 0 || (from === to && shift === 0)) return;
    if (count > loopPiecesMax && from !== to) this.#moveMany(from, to, count);
    else if (to < from) for (let i = 0; i < count; i++) this.#moveOne(from + i, to + i);
    else if (to > from) for (let i = count - 1; i >= 0; i--) this.#moveOne(from + i, to + i);
    if (shift === 0) return;
    const offset = this.offset;
    for (let i = to, end = to + count; i < end; i++) offset[i] = offset[i]! + shift;
  }

  #moveOne(from: number, to: number): void {
    this.offset[to] = this.offset[from]!;
    this.source[to] = this.source[from]!;
    this.sourceId[to] = this.sourceId[from]!;
    this.at[to] = this.at[from]!;
  }

  #moveMany(from: number, to: number, count: number): void {
    this.offset.copyWithin(to, from, from + count);
    this.source.copyWithin(to, from, from + count);
    this.sourceId.copyWithin(to, from, from + count);
    this.at.copyWithin(to, from, from + count);
  }
}

export class PieceRuns {
  /** Pieces and bytes of the draft. */
  draftCount = 0;
  draftBytes = 0;
  draftPieces: Pieces = new Pieces();
  pieces: Pieces = new Pieces();
  start: Uint32Array = new Uint32Array(64);
  count: Uint32Array = new Uint32Array(64);
  #capacity: Uint32Array = new Uint32Array(64);
  /** By the binary logarithm of the capacity. */
  readonly #free: Uint32Array = new Uint32Array(32);
  #runs = 1;
  /** Behind the last run. */
  #end = 0;

  /** Forgets all runs. */
  reset(): void {
    if (this.pieces.isLarge) this.pieces = new Pieces();
    if (this.draftPieces.isLarge) this.draftPieces = new Pieces();
    this.#end = 0;
    this.#runs = 1;
    this.#free.fill(0);
  }

  /** Begins a draft. */
  begin(): void {
    this.draftCount = 0;
    this.draftBytes = 0;
  }

  /** Appends a piece to the draft. */
  draft(bytes: number, source: number, sourceId: number, at: number): void {
    if (bytes === 0) return;
    const offset = this.draftBytes;
    const last = this.draftCount - 1;
    const draft = this.draftPieces;
    this.draftBytes = offset + bytes;
    if (last >= 0 && draft.isContinued(last, draft.offset[last]!, offset, source, sourceId, at)) return;
    draft.reserve(last + 2);
    draft.set(last + 1, offset, source, sourceId, at);
    this.draftCount++;
  }

  /** Replaces `[from, to)` of a run that covers `bytes` by the draft. Returns the run that holds the result. */
  replace(run: number, bytes: number, from: number, to: number): number {
    const pieces = this.pieces;
    const draft = this.draftPieces;
    const start = this.start[run]!;
    const total = this.count[run]!;
    const shift = this.draftBytes - (to - from);
    const first = this.#search(start, total, from);
    let next = from === to ? first : this.#search(start, total, to);
    const restEnd = next < total ? pieces.offset[start + next]! : bytes;
    if (restEnd > to) this.#draftRest(start + next - 1, to, restEnd);
    if (next < total && this.#isNextContinuing(start, first, from, next, shift)) next++;
    const used = first > 0 && this.#isDraftContinuing(start + first - 1, from) ? 1 : 0;
    const inserted = this.draftCount - used;

    const result = this.roomFor(run, total - (next - first) + inserted);
    const base = this.start[result]!;
    pieces.move(base + next, base + first + inserted, total - next, shift);
    for (let i = used, to = base + first; i < this.draftCount; i++, to++)
      pieces.set(to, from + draft.offset[i]!, draft.source[i]!, draft.sourceId[i]!, draft.at[i]!);
    this.count[result] = total - (next - first) + inserted;
    return result;
  }

  /** Appends what a piece has in `[from, to)` to the draft. */
  #draftRest(piece: number, from: number, to: number): void {
    const pieces = this.pieces;
    const source = pieces.source[piece]!;
    const skipped = source === sourceZero ? 0 : from - pieces.offset[piece]!;
    this.draft(to - from, source, pieces.sourceId[piece]!, pieces.at[piece]! + skipped);
  }

  /** Whether piece `next` of a run, once shifted, continues the draft, or piece `first − 1` if that is empty. */
  #isNextContinuing(start: number, first: number, from: number, next: number, shift: number): boolean {
    const pieces = this.pieces;
    const i = start + next;
    const offset = pieces.offset[i]! + shift;
    const source = pieces.source[i]!;
    const last = this.draftCount - 1;
    if (last >= 0) {
      const begin = from + this.draftPieces.offset[last]!;
      return this.draftPieces.isContinued(last, begin, offset, source, pieces.sourceId[i]!, pieces.at[i]!);
    }
    const left = start + first - 1;
    if (first === 0) return false;
    return pieces.isContinued(left, pieces.offset[left]!, offset, source, pieces.sourceId[i]!, pieces.at[i]!);
  }

  /** Whether the draft, put at `from`, begins by continuing a piece. */
  #isDraftContinuing(piece: number, from: number): boolean {
    if (this.draftCount === 0) return false;
    const draft = this.draftPieces;
    const begin = this.pieces.offset[piece]!;
    return this.pieces.isContinued(piece, begin, from, draft.source[0]!, draft.sourceId[0]!, draft.at[0]!);
  }

  /** Number of a run's pieces that begin before `offset`. */
  #search(start: number, count: number, offset: number): number {
    const offsets = this.pieces.offset;
    let low = start;
    let high = start + count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (offsets[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    return low - start;
  }

  /** Appends what a run that covers `bytes` has in `[from, to)` to the draft. */
  draftRun(run: number, bytes: number, from: number, to: number): void {
    const offsets = this.pieces.offset;
    const start = this.start[run]!;
    const end = start + this.count[run]!;
    let piece = start + this.#search(start, end - start, from + 1) - 1;
    for (let at = from; at < to; piece++) {
      const pieceEnd = Math.min(to, piece + 1 < end ? offsets[piece + 1]! : bytes);
      this.#draftRest(piece, at, pieceEnd);
      at = pieceEnd;
    }
  }

  /** Removes the first `bytes`, fewer than all, of a run. */
  cutFront(run: number, bytes: number): void {
    const pieces = this.pieces;
    const start = this.start[run]!;
    const total = this.count[run]!;
    const first = this.#search(start, total, bytes + 1) - 1;
    const piece = start + first;
    if (pieces.source[piece]! !== sourceZero)
      pieces.at[piece] = pieces.at[piece]! + bytes - pieces.offset[piece]!;
    pieces.offset[piece] = bytes;
    pieces.move(piece, start, total - first, -bytes);
    this.count[run] = total - first;
  }

  /** `run` or a larger one with the same pieces; room for `count`. */
  roomFor(run: number, count: number): number {
    if (count <= this.#capacity[run]!) return run;
    const larger = this.alloc(Math.max(smallRunLog2, 32 - Math.clz32(count - 1)));
    const total = this.count[run]!;
    this.pieces.move(this.start[run]!, this.start[larger]!, total, 0);
    this.count[larger] = total;
    this.free(run);
    return larger;
  }

  /** A run with room for 2^`log2Capacity` pieces; the caller sets its count. */
  alloc(log2Capacity: number): number {
    const free = this.#free[log2Capacity]!;
    if (free !== 0) {
      this.#free[log2Capacity] = this.count[free]!;
      return free;
    }
    const run = this.#runs++;
    const capacity = 1 << log2Capacity;
    if (run === this.start.length) this.#growRuns();
    this.pieces.reserve(this.#end + capacity);
    this.start[run] = this.#end;
    this.#capacity[run] = capacity;
    this.#end += capacity;
    return run;
  }

  #growRuns(): void {
    this.start = grown(this.start, this.#runs);
    this.count = grown(this.count, this.#runs);
    this.#capacity = grown(this.#capacity, this.#runs);
  }

  free(run: number): void {
    if (run === 0) return;
    const log2Capacity = 31 - Math.clz32(this.#capacity[run]!);
    this.count[run] = this.#free[log2Capacity]!;
    this.#free[log2Capacity] = run;
  }
}
