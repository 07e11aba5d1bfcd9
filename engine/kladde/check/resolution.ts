/**
 * Resolving one allocation by the letter of the format: at each offset the newest statement that covers it has won.
 * So the statements paint, newest first, what nothing has painted yet. This is not the way in which the engine loads a
 * file.
 *
 *  (1) A Tombstone paints everything, a Shrink everything from its bound up, content its range, a Grow nothing.
 *  (2) The size is the largest of the anchor's bound, the bounds of newer Grows and the ends of newer content.
 *  (3) Between two neighbouring bounds of statements one paint covers all. A stretch that is painted points past
 *      itself, so that nobody meets it again.
 *
 * Cost: O(k log k) for k statements, however they lie: a file may say anything.
 */

import { AssertionError } from "../../errors.ts";
import { isContent, tagGrow, tagShrink, tagTombstone } from "../format/statement.ts";
import { grown } from "../state/columns.ts";
import { noStatement, type TableStatements } from "./statements.ts";

export class Resolution {
  /** Of the allocation resolved last: its statements, oldest first; those of one epoch by their start. */
  readonly statements: number[] = [];
  /** Where the winner changes, from 0 on, and who it is from there; beyond the size too. */
  segments = 0;
  starts: Float64Array = new Float64Array(64);
  winners: Uint32Array = new Uint32Array(64);
  /** While painting, of each segment: the next one that is bare, as far as is known; of a bare one itself. */
  #bare: Uint32Array = new Uint32Array(65);
  exists = false;
  size = 0;
  /** The size as the statements say it that something in memory still holds. */
  liveSize = 0;
  /** Whether those also say that the allocation exists, or does not. */
  liveExists = false;
  /** The newest Shrink or Tombstone. */
  anchor = noStatement;

  /** Collects the statements of the chain that starts at `first`, and resolves them. */
  resolve(table: TableStatements, first: number): void {
    const { statements } = this;
    statements.length = 0;
    for (let at = first; at !== noStatement; at = table.next[at]!) statements.push(at);
    if (statements.length > 1) sort(table, statements);
    this.segments = 1;
    this.starts[0] = 0;
    this.winners[0] = noStatement;
    this.#paintAll(table);
    const newest = statements.at(-1);
    this.exists = newest !== undefined && table.kind[newest] !== tagTombstone;
    this.anchor = this.#newestAnchor(table, false);
    this.size = this.#sizeAbove(table, this.anchor, false);
  }

  /** Once every statement that memory holds has its slot: what they say without the others. */
  resolveLive(table: TableStatements): void {
    const newest = this.statements.findLast((at) => table.slot[at] !== 0);
    this.liveExists = newest !== undefined && table.kind[newest] !== tagTombstone;
    this.liveSize = this.#sizeAbove(table, this.#newestAnchor(table, true), true);
  }

  #newestAnchor(table: TableStatements, liveOnly: boolean): number {
    const { statements } = this;
    for (let i = statements.length - 1; i >= 0; i--) {
      const at = statements[i]!;
      const kind = table.kind[at]!;
      if ((kind === tagShrink || kind === tagTombstone) && (!liveOnly || table.slot[at] !== 0)) return at;
    }
    return noStatement;
  }

  #sizeAbove(table: TableStatements, anchor: number, liveOnly: boolean): number {
    const anchorEpoch = anchor === noStatement ? -1 : table.epoch[anchor]!;
    let size = anchor === noStatement ? 0 : table.offset[anchor]!;
    for (const at of this.statements) {
      if (table.epoch[at]! <= anchorEpoch || (liveOnly && table.slot[at] === 0)) continue;
      const counts = table.kind[at] === tagGrow || (isContent(table.kind[at]!) && table.size[at]! > 0);
      if (counts) size = Math.max(size, table.offset[at]! + table.size[at]!);
    }
    return size;
  }

  #paintAll(table: TableStatements): void {
    const { statements } = this;
    if (statements.length === 0 || (statements.length === 1 && this.#paintsAlone(table, statements[0]!)))
      return;
    this.#mark(table);
    const { starts, winners, segments } = this;
    winners.fill(noStatement, 0, segments);
    for (let segment = 0; segment <= segments; segment++) this.#bare[segment] = segment;
    for (let i = statements.length - 1; i >= 0; i--) {
      const at = statements[i]!;
      const to = paintedTo(table, at);
      if (to <= table.offset[at]!) continue;
      for (
        let segment = this.#bareFrom(this.#segmentAt(table.offset[at]!));
        segment < segments && starts[segment]! < to;
        segment = this.#bareFrom(segment)
      ) {
        winners[segment] = at;
        this.#bare[segment] = segment + 1;
      }
    }
    this.#joinEqual();
  }

  /** Marks every bound of a statement, in ascending order and each once. */
  #mark(table: TableStatements): void {
    const marksMax = 2 * this.statements.length + 1;
    this.starts = grown(this.starts, marksMax);
    this.winners = grown(this.winners, marksMax);
    this.#bare = grown(this.#bare, marksMax + 1);
    const { starts } = this;
    starts[0] = 0;
    let marks = 1;
    for (const at of this.statements) {
      const to = paintedTo(table, at);
      if (to <= table.offset[at]!) continue;
      starts[marks++] = table.offset[at]!;
      if (to < Number.POSITIVE_INFINITY) starts[marks++] = to;
    }
    starts.subarray(0, marks).sort();
    let segments = 1;
    for (let i = 1; i < marks; i++) if (starts[i] !== starts[segments - 1]) starts[segments++] = starts[i]!;
    this.segments = segments;
  }

  /** The first segment from `segment` on that nothing has painted. */
  #bareFrom(segment: number): number {
    const bare = this.#bare;
    let found = segment;
    while (bare[found] !== found) found = bare[found]!;
    for (let at = segment; at !== found; ) {
      const next = bare[at]!;
      bare[at] = found;
      at = next;
    }
    return found;
  }

  /** Neighbours with the same winner become one segment. */
  #joinEqual(): void {
    const { starts, winners } = this;
    let kept = 0;
    for (let segment = 1; segment < this.segments; segment++) {
      if (winners[segment] === winners[kept]) continue;
      kept++;
      starts[kept] = starts[segment]!;
      winners[kept] = winners[segment]!;
    }
    this.segments = kept + 1;
  }

  /** Most allocations have one statement, of their first bytes. */
  #paintsAlone(table: TableStatements, at: number): boolean {
    if (table.offset[at] !== 0) return false;
    const to = paintedTo(table, at);
    if (to > 0) this.winners[0] = at;
    if (to === 0 || to === Number.POSITIVE_INFINITY) return true;
    this.segments = 2;
    this.starts[1] = to;
    this.winners[1] = noStatement;
    return true;
  }

  /** The segment that begins at `offset`, which is marked. */
  #segmentAt(offset: number): number {
    const { starts } = this;
    let low = 0;
    let high = this.segments - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Where the paint of a statement ends; a Grow, and content of length 0, paint nothing. */
function paintedTo(table: TableStatements, at: number): number {
  const kind = table.kind[at]!;
  if (kind === tagShrink || kind === tagTombstone) return Number.POSITIVE_INFINITY;
  return kind === tagGrow ? table.offset[at]! : table.offset[at]! + table.size[at]!;
}

const placeAmongEqual = (table: TableStatements, at: number): number =>
  table.offset[at]! * 8 + table.kind[at]!;

const order = (table: TableStatements, a: number, b: number): number =>
  table.epoch[a]! - table.epoch[b]! || placeAmongEqual(table, a) - placeAmongEqual(table, b);

/** From here on the native sort is faster than insertion. */
const manyStatements = 24;

function sort(table: TableStatements, statements: number[]): void {
  if (statements.length >= manyStatements) {
    statements.sort((a, b) => order(table, a, b));
    return;
  }
  for (let i = 1; i < statements.length; i++) {
    const statement = statements[i]!;
    let to = i;
    for (; to > 0 && order(table, statements[to - 1]!, statement) > 0; to--)
      statements[to] = statements[to - 1]!;
    statements[to] = statement;
  }
}

/**
 * Item 10: the statements of one allocation and epoch say each thing once. `statements` are ordered by epoch and
 * start. Of pages up to epoch `foreignUpTo`, written by an earlier session or by another writer, it is not asked that
 * a Grow stands alone, that no content is empty, and that a Tombstone is alone where something newer decides: such
 * pairs are met, and read correctly.
 */
export function requireNoConflict(
  table: TableStatements,
  statements: readonly number[],
  foreignUpTo: number,
): void {
  if (statements.length === 1 && isPlain(table, statements[0]!)) return;
  for (let from = 0; from < statements.length; ) {
    const epoch = table.epoch[statements[from]!]!;
    let to = from + 1;
    while (to < statements.length && table.epoch[statements[to]!] === epoch) to++;
    requireOneVoice(table, statements, from, to, epoch > foreignUpTo);
    from = to;
  }
}

const isPlain = (table: TableStatements, at: number): boolean =>
  table.size[at]! > 0 || !isContent(table.kind[at]!);

function requireOneVoice(
  table: TableStatements,
  statements: readonly number[],
  from: number,
  to: number,
  isOwn: boolean,
): void {
  let coveredTo = 0;
  let sizes = 0;
  let grow = noStatement;
  for (let i = from; i < to; i++) {
    const at = statements[i]!;
    const kind = table.kind[at]!;
    if (kind === tagTombstone) {
      if (to - from > 1 && isOwn) throw conflict(table, at, "is not alone in its epoch");
    } else if (kind === tagShrink || kind === tagGrow) {
      if (++sizes > 1 && isOwn) throw conflict(table, at, "is the second statement of a size");
      if (kind === tagGrow) grow = at;
      else {
        if (coveredTo > table.offset[at]!) throw conflict(table, at, "covers bytes that are stated");
        coveredTo = Number.POSITIVE_INFINITY;
      }
    } else if (table.size[at] === 0) {
      if (isOwn) throw conflict(table, at, "is empty");
    } else {
      if (coveredTo > table.offset[at]!) throw conflict(table, at, "states bytes that are stated");
      coveredTo = table.offset[at]! + table.size[at]!;
    }
  }
  if (grow !== noStatement && isOwn && coveredTo > table.offset[grow]!)
    throw conflict(table, grow, "lies in front of content");
}

const conflict = (table: TableStatements, statement: number, what: string): AssertionError =>
  new AssertionError(`item 10: ${table.describe(statement)} ${what}`);
