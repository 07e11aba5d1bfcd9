/**
 * The rules that all statements of one id and one epoch must keep together, over all table pages. Resolution looks
 * only at what it meets; this looks at everything.
 *
 * Cost: O(m log m) for the m statements of one id, all of them in memory at once.
 */

import { isContent, statementNames, tagGrow, tagShrink, tagTombstone } from "../format/statement.ts";
import type { StatementMerge } from "../open/merge.ts";
import type { Findings } from "./findings.ts";

interface Stated {
  readonly page: number;
  readonly epoch: number;
  readonly kind: number;
  readonly offset: number;
  readonly size: number;
}

/** Reports S6 … S9, S11 and S12 for every id, and returns the ids that cannot be resolved. */
export function checkRules(merge: StatementMerge, findings: Findings): ReadonlySet<number> {
  const refused = new Set<number>();
  while (merge.current !== undefined) {
    const { id } = merge.current.reader;
    const statements: Stated[] = [];
    for (let run = merge.current; run?.reader.id === id; run = merge.current!) {
      const { kind, offset, size } = run.reader;
      statements.push({ page: run.page, epoch: run.epoch, kind, offset, size });
      merge.advance();
    }
    const faultsBefore = findings.faults;
    checkId(id, statements, findings);
    if (findings.faults > faultsBefore) refused.add(id);
  }
  return refused;
}

function checkId(id: number, statements: readonly Stated[], findings: Findings): void {
  for (const { kind, size, offset, page } of statements)
    if (isContent(kind) && size === 0)
      findings.note(`${statementNames[kind]} of length 0 at ${offset}; it says nothing`, {
        page,
        id,
        rule: "S12",
      });
  if (statements.every(({ kind, size }) => isContent(kind) && size === 0))
    findings.note("only statements of length 0 prove the allocation; its size is 0", { id, rule: "S11" });
  if (statements.length === 1) return;
  const groups = Map.groupBy(statements, ({ epoch }) => epoch);
  for (const [epoch, group] of groups) {
    if (group.length > 1) new EpochOfId(id, epoch, group, findings).check();
  }
}

/** The statements of one id and epoch, in order of their start. */
class EpochOfId {
  readonly #id: number;
  readonly #epoch: number;
  readonly #statements: readonly Stated[];
  readonly #findings: Findings;

  constructor(id: number, epoch: number, statements: readonly Stated[], findings: Findings) {
    this.#id = id;
    this.#epoch = epoch;
    this.#statements = statements;
    this.#findings = findings;
  }

  check(): void {
    const tombstone = this.#statements.find(({ kind }) => kind === tagTombstone);
    if (tombstone !== undefined) {
      this.#report(false, tombstone, "a Tombstone beside another statement", "S7");
      return;
    }
    const shrinks = this.#statements.filter(({ kind }) => kind === tagShrink);
    const grows = this.#statements.filter(({ kind }) => kind === tagGrow);
    if (shrinks.length > 1) this.#report(false, shrinks[1]!, "two Shrinks", "S6");
    if (grows.length > 1) this.#report(true, grows[1]!, "two Grows", "S9");
    if (grows.length > 0 && shrinks.length > 0) this.#report(true, grows[0]!, "a Grow beside a Shrink", "S9");
    this.#checkRanges(shrinks[0]?.offset ?? Number.POSITIVE_INFINITY);
  }

  #checkRanges(bound: number): void {
    let last: Stated | undefined;
    for (const statement of this.#statements) {
      if (!isContent(statement.kind) || statement.size === 0) continue;
      const { offset, size } = statement;
      if (last !== undefined && last.offset + last.size > offset)
        this.#report(false, statement, `byte ${offset} is stated twice`, "S8");
      if (offset + size > bound)
        this.#report(false, statement, `bytes up to ${offset + size} beside a Shrink to ${bound}`, "S8");
      if (last === undefined || offset + size > last.offset + last.size) last = statement;
    }
  }

  #report(isNote: boolean, { page }: Stated, what: string, rule: string): void {
    const place = { page, id: this.#id, rule };
    const message = `${what}, both of epoch ${this.#epoch}`;
    if (isNote) this.#findings.note(`${message}; readers agree on what it means`, place);
    else this.#findings.fault(message, place);
  }
}
