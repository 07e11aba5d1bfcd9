/**
 * A queue of pages by coverage: what victims are sampled from.
 *
 *  (1) A page is in the bucket of its coverage, or in none; a page of coverage 0 is in none.
 *  (2) A page that changes bucket leaves a hole that the last one of its old bucket fills, and goes to the end of the
 *      new one; a page that stays keeps its place. Which pages a sample sees follows from the order of changes alone.
 *
 * Cost: every operation O(1), 5 bytes a page.
 */

import { contentCapacity } from "../format/layout.ts";
import { grown } from "../state/columns.ts";

export const bucketCount = 16;

/** In files of other writers several may name a byte, and coverage may be more than a page holds. */
export const bucketOf = (coverage: number): number =>
  Math.min(bucketCount - 1, Math.floor((coverage * bucketCount) / (contentCapacity + 1)));

/** Least coverage of a page in `bucket`. */
export const smallestCoverage = (bucket: number): number =>
  Math.ceil((bucket * (contentCapacity + 1)) / bucketCount);

/** Pages in the order in which they came. */
class PageList {
  count = 0;
  pages: Uint32Array = new Uint32Array(16);

  push(page: number): number {
    this.pages = grown(this.pages, this.count + 1);
    this.pages[this.count] = page;
    return this.count++;
  }
}

export class Buckets {
  readonly lists: readonly PageList[] = Array.from({ length: bucketCount }, () => new PageList());
  /** Per page, one more than its bucket; 0: in none. */
  #bucket: Uint8Array = new Uint8Array(256);
  #position: Uint32Array = new Uint32Array(256);

  /** Lets `page`, with its coverage of now, be found from now on. */
  enter(page: number, coverage: number): void {
    this.#bucket = grown(this.#bucket, page + 1);
    this.#position = grown(this.#position, page + 1);
    if (this.#bucket[page] !== 0) this.#remove(page);
    if (coverage > 0) this.#add(page, bucketOf(coverage));
  }

  /** The coverage of `page` changed; one that is in no bucket stays out. */
  update(page: number, coverage: number): void {
    const held = this.#bucket[page]!;
    // Pages past the columns read as undefined, which is in no bucket either.
    if (!held) return;
    if (coverage === 0) this.#remove(page);
    else {
      const bucket = bucketOf(coverage);
      if (bucket + 1 === held) return;
      this.#remove(page);
      this.#add(page, bucket);
    }
  }

  #add(page: number, bucket: number): void {
    this.#bucket[page] = bucket + 1;
    this.#position[page] = this.lists[bucket]!.push(page);
  }

  #remove(page: number): void {
    const list = this.lists[this.#bucket[page]! - 1]!;
    const last = list.pages[--list.count]!;
    const position = this.#position[page]!;
    list.pages[position] = last;
    this.#position[last] = position;
    this.#bucket[page] = 0;
  }
}
