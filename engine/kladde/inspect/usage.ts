/**
 * What the resolved table takes and needs: the sums, for every page the bytes relied on, and rows of allocations.
 *
 *  (1) A statement is live if it wins a byte below the size, or is the anchor or the witness of an allocation.
 *  (2) Sizes are claims: a run of zeros is a count, whatever its length.
 *  (3) Bytes in a page that is damaged are counted as such; nothing is read here.
 *  (4) No allocation is remembered: whoever wants rows has the table resolved again, one id at a time.
 *
 * Cost: 20 bytes a page.
 */

import { addressPage, contentCapacity, contentOffset, pageBytes } from "../format/layout.ts";
import { tagInline, tagRef } from "../format/statement.ts";
import { Sweep, type SweepTarget, type SweptId, type SweptStatement } from "../open/sweep.ts";
import type { AllocationRow } from "./document.ts";
import type { Frames } from "./frames.ts";
import { mergeOf, type World } from "./world.ts";

/** The allocation that is being resolved. */
interface Current {
  id: number;
  dataBytes: number;
  inlineBytes: number;
  damagedBytes: number;
  zeroBytes: number;
  dataPages: number;
  fragments: number;
  dataRuns: number;
  liveStatements: number;
  framing: number;
  newestEpoch: number;
}

/** An allocation that is resolved, or as far as it could be. */
interface Finished {
  readonly current: Current;
  readonly size: number;
  /** Null if its statements contradict each other. */
  readonly mentions: number | null;
  readonly resolved: boolean;
}

/** Faults kept of pages past the end of the file. */
const faultsBeyondMax = 1000;

const nobody = (): Current => ({
  id: 0,
  dataBytes: 0,
  inlineBytes: 0,
  damagedBytes: 0,
  zeroBytes: 0,
  dataPages: 0,
  fragments: 0,
  dataRuns: 0,
  liveStatements: 0,
  framing: 0,
  newestEpoch: -1,
});

export class Usage implements SweepTarget {
  count = 0;
  bytes = 0;
  liveStatements = 0;
  liveFramingBytes = 0;
  /** By page: live bytes; allocations with data in it, the first of them and the last. */
  readonly live: Float64Array;
  readonly users: Uint32Array;
  readonly firstId: Uint32Array;
  readonly lastId: Uint32Array;
  /** By page: what is wrong with a data page that is needed. */
  readonly faults = new Map<number, string>();

  readonly #frames: Frames;
  readonly #epoch: number;
  #current = nobody();
  #finished: Finished | undefined;
  #faultsBeyond = 0;

  constructor(frames: Frames, epoch: number) {
    this.#frames = frames;
    this.#epoch = epoch;
    this.live = new Float64Array(frames.count);
    this.users = new Uint32Array(frames.count);
    this.firstId = new Uint32Array(frames.count);
    this.lastId = new Uint32Array(frames.count);
  }

  fragment(id: number, from: number, to: number, winner: SweptStatement | undefined): void {
    const current = this.#enter(id);
    current.fragments++;
    if (winner === undefined) {
      current.zeroBytes += to - from;
      return;
    }
    this.#count(winner);
    if (winner.epoch > current.newestEpoch) current.newestEpoch = winner.epoch;
    if (winner.kind === tagRef) this.#data(from, to, winner);
    else if (winner.kind === tagInline) {
      current.dataRuns++;
      current.inlineBytes += to - from;
      this.live[winner.page]! += to - from;
    } else current.zeroBytes += to - from;
  }

  finish({ id, exists, size, mentions, anchor, grow, provenSize }: SweptId): void {
    const current = this.#enter(id);
    // A freed allocation's tombstone is needed while anything else names it.
    if (anchor !== undefined && (exists || mentions > 1)) this.#count(anchor);
    if (grow !== undefined && exists && (grow.end > provenSize || size === 0)) this.#count(grow);
    this.liveStatements += current.liveStatements;
    this.liveFramingBytes += current.framing;
    this.#end(exists ? { current, size, mentions, resolved: true } : undefined);
  }

  /** The statements of `id` contradict each other: what came before is kept. */
  leave(id: number): void {
    const current = this.#enter(id);
    const size = current.dataBytes + current.inlineBytes + current.zeroBytes;
    this.#end({ current, size, mentions: null, resolved: false });
  }

  /** The row of the id that was finished or left last; undefined if it does not exist. */
  row(): AllocationRow | undefined {
    if (this.#finished === undefined) return undefined;
    const { current, size, mentions, resolved } = this.#finished;
    const { id, dataBytes, inlineBytes, newestEpoch } = current;
    const fewest = Math.max(1, Math.ceil((dataBytes + inlineBytes) / contentCapacity));
    return {
      id,
      size,
      dataBytes,
      inlineBytes,
      dataPages: current.dataPages,
      fragments: current.fragments,
      fragmentation: dataBytes + inlineBytes === 0 ? null : current.dataRuns / fewest,
      statements: mentions,
      liveStatements: current.liveStatements,
      descriptionBytes: current.framing,
      newestEpoch: newestEpoch < 0 ? null : newestEpoch,
      damagedBytes: current.damagedBytes,
      resolved,
    };
  }

  #end(finished: Finished | undefined): void {
    this.#finished = finished;
    this.#current = nobody();
    if (finished === undefined) return;
    this.count++;
    this.bytes += finished.size;
  }

  #enter(id: number): Current {
    if (this.#current.id !== id) this.#current = { ...nobody(), id };
    return this.#current;
  }

  #count(statement: SweptStatement): void {
    if (statement.slot !== 0) return;
    statement.slot = 1;
    this.#current.liveStatements++;
    this.#current.framing += statement.framing;
    this.live[statement.page]! += statement.framing;
  }

  #data(from: number, to: number, winner: SweptStatement): void {
    const current = this.#current;
    const page = addressPage(winner.address);
    const offset = winner.address - page * pageBytes + (from - winner.offset);
    current.dataRuns++;
    current.dataBytes += to - from;
    const fault = this.#dataFault(page, offset, to - from);
    if (fault !== undefined) {
      current.damagedBytes += to - from;
      this.#noteFault(page, fault);
    }
    if (page >= this.#frames.count) return;
    this.live[page]! += to - from;
    if (this.lastId[page] === current.id) return;
    current.dataPages++;
    if (this.users[page] === 0) this.firstId[page] = current.id;
    this.users[page]!++;
    this.lastId[page] = current.id;
  }

  /** Of pages that are not in the file a table may name any number. */
  #noteFault(page: number, fault: string): void {
    if (this.faults.has(page)) return;
    if (page < this.#frames.count || this.#faultsBeyond++ < faultsBeyondMax) this.faults.set(page, fault);
  }

  #dataFault(page: number, offset: number, length: number): string | undefined {
    const fault = this.#frames.dataFault(page, this.#epoch);
    if (fault !== undefined) return fault;
    if (offset >= contentOffset && offset + length <= this.#frames.contentEnd(page)) return undefined;
    return "bytes outside its content are named";
  }
}

/** Resolves the whole table of `world`. */
export function measureUsage(world: World, frames: Frames, file: string): Usage {
  const usage = new Usage(frames, world.header.epoch);
  new Sweep(mergeOf(world, file), usage, file).run((conflict) => usage.leave(conflict.id ?? 0));
  for (const [page, bytes] of coverageOfChildren(world)) usage.live[page]! += bytes;
  return usage;
}

/** Child references count for the page that lists them. */
function* coverageOfChildren({ state }: World): Generator<[number, number]> {
  for (const page of state.pages.resident.keys()) yield [page, state.pages.coverage[page]!];
}

/** The allocations of `world`, ascending by id. */
export function* allocationRows(
  world: World,
  frames: Frames,
  file: string,
): Generator<AllocationRow, void, undefined> {
  const usage = new Usage(frames, world.header.epoch);
  const sweep = new Sweep(mergeOf(world, file), usage, file);
  while (sweep.step((conflict) => usage.leave(conflict.id ?? 0))) {
    const row = usage.row();
    if (row !== undefined) yield row;
  }
}

/** The `count` largest of `rows`; of equal ones, those that come first. */
export function largestOf(rows: Iterable<AllocationRow>, count: number): AllocationRow[] {
  const largest: AllocationRow[] = [];
  for (const row of rows) {
    if (largest.length === count && row.size <= largest.at(-1)!.size) continue;
    let at = largest.length;
    while (at > 0 && largest[at - 1]!.size < row.size) at--;
    largest.splice(at, 0, row);
    if (largest.length > count) largest.pop();
  }
  return largest;
}
