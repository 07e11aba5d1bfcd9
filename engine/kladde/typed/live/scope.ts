/** A transaction or a batch of the application that is open. */

import { bodyFault, resultFault } from "../../arguments.ts";
import { typeMistake } from "./mistakes.ts";

export interface Scope {
  readonly kind: "transaction" | "batch";
  /** Entries of the undo log, and of what left its place, when it began. */
  readonly undoCount: number;
  readonly retiredCount: number;
}

/** Refuses what is no function, and one that does not do its work when it is called. */
export function requireBody(kind: Scope["kind"], body: unknown): void {
  const fault = bodyFault(body);
  if (fault !== undefined) throw typeMistake(`the body of a ${kind} ${fault}`);
}

/** Refuses a body that goes on after its scope has ended. */
export function refuseLater(kind: Scope["kind"], result: unknown): void {
  const fault = resultFault(result);
  if (fault !== undefined) throw typeMistake(`the body of a ${kind} ${fault}`);
}
