/** A transaction or a batch of the application that is open. */

export interface Scope {
  readonly kind: "transaction" | "batch";
  /** Entries of the undo log, and of what left its place, when it began. */
  readonly undoCount: number;
  readonly retiredCount: number;
}
