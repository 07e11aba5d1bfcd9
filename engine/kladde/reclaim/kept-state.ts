/**
 * Keeping what consolidation has learned in the file: the budget, where the window stands, and when each allocation
 * was last written.
 *
 *  (1) Written by every flush right after the fold, so it holds what was known then: its bytes are packed with the
 *      rest. A record per flush is appended; when the records outgrow the snapshot they follow, a new one replaces all.
 *  (2) A snapshot names the allocations whose age the pages themselves would not give: without a record, or without a
 *      state, an id counts as written when the youngest page that holds a byte of it was.
 *  (3) A state that is foreign, damaged or behind the file is overwritten; its allocation is kept. Nothing in it can
 *      fail an open or change content.
 *
 * Cost: one small inline run a flush, some bytes per id written, and a pass over the allocations per snapshot.
 */

import { StoreError } from "../../errors.ts";
import type { FlushContext } from "../flush/context.ts";
import { readCommitted } from "../read.ts";
import { kindZeroByDefault } from "../state/fragments.ts";
import { pageData } from "../state/pages.ts";
import { originArena, placeInline, placeUnplaced } from "../state/pending.ts";
import { isWritten } from "../state/records.ts";
import { allocate, resize } from "../state/sizes.ts";
import type { StoreState } from "../state/state.ts";
import { take } from "../state/taking.ts";
import { decodeState, encodeFields, encodeRecord, fixedBytes, type StateFields, visitAges } from "./ages.ts";

/** A snapshot is not replaced before this many bytes were appended to it. */
const appendedBytesMin = 64;
/** A state beyond this size is nobody's: not even the ids of a file of terabytes need it. */
const stateBytesMax = 2 ** 26;

export interface Position {
  readonly id: number;
  readonly offset: number;
}

/**
 * Sets the ages of all allocations as the pages give them: the epoch of the youngest page that holds a byte of one, or
 * of its youngest statement where no page holds any. Returns the latter, for every allocation.
 */
export function agesFromPages(state: StoreState): Float64Array {
  const { allocations, epoch } = state;
  const youngestStatement = allocations.lastWritten.slice();
  noteYoungestPages(state);
  for (let id = allocations.existing.next(0); id >= 0; id = allocations.existing.next(id + 1)) {
    const row = allocations.row(id);
    allocations.lastWritten[row] = allocations.youngest[row]! || youngestStatement[row]! || epoch;
  }
  return youngestStatement;
}

function noteYoungestPages({ allocations, fragments, pages, slab }: StoreState): void {
  for (let at = fragments.first(); at >= 0; at = fragments.next(at)) {
    if (fragments.kind[at] === kindZeroByDefault) continue;
    const row = allocations.row(fragments.keyId[at]!);
    const page = fragments.page[at]!;
    const holder = pages.state[page] === pageData ? page : slab.page[fragments.ref[at]!]!;
    if (pages.epoch[holder]! > allocations.youngest[row]!) allocations.youngest[row] = pages.epoch[holder]!;
  }
}

export class KeptState {
  readonly #flush: FlushContext;
  readonly #state: StoreState;
  #snapshotBytes = 0;
  #appendedBytes = 0;
  /** Whether what is in the file can be appended to. */
  #isCurrent = false;

  constructor(flush: FlushContext) {
    this.#flush = flush;
    this.#state = flush.state;
  }

  /**
   * Corrects the ages that the pages gave by what the file has kept, and returns what else that is. `youngestStatement`
   * is what `agesFromPages` returned.
   */
  open(youngestStatement: Float64Array): StateFields | undefined {
    const { allocations, epoch } = this.#state;
    const bytes = this.#read();
    const fields = bytes === undefined ? undefined : decodeState(bytes, epoch);
    if (bytes === undefined || fields === undefined) return undefined;
    this.#isCurrent = fields.upToDate === epoch;
    this.#snapshotBytes = fields.snapshotBytes;
    this.#appendedBytes = bytes.length - fixedBytes - fields.snapshotBytes;
    visitAges(bytes, fields.upToDate, (id, age) => {
      const row = allocations.row(id);
      // What another writer has touched since, the state knows nothing of.
      const isKnown = row >= 0 && allocations.exists(id) && youngestStatement[row]! <= fields.upToDate;
      if (isKnown || (row >= 0 && this.#isCurrent)) allocations.lastWritten[row] = age;
    });
    return fields;
  }

  /** Writes budget, window and the ids that this flush's fold has written; nothing where there is no id left for it. */
  write(budget: number, window: Position): void {
    const id = this.#ownId();
    if (id === 0) return;
    const { chunks } = this.#flush;
    const firstChunk = chunks.end;
    const upToDate = this.#state.epoch + 1;
    const record = encodeRecord(upToDate, this.#writtenIds());
    const isDue = this.#appendedBytes + record.length > Math.max(this.#snapshotBytes, appendedBytesMin);
    if (!this.#isCurrent || isDue) this.#writeSnapshot(id);
    else this.#append(id, record);
    const fields = encodeFields({
      upToDate,
      budget: Math.fround(budget),
      windowId: window.id,
      windowOffset: window.offset,
      snapshotBytes: this.#snapshotBytes,
    });
    this.#put(id, 0, fields);
    this.#state.allocations.lastWritten[this.#state.allocations.row(id)] = upToDate;
    this.#state.mark(id, isWritten);
    this.#isCurrent = true;
    chunks.mergeFrom(firstChunk);
  }

  #read(): Uint8Array | undefined {
    const { fields } = this.#flush;
    const size = this.#state.allocations.sizeOf(fields.consolidatorState);
    if (size < fixedBytes || size > stateBytesMax) return undefined;
    const bytes = new Uint8Array(size);
    try {
      readCommitted(this.#flush, fields.consolidatorState, 0, bytes);
    } catch (error) {
      // In a page that open did not verify.
      if (error instanceof StoreError && error.code === "corrupt") return undefined;
      throw error;
    }
    return bytes;
  }

  /** Ids of the allocations that the application has written in this flush and that still exist, ascending. */
  #writtenIds(): Uint32Array {
    const { allocations, records, epoch } = this.#state;
    const own = this.#flush.fields.consolidatorState;
    const ids = new Uint32Array(records.end);
    let count = 0;
    for (let record = 1; record < records.end; record++) {
      const id = records.id[record]!;
      if ((records.flags[record]! & isWritten) === 0 || id === own || !allocations.exists(id)) continue;
      if (allocations.lastWritten[allocations.row(id)] === epoch + 1) ids[count++] = id;
    }
    return ids.subarray(0, count).sort();
  }

  /** The state's allocation; the first flush of a file makes it. 0 if there is no id for it. */
  #ownId(): number {
    const flush = this.#flush;
    const known = flush.fields.consolidatorState;
    if (known !== 0) return known;
    const id = this.#mint();
    if (id === 0) return 0;
    allocate(this.#state, id, fixedBytes);
    flush.fields = { ...flush.fields, consolidatorState: id };
    return id;
  }

  /**
   * An id that neither the application's own fields nor a source of its open transaction name, dangling as they may
   * be: it would take the state for its.
   */
  #mint(): number {
    const { ids, allocations } = this.#state;
    const { waitingSources, fields } = this.#flush;
    const { rootAllocation, schemaTable } = fields;
    const passed: number[] = [];
    let id = 0;
    while (id === 0 && ids.canMint) {
      const next = ids.mint();
      if (next === rootAllocation || next === schemaTable || waitingSources.has(next)) passed.push(next);
      else id = next;
    }
    for (const one of passed) {
      const row = allocations.row(one);
      ids.recycle(one, row >= 0 && allocations.anchor[row] !== 0);
    }
    return id;
  }

  #append(id: number, record: Uint8Array): void {
    const end = fixedBytes + this.#snapshotBytes + this.#appendedBytes;
    this.#appendedBytes += record.length;
    resize(this.#state, id, end + record.length);
    if (record.length > 0) this.#put(id, end, record);
  }

  #writeSnapshot(id: number): void {
    const snapshot = this.#snapshot(id);
    this.#snapshotBytes = snapshot.length;
    this.#appendedBytes = 0;
    resize(this.#state, id, fixedBytes + snapshot.length);
    if (snapshot.length > 0) this.#put(id, fixedBytes, snapshot);
  }

  /** A record per epoch, ascending, of the allocations whose pages would give another age. */
  #snapshot(own: number): Uint8Array {
    const { allocations } = this.#state;
    const byEpoch = new Map<number, number[]>();
    for (let id = allocations.existing.next(0); id >= 0; id = allocations.existing.next(id + 1)) {
      const row = allocations.row(id);
      const age = allocations.lastWritten[row]!;
      if (id === own || age === allocations.youngest[row]) continue;
      const ids = byEpoch.get(age);
      if (ids === undefined) byEpoch.set(age, [id]);
      else ids.push(id);
    }
    const epochs = [...byEpoch.keys()].sort((a, b) => a - b);
    const records = epochs.map((epoch) => encodeRecord(epoch, byEpoch.get(epoch)!));
    const snapshot = new Uint8Array(records.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const record of records) {
      snapshot.set(record, at);
      at += record.length;
    }
    return snapshot;
  }

  /** Takes `[offset, offset + bytes.length)` of the state's allocation, which reaches that far. */
  #put(id: number, offset: number, bytes: Uint8Array): void {
    const { arena, chunks, options } = this.#flush;
    const isInline = bytes.length <= options.inlineThreshold;
    const place = isInline ? placeInline : placeUnplaced;
    const pending = this.#state.pending.push(originArena, arena.append(bytes), place, 0, 0);
    const row = this.#state.allocations.row(id);
    take(this.#state, id, row, offset, offset + bytes.length, pending);
    if (!isInline) chunks.push(id, offset, bytes.length, pending, 0);
  }
}
