/**
 * A file that passes everything on, remembers which pages were written, and keeps the cost of `sync` apart.
 *
 * The speed floor compares a flush with plain writes of the same pages, so it must know which those were. Recording
 * costs a few tens of nanoseconds a call, which the store is charged with.
 */

import type { Crc32c } from "../codec/crc32c.ts";
import type { StorageFile } from "../storage/storage.ts";

export interface Cost {
  readonly processorMicros: number;
  readonly elapsedMicros: number;
}

/** Processor time of the whole process, its helper threads included, and time by the wall. */
export function costNow(): Cost {
  const { user, system } = process.cpuUsage();
  return { processorMicros: user + system, elapsedMicros: performance.now() * 1000 };
}

export const costSince = (start: Cost, end: Cost = costNow()): Cost => ({
  processorMicros: end.processorMicros - start.processorMicros,
  elapsedMicros: end.elapsedMicros - start.elapsedMicros,
});

/** One change of the file: `length` bytes written at `at`, or the length set to `at` where `length` is −1. */
export interface Change {
  readonly at: number;
  readonly length: number;
}

export class RecordingFile implements StorageFile {
  readonly name: string;
  readonly crc32c: Crc32c;
  readonly #file: StorageFile;
  #changes: Change[] = [];
  #sync: Cost = { processorMicros: 0, elapsedMicros: 0 };

  constructor(file: StorageFile) {
    this.#file = file;
    this.name = file.name;
    this.crc32c = file.crc32c;
  }

  /** Changes since the last call, in order, and what `sync` cost since then. */
  take(): { changes: Change[]; sync: Cost } {
    const taken = { changes: this.#changes, sync: this.#sync };
    this.#changes = [];
    this.#sync = { processorMicros: 0, elapsedMicros: 0 };
    return taken;
  }

  size(): number {
    return this.#file.size();
  }

  read(into: Uint8Array, at: number): void {
    this.#file.read(into, at);
  }

  write(from: Uint8Array, at: number): void {
    this.#file.write(from, at);
    this.#changes.push({ at, length: from.length });
  }

  truncate(bytes: number): void {
    this.#file.truncate(bytes);
    this.#changes.push({ at: bytes, length: -1 });
  }

  sync(): void {
    const start = costNow();
    this.#file.sync();
    const { processorMicros, elapsedMicros } = costSince(start);
    this.#sync = {
      processorMicros: this.#sync.processorMicros + processorMicros,
      elapsedMicros: this.#sync.elapsedMicros + elapsedMicros,
    };
  }

  lock(): void {
    this.#file.lock();
  }

  close(): void {
    this.#file.close();
  }
}
