/**
 * A file in memory: for tests, for examples, and for stores that need not last.
 *
 *  (1) Handle and content are two things, as with a real file: `reopen` gives a second handle on the same content,
 *      `clone` a new file. The lock belongs to the content and ends when its holder closes.
 *  (2) A closed handle can be used again at once, as if the file had been opened again.
 *  (3) Bytes of the array behind the length are zero, so growth needs no clearing.
 *
 * Cost: a copy of the bytes; growth doubles.
 */

import { crc32c } from "../codec/crc32c.ts";
import { assert, StoreError } from "../errors.ts";
import type { StorageFile } from "./storage.ts";

interface Content {
  bytes: Uint8Array;
  length: number;
  holder: MemoryFile | undefined;
}

export class MemoryFile implements StorageFile {
  readonly name: string;
  readonly crc32c = crc32c;
  #content: Content;

  /** Starts with a copy of `bytes`. */
  constructor(name = "memory", bytes: Uint8Array = new Uint8Array(0)) {
    this.name = name;
    this.#content = { bytes: bytes.slice(), length: bytes.length, holder: undefined };
  }

  /** A further handle on the same content and lock, as from opening the same path again, or `name` that it has now. */
  reopen(name = this.name): MemoryFile {
    const file = new MemoryFile(name);
    file.#content = this.#content;
    return file;
  }

  /** A new, unlocked file with the same content. */
  clone(): MemoryFile {
    return new MemoryFile(this.name, this.#content.bytes.subarray(0, this.#content.length));
  }

  /** A copy of the content. */
  bytes(): Uint8Array {
    return this.#content.bytes.slice(0, this.#content.length);
  }

  size(): number {
    return this.#content.length;
  }

  read(into: Uint8Array, at: number): void {
    const { bytes, length } = this.#content;
    assert(at >= 0, "read at a negative position");
    if (at + into.length > length) throw endsInside(this.name, into.length, at, length);
    into.set(bytes.subarray(at, at + into.length));
  }

  write(from: Uint8Array, at: number): void {
    const { bytes, length } = this.#content;
    assert(at >= 0 && at + from.length <= length, "write outside the file");
    bytes.set(from, at);
  }

  truncate(bytes: number): void {
    assert(Number.isSafeInteger(bytes) && bytes >= 0, "truncate to something that is no length");
    const content = this.#content;
    if (bytes > content.bytes.length) {
      const grown = allocate(this.name, Math.max(bytes, 2 * content.length));
      grown.set(content.bytes.subarray(0, content.length));
      content.bytes = grown;
    } else {
      content.bytes.fill(0, bytes, Math.max(bytes, content.length));
    }
    content.length = bytes;
  }

  sync(): void {}

  lock(): void {
    if (this.#content.holder !== undefined) throw alreadyLocked(this.name);
    this.#content.holder = this;
  }

  close(): void {
    if (this.#content.holder === this) this.#content.holder = undefined;
  }
}

function allocate(file: string, bytes: number): Uint8Array {
  try {
    return new Uint8Array(bytes);
  } catch (cause) {
    throw new StoreError("disk-full", `no memory for ${bytes} bytes`, { file }, cause);
  }
}

/** The failure of a read that the file's end cuts short. */
export function endsInside(file: string, bytes: number, at: number, size: number): StoreError {
  const message = `cannot read ${bytes} bytes: the file ends at ${size}; it was cut short or is still being written`;
  return new StoreError("io-failed", message, { file, offset: at });
}

/** The failure of a lock that somebody holds. */
export function alreadyLocked(file: string, cause?: unknown): StoreError {
  const message = "open for writing elsewhere, in this process or another one; close it there first";
  return new StoreError("locked", message, { file }, cause);
}
