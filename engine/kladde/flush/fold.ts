/**
 * The fold: what the records of a segment come to, per allocation.
 *
 *   record   target   first grows to           then
 *   Resize   id       –                        clipped or grown to the size
 *   Write    id       offset + length          the range becomes a literal
 *   Splice   id       offset + oldLength       the range is replaced, what follows moves
 *   Copy     dst      dstOffset + length       the range takes the source's pieces, read before
 *   Move     dst      dstOffset + length       as Copy; then the source range is zero where not overwritten
 *   Free     –                                 the id ends; the committed incarnation, if current, has ended
 *
 *  (1) A record creates its target if it does not exist, with size 0, and fills with zeros where it grows; also for
 *      length 0.
 *  (2) The source of a Copy or Move is not created and not grown: what it does not have reads as zero.
 *  (3) Every id that a record targets or frees has a row, also one that neither existed nor exists; so has the
 *      source of a Move that loses bytes.
 *  (4) Storage pieces mean committed bytes, whatever happened to the id since.
 *  (5) Nothing is read from the file and nothing committed changes.
 *
 * Cost: O(log pieces) per record, O(√pieces) for a splice of a large table; a Copy costs the pieces it copies. The
 * same fold object is used again for every flush and allocates nothing once it has grown.
 */

import { StoreError } from "../../errors.ts";
import { u32Max } from "../format/layout.ts";
import { recordFree, recordMove, recordResize, recordSplice, recordWrite } from "../format/record.ts";
import type { Arena, Log } from "../journal/log.ts";
import { grown } from "../state/columns.ts";
import { PieceTables, type PieceView, sourceLiteral, sourceStorage, sourceZero } from "./pieces.ts";

/** The state before the segment. */
export interface Committed {
  exists(id: number): boolean;
  /** Of an id that exists. */
  size(id: number): number;
}

/**
 * Copies of many tiny pieces become one literal: doubling a pattern would double its pieces each time. Limited,
 * so that no journal can make the arena grow without end.
 */
const tinyPiecesMin = 64;
const tinyPieceBytesMax = 32;
const gatheredBytesMax = 2 ** 26;

const nothing: Committed = { exists: () => false, size: () => 0 };

const flagExisted = 1;
const flagEnded = 2;
const flagExists = 4;
const flagWritten = 8;

/** Rows in ascending order of their ids. */
export class Fold {
  /** Rows. */
  count = 0;
  ids: Uint32Array = new Uint32Array(64);

  /** Everything else is kept in the order of first contact; a table's number is its slot. */
  #slots: Uint32Array = new Uint32Array(64);
  #idOf: Uint32Array = new Uint32Array(64);
  #flags: Uint8Array = new Uint8Array(64);
  #committedSize: Uint32Array = new Uint32Array(64);
  readonly #slotOf: Map<number, number> = new Map();
  readonly #tables: PieceTables = new PieceTables();
  #committed: Committed = nothing;
  #gatheredBytes = 0;

  /** Existed before the segment. */
  existed(row: number): boolean {
    return (this.#flags[this.#slots[row]!]! & flagExisted) !== 0;
  }

  /** Existed, and that incarnation was freed. */
  ended(row: number): boolean {
    return (this.#flags[this.#slots[row]!]! & flagEnded) !== 0;
  }

  exists(row: number): boolean {
    return (this.#flags[this.#slots[row]!]! & flagExists) !== 0;
  }

  /** Was the target of a record. */
  written(row: number): boolean {
    return (this.#flags[this.#slots[row]!]! & flagWritten) !== 0;
  }

  /** Size after the segment; 0 for an id that does not exist then. */
  size(row: number): number {
    return this.#tables.size(this.#slots[row]!);
  }

  committedSize(row: number): number {
    return this.#committedSize[this.#slots[row]!]!;
  }

  /** Row of an id, or −1. */
  rowOf(id: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.ids[middle]! < id) low = middle + 1;
      else high = middle;
    }
    return low < this.count && this.ids[low] === id ? low : -1;
  }

  /** The pieces of a row, in a view that the next call uses again. */
  pieces(row: number): PieceView {
    return this.#tables.view(this.#slots[row]!);
  }

  /** Whether piece `i` of `view`, which is this row's, is committed bytes of the id that stay where they are. */
  isIdentity(row: number, view: PieceView, i: number): boolean {
    if (view.source(i) !== sourceStorage || view.at(i) !== view.offset(i)) return false;
    const current = this.#flags[this.#slots[row]!]! & (flagExisted | flagEnded);
    return view.sourceId(i) === this.ids[row]! && current === flagExisted;
  }

  /** Begins a new list of pieces for some row; the view of the old one stays valid until `setPieces`. */
  beginPieces(): void {
    this.#tables.begin();
  }

  /** Appends to the list that `beginPieces` began. */
  addPiece(bytes: number, source: number, sourceId: number, at: number): void {
    this.#tables.draft(bytes, source, sourceId, at);
  }

  /** Gives a row the list in place of its own; it must cover the same size. */
  setPieces(row: number): void {
    const slot = this.#slots[row]!;
    this.#tables.replace(slot, 0, this.#tables.size(slot));
  }

  /** Starts over from a committed state. */
  reset(committed: Committed): void {
    this.count = 0;
    this.#committed = committed;
    this.#slotOf.clear();
    this.#tables.reset();
    this.#gatheredBytes = 0;
  }

  /** Applies record `i`; `finish` must follow before anything is read. */
  apply(log: Log, arena: Arena, i: number): void {
    const tag = log.tag[i]!;
    const a = log.a[i]!;
    const b = log.b[i]!;
    const length = log.d[i]!;
    if (tag === recordWrite) this.#write(a, b, length, log.payload[i]!);
    else if (tag === recordResize) this.#resize(a, b);
    else if (tag === recordSplice) this.#splice(a, b, log.c[i]!, length, log.payload[i]!);
    else if (tag === recordFree) this.#free(a);
    else this.#copy(arena, a, b, log.c[i]!, length, log.e[i]!, tag === recordMove);
  }

  /** Sorts the rows. */
  finish(): void {
    const count = this.count;
    this.ids = grown(this.ids, count);
    this.#slots = grown(this.#slots, count);
    this.ids.set(this.#idOf.subarray(0, count));
    this.ids.subarray(0, count).sort();
    for (let row = 0; row < count; row++) this.#slots[row] = this.#slotOf.get(this.ids[row]!)!;
  }

  #write(id: number, offset: number, length: number, payload: number): void {
    const slot = this.#target(id, offset);
    this.#tables.begin();
    this.#tables.draft(length, sourceLiteral, 0, payload);
    this.#replace(slot, offset, length);
  }

  #resize(id: number, size: number): void {
    const slot = this.#target(id, size);
    const old = this.#tables.size(slot);
    if (size === old) return;
    this.#tables.begin();
    this.#tables.replace(slot, size, old);
  }

  #splice(id: number, offset: number, oldLength: number, length: number, payload: number): void {
    const slot = this.#target(id, offset);
    const size = Math.max(this.#tables.size(slot), offset + oldLength) - oldLength + length;
    if (size > u32Max) {
      const what = `a record makes the allocation ${size} bytes large, more than 2^32 − 1`;
      throw new StoreError("corrupt", `${what}; restore the file from a copy`, { id, rule: "J8" });
    }
    this.#tables.begin();
    this.#tables.draft(length, sourceLiteral, 0, payload);
    this.#replace(slot, offset, oldLength);
  }

  #free(id: number): void {
    const slot = this.#touch(id);
    const flags = this.#flags[slot]! & ~flagExists;
    this.#flags[slot] = (flags & flagExisted) !== 0 ? flags | flagEnded : flags;
    this.#tables.clear(slot);
  }

  #copy(
    arena: Arena,
    source: number,
    sourceOffset: number,
    target: number,
    length: number,
    targetOffset: number,
    isMove: boolean,
  ): void {
    const lost = isMove ? Math.min(sourceOffset + length, this.#sizeOf(source)) : 0;
    const slot = this.#target(target, targetOffset);
    this.#tables.begin();
    this.#draftFrom(source, sourceOffset, length);
    this.#gatherTiny(arena);
    this.#replace(slot, targetOffset, length);
    if (!isMove) return;
    const keptFrom = source === target ? targetOffset : 0;
    const keptTo = source === target ? targetOffset + length : 0;
    this.#zero(source, sourceOffset, Math.min(lost, keptFrom));
    this.#zero(source, Math.max(sourceOffset, keptTo), lost);
  }

  /** Replaces `length` bytes from `offset` on, or as many as there are, by the draft. */
  #replace(slot: number, offset: number, length: number): void {
    this.#tables.replace(slot, offset, Math.min(offset + length, this.#tables.size(slot)));
  }

  /** Appends `length` bytes of an id as it is now to the draft. */
  #draftFrom(id: number, offset: number, length: number): void {
    const slot = this.#slotOf.get(id);
    const size = this.#sizeOf(id);
    const end = Math.max(offset, Math.min(offset + length, size));
    if (slot !== undefined) this.#tables.draftFrom(slot, offset, end);
    else this.#tables.draft(end - offset, sourceStorage, id, offset);
    this.#tables.draft(offset + length - end, sourceZero, 0, 0);
  }

  /** Makes a draft of many tiny literals and zeros one literal. */
  #gatherTiny(arena: Arena): void {
    const view = this.#tables.draftView();
    const bytes = view.size;
    if (view.count < tinyPiecesMin || bytes > tinyPieceBytesMax * view.count) return;
    if (this.#gatheredBytes + bytes > gatheredBytesMax) return;
    for (let i = 0; i < view.count; i++) if (view.source(i) === sourceStorage) return;
    this.#gatheredBytes += bytes;
    const position = arena.reserve(bytes);
    const into = arena.view(position, bytes);
    for (let i = 0; i < view.count; i++) {
      const from = view.offset(i);
      const to = view.end(i);
      if (view.source(i) === sourceZero) into.fill(0, from, to);
      else arena.copyTo(view.at(i), to - from, into, from);
    }
    this.#tables.begin();
    this.#tables.draft(bytes, sourceLiteral, 0, position);
  }

  /** Zeros `[from, to)` of an id, if that is anything. */
  #zero(id: number, from: number, to: number): void {
    if (from >= to) return;
    const slot = this.#touch(id);
    this.#tables.begin();
    this.#tables.draft(to - from, sourceZero, 0, 0);
    this.#tables.replace(slot, from, to);
  }

  #sizeOf(id: number): number {
    const slot = this.#slotOf.get(id);
    if (slot !== undefined) return this.#tables.size(slot);
    return this.#committed.exists(id) ? this.#committed.size(id) : 0;
  }

  /** Slot of an id that a record targets: it exists now, and reaches `end`. */
  #target(id: number, end: number): number {
    const slot = this.#touch(id);
    this.#flags[slot] = this.#flags[slot]! | flagExists | flagWritten;
    this.#growTo(slot, end);
    return slot;
  }

  #growTo(slot: number, end: number): void {
    const size = this.#tables.size(slot);
    if (end <= size) return;
    this.#tables.begin();
    this.#tables.draft(end - size, sourceZero, 0, 0);
    this.#tables.replace(slot, size, size);
  }

  #touch(id: number): number {
    const known = this.#slotOf.get(id);
    if (known !== undefined) return known;
    const exists = this.#committed.exists(id);
    const size = exists ? this.#committed.size(id) : 0;
    const slot = this.#tables.add(id, size);
    this.count = slot + 1;
    if (slot === this.#idOf.length) this.#growSlots();
    this.#idOf[slot] = id;
    this.#flags[slot] = exists ? flagExisted | flagExists : 0;
    this.#committedSize[slot] = size;
    this.#slotOf.set(id, slot);
    return slot;
  }

  #growSlots(): void {
    this.#idOf = grown(this.#idOf, this.count);
    this.#flags = grown(this.#flags, this.count);
    this.#committedSize = grown(this.#committedSize, this.count);
  }
}

/**
 * Folds records `[from, to)` of the log into `fold`, which forgets what it held. Throws `corrupt` (J8), and
 * `too-large` when the pieces do not fit in memory. May append to the arena.
 */
export function foldRecords(
  log: Log,
  arena: Arena,
  from: number,
  to: number,
  committed: Committed,
  fold: Fold,
): void {
  fold.reset(committed);
  for (let i = from; i < to; i++) fold.apply(log, arena, i);
  fold.finish();
}
