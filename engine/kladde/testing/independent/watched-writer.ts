/**
 * A file that watches a writer: every write, truncate and flush is held against the format.
 *
 *  (1) Nothing that a header may reach which recovery could still choose is written or cut off (5.3, 5.4): the newest
 *      header's world, and the one before it until a sync has made the newest durable.
 *  (2) Pages are written whole, but for those of the journal. The length is whole pages.
 *  (3) One sync lies between the pages of a flush and its header (6.2).
 *  (4) Every flush does its duties (`duties.ts`).
 *
 * Cost: a copy and two readings of the file a flush.
 */

import { assert } from "../../../errors.ts";
import { MemoryFile } from "../../../storage/memory.ts";
import { requireDuties } from "./duties.ts";
import { readJournal } from "./journal.ts";
import { type IndependentReading, readIndependently } from "./read.ts";

const pageBytes = 4096;

export class WatchedWriter extends MemoryFile {
  flushes = 0;
  /** Pages of the newest header's world, its journal aside, and of the world before. */
  #world: ReadonlySet<number> = new Set();
  #fallback: ReadonlySet<number> = new Set();
  #epoch = 0;
  #journalPointer = 2;
  /** Whether pages were written since the last sync. */
  #isDirty = false;
  #isWatching = false;
  /** Pages written in part since the last header: they must turn out to be the journal's. */
  readonly #inPart = new Set<number>();

  /** From now on; the file is one that was created and synced. */
  watch(): void {
    this.#isWatching = true;
    this.#enter(readIndependently(this.bytes()), new Set());
  }

  override write(from: Uint8Array, at: number): void {
    const page = Math.floor(at / pageBytes);
    if (this.#isWatching && page < 2) {
      this.#writeSlot(page, from, at);
      return;
    }
    if (this.#isWatching) this.#requireAllowed(from.length, at);
    super.write(from, at);
  }

  #requireAllowed(length: number, at: number): void {
    const isWhole = at % pageBytes === 0 && length % pageBytes === 0;
    for (let page = Math.floor(at / pageBytes); page * pageBytes < at + length; page++) {
      this.#requireReusable(page, "written");
      if (!isWhole) this.#inPart.add(page);
    }
    this.#isDirty = true;
  }

  override truncate(bytes: number): void {
    assert(!this.#isWatching || bytes % pageBytes === 0, `${bytes} bytes are no whole pages`);
    const end = Math.ceil(this.size() / pageBytes);
    for (let page = bytes / pageBytes; this.#isWatching && page < end; page++) {
      const isEmptySegment = page === this.#journalPointer && this.#transactions() === 0;
      if (!isEmptySegment) {
        this.#requireReusable(page, "cut off");
        assert(!this.#segment().includes(page), `page ${page} of the journal is cut off`);
      }
    }
    super.truncate(bytes);
  }

  override sync(): void {
    super.sync();
    this.#isDirty = false;
    this.#fallback = new Set();
  }

  #writeSlot(slot: number, from: Uint8Array, at: number): void {
    assert(at % pageBytes === 0 && from.length === pageBytes, `slot ${slot} is not written whole`);
    assert(slot === (this.#epoch + 1) % 2, `slot ${slot} holds header ${this.#epoch}`);
    const isCleared = from.every((byte) => byte === 0);
    assert(isCleared || !this.#isDirty, "pages of the flush were not synced before its header");
    const before = readIndependently(this.bytes());
    super.write(from, at);
    if (isCleared) return;
    for (const page of this.#inPart)
      assert(before.journalPages.includes(page), `page ${page} is not the journal's, and not written whole`);
    this.#inPart.clear();
    const after = readIndependently(this.bytes());
    requireDuties(before, after);
    this.flushes++;
    this.#enter(after, new Set([...this.#world, ...before.journalPages]));
  }

  #enter({ header, tables, dataPages }: IndependentReading, fallback: ReadonlySet<number>): void {
    this.#fallback = fallback;
    this.#world = new Set([...tables.map(({ page }) => page), ...dataPages]);
    this.#epoch = header.epoch;
    this.#journalPointer = header.journalPointer;
    assert(!this.#world.has(this.#journalPointer), "the next journal begins in a page in use");
    assert(!fallback.has(this.#journalPointer), "the next journal begins in a page that may be needed again");
  }

  #segment(): readonly number[] {
    const { pages } = readJournal(this.bytes(), this.#epoch + 1, this.#journalPointer);
    return [this.#journalPointer, ...pages];
  }

  #transactions(): number {
    return readJournal(this.bytes(), this.#epoch + 1, this.#journalPointer).transactions.length;
  }

  #requireReusable(page: number, what: string): void {
    assert(!this.#world.has(page), `page ${page} of header ${this.#epoch} is ${what}`);
    assert(!this.#fallback.has(page), `page ${page} of header ${this.#epoch - 1} is ${what} too early`);
  }
}
