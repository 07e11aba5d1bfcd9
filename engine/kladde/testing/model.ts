/**
 * The oracle for what a store must contain: plain byte arrays, changed naively by the same operations.
 *
 *  (1) An array is never changed, only replaced, so a copy of the map is a snapshot of everything.
 *  (2) `now` is the state as of now, `committed` that of the last flush: without an open transaction a flush commits
 *      all of `now`, else the state at the outermost `begin`.
 *  (3) A boundary is a state after which a journal transaction may end: after every operation outside a transaction
 *      (inside a batch too) and after every outermost transaction. Recovery may find any boundary that is not older
 *      than `flushedBoundary`; after the death of the process, none that is older than `acknowledgedBoundary`.
 *  (4) Calls that a store would refuse throw here too: a test that makes one is wrong.
 *
 * Cost: a copy of the allocation per operation; with `keepBoundaries`, a copy of the map per boundary.
 */

import { assert } from "../../errors.ts";

/** Contents by id. */
export type Contents = ReadonlyMap<number, Uint8Array>;

interface Scope {
  readonly kind: "transaction" | "batch";
  readonly now: Contents;
  readonly reserved: ReadonlySet<number>;
}

const empty = new Uint8Array(0);

export class Model {
  now: Map<number, Uint8Array> = new Map();
  committed: Contents = new Map();
  /** Ids of `newId` that no record has named yet. */
  reserved: Set<number> = new Set();
  /** Oldest first; the first is the state at the start. Empty unless they are kept. */
  readonly boundaries: Contents[] = [];
  /** Index in `boundaries` of the state that the last flush committed. */
  flushedBoundary = 0;
  /** Index of the newest boundary that is certainly in the journal. */
  acknowledgedBoundary = 0;
  readonly #keepBoundaries: boolean;
  readonly #scopes: Scope[] = [];

  constructor({ keepBoundaries = false } = {}) {
    this.#keepBoundaries = keepBoundaries;
    this.#boundary();
  }

  get depth(): number {
    return this.#scopes.length;
  }

  /** The innermost scope's kind. */
  get scope(): "transaction" | "batch" | undefined {
    return this.#scopes.at(-1)?.kind;
  }

  get inTransaction(): boolean {
    return this.#scopes.some(({ kind }) => kind === "transaction");
  }

  exists(id: number): boolean {
    return this.now.has(id) || this.reserved.has(id);
  }

  /** Size as of now; 0 for a reserved id. */
  size(id: number): number {
    return this.#content(id).length;
  }

  alloc(id: number, size: number): void {
    assert(!this.exists(id) && !this.committed.has(id), `id ${id} was handed out while it is in use`);
    this.#put(id, new Uint8Array(size));
  }

  newId(id: number): void {
    assert(!this.exists(id) && !this.committed.has(id), `id ${id} was handed out while it is in use`);
    this.reserved.add(id);
  }

  free(id: number): void {
    this.#content(id);
    this.reserved.delete(id);
    this.now.delete(id);
    this.#boundaryOutside();
  }

  resize(id: number, size: number): void {
    this.#put(id, resized(this.#content(id), size));
  }

  write(id: number, offset: number, bytes: Uint8Array): void {
    this.#put(id, written(this.#content(id), offset, bytes));
  }

  splice(id: number, offset: number, oldLength: number, bytes: Uint8Array): void {
    const content = this.#content(id);
    const long = resized(content, Math.max(content.length, offset + oldLength));
    this.#put(id, joined(long.subarray(0, offset), bytes, long.subarray(offset + oldLength)));
  }

  copy(src: number, srcOffset: number, length: number, dst: number, dstOffset: number): void {
    this.#put(dst, written(this.#content(dst), dstOffset, this.#range(src, srcOffset, length)));
  }

  move(src: number, srcOffset: number, length: number, dst: number, dstOffset: number): void {
    const bytes = this.#range(src, srcOffset, length);
    const source = this.now.get(src);
    if (source !== undefined) {
      const cleared = source.slice();
      cleared.fill(0, Math.min(srcOffset, source.length), Math.min(srcOffset + length, source.length));
      this.now.set(src, cleared);
    }
    this.#put(dst, written(this.#content(dst), dstOffset, bytes));
  }

  begin(): void {
    this.#open("transaction");
  }

  commit(): void {
    this.#close("transaction");
    if (!this.inTransaction) this.#boundary();
  }

  abort(): void {
    const scope = this.#close("transaction");
    this.now = new Map(scope.now);
    this.reserved = new Set(scope.reserved);
  }

  beginBatch(): void {
    this.#open("batch");
  }

  endBatch(): void {
    this.#close("batch");
    if (this.depth === 0) this.acknowledgedBoundary = this.#lastBoundary();
  }

  /** What a flush, asked for or automatic, makes of it. */
  flush(): void {
    const outer = this.#scopes.find(({ kind }) => kind === "transaction");
    this.committed = outer === undefined ? new Map(this.now) : outer.now;
    this.flushedBoundary = this.#lastBoundary();
    this.acknowledgedBoundary = this.flushedBoundary;
  }

  /** The session ends with no scope open, and another one finds everything that was acknowledged. */
  reopen(): void {
    assert(this.depth === 0, "a session that ends inside a scope loses what nobody can tell");
    this.reserved.clear();
    this.flush();
  }

  /** The session ends and another one finds `contents`, one of the boundaries. */
  recover(contents: Contents): void {
    this.#scopes.length = 0;
    this.now = new Map(contents);
    this.#boundary();
    this.reopen();
  }

  /** An append failed, with no transaction open any more: what came after `boundary`, the last appended, is lost. */
  takeBack(boundary: number, reserved: ReadonlySet<number>): void {
    this.now = new Map(this.boundaries[boundary]!);
    this.reserved = new Set(reserved);
    this.boundaries.length = boundary + 1;
    if (this.depth === 0) this.acknowledgedBoundary = boundary;
  }

  /** The content as of now of an id that a call may name. */
  #content(id: number): Uint8Array {
    const content = this.now.get(id) ?? (this.reserved.has(id) ? empty : undefined);
    assert(content !== undefined, `the test names id ${id}, which does not exist`);
    return content;
  }

  #put(id: number, content: Uint8Array): void {
    this.reserved.delete(id);
    this.now.set(id, content);
    this.#boundaryOutside();
  }

  /** Zeros where the source, which need not exist, has no bytes. */
  #range(src: number, offset: number, length: number): Uint8Array {
    return resized((this.now.get(src) ?? empty).subarray(offset, offset + length), length);
  }

  #open(kind: Scope["kind"]): void {
    this.#scopes.push({ kind, now: new Map(this.now), reserved: new Set(this.reserved) });
  }

  #close(kind: Scope["kind"]): Scope {
    assert(this.scope === kind, `the innermost open scope is no ${kind}`);
    return this.#scopes.pop()!;
  }

  #boundaryOutside(): void {
    if (!this.inTransaction) this.#boundary();
  }

  #boundary(): void {
    if (this.#keepBoundaries) this.boundaries.push(new Map(this.now));
    if (this.depth === 0) this.acknowledgedBoundary = this.#lastBoundary();
  }

  #lastBoundary(): number {
    return Math.max(0, this.boundaries.length - 1);
  }
}

export function resized(content: Uint8Array, size: number): Uint8Array {
  const result = new Uint8Array(size);
  result.set(content.subarray(0, size));
  return result;
}

function written(content: Uint8Array, offset: number, bytes: Uint8Array): Uint8Array {
  const result = resized(content, Math.max(content.length, offset + bytes.length));
  result.set(bytes, offset);
  return result;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const result = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}

/** Whether two states are the same in every byte. */
export function sameContents(a: Contents, b: Contents): boolean {
  if (a.size !== b.size) return false;
  for (const [id, bytes] of a) {
    const other = b.get(id);
    if (other === undefined || Buffer.compare(bytes, other) !== 0) return false;
  }
  return true;
}
