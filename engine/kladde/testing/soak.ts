/**
 * Work that could go on for ever: random operations, scopes, flushes and sessions on a store and its model, with a live
 * set that stays about as large as it is.
 *
 *  (1) Every kind of mutation is drawn; one transaction in four is taken back.
 *  (2) After a flush some allocations are compared byte by byte; `judge` compares all and recomputes every invariant.
 *  (3) Everything follows from the seed.
 */

import { SplitMix32 } from "../../storage/random.ts";
import type { StorageFile } from "../../storage/storage.ts";
import { Store } from "../index.ts";
import { Model } from "./model.ts";
import { bytesOf } from "./perform.ts";
import { contextOf } from "./reload.ts";
import { compareContents } from "./run.ts";

/** One allocation in `largeOneIn` has up to `largeBytes`. */
const smallBytes = 2000;
const largeBytes = 60_000;
const largeOneIn = 5;
const operationsPerFlush = 120;
const flushesPerSession = 300;
const comparedPerFlush = 3;
const writtenBytesMax = 6000;

export class SoakingStore {
  operations = 0;
  flushes = 0;
  sessions = 0;
  liveBytesMost = 0;
  readonly #open: () => StorageFile;
  readonly #random: SplitMix32;
  readonly #targetBytes: number;
  readonly #model = new Model();
  #store: Store;
  #ids: number[] = [];
  #liveBytes = 0;
  /** Of the store, as far as the model knows of them. */
  #storeFlushes = 0;

  /** `open` gives the file again for every session; `targetBytes` is what is alive, about. */
  constructor(open: () => StorageFile, seed: number, targetBytes: number) {
    this.#open = open;
    this.#random = new SplitMix32(seed);
    this.#targetBytes = targetBytes;
    this.#store = Store.create(open());
  }

  get fileBytes(): number {
    return contextOf(this.#store).file.size();
  }

  /** What the model holds, outside scopes. */
  get liveBytes(): number {
    return this.#liveBytes;
  }

  /** A stretch of work that ends outside scopes, with a flush. */
  work(): void {
    for (let i = 0; i < operationsPerFlush; i++) {
      if (this.#oneIn(12)) this.#scope();
      else this.#change();
    }
    this.#store.flush();
    this.#noteFlush();
    this.#compareSome();
    if (this.flushes % flushesPerSession === 0) this.#reopen();
  }

  /** Throws what is wrong. */
  judge(): void {
    this.#store.check();
    compareContents(this.#store, this.#model.committed);
  }

  close(): void {
    this.#store.close();
  }

  #oneIn(n: number): boolean {
    return this.#random.below(n) === 0;
  }

  #noteFlush(): void {
    const { flushes } = contextOf(this.#store).counters;
    if (flushes === this.#storeFlushes) return;
    this.#storeFlushes = flushes;
    this.flushes++;
    this.#model.flush();
    this.liveBytesMost = Math.max(this.liveBytesMost, this.#liveBytes);
  }

  #reopen(): void {
    this.#store.close();
    this.#store = Store.open(this.#open());
    this.#model.reopen();
    this.#storeFlushes = contextOf(this.#store).counters.flushes;
    this.sessions++;
  }

  #compareSome(): void {
    for (let i = 0; i < comparedPerFlush && this.#ids.length > 0; i++) {
      const id = this.#pick();
      const bytes = this.#model.committed.get(id)!;
      const one = { ids: () => [id].values() as ReturnType<Store["ids"]> };
      const store = this.#store;
      compareContents(
        {
          ...one,
          committedSize: (of) => store.committedSize(of),
          read: (of, at, length) => store.read(of, at, length),
        },
        new Map([[id, bytes]]),
      );
    }
  }

  /** A few changes, in a transaction or a batch. */
  #scope(): void {
    const isBatch = this.#oneIn(3);
    const ids = this.#ids.slice();
    const liveBytes = this.#liveBytes;
    this.#both((to) => (isBatch ? to.beginBatch() : to.begin()));
    for (let left = 1 + this.#random.below(15); left > 0; left--) this.#change();
    if (isBatch) this.#both((to) => to.endBatch());
    else if (this.#oneIn(4)) {
      this.#both((to) => to.abort());
      this.#ids = ids;
      this.#liveBytes = liveBytes;
    } else this.#both((to) => to.commit());
  }

  #change(): void {
    this.operations++;
    const kind = this.#random.below(10);
    if (this.#liveBytes < this.#targetBytes * 0.98 && (kind < 5 || this.#ids.length < 8)) this.#make();
    else if (this.#liveBytes > this.#targetBytes * 1.02 && kind < 5) this.#free();
    else if (kind === 0) {
      this.#free();
      this.#make();
    } else this.#alter(kind, this.#pick());
  }

  #alter(kind: number, id: number): void {
    const random = this.#random;
    const size = this.#model.size(id);
    const length = random.below(Math.min(size, writtenBytesMax) + 1);
    const offset = random.below(size - length + 1);
    const before = this.#liveBytes - size;
    if (kind < 6) {
      const bytes = bytesOf(random.next(), length);
      this.#both((to) => to.write(id, offset, bytes));
    } else if (kind < 7) {
      const bytes = bytesOf(random.next(), random.below(length + 20));
      this.#both((to) => to.splice(id, offset, length, bytes));
    } else if (kind < 8) {
      const bound = random.below(Math.min(2 * size, largeBytes) + 30);
      this.#both((to) => to.resize(id, bound));
    } else this.#transfer(kind === 8 ? "copy" : "move", id, offset, length);
    if (kind < 8) this.#liveBytes = before + this.#model.size(id);
  }

  #transfer(how: "copy" | "move", from: number, offset: number, length: number): void {
    const to = this.#pick();
    const before = this.#liveBytes - this.#model.size(to);
    const at = this.#random.below(this.#model.size(to) + 1);
    this.#both((one) => one[how](from, offset, length, to, at));
    this.#liveBytes = before + this.#model.size(to);
  }

  #make(): void {
    const size = this.#random.below(this.#oneIn(largeOneIn) ? largeBytes : smallBytes);
    const id = this.#store.alloc(size);
    this.#noteFlush();
    this.#model.alloc(id, size);
    const bytes = bytesOf(this.#random.next(), this.#random.below(size + 1));
    this.#both((to) => to.write(id, 0, bytes));
    this.#ids.push(id);
    this.#liveBytes += size;
  }

  #free(): void {
    const at = this.#random.below(this.#ids.length);
    const id = this.#ids[at]!;
    this.#ids[at] = this.#ids.at(-1)!;
    this.#ids.pop();
    this.#liveBytes -= this.#model.size(id);
    this.#both((to) => to.free(id));
  }

  #pick(): number {
    return this.#ids[this.#random.below(this.#ids.length)]!;
  }

  /** The store may flush by itself in the middle, with the call included. */
  #both(call: (to: Store | Model) => void): void {
    call(this.#store);
    call(this.#model);
    this.#noteFlush();
  }
}
