/**
 * The reverse index: which bytes of which allocations were put into a data page. A data page has no ids in it, so the
 * way back is kept in memory.
 *
 *  (1) Every fragment that lies in a page lies in a range noted for it. Destroying a fragment does nothing: the index
 *      holds more than there is.
 *  (2) Ranges of one page are disjoint. Only who has just seen where a page's bytes are replaces them by fewer.
 *  (3) A page that retires is forgotten.
 *
 * Cost: 16 bytes a range; noting one O(1), asking for a page O(its ranges).
 */

import { grown } from "../state/columns.ts";

export class ReverseIndex {
  id: Uint32Array = new Uint32Array(256);
  from: Uint32Array = new Uint32Array(256);
  to: Uint32Array = new Uint32Array(256);
  /** The next range of the page, or the next free slot; 0: none. */
  next: Uint32Array = new Uint32Array(256);
  #head: Uint32Array = new Uint32Array(256);
  #end = 1;
  #free = 0;

  note(page: number, id: number, from: number, to: number): void {
    if (page >= this.#head.length) this.#head = grown(this.#head, page + 1);
    const head = this.#head[page]!;
    // Chunks of one run are placed side by side.
    if (head !== 0 && this.id[head] === id && this.to[head] === from) {
      this.to[head] = to;
      return;
    }
    const slot = this.#take();
    this.id[slot] = id;
    this.from[slot] = from;
    this.to[slot] = to;
    this.next[slot] = head;
    this.#head[page] = slot;
  }

  /** The page's newest range; 0: none. Follow `next`. */
  first(page: number): number {
    return this.#head[page] ?? 0;
  }

  forget(page: number): void {
    let slot = this.first(page);
    if (slot === 0) return;
    this.#head[page] = 0;
    while (slot !== 0) {
      const next = this.next[slot]!;
      this.next[slot] = this.#free;
      this.#free = slot;
      slot = next;
    }
  }

  #take(): number {
    const slot = this.#free;
    if (slot !== 0) {
      this.#free = this.next[slot]!;
      return slot;
    }
    const added = this.#end++;
    if (added >= this.id.length) {
      this.id = grown(this.id, added + 1);
      this.from = grown(this.from, added + 1);
      this.to = grown(this.to, added + 1);
      this.next = grown(this.next, added + 1);
    }
    return added;
  }
}
