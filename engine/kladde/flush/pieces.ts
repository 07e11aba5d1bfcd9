/**
 * Piece tables: where the bytes of `[0, size)` of many allocations come from, as runs of equal origin.
 *
 *   literal   bytes of the log's arena, from a position on
 *   storage   committed bytes of an allocation, from an offset on
 *   zero      zeros
 *
 *  (1) The pieces of a table cover `[0, size)` without gap or overlap, in order; none is empty, and a table of size
 *      0 has none. A piece has no length of its own: it ends where the next one begins.
 *  (2) Neighbours that continue each other are one piece; where two chunks meet they may be two, but not in a view.
 *  (3) The pieces of a table lie side by side in a run of columns that all tables share. A table of more than 1024
 *      pieces is a list of chunks, each a run of its own with offsets relative to the chunk.
 *  (4) Changes go through one operation: a range is replaced by the pieces of the draft, which may be longer or
 *      shorter than the range.
 *
 * Cost: O(log pieces) to find a place, and a shift of what lies behind it: up to 1024 pieces, or one chunk and the
 * lengths of the chunks, O(√pieces). 17 bytes a piece. Between resets memory is reused, so a steady state allocates
 * nothing; more than 2^25 pieces at once are refused as too large.
 */

import { grown } from "../state/columns.ts";
import { PieceRuns, Pieces, sourceStorage } from "./runs.ts";

export { piecesMax, sourceLiteral, sourceStorage, sourceZero } from "./runs.ts";

const chunkPieces = 512;
const chunkPiecesMax = 1024;
const chunkRunLog2 = 10;

/** The chunks of a large table; never none. */
class Chunks {
  count = 0;
  run: Uint32Array = new Uint32Array(8);
  /** Bytes that each covers. */
  bytes: Uint32Array = new Uint32Array(8);

  /** Makes room for `count` chunks, to be set at once. */
  open(index: number, count: number): void {
    this.run = grown(this.run, this.count + count);
    this.bytes = grown(this.bytes, this.count + count);
    this.run.copyWithin(index + count, index, this.count);
    this.bytes.copyWithin(index + count, index, this.count);
    this.count += count;
  }

  set(index: number, run: number, bytes: number): void {
    this.run[index] = run;
    this.bytes[index] = bytes;
  }

  remove(index: number, count: number): void {
    this.run.copyWithin(index, index + count, this.count);
    this.bytes.copyWithin(index, index + count, this.count);
    this.count -= count;
  }
}

/** The pieces of one table, in order; valid until the table or the view is used for something else. */
export class PieceView {
  count = 0;
  size = 0;
  #pieces: Pieces = new Pieces();
  #start = 0;

  offset(i: number): number {
    return this.#pieces.offset[this.#start + i]!;
  }

  /** Offset behind the piece. */
  end(i: number): number {
    return i + 1 < this.count ? this.#pieces.offset[this.#start + i + 1]! : this.size;
  }

  source(i: number): number {
    return this.#pieces.source[this.#start + i]!;
  }

  /** Allocation of a storage piece. */
  sourceId(i: number): number {
    return this.#pieces.sourceId[this.#start + i]!;
  }

  /** Arena position of a literal, committed offset of a storage piece. */
  at(i: number): number {
    return this.#pieces.at[this.#start + i]!;
  }

  set(pieces: Pieces, start: number, count: number, size: number): void {
    this.#pieces = pieces;
    this.#start = start;
    this.count = count;
    this.size = size;
  }
}

export class PieceTables {
  readonly #runs = new PieceRuns();
  #tables = 0;
  #size: Uint32Array = new Uint32Array(64);
  #run: Uint32Array = new Uint32Array(64);
  readonly #chunks: (Chunks | undefined)[] = [];

  #flat = new Pieces();
  readonly #view: PieceView = new PieceView();
  /** What `#locate` found: a chunk and the offset at which it begins. */
  #chunk = 0;
  #chunkBegin = 0;

  /** Forgets all tables. */
  reset(): void {
    this.#runs.reset();
    this.#tables = 0;
    this.#chunks.length = 0;
    if (this.#flat.isLarge) this.#flat = new Pieces();
  }

  /** A new table of `size` bytes, all of them the committed ones of `id`. */
  add(id: number, size: number): number {
    const table = this.#tables++;
    if (table === this.#size.length) this.#growTables();
    this.#chunks.push(undefined);
    this.#size[table] = size;
    this.#run[table] = 0;
    if (size === 0) return table;
    const run = this.#runs.alloc(0);
    this.#run[table] = run;
    this.#runs.count[run] = 1;
    this.#runs.pieces.set(this.#runs.start[run]!, 0, sourceStorage, id, 0);
    return table;
  }

  #growTables(): void {
    this.#size = grown(this.#size, this.#tables);
    this.#run = grown(this.#run, this.#tables);
  }

  size(table: number): number {
    return this.#size[table]!;
  }

  /** Removes all pieces. */
  clear(table: number): void {
    const chunks = this.#chunks[table];
    if (chunks === undefined) this.#runs.free(this.#run[table]!);
    else for (let i = 0; i < chunks.count; i++) this.#runs.free(chunks.run[i]!);
    this.#chunks[table] = undefined;
    this.#run[table] = 0;
    this.#size[table] = 0;
  }

  /** Begins a draft. */
  begin(): void {
    this.#runs.begin();
  }

  /** Appends `bytes` bytes of one origin to the draft. */
  draft(bytes: number, source: number, sourceId: number, at: number): void {
    this.#runs.draft(bytes, source, sourceId, at);
  }

  /** Appends the origin of `[from, to)`, a part of the table, to the draft. */
  draftFrom(table: number, from: number, to: number): void {
    if (from >= to) return;
    const chunks = this.#chunks[table];
    if (chunks === undefined) {
      this.#runs.draftRun(this.#run[table]!, this.#size[table]!, from, to);
      return;
    }
    // The chunk before has nothing at `from` when it ends there.
    this.#locate(chunks, from + 1);
    let begin = this.#chunkBegin;
    for (let i = this.#chunk; begin < to; i++) {
      const bytes = chunks.bytes[i]!;
      this.#runs.draftRun(chunks.run[i]!, bytes, Math.max(from - begin, 0), Math.min(to - begin, bytes));
      begin += bytes;
    }
  }

  /** The draft's pieces. */
  draftView(): PieceView {
    this.#view.set(this.#runs.draftPieces, 0, this.#runs.draftCount, this.#runs.draftBytes);
    return this.#view;
  }

  /** Replaces `[from, to)` by the draft, and uses the draft up; the table becomes as much longer or shorter. */
  replace(table: number, from: number, to: number): void {
    const chunks = this.#chunks[table];
    const size = this.#size[table]!;
    const newSize = size + this.#runs.draftBytes - (to - from);
    this.#size[table] = newSize;
    if (chunks !== undefined) {
      this.#replaceInChunks(chunks, from, to);
      return;
    }
    const run = this.#runs.replace(this.#run[table]!, size, from, to);
    this.#run[table] = run;
    if (this.#runs.count[run]! > chunkPiecesMax) this.#chunks[table] = this.#chunked(run, newSize);
  }

  /** A reusable view of the table's pieces. */
  view(table: number): PieceView {
    const chunks = this.#chunks[table];
    const size = this.#size[table]!;
    if (chunks === undefined) {
      const run = this.#run[table]!;
      this.#view.set(this.#runs.pieces, this.#runs.start[run]!, this.#runs.count[run]!, size);
    } else this.#view.set(this.#flat, 0, this.#flatten(chunks), size);
    return this.#view;
  }

  /** Finds the first chunk that ends at or past `offset`. */
  #locate(chunks: Chunks, offset: number): void {
    const bytes = chunks.bytes;
    const last = chunks.count - 1;
    let chunk = 0;
    let begin = 0;
    while (chunk < last && begin + bytes[chunk]! < offset) begin += bytes[chunk++]!;
    this.#chunk = chunk;
    this.#chunkBegin = begin;
  }

  #replaceInChunks(chunks: Chunks, from: number, to: number): void {
    this.#locate(chunks, from);
    const index = this.#chunk;
    const begin = this.#chunkBegin;
    const bytes = chunks.bytes[index]!;
    if (to > begin + bytes) this.#dropChunks(chunks, index + 1, begin + bytes, to);
    const last = Math.min(to - begin, bytes);
    chunks.bytes[index] = bytes + this.#runs.draftBytes - (last - (from - begin));
    const run = this.#runs.replace(chunks.run[index]!, bytes, from - begin, last);
    chunks.run[index] = run;
    if (this.#runs.count[run]! > chunkPiecesMax) this.#split(chunks, index);
    else {
      this.#mergeSmall(chunks, index);
      if (index > 0) this.#mergeSmall(chunks, index - 1);
    }
  }

  /** Removes what lies before `to` from chunk `index`, which begins at `begin`, and those behind it. */
  #dropChunks(chunks: Chunks, index: number, begin: number, to: number): void {
    let at = begin;
    let next = index;
    for (; next < chunks.count && at + chunks.bytes[next]! <= to; next++) {
      at += chunks.bytes[next]!;
      this.#runs.free(chunks.run[next]!);
    }
    if (at < to) {
      const cut = to - at;
      this.#runs.cutFront(chunks.run[next]!, cut);
      chunks.bytes[next] = chunks.bytes[next]! - cut;
    }
    chunks.remove(index, next - index);
  }

  #chunked(run: number, size: number): Chunks {
    const chunks = new Chunks();
    chunks.open(0, 1);
    chunks.set(0, run, size);
    this.#split(chunks, 0);
    return chunks;
  }

  /** Divides a chunk with too many pieces. */
  #split(chunks: Chunks, index: number): void {
    const runs = this.#runs;
    const run = chunks.run[index]!;
    const bytes = chunks.bytes[index]!;
    const total = runs.count[run]!;
    chunks.open(index, Math.ceil(total / chunkPieces) - 1);
    for (let done = 0, to = index; done < total; done += chunkPieces, to++) {
      const count = Math.min(chunkPieces, total - done);
      const part = runs.alloc(chunkRunLog2);
      const from = runs.start[run]! + done;
      const begin = runs.pieces.offset[from]!;
      const end = done + count < total ? runs.pieces.offset[from + count]! : bytes;
      runs.pieces.move(from, runs.start[part]!, count, -begin);
      runs.count[part] = count;
      chunks.set(to, part, end - begin);
    }
    runs.free(run);
  }

  /** Joins a chunk with the next one when both together are small, or one is empty. */
  #mergeSmall(chunks: Chunks, index: number): void {
    if (index + 1 >= chunks.count) return;
    const runs = this.#runs;
    const next = chunks.run[index + 1]!;
    const count = runs.count[chunks.run[index]!]!;
    const nextCount = runs.count[next]!;
    if (count + nextCount > chunkPieces && count > 0 && nextCount > 0) return;
    const bytes = chunks.bytes[index]!;
    const run = runs.roomFor(chunks.run[index]!, count + nextCount);
    const from = runs.start[next]!;
    const to = runs.start[run]! + count;
    const joined = count > 0 && nextCount > 0 && this.#isBorderJoined(to - 1, from, bytes) ? 1 : 0;
    runs.pieces.move(from + joined, to, nextCount - joined, bytes);
    runs.count[run] = count + nextCount - joined;
    runs.free(next);
    chunks.set(index, run, bytes + chunks.bytes[index + 1]!);
    chunks.remove(index + 1, 1);
  }

  /** Whether piece `first` of the next chunk, which begins at `offset` of this one, continues piece `last`. */
  #isBorderJoined(last: number, first: number, offset: number): boolean {
    const { pieces } = this.#runs;
    const { source, sourceId, at } = pieces;
    return pieces.isContinued(
      last,
      pieces.offset[last]!,
      offset,
      source[first]!,
      sourceId[first]!,
      at[first]!,
    );
  }

  /** Copies all chunks, one behind the other, and returns the number of pieces. */
  #flatten(chunks: Chunks): number {
    const runs = this.#runs;
    const { offset, source, sourceId, at } = runs.pieces;
    const flat = this.#flat;
    let count = 0;
    let begin = 0;
    for (let c = 0; c < chunks.count; c++) {
      const start = runs.start[chunks.run[c]!]!;
      const end = start + runs.count[chunks.run[c]!]!;
      flat.reserve(count + end - start);
      for (let i = start; i < end; i++) {
        if (i === start && count > 0 && this.#isJoined(count - 1, i, begin)) continue;
        flat.set(count++, begin + offset[i]!, source[i]!, sourceId[i]!, at[i]!);
      }
      begin += chunks.bytes[c]!;
    }
    return count;
  }

  /** Whether piece `i`, at offset `begin`, continues piece `last` of the flat copy. */
  #isJoined(last: number, i: number, begin: number): boolean {
    const { source, sourceId, at } = this.#runs.pieces;
    const flat = this.#flat;
    return flat.isContinued(last, flat.offset[last]!, begin, source[i]!, sourceId[i]!, at[i]!);
  }
}
