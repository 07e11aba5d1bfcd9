/**
 * What statements mean, id by id, by the letter of the format.
 *
 * Cost: quadratic in the statements of an id.
 */

import { type Content, zeros } from "./content.ts";
import { isContentKind, type TableStatement } from "./tables.ts";

export interface Resolved {
  readonly id: number;
  readonly exists: boolean;
  readonly size: number;
  /** The newest Shrink or Tombstone. */
  readonly anchor: TableStatement | undefined;
  /** Where a winner begins, and who it is; without a winner the bytes are zero. Below the size only. */
  readonly runs: readonly {
    readonly from: number;
    readonly to: number;
    readonly winner: TableStatement | undefined;
  }[];
  /** Two statements of one epoch that a reader may refuse the file for. */
  readonly conflict: string | undefined;
}

const covers = ({ kind, offset, size }: TableStatement, from: number): boolean => {
  if (kind === "tombstone") return true;
  if (kind === "shrink") return offset <= from;
  return isContentKind(kind) && offset <= from && from < offset + size;
};

const newest = (statements: readonly TableStatement[]): TableStatement | undefined =>
  statements.reduce<TableStatement | undefined>(
    (best, one) => (best === undefined || one.epoch > best.epoch ? one : best),
    undefined,
  );

/** `statements`: all of one id. */
export function resolve(id: number, statements: readonly TableStatement[]): Resolved {
  const anchor = newest(statements.filter(({ kind }) => kind === "shrink" || kind === "tombstone"));
  const size = sizeOf(statements, anchor);
  const exists = statements.length > 0 && newest(statements)!.kind !== "tombstone";
  const bounds = new Set([0, size]);
  for (const { offset, size: bytes } of statements)
    for (const bound of [offset, offset + bytes]) if (bound < size) bounds.add(bound);
  const sorted = [...bounds].sort((a, b) => a - b);
  const runs = sorted.slice(0, -1).map((from, i) => ({
    from,
    to: sorted[i + 1]!,
    winner: newest(statements.filter((one) => covers(one, from))),
  }));
  return { id, exists, size, anchor, runs, conflict: conflictOf(statements) };
}

function sizeOf(statements: readonly TableStatement[], anchor: TableStatement | undefined): number {
  let size = anchor?.kind === "shrink" ? anchor.offset : 0;
  for (const { kind, epoch, offset, size: bytes } of statements) {
    if (anchor !== undefined && epoch <= anchor.epoch) continue;
    if (kind === "grow" || (isContentKind(kind) && bytes > 0)) size = Math.max(size, offset + bytes);
  }
  return size;
}

/** Rules S6 to S8. */
function conflictOf(statements: readonly TableStatement[]): string | undefined {
  for (const group of Map.groupBy(statements, ({ epoch }) => epoch).values()) {
    if (group.length === 1) continue;
    if (group.some(({ kind }) => kind === "tombstone")) return "S7";
    const shrinks = group.filter(({ kind }) => kind === "shrink");
    if (shrinks.length > 1) return "S6";
    const ranges = group
      .filter(({ kind, size }) => isContentKind(kind) && size > 0)
      .sort((a, b) => a.offset - b.offset);
    const bound = shrinks[0]?.offset ?? Number.POSITIVE_INFINITY;
    if (ranges.some(({ offset, size }) => offset + size > bound)) return "S8";
    if (ranges.some(({ offset, size }, i) => i + 1 < ranges.length && offset + size > ranges[i + 1]!.offset))
      return "S8";
  }
  return undefined;
}

/** The content that the runs stand for, with `dataBytes` giving the bytes at an address of the file. */
export function contentOf(
  { runs }: Resolved,
  dataBytes: (address: number, length: number) => Uint8Array,
): Content {
  return runs.flatMap(({ from, to, winner }): Content => {
    const length = to - from;
    if (winner?.kind === "inline")
      return [
        { length, bytes: winner.payload.subarray(from - winner.offset, from - winner.offset + length) },
      ];
    if (winner?.kind === "ref")
      return [{ length, bytes: dataBytes(winner.address + from - winner.offset, length) }];
    return zeros(length);
  });
}
