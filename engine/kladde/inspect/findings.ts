/**
 * What an inspection found. A fault: the file breaks the format, or something that was stored cannot be had. A note:
 * worth knowing, and every reader reads the same.
 *
 *  (1) No more than `findingsMax` are kept, and one that says so: a damaged file can break a rule in every byte.
 */

import { locate, type Place, StoreError } from "../../errors.ts";

export interface Finding extends Place {
  readonly severity: "fault" | "note";
  /** Where and what, in one line. */
  readonly message: string;
}

export const findingsMax = 10_000;

/** Made only if it is kept. */
type Text = string | (() => string);

export class Findings {
  readonly all: Finding[] = [];
  readonly #file: string;
  #faults = 0;

  constructor(file: string) {
    this.#file = file;
  }

  get faults(): number {
    return this.#faults;
  }

  fault(what: Text, place: Place = {}): void {
    this.#add("fault", what, place);
  }

  note(what: Text, place: Place = {}): void {
    this.#add("note", what, place);
  }

  /** Runs `step`; what it throws because of the file becomes a fault, and the result is undefined. */
  attempt<T>(step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      this.refused(error);
      return undefined;
    }
  }

  /** Adds what a reader refused the file for. Rethrows everything else. */
  readonly refused = (error: unknown): void => {
    if (!(error instanceof StoreError)) throw error;
    const { message, page, offset, id, rule } = error;
    this.#faults++;
    this.#keep({ severity: "fault", message, page, offset, id, rule });
  };

  #add(severity: Finding["severity"], what: Text, place: Place): void {
    if (severity === "fault") this.#faults++;
    if (this.all.length > findingsMax) return;
    const text = typeof what === "string" ? what : what();
    const message = locate(text, { file: this.#file, ...place });
    this.#keep({ severity, message, ...place });
  }

  #keep(finding: Finding): void {
    if (this.all.length < findingsMax) this.all.push(finding);
    else if (this.all.length === findingsMax)
      this.all.push({
        severity: "note",
        message: `${this.#file}: more was found; it is counted, not listed`,
      });
  }
}
