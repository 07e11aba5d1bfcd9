/** A transaction or a batch of the application that is open. */

import { typeMistake } from "./mistakes.ts";

export interface Scope {
  readonly kind: "transaction" | "batch";
  /** Entries of the undo log, and of what left its place, when it began. */
  readonly undoCount: number;
  readonly retiredCount: number;
}

/** An `async` body would go on after its scope has ended. */
export function refuseThenable(result: unknown, kind: Scope["kind"]): void {
  if ((typeof result !== "object" && typeof result !== "function") || result === null) return;
  if (typeof (result as { then?: unknown }).then !== "function") return;
  // It is refused here; that it fails later is nobody's to handle.
  if (result instanceof Promise) result.catch(() => {});
  throw typeMistake(`a ${kind}'s body must not be async: other code would run in the middle of it`);
}
