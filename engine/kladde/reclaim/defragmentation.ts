/**
 * Description defragmentation: ranges that are stated in many pieces are written once more, in one.
 *
 *  (1) What a walk found is looked at again when it is rewritten: the content may have changed since, and evacuation
 *      may have moved bytes of it into pages of this very flush.
 *  (2) Only what has rested for a flush is rewritten: young bytes will be overwritten anyway.
 *  (3) Each flush reserves a share of bytes for it, best candidates first; the others may ride in free room.
 *  (4) A rewrite does not count as a write of the allocation: its content is the same.
 *
 * Cost: a walk over the fragments of each candidate, and one copy of those that are taken.
 */

import { StoreError } from "../../errors.ts";
import type { FlushContext } from "../flush/context.ts";
import { placeChunk } from "../flush/open-page.ts";
import { addressPage, contentCapacity } from "../format/layout.ts";
import { readCommitted } from "../read.ts";
import { kindPending, kindZeroByDefault } from "../state/fragments.ts";
import type { OpenDataPage } from "../state/hooks.ts";
import { pageClaimed } from "../state/pages.ts";
import { originArena, placeInline, placeUnplaced } from "../state/pending.ts";
import { heatOf, take } from "../state/taking.ts";
import { framingShare, netPerByte, rewrittenFraming } from "./description.ts";

interface Candidate {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  /** Gain per byte, weighted by age, when it was last looked at. */
  readonly score: number;
  /** Flushes that the range has rested. */
  readonly age: number;
}

export class Defragmentation {
  readonly #flush: FlushContext;
  #found: Candidate[] = [];
  #spares: Candidate[] = [];

  constructor(flush: FlushContext) {
    this.#flush = flush;
  }

  /** The candidates of the last walk are replaced by those of the one that begins. */
  beginWalk(): void {
    this.#found = [];
    this.#spares = [];
  }

  propose(id: number, from: number, to: number): void {
    this.#found.push({ id, from, to, score: 0, age: 0 });
  }

  /** Takes what the reserved share pays for; the rest may be placed by `fill`. */
  spendShare(): void {
    const { options, chunks } = this.#flush;
    const good = this.#found.flatMap((candidate) => this.#appraise(candidate) ?? []);
    good.sort((a, b) => b.score - a.score);
    const firstChunk = chunks.end;
    let left = options.defragShare * contentCapacity;
    this.#spares = [];
    for (const candidate of good) {
      const bytes = candidate.to - candidate.from;
      if (bytes > left) {
        this.#spares.push(candidate);
        continue;
      }
      if (this.#rewrite(candidate)) left -= bytes;
    }
    chunks.mergeFrom(firstChunk);
  }

  /** Writes spare candidates into the room of `open`. */
  fill(open: OpenDataPage): void {
    const spares = this.#spares;
    if (spares.length === 0) return;
    const { inlineThreshold } = this.#flush.options;
    this.#spares = spares.filter((spare) => {
      const bytes = spare.to - spare.from;
      if (bytes <= inlineThreshold || bytes > open.room) return true;
      const candidate = this.#appraise(spare);
      if (candidate === undefined) return false;
      const pending = this.#take(candidate, placeUnplaced);
      if (pending >= 0) placeChunk(this.#flush, open, spare.id, spare.from, bytes, pending);
      return false;
    });
  }

  /** False for bytes that cannot be read. */
  #rewrite(candidate: Candidate): boolean {
    const { id, from, to } = candidate;
    const isInline = to - from <= this.#flush.options.inlineThreshold;
    const pending = this.#take(candidate, isInline ? placeInline : placeUnplaced);
    if (pending >= 0 && !isInline) this.#flush.chunks.push(id, from, to - from, pending, 1);
    return pending >= 0;
  }

  /** Takes the range as one pending run, its bytes read as they are now; −1 if they cannot be read. */
  #take({ id, from, to, age }: Candidate, place: number): number {
    const { state, arena, counters } = this.#flush;
    const at = arena.reserve(to - from);
    try {
      readCommitted(this.#flush, id, from, arena.view(at, to - from));
    } catch (error) {
      // In a page that open did not verify: whoever reads its bytes must hear of it, not a flush.
      if (error instanceof StoreError && error.code === "corrupt") return -1;
      throw error;
    }
    const pending = state.pending.push(originArena, at, place, 0, age);
    take(state, id, state.allocations.row(id), from, to, pending);
    counters.defragRewrites++;
    counters.defragBytes += to - from;
    return pending;
  }

  /** The candidate with gain and age of now; undefined if it is not worth it, or in motion. */
  #appraise({ id, from, to }: Candidate): Candidate | undefined {
    const { state, options } = this.#flush;
    const { fragments } = state;
    const size = state.allocations.sizeOf(id);
    if (to > size) return undefined;
    let gain = -rewrittenFraming(state, options.inlineThreshold, id, from, to - from);
    let youngest = Number.POSITIVE_INFINITY;
    for (let at = state.fragmentAt(id, from), start = from; start < to; at = fragments.next(at)) {
      if (this.#isInMotion(at)) return undefined;
      const end = Math.min(state.fragmentEnd(at, id, size), to);
      if (fragments.keyOffset[at]! >= from) gain += framingShare(state, at);
      gain += (netPerByte(state, at) - options.mu) * (end - start);
      youngest = Math.min(youngest, this.#ageOf(at));
      start = end;
    }
    const sinceWritten = heatOf(state, state.allocations.row(id));
    const age = Math.max(sinceWritten, youngest === Number.POSITIVE_INFINITY ? 0 : youngest);
    if (!(gain > 0) || age < 1) return undefined;
    return { id, from, to, score: (gain * age) / (to - from), age };
  }

  /** A chunk without a place, or bytes that this flush has put into a page already. */
  #isInMotion(at: number): boolean {
    const { fragments, pending, pages } = this.#flush.state;
    if (fragments.kind[at] !== kindPending) return false;
    const ref = fragments.ref[at]!;
    if (pending.place[ref] === placeUnplaced) return true;
    const address = pending.address[ref]!;
    return address > 0 && pages.state[addressPage(address)] === pageClaimed;
  }

  /** Flushes since the fragment's statement was written: 0 if this flush has taken it; none if nothing states it. */
  #ageOf(at: number): number {
    const { fragments, slab, pages, epoch } = this.#flush.state;
    const kind = fragments.kind[at]!;
    if (kind === kindPending) return 0;
    if (kind === kindZeroByDefault) return Number.POSITIVE_INFINITY;
    return epoch + 1 - pages.epoch[slab.page[fragments.ref[at]!]!]!;
  }
}
