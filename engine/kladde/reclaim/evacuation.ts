/**
 * Evacuation: the survivors of a data page move to the page that is being filled, and what is left of it is free.
 *
 *  (1) Only pages older than the flush are victims: no step moves what another step of the same flush has placed.
 *  (2) A page is given up whole, or whole across two pages. Moving a part of one frees nothing by itself; it only uses
 *      room that would be lost.
 *  (3) A page whose survivors are not all known is skipped for this flush.
 *
 * Cost: one page read and one copy per victim.
 */

import type { FlushContext } from "../flush/context.ts";
import type { OpenDataPage } from "../state/hooks.ts";
import type { Chosen } from "./chosen.ts";
import type { Survivors } from "./survivors.ts";

/** What of a victim found no room and leads the next page. */
export interface Carried {
  readonly victim: number;
  readonly parts: readonly Part[];
  readonly bytes: number;
}

interface Part {
  readonly id: number;
  readonly from: number;
  readonly bytes: number;
}

export class Evacuation {
  readonly #flush: FlushContext;
  readonly #survivors: Survivors;
  readonly #chosen: Chosen;

  constructor(flush: FlushContext, survivors: Survivors, chosen: Chosen) {
    this.#flush = flush;
    this.#survivors = survivors;
    this.#chosen = chosen;
  }

  /** Moves all of `victim` into `open`, which has room for it; false if it had to be skipped. */
  whole(victim: number, open: OpenDataPage): boolean {
    if (!this.#find(victim)) return false;
    const survivors = this.#survivors;
    const before = open.used;
    for (let i = 0; i < survivors.count; i++) survivors.move(i, open);
    this.#settle(victim, open, before);
    this.#flush.counters.evacuatedPages++;
    return true;
  }

  /** Fills `open` with survivors of `victim`, the last one cut, and returns those that must lead the next page. */
  across(victim: number, open: OpenDataPage): Carried | undefined {
    if (!this.#find(victim)) return undefined;
    const survivors = this.#survivors;
    const before = open.used;
    let i = 0;
    for (; i < survivors.count && survivors.bytes[i]! <= open.room; i++) survivors.move(i, open);
    const parts = this.#cutAt(i, open);
    this.#settle(victim, open, before);
    this.#flush.counters.evacuatedPages++;
    if (parts.length === 0) return undefined;
    // What is carried still lies in the victim; nobody may plan with it a second time.
    this.#chosen.skipped.add(victim);
    return { victim, parts, bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  /** Moves as many statements' survivors of `victim` as fit, a whole statement's at a time, in key order. */
  part(victim: number, open: OpenDataPage): void {
    const survivors = this.#survivors;
    if (!this.#isFound(victim)) return;
    survivors.renote();
    const before = open.used;
    const isDone = new Uint8Array(survivors.count);
    for (let first = 0; first < survivors.count; first++) {
      if (isDone[first] === 1) continue;
      const group = this.#groupOf(first);
      for (const i of group) isDone[i] = 1;
      if (group.reduce((sum, i) => sum + survivors.bytes[i]!, 0) > open.room) continue;
      for (const i of group) survivors.move(i, open);
    }
    this.#settle(victim, open, before);
    this.#flush.counters.evacuatedBytes += open.used - before;
  }

  /** Puts what an earlier victim left over into `open`, which is empty. */
  lead({ victim, parts }: Carried, open: OpenDataPage): void {
    const before = open.used;
    for (const { id, from, bytes } of parts)
      this.#survivors.movePart(this.#flush.state.fragmentAt(id, from), id, from, bytes, open);
    this.#settle(victim, open, before);
  }

  /** What `open` has got since it held `before` bytes has left `victim`. */
  #settle(victim: number, open: OpenDataPage, before: number): void {
    const moved = open.used - before;
    if (moved === 0) return;
    this.#flush.state.cover(open.page, moved);
    this.#flush.state.uncover(victim, moved);
  }

  #find(victim: number): boolean {
    if (!this.#isFound(victim)) return false;
    this.#flush.counters.evacuatedBytes += this.#flush.state.pages.coverage[victim]!;
    return true;
  }

  #isFound(victim: number): boolean {
    if (this.#survivors.find(victim)) return true;
    this.#chosen.skipped.add(victim);
    return false;
  }

  /** Cuts survivor `i` at the end of `open` and returns the rest of it and all later ones. */
  #cutAt(i: number, open: OpenDataPage): Part[] {
    const { state } = this.#flush;
    const { id, from, bytes, count } = this.#survivors;
    const carried: Part[] = [];
    for (let later = i; later < count; later++)
      carried.push({ id: id[later]!, from: from[later]!, bytes: bytes[later]! });
    const { room } = open;
    if (carried.length === 0 || room === 0) return carried;
    const cut = carried[0]!;
    state.split(cut.id, state.allocations.row(cut.id), cut.from + room);
    const at = state.fragmentAt(cut.id, cut.from);
    this.#survivors.movePart(at, cut.id, cut.from, room, open);
    carried[0] = { id: cut.id, from: cut.from + room, bytes: cut.bytes - room };
    return carried;
  }

  /** The survivors of one statement, from `first` on; one that this flush has taken is a group of its own. */
  #groupOf(first: number): number[] {
    const { owner, count } = this.#survivors;
    const group = [first];
    if (owner[first] === 0) return group;
    for (let i = first + 1; i < count; i++) if (owner[i] === owner[first]) group.push(i);
    return group;
  }
}
