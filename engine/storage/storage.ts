/**
 * The seam between the engines and the world: everything an engine may ask of a disk, a clock or chance.
 *
 *  (1) Synchronous, because a mutation returns only when its journal bytes are with the operating system.
 *  (2) Positional: no call depends on an earlier one's position. Positions are numbers below 2^53.
 *  (3) Buffers belong to the caller; an implementation keeps none.
 *  (4) `read` and `write` transfer all of the buffer or throw; a failed `sync` is final.
 *
 * Implementations: `node.ts` (files), `memory.ts`, `crashing.ts` (loses power; for tests).
 */

import type { Crc32c } from "../codec/crc32c.ts";

export interface StorageFile {
  /** Shown in errors. */
  readonly name: string;
  /** The fastest CRC-32C at hand: native where the platform has one, else `crc32c` of `codec`. */
  readonly crc32c: Crc32c;
  /** Length in bytes. */
  size(): number;
  /** Fills `into` from position `at`. Throws `io-failed`, also when the file ends first. */
  read(into: Uint8Array, at: number): void;
  /** Writes all of `from` at `at`, within the current size. Throws `disk-full` or `io-failed`. */
  write(from: Uint8Array, at: number): void;
  /** Sets the length; growth reads as zeros. Throws `disk-full` or `io-failed`. */
  truncate(bytes: number): void;
  /** Makes contents and length durable. Throws `io-failed`; the failure is final. */
  sync(): void;
  /** Excludes every other writer, here and in other processes, until `close` or the process ends. Throws `locked`. */
  lock(): void;
  /** Releases lock and handle; a second call does nothing. */
  close(): void;
}

/** A directory of files, for what makes and replaces whole ones. Names are the platform's paths. */
export interface Disk {
  /**
   * `create`: for reading and writing, made if missing. `write`: must exist. `read`: reading only, must exist. A file that is
   * made gets the rights and the owner of the file `like`, as far as the system allows.
   */
  open(name: string, mode: "create" | "write" | "read", like?: string): StorageFile;
  /** Length in bytes; −1 if there is no such file. */
  size(name: string): number;
  /** Gives the file `from` the name `to`, in place of what had it; durable when this returns. */
  replace(from: string, to: string): void;
  /** Removes a file; a missing one is none's loss. */
  remove(name: string): void;
}

export interface Clock {
  /** Microseconds of a monotonic clock with an arbitrary zero. */
  nowMicros(): number;
}

export interface Random {
  /** The next value, uniform in 0 … 2^32 − 1. */
  next(): number;
}
