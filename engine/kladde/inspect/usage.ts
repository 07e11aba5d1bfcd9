/**
 * What the resolved table takes and needs: a row for every allocation, and for every page the bytes relied on.
 *
 *  (1) A statement is live if it wins a byte below the size, or is the anchor or the witness of an allocation.
 *  (2) Sizes are claims: a run of zeros is a count, whatever its length.
 *  (3) Bytes in a page that is damaged are counted as such; nothing is read here.
 *
 * Cost: 58 bytes an existing allocation, 20 a page.
 */

import { addressPage, contentCapacity, contentOffset, pageBytes } from "../format/layout.ts";
import { tagInline, tagRef } from "../format/statement.ts";
import { Sweep, type SweepTarget, type SweptId, type SweptStatement } from "../open/sweep.ts";
import { grown } from "../state/columns.ts";
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
  #id = new Uint32Array(256);
  #size = new Float64Array(256);
  #dataBytes = new Float64Array(256);
  #inlineBytes = new Uint32Array(256);
  #damagedBytes = new Float64Array(256);
  #dataPages = new Uint32Array(256);
  #fragments = new Uint32Array(256);
  #dataRuns = new Uint32Array(256);
  #mentions = new Uint32Array(256);
  #live = new Uint32Array(256);
  #framing = new Uint32Array(256);
  #newest = new Float64Array(256);
  readonly #unresolved = new Set<number>();

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
    if (exists) this.#push(size, mentions);
    this.#current = nobody();
  }

  /** The statements of `id` contradict each other: what came before is kept. */
  leave(id: number): void {
    const current = this.#enter(id);
    this.#unresolved.add(this.count);
    this.#push(current.dataBytes + current.inlineBytes + current.zeroBytes, 0);
    this.#current = nobody();
  }

  *rows(): Generator<AllocationRow, void, undefined> {
    for (let row = 0; row < this.count; row++) yield this.row(row);
  }

  /** The rows of the `count` largest allocations; of equal ones, of those with the lowest ids. */
  largest(count: number): AllocationRow[] {
    const rows: number[] = [];
    for (let row = 0; row < this.count; row++) {
      if (rows.length === count && this.#size[row]! <= this.#size[rows.at(-1)!]!) continue;
      let at = rows.length;
      while (at > 0 && this.#size[rows[at - 1]!]! < this.#size[row]!) at--;
      rows.splice(at, 0, row);
      if (rows.length > count) rows.pop();
    }
    return rows.map((row) => this.row(row));
  }

  row(row: number): AllocationRow {
    const dataBytes = this.#dataBytes[row]!;
    const inlineBytes = this.#inlineBytes[row]!;
    const fewest = Math.max(1, Math.ceil((dataBytes + inlineBytes) / contentCapacity));
    const newest = this.#newest[row]!;
    return {
      id: this.#id[row]!,
      size: this.#size[row]!,
      dataBytes,
      inlineBytes,
      dataPages: this.#dataPages[row]!,
      fragments: this.#fragments[row]!,
      fragmentation: dataBytes + inlineBytes === 0 ? null : this.#dataRuns[row]! / fewest,
      statements: this.#unresolved.has(row) ? null : this.#mentions[row]!,
      liveStatements: this.#live[row]!,
      descriptionBytes: this.#framing[row]!,
      newestEpoch: newest < 0 ? null : newest,
      damagedBytes: this.#damagedBytes[row]!,
      resolved: !this.#unresolved.has(row),
    };
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
      if (!this.faults.has(page)) this.faults.set(page, fault);
    }
    if (page >= this.#frames.count) return;
    this.live[page]! += to - from;
    if (this.lastId[page] === current.id) return;
    current.dataPages++;
    if (this.users[page] === 0) this.firstId[page] = current.id;
    this.users[page]!++;
    this.lastId[page] = current.id;
  }

  #dataFault(page: number, offset: number, length: number): string | undefined {
    const fault = this.#frames.dataFault(page, this.#epoch);
    if (fault !== undefined) return fault;
    if (offset >= contentOffset && offset + length <= this.#frames.contentEnd(page)) return undefined;
    return "bytes outside its content are named";
  }

  #push(size: number, mentions: number): void {
    const row = this.count++;
    if (row === this.#id.length) this.#grow(row + 1);
    const current = this.#current;
    this.bytes += size;
    this.#id[row] = current.id;
    this.#size[row] = size;
    this.#dataBytes[row] = current.dataBytes;
    this.#inlineBytes[row] = current.inlineBytes;
    this.#damagedBytes[row] = current.damagedBytes;
    this.#dataPages[row] = current.dataPages;
    this.#fragments[row] = current.fragments;
    this.#dataRuns[row] = current.dataRuns;
    this.#mentions[row] = mentions;
    this.#live[row] = current.liveStatements;
    this.#framing[row] = current.framing;
    this.#newest[row] = current.newestEpoch;
  }

  #grow(rows: number): void {
    this.#id = grown(this.#id, rows);
    this.#size = grown(this.#size, rows);
    this.#dataBytes = grown(this.#dataBytes, rows);
    this.#inlineBytes = grown(this.#inlineBytes, rows);
    this.#damagedBytes = grown(this.#damagedBytes, rows);
    this.#dataPages = grown(this.#dataPages, rows);
    this.#fragments = grown(this.#fragments, rows);
    this.#dataRuns = grown(this.#dataRuns, rows);
    this.#mentions = grown(this.#mentions, rows);
    this.#live = grown(this.#live, rows);
    this.#framing = grown(this.#framing, rows);
    this.#newest = grown(this.#newest, rows);
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
