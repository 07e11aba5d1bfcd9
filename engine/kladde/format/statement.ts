/**
 * The address table's statements (extents edition): decoding and encoding the content of one table page.
 *
 *   content   := child* 00 statement*           statements run to the end of the content
 *   child     := page_delta:varint              never 0
 *   statement := id_delta:varint body
 *   ref       := 00 offset_delta size address   bytes of a data page
 *   zero      := 01 offset_delta size           zeros
 *   shrink    := 02 offset_delta                anchor: nothing older counts at or past it
 *   grow      := 03 offset_delta                the allocation reaches at least there
 *   tombstone := 04                             the id does not exist
 *   inline    := 04 + n, offset_delta, n bytes  bytes in the statement itself, 1 … 251
 *
 *  (1) Deltas run within a page: a new id starts at offset 0, a content statement leaves the offset at its end.
 *  (2) A wrong order cannot be expressed, so none is looked for.
 *  (3) The framing of a statement is its encoded length without an inline payload.
 */

import { lebLength, lebNext, readLeb, writeLeb } from "../../codec/leb128.ts";
import { StoreError } from "../../errors.ts";
import { addressPage, firstOrdinaryPage, pageBytes, u32Max } from "./layout.ts";

export const tagRef = 0;
export const tagZero = 1;
export const tagShrink = 2;
export const tagGrow = 3;
export const tagTombstone = 4;
/** Every tag from 5 up; the kind of an inline statement whatever its length. */
export const tagInline = 5;

export const statementNames = ["Ref", "Zero", "Shrink", "Grow", "Tombstone", "Inline"] as const;

/** Whether a statement of this kind states bytes. */
export const isContent = (kind: number): boolean => kind <= tagZero || kind === tagInline;

/**
 * Reads one table page: first `children`, then `next` until it returns false; the fields hold the current statement.
 * Throws `corrupt` with the rules T1, T2, S1 … S5.
 */
export class StatementReader {
  id = 0;
  kind = 0;
  /** Start of the range; the bound `n` of a Shrink or Grow; 0 for a Tombstone. */
  offset = 0;
  /** Bytes stated; 0 for Shrink, Grow and Tombstone. */
  size = 0;
  /** Of a Ref. */
  address = 0;
  /** Position of an inline payload within the page. */
  payloadAt = 0;
  framing = 0;
  /** Position within the page of the statement and of the one after it. */
  start = 0;
  position = 0;

  #page: Uint8Array = new Uint8Array(0);
  #end = 0;
  #cursor = 0;
  #file = "";
  #number = 0;

  /** Begins with content `[contentStart, contentEnd)` of `page`; `file` and `number` are for errors. */
  open(page: Uint8Array, contentStart: number, contentEnd: number, file: string, number: number): void {
    this.#page = page;
    this.position = contentStart;
    this.#end = contentEnd;
    this.id = 0;
    this.#cursor = 0;
    this.#file = file;
    this.#number = number;
  }

  /** The child page numbers, ascending. Must be called before the first `next`. */
  children(): number[] {
    const children: number[] = [];
    let page = 0;
    for (;;) {
      this.start = this.position;
      const delta = this.#varint("T1");
      if (delta === 0) return children;
      page += delta;
      if (page < firstOrdinaryPage || page > u32Max)
        throw this.#fault(`child page ${page} is out of range`, "T2");
      children.push(page);
    }
  }

  next(): boolean {
    if (this.position >= this.#end) return false;
    this.start = this.position;
    const delta = this.#varint("S1");
    this.id += delta;
    if (this.id === 0 || this.id > u32Max) throw this.#fault(`id ${this.id} is out of range`, "S2");
    if (delta !== 0) this.#cursor = 0;
    if (this.position >= this.#end) throw this.#fault("statement is cut off", "S1");
    const tag = this.#page[this.position++]!;
    this.kind = Math.min(tag, tagInline);
    this.size = 0;
    if (tag === tagTombstone) this.offset = 0;
    else this.#readBody(tag);
    this.framing = this.position - this.start - (tag > tagTombstone ? this.size : 0);
    return true;
  }

  #readBody(tag: number): void {
    this.offset = this.#cursor + this.#varint("S1");
    if (tag === tagRef) {
      this.size = this.#varint("S1");
      this.address = this.#varint("S1");
      if ((this.address % pageBytes) + this.size > pageBytes)
        throw this.#fault(`${this.size} bytes at address ${this.address} cross a page boundary`, "S5");
      if (addressPage(this.address) > u32Max)
        throw this.#fault(`address ${this.address} is out of range`, "S5");
    } else if (tag === tagZero) {
      this.size = this.#varint("S1");
    } else if (tag > tagTombstone) {
      this.size = tag - tagTombstone;
      this.payloadAt = this.position;
      if (this.position + this.size > this.#end) throw this.#fault("inline payload is cut off", "S4");
      this.position += this.size;
    }
    this.#cursor = this.offset + this.size;
    if (this.#cursor > u32Max) throw this.#fault(`the range ends at ${this.#cursor}, past 2^32 − 1`, "S3");
  }

  #varint(rule: string): number {
    const value = readLeb(this.#page, this.position, this.#end);
    if (value < 0) throw this.#fault("number is cut off or too large", rule);
    this.position = lebNext;
    return value;
  }

  #fault(what: string, rule: string): StoreError {
    const known = rule === "T1" || rule === "T2" || this.id === 0 || this.id > u32Max;
    return new StoreError("corrupt", `${what}; restore the file from a copy`, {
      file: this.#file,
      page: this.#number,
      offset: this.start,
      id: known ? undefined : this.id,
      rule,
    });
  }
}

/** Encoded length of the child list, its terminator included. `children` ascend. */
export function childListBytes(children: readonly number[]): number {
  let bytes = 1;
  let last = 0;
  for (const child of children) {
    bytes += lebLength(child - last);
    last = child;
  }
  return bytes;
}

/** Writes the child list at `at` and returns the position behind its terminator. */
export function writeChildren(page: Uint8Array, at: number, children: readonly number[]): number {
  let next = at;
  let last = 0;
  for (const child of children) {
    next = writeLeb(page, next, child - last);
    last = child;
  }
  page[next] = 0;
  return next + 1;
}

/**
 * Framing of a statement behind one of `lastId` that left the cursor at `lastCursor`; with both 0, its standalone
 * framing, which is never less.
 */
export function framingBytes(
  kind: number,
  id: number,
  offset: number,
  size: number,
  address: number,
  lastId: number,
  lastCursor: number,
): number {
  const delta = id - lastId;
  const head = lebLength(delta) + 1;
  if (kind === tagTombstone) return head;
  const bytes = head + lebLength(delta === 0 ? offset - lastCursor : offset);
  if (kind === tagRef) return bytes + lebLength(size) + lebLength(address);
  return kind === tagZero ? bytes + lebLength(size) : bytes;
}

/** Writes the framing at `at`, an inline payload excepted, and returns the position behind it. */
export function writeStatement(
  page: Uint8Array,
  at: number,
  kind: number,
  id: number,
  offset: number,
  size: number,
  address: number,
  lastId: number,
  lastCursor: number,
): number {
  const delta = id - lastId;
  let next = writeLeb(page, at, delta);
  page[next++] = kind === tagInline ? tagTombstone + size : kind;
  if (kind === tagTombstone) return next;
  next = writeLeb(page, next, delta === 0 ? offset - lastCursor : offset);
  if (kind === tagRef || kind === tagZero) next = writeLeb(page, next, size);
  return kind === tagRef ? writeLeb(page, next, address) : next;
}
