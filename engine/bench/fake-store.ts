/**
 * A store that keeps everything in memory and its books as simply as they can balance: for tests of the harness.
 *
 * The file is only a name. `FakeStores` remembers the contents under it, so that a reopened store has them.
 */

import { Store, type StoreStats } from "../kladde/index.ts";
import { MemoryFile } from "../storage/memory.ts";
import type { StorageFile } from "../storage/storage.ts";
import type { RunOptions } from "./runs.ts";
import type { BenchStore, Stores } from "./store.ts";

const pageContentBytes = 4081;

export class FakeStore implements BenchStore {
  readonly contents: Map<number, Uint8Array>;
  #nextId: number;
  #flushes = 0;
  #bytesWritten = 0;
  #filePages = 3;
  readonly #spare: number[] = [];

  constructor(contents: Map<number, Uint8Array>) {
    this.contents = contents;
    this.#nextId = 1 + Math.max(0, ...contents.keys());
  }

  alloc(size: number): number {
    const id = this.#spare.pop() ?? this.#nextId++;
    this.contents.set(id, new Uint8Array(size));
    return id;
  }

  free(id: number): void {
    this.#of(id);
    this.contents.delete(id);
    this.#spare.push(id);
  }

  resize(id: number, size: number): void {
    const resized = new Uint8Array(size);
    resized.set(this.#of(id).subarray(0, size));
    this.contents.set(id, resized);
  }

  write(id: number, offset: number, bytes: Uint8Array): void {
    if (offset + bytes.length > this.#of(id).length) this.resize(id, offset + bytes.length);
    this.#of(id).set(bytes, offset);
    this.#bytesWritten += bytes.length;
  }

  flush(): void {
    this.#flushes++;
  }

  close(): void {}

  committedSize(id: number): number {
    return this.#of(id).length;
  }

  read(id: number, offset: number, length: number): Uint8Array {
    return this.#of(id).slice(offset, offset + length);
  }

  ids(): Iterable<number> {
    return this.contents.keys();
  }

  check(): void {}

  visitDataFragments(visit: (page: number, id: number, bytes: number) => void): void {
    for (const [id, bytes] of this.contents) visit(2 + (id >>> 2), id, bytes.length);
  }

  stats(): StoreStats {
    const allocationBytes = [...this.contents.values()].reduce((sum, bytes) => sum + bytes.length, 0);
    const dataPages = Math.ceil(allocationBytes / pageContentBytes);
    this.#filePages = Math.max(this.#filePages, 3 + dataPages);
    return {
      ...zeroStats,
      flushes: this.#flushes,
      journalBytes: this.#bytesWritten,
      dataPagesWritten: Math.ceil(this.#bytesWritten / pageContentBytes),
      headersWritten: this.#flushes,
      filePages: this.#filePages,
      dataPages,
      journalPages: 1,
      readyPages: this.#filePages - 3 - dataPages,
      liveDataBytes: allocationBytes,
      allocations: this.contents.size,
      allocationBytes,
    };
  }

  #of(id: number): Uint8Array {
    const bytes = this.contents.get(id);
    if (bytes === undefined) throw new RangeError(`allocation ${id} does not exist`);
    return bytes;
  }
}

export class FakeStores implements Stores {
  /** Most recently made. */
  store: FakeStore | undefined;
  /** Whether files keep what was learned, where the options do not decide it. */
  keepsState: boolean | undefined;
  #keepsState = true;
  readonly #files = new Map<string, Map<number, Uint8Array>>();
  readonly #make: (contents: Map<number, Uint8Array>) => FakeStore;

  constructor(
    make: (contents: Map<number, Uint8Array>) => FakeStore = (contents) => new FakeStore(contents),
  ) {
    this.#make = make;
  }

  create(file: StorageFile, { consolidate, consolidatorState }: RunOptions): FakeStore {
    this.#keepsState = consolidate !== false && consolidatorState !== false;
    const contents = new Map<number, Uint8Array>();
    this.#files.set(file.name, contents);
    this.store = this.#make(contents);
    return this.store;
  }

  open(file: StorageFile): FakeStore {
    this.store = this.#make(this.#files.get(file.name)!);
    return this.store;
  }

  holdsState(file: StorageFile): boolean {
    file.close();
    return this.keepsState ?? this.#keepsState;
  }
}

/** Every number there is, none of it done yet. */
const zeroStats = Object.fromEntries(
  Object.keys(Store.create(new MemoryFile("none")).stats()).map((name) => [name, 0]),
) as unknown as StoreStats;
