/**
 * Resolving one id: which statement wins each of its bytes, its size, its anchor and its grow witness, in one pass
 * over its statements in order of their start.
 *
 * The winner at an offset is the covering statement with the highest epoch: content covers its range, a Shrink(n)
 * covers [n, ∞), a Tombstone [0, ∞), a Grow nothing. At the end the winner is the anchor or nobody, and where it took
 * over is the size that everything but a Grow proves.
 *
 *  (1) An overtaken statement stays in the heap: it wins again where the newer one ends.
 *  (2) A run ends only where the winner changes.
 *  (3) A Grow counts if its epoch is above the winner's where it lies: admitting every one would admit those that a
 *      Shrink has overruled.
 *
 * Cost: O(k log h) for k statements, h of them open at once.
 */

import { StoreError } from "../../errors.ts";
import { isContent, type StatementReader, tagGrow, tagShrink, tagTombstone } from "../format/statement.ts";
import type { StatementMerge } from "./merge.ts";

/** A statement as the sweep remembers it while it may still win. */
export interface SweptStatement {
  readonly page: number;
  readonly epoch: number;
  readonly kind: number;
  readonly offset: number;
  /** Behind the last byte it covers; infinite for Shrink and Tombstone, the bound for a Grow. */
  readonly end: number;
  readonly address: number;
  readonly payloadAt: number;
  readonly framing: number;
  /** Slot in the slab, given on first need. */
  slot: number;
}

export interface SweepTarget {
  /** Bytes `[from, to)` of `id` resolve to `winner`, or to nothing. Called in key order. */
  fragment(id: number, from: number, to: number, winner: SweptStatement | undefined): void;
  finish(swept: SweptId): void;
}

export interface SweptId {
  readonly id: number;
  readonly mentions: number;
  readonly exists: boolean;
  readonly size: number;
  /** The size without the witness. */
  readonly provenSize: number;
  readonly anchor: SweptStatement | undefined;
  readonly grow: SweptStatement | undefined;
}

function remember(page: number, epoch: number, reader: StatementReader): SweptStatement {
  const { kind, offset, size, address, payloadAt, framing } = reader;
  const unbounded = kind === tagShrink || kind === tagTombstone;
  const end = unbounded ? Number.POSITIVE_INFINITY : offset + size;
  return { page, epoch, kind, offset, end, address, payloadAt, framing, slot: 0 };
}

function rethrow(conflict: StoreError): never {
  throw conflict;
}

function overlapRule({ kind: a }: SweptStatement, { kind: b }: SweptStatement): string {
  if (a === tagTombstone || b === tagTombstone) return "S7";
  return isContent(a) || isContent(b) ? "S8" : "S6";
}

export class Sweep {
  readonly #merge: StatementMerge;
  readonly #target: SweepTarget;
  readonly #file: string;
  /** Max-heap by epoch. */
  readonly #open: SweptStatement[] = [];
  /** Per epoch, the statement of that epoch that was opened last. */
  readonly #latest = new Map<number, SweptStatement>();

  constructor(merge: StatementMerge, target: SweepTarget, file: string) {
    this.#merge = merge;
    this.#target = target;
    this.#file = file;
  }

  /** Resolves every id, ascending, as `step` does. */
  run(refuse: (conflict: StoreError) => void = rethrow): void {
    while (this.step(refuse));
  }

  /**
   * Resolves the next id; false if there is none. A conflict (S6 … S8) goes to `refuse`; if that returns, the id is
   * left as far as it was resolved.
   */
  step(refuse: (conflict: StoreError) => void = rethrow): boolean {
    const run = this.#merge.current;
    if (run === undefined) return false;
    const { id } = run.reader;
    try {
      this.#resolve(id);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      refuse(error);
      while (this.#merge.current?.reader.id === id) this.#merge.advance();
    }
    return true;
  }

  #resolve(id: number): void {
    this.#open.length = 0;
    this.#latest.clear();
    let newest: SweptStatement | undefined;
    let grow: SweptStatement | undefined;
    let winner: SweptStatement | undefined;
    let mentions = 0;
    let runStart = 0;
    for (let position = 0; ; ) {
      while (this.#open.length > 0 && this.#open[0]!.end <= position) this.#pop();
      for (let run = this.#merge.current; run !== undefined; run = this.#merge.current) {
        if (run.reader.id !== id || run.reader.offset > position) break;
        const statement = remember(run.page, run.epoch, run.reader);
        mentions++;
        newest = this.#newer(id, statement, newest);
        if (statement.kind === tagGrow) grow = this.#witness(statement, grow);
        else if (statement.end > position) this.#push(id, statement, position);
        this.#merge.advance();
      }
      const top = this.#open[0];
      if (top !== winner) {
        if (position > runStart) this.#target.fragment(id, runStart, position, winner);
        winner = top;
        runStart = position;
      }
      const next = this.#nextStart(id);
      if (next === Number.POSITIVE_INFINITY && (top === undefined || top.end === Number.POSITIVE_INFINITY))
        break;
      position = Math.min(next, top === undefined ? Number.POSITIVE_INFINITY : top.end);
    }
    this.#finish(id, mentions, runStart, newest!, winner, grow);
  }

  #nextStart(id: number): number {
    const run = this.#merge.current;
    return run !== undefined && run.reader.id === id ? run.reader.offset : Number.POSITIVE_INFINITY;
  }

  #newer(id: number, statement: SweptStatement, newest: SweptStatement | undefined): SweptStatement {
    if (newest === undefined || statement.epoch > newest.epoch) return statement;
    if (statement.epoch === newest.epoch && (statement.kind === tagTombstone || newest.kind === tagTombstone))
      throw this.#conflict(id, statement, "a tombstone and another statement of one epoch", "S7");
    return newest;
  }

  /** Growths pass in the order of their bounds; of equal bounds the newest is the proof of existence. */
  #witness(statement: SweptStatement, grow: SweptStatement | undefined): SweptStatement | undefined {
    const top = this.#open[0];
    if (top !== undefined && statement.epoch <= top.epoch) return grow;
    if (grow === undefined || statement.end > grow.end || statement.epoch > grow.epoch) return statement;
    return grow;
  }

  #push(id: number, statement: SweptStatement, position: number): void {
    const open = this.#open;
    const before = this.#latest.get(statement.epoch);
    if (before !== undefined && before.end > position)
      throw this.#conflict(
        id,
        statement,
        "two statements of one epoch for the same byte",
        overlapRule(before, statement),
      );
    this.#latest.set(statement.epoch, statement);
    let at = open.length;
    open.push(statement);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (open[parent]!.epoch >= statement.epoch) break;
      open[at] = open[parent]!;
      at = parent;
    }
    open[at] = statement;
  }

  #pop(): void {
    const open = this.#open;
    const last = open.pop()!;
    if (open.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= open.length) break;
      if (child + 1 < open.length && open[child + 1]!.epoch > open[child]!.epoch) child++;
      if (open[child]!.epoch <= last.epoch) break;
      open[at] = open[child]!;
      at = child;
    }
    open[at] = last;
  }

  #finish(
    id: number,
    mentions: number,
    provenSize: number,
    newest: SweptStatement,
    winner: SweptStatement | undefined,
    grow: SweptStatement | undefined,
  ): void {
    const size = Math.max(provenSize, grow === undefined ? 0 : grow.end);
    if (provenSize < size) this.#target.fragment(id, provenSize, size, winner);
    const exists = newest.kind !== tagTombstone;
    this.#target.finish({ id, mentions, exists, size, provenSize, anchor: winner, grow });
  }

  #conflict(id: number, statement: SweptStatement, what: string, rule: string): StoreError {
    return new StoreError("corrupt", `${what}; restore the file from a copy`, {
      file: this.#file,
      page: statement.page,
      id,
      rule,
    });
  }
}
