/**
 * What an address table means, byte by byte: the format's rule of resolution written down and nothing else. For tests
 * of whatever does it faster.
 *
 * Cost: every statement is looked at for every byte.
 */

import type { Statement } from "./pages.ts";

/** A statement and the epoch of its page. */
export interface Stated {
  readonly epoch: number;
  readonly statement: Exclude<Statement, readonly ["raw", ...unknown[]]>;
}

export interface Defined {
  readonly exists: boolean;
  readonly content: Uint8Array;
  /** Statements that win a byte. */
  readonly winners: ReadonlySet<Stated>;
}

/** The first offset behind a content statement; undefined for the others. */
function contentEnd({ statement }: Stated): number | undefined {
  if (statement[0] === "ref" || statement[0] === "zero") return statement[2] + statement[3];
  return statement[0] === "inline" ? statement[2] + statement[3].length : undefined;
}

const bytesStated = (stated: Stated): number => (contentEnd(stated) ?? 0) - (stated.statement[2] ?? 0);

/** Resolves one allocation from all its statements; `fileByte` gives the byte at a file address. */
export function resolveByDefinition(all: readonly Stated[], fileByte: (address: number) => number): Defined {
  const newest = all.reduce<Stated | undefined>((best, one) => newer(best, one), undefined);
  const size = sizeByDefinition(all);
  const content = new Uint8Array(size);
  const winners = new Set<Stated>();
  for (let p = 0; p < size; p++) {
    const winner = all.filter((one) => matches(one, p)).reduce(newer, undefined as Stated | undefined);
    if (winner === undefined) continue;
    winners.add(winner);
    const { statement } = winner;
    if (statement[0] === "ref") content[p] = fileByte(statement[4] + p - statement[2]);
    else if (statement[0] === "inline") content[p] = statement[3][p - statement[2]]!;
  }
  return { exists: newest !== undefined && newest.statement[0] !== "tombstone", content, winners };
}

const newer = (best: Stated | undefined, one: Stated): Stated =>
  best === undefined || one.epoch > best.epoch ? one : best;

function matches(stated: Stated, p: number): boolean {
  const { statement } = stated;
  if (statement[0] === "tombstone") return true;
  if (statement[0] === "shrink") return statement[2] <= p;
  if (statement[0] === "grow") return false;
  return statement[2] <= p && p < contentEnd(stated)!;
}

function sizeByDefinition(all: readonly Stated[]): number {
  const anchor = all
    .filter(({ statement: [kind] }) => kind === "shrink" || kind === "tombstone")
    .reduce(newer, undefined as Stated | undefined);
  const anchorEpoch = anchor?.epoch ?? -1;
  const anchorBound = anchor?.statement[0] === "shrink" ? anchor.statement[2] : 0;
  let size = anchorBound;
  for (const one of all) {
    if (one.epoch <= anchorEpoch) continue;
    if (one.statement[0] === "grow") size = Math.max(size, one.statement[2]);
    else if (bytesStated(one) > 0) size = Math.max(size, contentEnd(one)!);
  }
  return size;
}
