/**
 * One allocation explained: every statement that names it, who wins which bytes, and why.
 *
 *  (1) Who wins is asked of the same sweep that opens a file; only the reasons are found here.
 *  (2) Bytes are not read: a run is a claim, whatever its length.
 *  (3) No more than `rowsMax` statements and runs are listed; the others are counted.
 *
 * Cost: one pass over the table; O(k log k) for the k statements of the allocation.
 */

import type { StorageFile } from "../../storage/storage.ts";
import { requireId } from "../arguments.ts";
import {
  addressPage,
  contentOffset,
  firstOrdinaryPage,
  headerContentOffset,
  pageBytes,
} from "../format/layout.ts";
import { pageContentBytes } from "../format/page.ts";
import {
  isContent,
  StatementReader,
  statementNames,
  tagGrow,
  tagInline,
  tagRef,
  tagShrink,
  tagTombstone,
} from "../format/statement.ts";
import { Sweep, type SweepTarget, type SweptId, type SweptStatement } from "../open/sweep.ts";
import {
  type AllocationDocument,
  documentVersion,
  type RecordRow,
  type RunRow,
  type StatementRow,
} from "./document.ts";
import type { Frames } from "./frames.ts";
import { changes, readJournalContents } from "./journal-contents.ts";
import { mergeOf, type World } from "./world.ts";

export const rowsMax = 100_000;

/** A statement as it was read, and what it was found to do. */
interface Stated {
  readonly kind: number;
  readonly epoch: number;
  readonly page: number;
  readonly at: number;
  readonly offset: number;
  readonly size: number;
  readonly address: number;
  readonly framing: number;
  wins: number;
}

interface Run {
  readonly from: number;
  readonly to: number;
  readonly winner: SweptStatement | undefined;
}

/** What the sweep finds of one allocation. */
class Resolved implements SweepTarget {
  readonly runs: Run[] = [];
  omitted = 0;
  result: SweptId | undefined;
  readonly #id: number;

  constructor(id: number) {
    this.#id = id;
  }

  fragment(id: number, from: number, to: number, winner: SweptStatement | undefined): void {
    if (id !== this.#id) return;
    if (this.runs.length < rowsMax) this.runs.push({ from, to, winner });
    else this.omitted++;
  }

  finish(swept: SweptId): void {
    if (swept.id === this.#id) this.result = swept;
  }
}

export function explainAllocation(
  file: StorageFile,
  world: World,
  frames: Frames,
  id: number,
): AllocationDocument {
  requireId("id", id);
  const { statements, omitted } = statementsOf(world, id);
  const resolved = new Resolved(id);
  let conflict: string | null = null;
  new Sweep(mergeOf(world, file.name), resolved, file.name).run((error) => {
    if (error.id === id) conflict = error.message;
  });
  const { result } = resolved;
  const layers = new Layers(statements);
  const runs = resolved.runs.map((run) => runRow(run, layers, frames, world));
  return {
    format: "kladde allocation",
    version: documentVersion,
    file: file.name,
    id,
    complete: world.complete,
    exists: conflict === null ? (result?.exists ?? false) : null,
    size: conflict === null ? (result?.size ?? 0) : null,
    existsBecause: whyExists(statements, conflict),
    sizeBecause: whySize(resolved),
    conflict,
    statements: statements.map((each) => statementRow(each, result)),
    statementsOmitted: omitted,
    runs,
    runsOmitted: resolved.omitted,
    pending: pendingRecords(file, world, id),
  };
}

const reader = new StatementReader();

/** The newest first; those of one epoch by their place in the allocation. */
function statementsOf(
  { state, statementPages }: World,
  id: number,
): { readonly statements: Stated[]; readonly omitted: number } {
  const found: Stated[] = [];
  let omitted = 0;
  for (const page of statementPages) {
    const bytes = state.pages.resident.get(page)!;
    const isHeader = page === state.headerPage;
    const start = isHeader ? headerContentOffset : contentOffset;
    reader.open(bytes, start, start + pageContentBytes(bytes, isHeader), "", page);
    reader.children();
    while (reader.next() && reader.id <= id) {
      if (reader.id !== id) continue;
      if (found.length === rowsMax) {
        omitted++;
        continue;
      }
      const { kind, start: at, offset, size, address, framing } = reader;
      found.push({
        kind,
        epoch: state.pages.epoch[page]!,
        page,
        at,
        offset,
        size,
        address,
        framing,
        wins: 0,
      });
    }
  }
  found.sort((a, b) => b.epoch - a.epoch || a.offset - b.offset || a.page - b.page || a.at - b.at);
  return { statements: found, omitted };
}

const endOf = ({ kind, offset, size }: Stated): number =>
  kind === tagShrink || kind === tagTombstone ? Number.POSITIVE_INFINITY : offset + size;

const keyOf = (page: number, kind: number, offset: number, end: number): string =>
  `${page} ${kind} ${offset} ${end}`;

/** Finds statements: the one that the sweep names, and how many cover any of a range, by two sorted lists. */
class Layers {
  readonly statements: readonly Stated[];
  readonly #rows = new Map<string, number>();
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;

  constructor(statements: readonly Stated[]) {
    this.statements = statements;
    for (const [row, each] of statements.entries())
      this.#rows.set(keyOf(each.page, each.kind, each.offset, endOf(each)), row);
    const covering = statements.filter(
      ({ kind, size }) => kind !== tagGrow && !(isContent(kind) && size === 0),
    );
    this.#starts = Float64Array.from(covering, ({ offset }) => offset).sort();
    this.#ends = Float64Array.from(covering, endOf).sort();
  }

  /** Row of the statement, undefined if it is not listed. */
  rowOf({ page, kind, offset, end }: SweptStatement): number | undefined {
    return this.#rows.get(keyOf(page, kind, offset, end));
  }

  over(from: number, to: number): number {
    return countBelow(this.#starts, to) - countBelow(this.#ends, from + 1);
  }
}

/** Entries of ascending `values` that are less than `bound`. */
function countBelow(values: Float64Array, bound: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (values[middle]! < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}

function runRow({ from, to, winner }: Run, layers: Layers, frames: Frames, world: World): RunRow {
  if (winner === undefined)
    return { from, to, winner: null, content: "zeros", why: "nothing states them", fault: null };
  const row = layers.rowOf(winner);
  const statement = row === undefined ? undefined : layers.statements[row]!;
  if (statement !== undefined) statement.wins += to - from;
  const content = winner.kind === tagRef ? "data" : winner.kind === tagInline ? "inline" : "zeros";
  const fault = winner.kind === tagRef ? dataFault(winner, from, to, frames, world.header.epoch) : null;
  const why = statement === undefined ? "a statement not listed" : whyWins(statement, layers.over(from, to));
  return { from, to, winner: row ?? null, content, why, fault };
}

function isSame(stated: Stated, swept: SweptStatement): boolean {
  const { kind, page, offset, end } = swept;
  return stated.page === page && stated.kind === kind && stated.offset === offset && endOf(stated) === end;
}

function whyWins({ kind, offset }: Stated, layers: number): string {
  const place =
    layers === 1 ? "nothing else covers them" : `the newest of ${layers} that cover bytes of them`;
  if (kind === tagShrink) return `${place}; it denies everything older from byte ${offset} on`;
  return kind === tagTombstone ? `${place}; it denies everything older` : place;
}

function dataFault(
  winner: SweptStatement,
  from: number,
  to: number,
  frames: Frames,
  epoch: number,
): string | null {
  const page = addressPage(winner.address);
  const offset = winner.address - page * pageBytes + (from - winner.offset);
  const fault = frames.dataFault(page, epoch);
  if (fault !== undefined) return fault;
  const isInside = offset >= contentOffset && offset + (to - from) <= frames.contentEnd(page);
  return isInside ? null : "the bytes lie outside the page's content";
}

const named = ({ kind, offset, size, epoch }: Pick<Stated, "kind" | "offset" | "size" | "epoch">): string => {
  const name = statementNames[kind]!;
  const range = isContent(kind)
    ? ` of ${offset} to ${offset + size}`
    : kind === tagTombstone
      ? ""
      : ` to ${offset}`;
  return `${name}${range} of epoch ${epoch}`;
};

const sweptName = (swept: SweptStatement): string =>
  named({ ...swept, size: swept.end === Number.POSITIVE_INFINITY ? 0 : swept.end - swept.offset });

function whyExists(statements: readonly Stated[], conflict: string | null): string {
  const newest = statements[0];
  if (conflict !== null) return "its statements contradict each other";
  if (newest === undefined) return "no statement names it";
  return newest.kind === tagTombstone
    ? `its newest statement is a ${named(newest)}`
    : `its newest statement is no Tombstone but ${named(newest)}`;
}

function whySize({ result, runs }: Resolved): string {
  if (result === undefined) return "it has none";
  const { exists, size, provenSize, anchor, grow } = result;
  if (!exists) return "it does not exist";
  if (grow !== undefined && grow.end > provenSize) return `${sweptName(grow)}; nothing else reaches as far`;
  if (anchor !== undefined && anchor.kind === tagShrink && anchor.offset === size)
    return `its anchor, ${sweptName(anchor)}`;
  if (size === 0) return grow === undefined ? "nothing reaches past 0" : sweptName(grow);
  const last = runs.at(-1)?.winner;
  return last === undefined ? "content that ends there" : `${sweptName(last)} ends there`;
}

function statementRow(stated: Stated, result: SweptId | undefined): StatementRow {
  const { kind, epoch, page, at, offset, size, address, framing, wins } = stated;
  const isRef = kind === tagRef;
  const dataPage = isRef ? addressPage(address) : null;
  const role = result === undefined ? undefined : roleOf(stated, result);
  return {
    statement: statementNames[kind]!,
    epoch,
    page,
    at,
    offset,
    length: size,
    dataPage,
    dataOffset: dataPage === null ? null : address - dataPage * pageBytes,
    framingBytes: framing,
    wins,
    live: wins > 0 || role?.live === true,
    why: role?.why ?? "not resolved: the allocation's statements contradict each other",
  };
}

interface Role {
  readonly live: boolean;
  readonly why: string;
}

function roleOf(stated: Stated, result: SweptId): Role {
  const { kind } = stated;
  if (kind === tagGrow) return growRole(stated, result);
  if (kind === tagShrink || kind === tagTombstone) return anchorRole(stated, result);
  if (stated.size === 0) return { live: false, why: "of length 0, it says nothing" };
  if (stated.wins === stated.size) return { live: true, why: "wins all its bytes" };
  if (stated.wins > 0) return { live: true, why: "newer statements win the rest of its bytes" };
  const { anchor } = result;
  if (anchor !== undefined && anchor.epoch > stated.epoch && stated.offset >= anchor.offset)
    return { live: false, why: `dead: denied by the ${sweptName(anchor)}` };
  return { live: false, why: "dead: newer statements win all its bytes" };
}

function growRole(stated: Stated, { exists, size, provenSize, grow, anchor }: SweptId): Role {
  const isWitness = grow !== undefined && isSame(stated, grow) && exists;
  if (isWitness && grow.end > provenSize) return { live: true, why: "alone proves the size" };
  if (isWitness && size === 0) return { live: true, why: "proves that the allocation exists" };
  if (anchor !== undefined && anchor.epoch >= stated.epoch)
    return { live: false, why: `dead: overruled by the ${sweptName(anchor)}` };
  return { live: false, why: "dead: the size is proved without it" };
}

function anchorRole(stated: Stated, { anchor, exists, mentions }: SweptId): Role {
  if (anchor !== undefined && isSame(stated, anchor)) {
    if (stated.kind === tagShrink)
      return { live: true, why: `the anchor: of older ones, only bytes below ${stated.offset} count` };
    const isNeeded = exists || mentions > 1;
    return {
      live: isNeeded,
      why: isNeeded ? "the anchor: no older one counts" : "nothing older is left to deny",
    };
  }
  const why = anchor === undefined ? "dead" : `no longer the anchor, which is the ${sweptName(anchor)}`;
  return {
    live: stated.wins > 0,
    why: stated.wins > 0 ? `${why}; still wins bytes as zeros` : `dead: ${why}`,
  };
}

function pendingRecords(file: StorageFile, { header }: World, id: number): RecordRow[] {
  if (header.fields.journalPointer < firstOrdinaryPage) return [];
  const ignore = (): void => {};
  const { listed } = readJournalContents(file, header, ignore, (row) => changes(row, id));
  return listed.flatMap(({ records }) => records);
}
