/**
 * Transactions and batches: which of the records in the log may go to the journal, and when.
 *
 *   log:  | appended | ready | in the open transaction |
 *
 *  (1) A transaction makes its records atomic; inside another one it is a savepoint, the outer one counts.
 *  (2) A batch only saves journal writes; it never splits a transaction inside it. Inside a transaction it is nothing.
 *  (3) Nothing of an open transaction is in the file, so taking it back is memory work.
 */

export interface Mark {
  readonly kind: "transaction" | "batch";
  /** Records, arena position, undo entries and minted ids when the scope began. */
  logCount: number;
  arenaEnd: number;
  undoLength: number;
  mintedCount: number;
}

export class Scopes {
  readonly marks: Mark[] = [];
  /** Position in `marks` of the outermost transaction, −1 without one. */
  outerTransaction = -1;

  get isOpen(): boolean {
    return this.marks.length > 0;
  }

  get inTransaction(): boolean {
    return this.outerTransaction >= 0;
  }

  begin(mark: Mark): void {
    if (mark.kind === "transaction" && !this.inTransaction) this.outerTransaction = this.marks.length;
    this.marks.push(mark);
  }

  /** Ends the innermost scope, which must be of `kind`. Throws `TypeError`. */
  end(kind: Mark["kind"]): Mark {
    const mark = this.marks.at(-1);
    if (mark === undefined) throw new TypeError(`there is no open ${kind} to end`);
    if (mark.kind !== kind) throw new TypeError(`the innermost open scope is a ${mark.kind}, not a ${kind}`);
    this.marks.pop();
    if (this.outerTransaction === this.marks.length) this.outerTransaction = -1;
    return mark;
  }

  /** Records from here on belong to the open transaction; `logCount` without one. */
  readyEnd(logCount: number): number {
    return this.inTransaction ? this.marks[this.outerTransaction]!.logCount : logCount;
  }
}
