/**
 * A file that passes everything on, remembers which pages were written, and counts and times its calls.
 *
 * A flush is compared with plain writes of the same pages, so it must be known which those were; and where its time
 * goes can be told apart from outside only by the calls it makes. Recording costs a few tens of nanoseconds a call,
 * which the store is charged with. Processor time is read around `sync` only: reading it takes microseconds.
 */

import type { Crc32c } from "../codec/crc32c.ts";
import type { StorageFile } from "../storage/storage.ts";
import { costNow, costSince } from "./cost.ts";

/** One change of the file: `length` bytes written at `at`, or the length set to `at` where `length` is −1. */
export interface Change {
  readonly at: number;
  readonly length: number;
}

export interface Calls {
  readonly calls: number;
  readonly elapsedMicros: number;
}

/** What happened to a file since it was last asked. */
export interface Recorded {
  /** In order. */
  readonly changes: readonly Change[];
  /** `write` and `truncate`. */
  readonly write: Calls;
  readonly read: Calls;
  readonly sync: Calls & { readonly processorMicros: number };
}

class Stopwatch {
  calls = 0;
  elapsedMicros = 0;

  add(millis: number): void {
    this.calls++;
    this.elapsedMicros += millis * 1000;
  }
}

export class RecordingFile implements StorageFile {
  readonly name: string;
  readonly crc32c: Crc32c;
  readonly #file: StorageFile;
  #changes: Change[] = [];
  #write = new Stopwatch();
  #read = new Stopwatch();
  #sync = new Stopwatch();
  #syncProcessorMicros = 0;

  constructor(file: StorageFile) {
    this.#file = file;
    this.name = file.name;
    this.crc32c = file.crc32c;
  }

  /** What happened since the last call. */
  take(): Recorded {
    const sync = { calls: this.#sync.calls, elapsedMicros: this.#sync.elapsedMicros };
    const taken = {
      changes: this.#changes,
      write: this.#write,
      read: this.#read,
      sync: { ...sync, processorMicros: this.#syncProcessorMicros },
    };
    this.#changes = [];
    this.#write = new Stopwatch();
    this.#read = new Stopwatch();
    this.#sync = new Stopwatch();
    this.#syncProcessorMicros = 0;
    return taken;
  }

  size(): number {
    return this.#file.size();
  }

  read(into: Uint8Array, at: number): void {
    const start = performance.now();
    this.#file.read(into, at);
    this.#read.add(performance.now() - start);
  }

  write(from: Uint8Array, at: number): void {
    const start = performance.now();
    this.#file.write(from, at);
    this.#write.add(performance.now() - start);
    this.#changes.push({ at, length: from.length });
  }

  truncate(bytes: number): void {
    const start = performance.now();
    this.#file.truncate(bytes);
    this.#write.add(performance.now() - start);
    this.#changes.push({ at: bytes, length: -1 });
  }

  sync(): void {
    const start = costNow();
    this.#file.sync();
    const { processorMicros, elapsedMicros } = costSince(start);
    this.#sync.add(elapsedMicros / 1000);
    this.#syncProcessorMicros += processorMicros;
  }

  lock(): void {
    this.#file.lock();
  }

  close(): void {
    this.#file.close();
  }
}
