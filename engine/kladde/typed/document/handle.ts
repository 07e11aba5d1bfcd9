/**
 * What an application holds: the root value with the methods of its document, or a cell around a root that is no object.
 *
 *  (1) A member of the root's own, persisted or of its class, wins over a method of the same name; `handleOf` gives all.
 */

// `using` and Disposable, also for programs whose own settings do not name them.
/// <reference lib="esnext.disposable" preserve="true" />

import { assign } from "../live/assign.ts";
import { typeMistake } from "../live/mistakes.ts";
import { Node } from "../live/node.ts";
import { jsonOf } from "../live/plain.ts";
import type { Scope } from "../live/scopes.ts";
import { inspectKey, show } from "../live/show.ts";
import { Document, type DocumentStats } from "./document.ts";

export class Handle {
  readonly #document: Document;

  constructor(document: Document) {
    this.#document = document;
  }

  /** Name of the file. */
  get path(): string {
    return this.#document.file;
  }

  /** The byte store below; changing it behind the document's back is not seen by the document. */
  get store(): Document["store"] {
    return this.#document.store;
  }

  /**
   * Runs `body`: all of its changes or none, in the file and in memory. If it throws, everything is as before, and the
   * error goes on. Inside another transaction it is a savepoint. Throws `TypeError` if `body` is async or a
   * generator.
   */
  transaction<T>(body: () => T): T {
    return this.#document.ledger.scopes.transaction(body);
  }

  /** Runs `body` with its changes reaching the journal together, later; what it did stays also when it throws. */
  batch<T>(body: () => T): T {
    return this.#document.ledger.scopes.batch(body);
  }

  /** A transaction that ends with `commit()`, or is taken back at the end of the block: `using tx = handle.begin()`. */
  begin(): Transaction {
    return new Transaction(this.#document);
  }

  /** A batch that ends with the block: `using batch = handle.beginBatch()`. */
  beginBatch(): Disposable {
    const { scopes } = this.#document.ledger;
    const scope = scopes.beginBatch();
    return { [Symbol.dispose]: () => scopes.endBatch(scope) };
  }

  /** Makes everything so far survive a power cut. */
  flush(): void {
    this.#document.flush();
  }

  /** Flushes and releases the file. Reading goes on, from memory. */
  close(): void {
    this.#document.close();
  }

  /**
   * Counters of the store and of the document. A document opened for reading has written nothing, and its counters say so;
   * what there is now counts as of its opening. Throws `closed`, `poisoned`.
   */
  stats(): DocumentStats {
    return this.#document.stats();
  }

  /** Frees allocations that nothing points to, and returns how many there were. */
  sweep(): number {
    return this.#document.sweep();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

export class Transaction {
  readonly #document: Document;
  readonly #scope: Scope;
  #isOver = false;

  constructor(document: Document) {
    this.#document = document;
    this.#scope = document.ledger.scopes.beginTransaction();
  }

  commit(): void {
    this.#requireOpen();
    this.#document.ledger.scopes.commit(this.#scope);
    this.#isOver = true;
  }

  /** Takes back also what began inside and is still open. */
  rollBack(): void {
    this.#requireOpen();
    this.#document.ledger.scopes.rollBack(this.#scope);
    this.#isOver = true;
  }

  [Symbol.dispose](): void {
    if (!this.#isOver && this.#document.ledger.scopes.isOpen(this.#scope)) this.rollBack();
  }

  #requireOpen(): void {
    if (this.#isOver || !this.#document.ledger.scopes.isOpen(this.#scope))
      throw typeMistake("the transaction is over already");
  }
}

/** A root that is a number, a string, an option: read and written as `value`. */
class Cell {
  readonly #document: Document;

  constructor(document: Document) {
    this.#document = document;
  }

  get value(): unknown {
    const { root } = this.#document;
    return root.$type.read(root.$valueAt(0));
  }

  set value(value: unknown) {
    assign(this.#document.root, 0, value);
  }

  toJSON(): unknown {
    return jsonOf(this.value);
  }

  [inspectKey](
    _depth: number,
    options: object,
    inspect?: (value: unknown, options?: object) => string,
  ): unknown {
    return show({ plain: { value: this.value }, name: "Cell" }, options, inspect);
  }
}

const methods = ["transaction", "batch", "flush", "close", "stats", Symbol.dispose] as const;

const handles = new WeakMap<Document, Handle>();

/** The handle of the document that a live value, or a cell, is part of. */
export function handleOf(value: unknown): Handle {
  const document = cells.get(value as object) ?? Document.of(value);
  const known = handles.get(document);
  if (known !== undefined) return known;
  const handle = new Handle(document);
  handles.set(document, handle);
  return handle;
}

const cells = new WeakMap<object, Document>();

/** What `open` returns: the root itself if it is an object that stays, else a cell. */
export function rootOf(document: Document): object {
  const { root } = document;
  const stored = root.$valueAt(0);
  const isStable = stored instanceof Node && !root.$type.isCell && root.$type.isStable;
  const target: object = isStable ? stored : new Cell(document);
  cells.set(target, document);
  const handle = handleOf(target);
  for (const name of methods) {
    if (name in target) continue;
    const method = handle[name] as (...args: never[]) => unknown;
    // Not a bound function: V8 does not take one for the method of a `using` declaration.
    const value = (...args: never[]): unknown => method.apply(handle, args);
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
  }
  return target;
}
