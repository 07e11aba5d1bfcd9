/**
 * The statement slab: one slot per live statement. Dead statements exist only as bytes in their page.
 *
 *  (1) A slot is live exactly while `pins > 0`; slot 0 is never used, so 0 means "no statement".
 *  (2) A pin is a fragment that resolves through the statement, or its being an anchor or a grow witness.
 *  (3) In a free slot `page` is the next free slot.
 *
 * Cost: 14 bytes a slot; every operation O(1).
 */

import { StoreError } from "../../errors.ts";
import { u32Max } from "../format/layout.ts";
import { grown } from "./columns.ts";

export class StatementSlab {
  /** Live statements. */
  count = 0;
  /** Table page that holds the statement. */
  page: Uint32Array = new Uint32Array(64);
  pins: Uint32Array = new Uint32Array(64);
  framing: Uint8Array = new Uint8Array(64);
  id: Uint32Array = new Uint32Array(64);
  /** One of the kinds of `format/statement.ts`. */
  kind: Uint8Array = new Uint8Array(64);
  /** One more than the highest slot ever used. */
  end = 1;
  #freeHead = 0;

  /** A slot without pins; the caller pins it at once. Throws `too-large` at 2^32 − 1 statements. */
  alloc(page: number, framing: number, id: number, kind: number): number {
    const slot = this.#freeHead === 0 ? this.#extend() : this.#freeHead;
    if (slot === this.#freeHead) this.#freeHead = this.page[slot]!;
    this.page[slot] = page;
    this.pins[slot] = 0;
    this.framing[slot] = framing;
    this.id[slot] = id;
    this.kind[slot] = kind;
    this.count++;
    return slot;
  }

  /** Gives back a slot whose last pin is gone. */
  release(slot: number): void {
    this.page[slot] = this.#freeHead;
    this.#freeHead = slot;
    this.count--;
  }

  /** Whether `slot` is live and its statement lies in `page`; a slot may have been given to another since. */
  liesIn(slot: number, page: number): boolean {
    return this.pins[slot]! > 0 && this.page[slot] === page;
  }

  /** Calls `visit` for every free slot. */
  visitFree(visit: (slot: number) => void): void {
    for (let slot = this.#freeHead, seen = 0; slot !== 0 && seen < this.end; slot = this.page[slot]!, seen++)
      visit(slot);
  }

  #extend(): number {
    const slot = this.end;
    if (slot >= u32Max) throw new StoreError("too-large", "the file has more statements than can be indexed");
    this.end = slot + 1;
    if (slot === this.page.length) this.#grow();
    return slot;
  }

  #grow(): void {
    this.page = grown(this.page, this.end);
    this.pins = grown(this.pins, this.end);
    this.framing = grown(this.framing, this.end);
    this.id = grown(this.id, this.end);
    this.kind = grown(this.kind, this.end);
  }
}
