/**
 * Transactions and batches of the application: the scopes that group mutations.
 *
 *  (1) Scopes end in the order in which they began. A transaction inside another one is a savepoint.
 *  (2) A transaction that does not commit leaves file and memory as they were when it began.
 *  (3) What a batch did cannot be taken back: if its records cannot be appended, memory is ahead of the file, and the store
 *      is poisoned.
 *  (4) Where a document was opened for reading, scopes only nest; the store has none.
 *
 * Cost: an entry for each open scope; taking back costs what was done.
 */

import { StoreError } from "../../../errors.ts";
import { bodyFault, resultFault } from "../../arguments.ts";
import type { Ledger } from "./ledger.ts";
import { typeMistake } from "./mistakes.ts";

export interface Scope {
  readonly kind: "transaction" | "batch";
  /** Entries of the undo log, and of what left its place, when it began. */
  readonly undoCount: number;
  readonly retiredCount: number;
}

export class Scopes {
  readonly #ledger: Ledger;
  readonly #open: Scope[] = [];

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  get inTransaction(): boolean {
    return this.#ledger.undo !== null;
  }

  /** Whether one of them is a batch. */
  get holdBatch(): boolean {
    return this.#open.some(({ kind }) => kind === "batch");
  }

  /** Whether a transaction or batch has not ended, by itself or with one around it. */
  isOpen(scope: Scope): boolean {
    return this.#open.includes(scope);
  }

  /** Runs `body` in a transaction: all of it, or nothing, in the file and in memory. */
  transaction<T>(body: () => T): T {
    refuseFault("transaction", bodyFault(body));
    const scope = this.beginTransaction();
    const result = this.#run(scope, body);
    this.commit(scope);
    return result;
  }

  /** Runs `body` in a batch: its records reach the journal together, later; what it did stays also when it throws. */
  batch<T>(body: () => T): T {
    refuseFault("batch", bodyFault(body));
    const scope = this.beginBatch();
    const result = this.#run(scope, body);
    this.endBatch(scope);
    return result;
  }

  /** Runs `body` in `scope`, which stays open unless it throws, goes on later, or leaves the scopes in disorder. */
  #run<T>(scope: Scope, body: () => T): T {
    try {
      const result = body();
      refuseFault(scope.kind, resultFault(result));
      if (this.#open.at(-1) !== scope)
        throw typeMistake(
          "the body began a transaction or batch that it did not end, or ended one it was in",
        );
      return result;
    } catch (cause) {
      if (this.isOpen(scope)) this.#abandon(scope);
      throw cause;
    }
  }

  /** Ends a scope whose body failed, or that was left open. */
  #abandon(scope: Scope): void {
    if (scope.kind === "transaction") this.rollBack(scope);
    else this.#endFailed(scope);
  }

  beginBatch(): Scope {
    const ledger = this.#ledger;
    ledger.requireIdle();
    if (!ledger.isReadOnly) ledger.store.beginBatch();
    return this.#enter("batch");
  }

  endBatch(scope: Scope): void {
    const ledger = this.#ledger;
    this.#requireInnermost(scope);
    try {
      if (!ledger.isReadOnly) ledger.store.endBatch();
    } catch (cause) {
      ledger.poison();
      throw cause;
    } finally {
      this.#open.pop();
    }
  }

  /** Ends a batch whose body failed, which tells more than what fails now. */
  #endFailed(scope: Scope): void {
    this.#unwind(scope);
    try {
      this.endBatch(scope);
    } catch (cause) {
      if (!(cause instanceof StoreError)) throw cause;
    }
  }

  /** Begins a transaction; inside another one, a savepoint. Returns what `commit` and `rollBack` need. */
  beginTransaction(): Scope {
    const ledger = this.#ledger;
    ledger.requireIdle();
    if (!ledger.isReadOnly) ledger.store.begin();
    ledger.undo ??= [];
    return this.#enter("transaction");
  }

  #enter(kind: Scope["kind"]): Scope {
    const scope = { kind, ...this.#ledger.undoCounts };
    this.#open.push(scope);
    return scope;
  }

  #requireInnermost(scope: Scope): void {
    this.#ledger.requireIdle();
    if (this.#open.at(-1) !== scope)
      throw typeMistake(`the ${scope.kind} is not the innermost that is open; end what began in it first`);
  }

  /** Ends what began inside `scope`: transactions are taken back. */
  #unwind(scope: Scope): void {
    for (let inner = this.#open.at(-1)!; inner !== scope; inner = this.#open.at(-1)!) this.#abandon(inner);
  }

  /** Ends the innermost transaction. If its records cannot be appended, memory is restored and the call throws. */
  commit(scope: Scope): void {
    const ledger = this.#ledger;
    this.#requireInnermost(scope);
    try {
      if (this.#isOutermost(scope) && !ledger.isReadOnly) ledger.freeRetired();
    } catch (cause) {
      this.rollBack(scope);
      throw cause;
    }
    try {
      if (!ledger.isReadOnly) ledger.store.commit();
    } catch (cause) {
      ledger.poisonInBatch();
      ledger.takeBack(scope);
      this.#leave(scope);
      throw cause;
    }
    this.#leave(scope);
  }

  /** Takes back everything since the transaction began, in the store and in memory, and what began in it. */
  rollBack(scope: Scope): void {
    const ledger = this.#ledger;
    ledger.requireIdle();
    this.#unwind(scope);
    if (!ledger.isReadOnly) ledger.abortRecords();
    ledger.takeBack(scope);
    this.#leave(scope);
  }

  #isOutermost(scope: Scope): boolean {
    return this.#open.find(({ kind }) => kind === "transaction") === scope;
  }

  #leave(scope: Scope): void {
    if (this.#isOutermost(scope)) this.#ledger.forgetUndo();
    this.#open.pop();
  }
}

function refuseFault(kind: Scope["kind"], fault: string | undefined): void {
  if (fault !== undefined) throw typeMistake(`the body of a ${kind} ${fault}`);
}
