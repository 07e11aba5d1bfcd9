/**
 * The rules that all statements of one id and one epoch must keep together, over all table pages. Resolution looks
 * only at what it meets; this looks at everything.
 *
 *  (1) Of the statements of an id one fact is kept for each epoch, of which there are no more than pages: memory does
 *      not follow the statements.
 *
 * Cost: O(m log p) for m statements in p pages.
 */

import { isContent, statementNames, tagGrow, tagShrink, tagTombstone } from "../format/statement.ts";
import type { StatementMerge } from "../open/merge.ts";
import { Bitmap } from "../state/bitmap.ts";
import type { Findings } from "./findings.ts";

/** Reports S6 … S9, S11 and S12 for every id, and returns the ids that cannot be resolved. */
export function checkRules(merge: StatementMerge, findings: Findings): Pick<Bitmap, "has"> {
  const refused = new Bitmap();
  const rules = new RulesOfId(findings);
  while (merge.current !== undefined) {
    const { id } = merge.current.reader;
    const faultsBefore = findings.faults;
    rules.begin(id);
    for (let run = merge.current; run?.reader.id === id; run = merge.current!) {
      const { kind, offset, size } = run.reader;
      rules.state(run.page, run.epoch, kind, offset, size);
      merge.advance();
    }
    rules.end();
    if (findings.faults > faultsBefore) refused.add(id);
  }
  return refused;
}

/** What the statements of an id and an epoch have said so far. */
interface EpochOfId {
  statements: number;
  /** Page of the first Tombstone, −1 without one; and whether something stands beside it. */
  tombstonePage: number;
  isDenied: boolean;
  /** Bound of the first Shrink. */
  shrink: number | undefined;
  shrinks: number;
  grows: number;
  /** Behind the last byte stated, and the page of the statement that reaches there. */
  end: number;
  endPage: number;
}

/** Takes the statements of one id after the other, in order of their start. */
class RulesOfId {
  readonly #findings: Findings;
  readonly #epochs = new Map<number, EpochOfId>();
  #id = 0;
  /** Whether a statement proves more than that the id exists. */
  #isProved = false;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  begin(id: number): void {
    this.#id = id;
    this.#isProved = false;
    this.#epochs.clear();
  }

  state(page: number, epoch: number, kind: number, offset: number, size: number): void {
    const isEmpty = isContent(kind) && size === 0;
    if (isEmpty) this.#noteEmpty(page, kind, offset);
    else this.#isProved = true;
    const said = this.#epoch(epoch);
    said.statements++;
    if (kind === tagTombstone && said.tombstonePage < 0) said.tombstonePage = page;
    if (said.tombstonePage >= 0) this.#tombstone(said, epoch);
    else if (kind === tagShrink) this.#shrink(said, page, epoch, offset);
    else if (kind === tagGrow) this.#grow(said, page, epoch);
    else if (!isEmpty) this.#content(said, page, epoch, offset, size);
  }

  end(): void {
    if (this.#isProved) return;
    const what = "only statements of length 0 prove the allocation; its size is 0";
    this.#findings.note(what, { id: this.#id, rule: "S11" });
  }

  #epoch(epoch: number): EpochOfId {
    let said = this.#epochs.get(epoch);
    if (said === undefined) {
      said = {
        statements: 0,
        tombstonePage: -1,
        isDenied: false,
        shrink: undefined,
        shrinks: 0,
        grows: 0,
        end: 0,
        endPage: 0,
      };
      this.#epochs.set(epoch, said);
    }
    return said;
  }

  #noteEmpty(page: number, kind: number, offset: number): void {
    const place = { page, id: this.#id, rule: "S12" };
    this.#findings.note(() => `${statementNames[kind]} of length 0 at ${offset}; it says nothing`, place);
  }

  /** One report for all of them. */
  #tombstone(said: EpochOfId, epoch: number): void {
    if (said.statements === 1 || said.isDenied) return;
    said.isDenied = true;
    this.#report(false, said.tombstonePage, epoch, "a Tombstone beside another statement", "S7");
  }

  #shrink(said: EpochOfId, page: number, epoch: number, bound: number): void {
    if (++said.shrinks === 2) this.#report(false, page, epoch, "two Shrinks", "S6");
    if (said.grows > 0 && said.shrinks === 1) this.#report(true, page, epoch, "a Grow beside a Shrink", "S9");
    if (said.shrink !== undefined) return;
    said.shrink = bound;
    if (said.end > bound) this.#reportBeyond(said.endPage, epoch, said.end, bound);
  }

  #grow(said: EpochOfId, page: number, epoch: number): void {
    if (++said.grows === 2) this.#report(true, page, epoch, "two Grows", "S9");
    if (said.shrinks > 0 && said.grows === 1) this.#report(true, page, epoch, "a Grow beside a Shrink", "S9");
  }

  #content(said: EpochOfId, page: number, epoch: number, offset: number, size: number): void {
    if (said.end > offset) this.#report(false, page, epoch, () => `byte ${offset} is stated twice`, "S8");
    const end = offset + size;
    if (said.shrink !== undefined) this.#reportBeyond(page, epoch, end, said.shrink);
    if (end <= said.end) return;
    said.end = end;
    said.endPage = page;
  }

  #reportBeyond(page: number, epoch: number, end: number, bound: number): void {
    this.#report(false, page, epoch, () => `bytes up to ${end} beside a Shrink to ${bound}`, "S8");
  }

  #report(isNote: boolean, page: number, epoch: number, what: string | (() => string), rule: string): void {
    const place = { page, id: this.#id, rule };
    const message = (): string => `${typeof what === "string" ? what : what()}, both of epoch ${epoch}`;
    if (isNote) this.#findings.note(() => `${message()}; readers agree on what it means`, place);
    else this.#findings.fault(message, place);
  }
}
