/**
 * All statements of the table in order of `(id, offset)`: a merge of the pages, each of which is a sorted run.
 *
 *  (1) A page joins the heap only when the merge reaches its first key, so the heap holds the pages that overlap at
 *      the current key, not all of them.
 *
 * Cost: O(m log p) for m statements and p overlapping pages; no copy of the statements is made.
 */

import { contentOffset, headerContentOffset } from "../format/layout.ts";
import { pageContentBytes } from "../format/page.ts";
import { StatementReader } from "../format/statement.ts";
import type { StoreState } from "../state/state.ts";

interface Run {
  readonly page: number;
  readonly epoch: number;
  readonly reader: StatementReader;
}

const precedes = (a: Run, b: Run): boolean =>
  a.reader.id !== b.reader.id
    ? a.reader.id < b.reader.id
    : a.reader.offset !== b.reader.offset
      ? a.reader.offset < b.reader.offset
      : a.page < b.page;

export class StatementMerge {
  /** The current statement, or undefined at the end. */
  current: Run | undefined;
  readonly #waiting: Run[];
  readonly #heap: Run[] = [];

  constructor(state: StoreState, tablePages: readonly number[], file: string) {
    const runs: Run[] = [];
    for (const page of tablePages) {
      const bytes = state.pages.resident.get(page)!;
      const header = page === state.headerPage;
      const start = header ? headerContentOffset : contentOffset;
      const reader = new StatementReader();
      reader.open(bytes, start, start + pageContentBytes(bytes, header), file, page);
      reader.children();
      if (reader.next()) runs.push({ page, epoch: state.pages.epoch[page]!, reader });
    }
    // Last first, so that the next one to join is popped off the end.
    this.#waiting = runs.sort((a, b) => (precedes(a, b) ? 1 : -1));
    this.#admit();
    this.current = this.#heap[0];
  }

  /** Moves on to the next statement. */
  advance(): void {
    const top = this.#heap[0]!;
    if (top.reader.next()) this.#sink(0);
    else {
      const last = this.#heap.pop()!;
      if (this.#heap.length > 0) {
        this.#heap[0] = last;
        this.#sink(0);
      }
    }
    this.#admit();
    this.current = this.#heap[0];
  }

  #admit(): void {
    for (let run = this.#waiting.at(-1); run !== undefined; run = this.#waiting.at(-1)) {
      if (this.#heap.length > 0 && precedes(this.#heap[0]!, run)) return;
      this.#waiting.pop();
      this.#heap.push(run);
      this.#rise(this.#heap.length - 1);
    }
  }

  #rise(start: number): void {
    const heap = this.#heap;
    const run = heap[start]!;
    let at = start;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!precedes(run, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = run;
  }

  #sink(start: number): void {
    const heap = this.#heap;
    const run = heap[start]!;
    let at = start;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && precedes(heap[child + 1]!, heap[child]!)) child++;
      if (!precedes(heap[child]!, run)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = run;
  }
}
