/**
 * Ids that may be handed out, lowest first so that the table's deltas stay short.
 *
 *  (1) Never a fresh id while one is recyclable.
 *  (2) Ids without a live tombstone go first: a new incarnation keeps a live tombstone alive as its anchor.
 *  (3) The class of an id is settled when it becomes recyclable.
 */

import { StoreError } from "../../errors.ts";
import { u32Max } from "../format/layout.ts";
import { Bitmap } from "./bitmap.ts";

export class IdPool {
  /** One more than any id known. */
  nextFresh = 1;
  readonly #plain = new Bitmap();
  readonly #entombed = new Bitmap();

  /** Takes the lowest id there is, recyclable before fresh. Throws `too-large` when all are in use. */
  mint(): number {
    if (this.#plain.count > 0) return this.#plain.takeLowest();
    if (this.#entombed.count > 0) return this.#entombed.takeLowest();
    if (this.nextFresh > u32Max) throw new StoreError("too-large", "all 2^32 − 1 ids are in use; free some");
    return this.nextFresh++;
  }

  /** Whether `mint` finds one. */
  get canMint(): boolean {
    return this.#plain.count + this.#entombed.count > 0 || this.nextFresh <= u32Max;
  }

  recycle(id: number, hasTombstone: boolean): void {
    (hasTombstone ? this.#entombed : this.#plain).add(id);
  }

  /** Takes an id that a record names out of the pool, and out of the fresh ones. */
  claim(id: number): void {
    this.#plain.delete(id);
    this.#entombed.delete(id);
    this.noteUsed(id);
  }

  noteUsed(id: number): void {
    if (id >= this.nextFresh) this.nextFresh = id + 1;
  }

  isRecyclable(id: number): boolean {
    return this.#plain.has(id) || this.#entombed.has(id);
  }
}
