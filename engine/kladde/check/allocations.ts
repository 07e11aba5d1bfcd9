/**
 * What memory holds of each allocation, compared with what its statements say (items 1, 2, 4, 6, 7, 10 and 12).
 *
 *  (1) Every slot of the slab that something names stands for one statement of the table, the same at each place.
 *  (2) A tombstone older than everything else of its allocation may have been let go although it is still in its
 *      page; what it wins is then zero by default.
 *  (3) The statements that memory holds say as much as all of them: the others may leave with their pages.
 *
 * Cost: a pass over statements and fragments.
 */

import { AssertionError, assert } from "../../errors.ts";
import { addressOf } from "../format/layout.ts";
import { tagGrow, tagInline, tagRef, tagShrink, tagTombstone, tagZero } from "../format/statement.ts";
import { grown } from "../state/columns.ts";
import { kindBytes, kindZero, kindZeroByDefault } from "../state/fragments.ts";
import type { StoreState } from "../state/state.ts";
import { Resolution, requireNoConflict } from "./resolution.ts";
import { noStatement, type TableStatements } from "./statements.ts";

/** What the allocations need, counted afresh. */
export class Needs {
  /** By slot of the slab. */
  pins: Uint32Array = new Uint32Array(1024);
  /** By page: content bytes that fragments name, framing and child references. */
  coverage: Float64Array = new Float64Array(256);

  clear(slots: number, pages: number): void {
    this.pins = grown(this.pins, slots);
    this.pins.fill(0, 0, slots);
    this.coverage = grown(this.coverage, pages);
    this.coverage.fill(0, 0, pages);
  }
}

export class AllocationCheck {
  readonly #state: StoreState;
  readonly #table: TableStatements;
  readonly #needs: Needs;
  readonly #foreignUpTo: number;
  readonly #unproven: readonly number[];
  readonly #resolution = new Resolution();
  /** Position of the next fragment. */
  #at = -1;

  /** `unproven`: ids that the next flush will prove. */
  constructor(
    state: StoreState,
    table: TableStatements,
    needs: Needs,
    foreignUpTo: number,
    unproven: readonly number[],
  ) {
    this.#unproven = unproven;
    this.#state = state;
    this.#table = table;
    this.#needs = needs;
    this.#foreignUpTo = foreignUpTo;
  }

  /** Checks every id below `nextFresh`, and that there is none beyond. */
  run(): void {
    const { allocations, fragments, ids } = this.#state;
    this.#at = fragments.first();
    let existing = 0;
    let bytes = 0;
    let mentions = 0;
    for (const id of knownIds(this.#state, this.#table)) {
      const row = allocations.row(id);
      if (id >= ids.nextFresh) throw fault(12, id, "is known but counts as fresh");
      mentions += this.#check(id, row);
      if (!allocations.exists(id)) continue;
      existing++;
      bytes += allocations.size[row]!;
    }
    this.#requireNothingElse();
    assert(this.#at < 0, `item 1: allocation ${fragments.keyId[this.#at]} has fragments but does not exist`);
    assert(mentions === this.#table.count, "item 7: a statement names an allocation that was passed over");
    assert(allocations.existing.count === existing, "item 1: the set of existing allocations is another one");
    assert(allocations.bytes === bytes, `item 1: sizes add up to ${bytes}, not ${allocations.bytes}`);
  }

  /** What the columns hold in all is what the checked ids hold: none passed over has anything. */
  #requireNothingElse(): void {
    const { allocations, fragments, slab } = this.#state;
    const sum = (column: Uint32Array): number => column.reduce((total, each) => total + each, 0);
    const table = this.#table;
    let framing = 0;
    for (let slot = 1; slot < slab.end; slot++) if (slab.pins[slot]! > 0) framing += slab.framing[slot]!;
    assert(
      sum(allocations.mentions) === table.count,
      "item 7: an allocation that no statement names has mentions",
    );
    assert(sum(allocations.fragments) === fragments.count, "item 2: fragments and their counts differ");
    assert(
      sum(allocations.statementBytes) === framing,
      "item 6: an allocation without statements has framing",
    );
    assert(sum(allocations.record) === 0, "item 1: an allocation has a flush's record outside a flush");
  }

  #check(id: number, row: number): number {
    const { allocations, ids } = this.#state;
    const resolution = this.#resolution;
    resolution.resolve(this.#table, this.#table.first[row]!);
    requireNoConflict(this.#table, resolution.statements, this.#foreignUpTo);
    const count = resolution.statements.length;
    requireCount(7, id, "mentions", allocations.mentions[row]!, count);
    const exists = allocations.exists(id);
    if (exists !== resolution.exists)
      throw fault(4, id, `${exists ? "exists" : "does not exist"} in memory, its statements say otherwise`);
    if (exists && ids.isRecyclable(id)) throw fault(12, id, "exists and could be minted");
    requireCount(4, id, "bytes", allocations.sizeOf(id), resolution.size);
    this.#bindHolders(id, row, exists);
    const fragmentCount = this.#walk(id, exists ? allocations.size[row]! : 0);
    requireCount(2, id, "fragments", allocations.fragments[row]!, fragmentCount);
    this.#checkLive(id, row, exists, count);
    return count;
  }

  /** Anchor and witness (item 4). */
  #bindHolders(id: number, row: number, exists: boolean): void {
    const { allocations } = this.#state;
    const { anchor: newest } = this.#resolution;
    const table = this.#table;
    const anchor = allocations.anchor[row]!;
    const grow = allocations.grow[row]!;
    if (anchor !== 0) {
      if (newest === noStatement) throw fault(4, id, "has an anchor that no page has");
      this.#hold(anchor, newest, id);
      const bound = table.offset[newest]!;
      requireCount(4, id, "anchored bytes", allocations.anchorBound[row]!, bound);
      if (bound > allocations.sizeOf(id)) throw fault(4, id, "has an anchor beyond its size");
      if (!exists && this.#resolution.statements.length === 1)
        throw fault(4, id, "has a tombstone that nothing needs");
    } else if (exists && newest !== noStatement && !this.#isLetGo(newest))
      throw fault(4, id, `has no anchor, though there is ${table.describe(newest)}`);
    if (grow === 0) return;
    if (!exists) throw fault(4, id, "has a grow witness but does not exist");
    requireCount(4, id, "witnessed bytes", allocations.growBound[row]!, allocations.size[row]!);
    this.#hold(grow, this.#findGrow(id, row, grow), id);
  }

  /** The Grow that the witness must be: in its page, to its bound, not older than the anchor. */
  #findGrow(id: number, row: number, slot: number): number {
    const { slab, allocations } = this.#state;
    const table = this.#table;
    const anchorEpoch = this.#resolution.anchor === noStatement ? -1 : table.epoch[this.#resolution.anchor]!;
    const found = this.#resolution.statements.find(
      (at) =>
        table.kind[at] === tagGrow &&
        table.page[at] === slab.page[slot] &&
        table.offset[at] === allocations.growBound[row],
    );
    if (found === undefined) throw fault(4, id, "has a grow witness that no page has");
    if (table.epoch[found]! < anchorEpoch)
      throw fault(4, id, `holds ${table.describe(found)}, though its anchor is newer`);
    return found;
  }

  /** Compares the fragments of `id` with what was painted, and returns how many there are. */
  #walk(id: number, size: number): number {
    const { fragments } = this.#state;
    const { starts, segments } = this.#resolution;
    let count = 0;
    let expected = 0;
    let segment = 0;
    for (; this.#at >= 0 && fragments.keyId[this.#at] === id; this.#at = fragments.next(this.#at), count++) {
      const from = fragments.keyOffset[this.#at]!;
      const to = this.#state.fragmentEnd(this.#at, id, size);
      if (from !== expected || to <= from || to > size)
        throw fault(
          1,
          id,
          `of ${size} bytes has a fragment from ${from} to ${to}, expected from ${expected}`,
        );
      while (segment + 1 < segments && starts[segment + 1]! <= from) segment++;
      const end = segment + 1 < segments ? starts[segment + 1]! : Number.POSITIVE_INFINITY;
      if (to > end) throw fault(4, id, `has a fragment at ${from} past ${end}, where another statement wins`);
      this.#compare(id, from, to, this.#resolution.winners[segment]!);
      expected = to;
    }
    if (expected !== size) throw fault(1, id, `has fragments up to ${expected}, not to ${size}`);
    return count;
  }

  /** One fragment against the statement that has won its bytes. */
  #compare(id: number, from: number, to: number, winner: number): void {
    const { fragments } = this.#state;
    const table = this.#table;
    const kind = fragments.kind[this.#at]!;
    if (!this.#isWonBy(kind, from, winner))
      throw fault(4, id, `has a fragment of kind ${kind} at ${from}, won by ${table.describe(winner)}`);
    if (kind === kindZeroByDefault) return;
    this.#hold(fragments.ref[this.#at]!, winner, id);
    if (kind === kindBytes) this.#needs.coverage[fragments.page[this.#at]!]! += to - from;
  }

  /** Whether the current fragment, which starts at `from`, is what `winner` says. */
  #isWonBy(kind: number, from: number, winner: number): boolean {
    const { fragments } = this.#state;
    const table = this.#table;
    if (kind === kindZeroByDefault) return winner === noStatement || this.#isLetGo(winner);
    if (winner === noStatement) return false;
    const won = table.kind[winner]!;
    if (kind === kindZero) return won === tagZero || won === tagShrink || won === tagTombstone;
    if (kind !== kindBytes) return false;
    const place = addressOf(fragments.page[this.#at]!, fragments.pageOffset[this.#at]!);
    const inside = from - table.offset[winner]!;
    if (won === tagRef) return place === table.address[winner]! + inside;
    return won === tagInline && place === addressOf(table.page[winner]!, table.payloadAt[winner]!) + inside;
  }

  /** Something names `slot`, which must be `statement`, now and wherever else it is named. */
  #hold(slot: number, statement: number, id: number): void {
    const { slab } = this.#state;
    const table = this.#table;
    const isSame =
      slot !== 0 &&
      slot < slab.end &&
      slab.page[slot] === table.page[statement] &&
      slab.id[slot] === id &&
      slab.kind[slot] === table.kind[statement] &&
      slab.framing[slot] === table.framing[statement];
    const known = table.slot[statement]!;
    const isFirst = known === 0 && this.#needs.pins[slot] === 0;
    if (!isSame || !(isFirst || known === slot))
      throw fault(3, id, `holds slot ${slot}, which is not ${table.describe(statement)}, of slot ${known}`);
    if (isFirst) {
      table.slot[statement] = slot;
      this.#needs.coverage[table.page[statement]!]! += table.framing[statement]!;
    }
    this.#needs.pins[slot]!++;
  }

  /** A tombstone in the page that memory has let go: older than everything else, and without a slot. */
  #isLetGo(statement: number): boolean {
    const { statements } = this.#resolution;
    return (
      this.#table.kind[statement] === tagTombstone &&
      statement === statements[0] &&
      this.#table.slot[statement] === 0
    );
  }

  /** Framing of what is held (item 6), and that it says as much as everything does (item 4). */
  #checkLive(id: number, row: number, exists: boolean, mentions: number): void {
    const { allocations } = this.#state;
    const table = this.#table;
    const resolution = this.#resolution;
    let framing = 0;
    for (const at of resolution.statements) if (table.slot[at] !== 0) framing += table.framing[at]!;
    requireCount(6, id, "bytes of live framing", allocations.statementBytes[row]!, framing);
    if (!exists) {
      if (mentions > 1 && allocations.anchor[row] === 0)
        throw fault(4, id, `was freed, ${mentions} statements name it, and its tombstone is let go`);
      return;
    }
    const { anchor } = resolution;
    if (allocations.anchor[row] === 0 && anchor !== noStatement && table.slot[anchor] !== 0)
      throw fault(4, id, `has bytes from ${table.describe(anchor)}, which is not its anchor`);
    resolution.resolveLive(table);
    const proved = resolution.liveExists ? resolution.liveSize : -1;
    if (proved !== resolution.size && !(proved < 0 && this.#unproven.includes(id)))
      throw fault(4, id, `has ${resolution.size} bytes, of which its live statements prove ${proved}`);
  }
}

const fault = (item: number, id: number, what: string): AssertionError =>
  new AssertionError(`item ${item}: allocation ${id} ${what}`);

function requireCount(item: number, id: number, what: string, found: number, expected: number): void {
  if (found !== expected)
    throw fault(item, id, `has ${found} ${what} in memory, its statements give ${expected}`);
}

/** Every id that exists or that a statement names, ascending. */
function knownIds(state: StoreState, table: TableStatements): Uint32Array {
  const { existing } = state.allocations;
  const all = new Uint32Array(existing.count + table.count);
  let count = 0;
  for (let id = existing.next(1); id >= 0; id = existing.next(id + 1)) all[count++] = id;
  for (let at = 0; at < table.count; at++)
    if (!existing.has(table.id[at]!) && table.next[at] === noStatement) all[count++] = table.id[at]!;
  return all.subarray(0, count).sort();
}
