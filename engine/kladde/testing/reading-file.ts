/** A file that shares its bytes with the test and can only be read: opening it a thousand times copies nothing. */

import { crc32c } from "../../codec/crc32c.ts";
import { AssertionError } from "../../errors.ts";
import { endsInside } from "../../storage/memory.ts";
import type { StorageFile } from "../../storage/storage.ts";

export class ReadingFile implements StorageFile {
  readonly name: string;
  readonly crc32c = crc32c;
  readonly #bytes: Uint8Array;

  constructor(name: string, bytes: Uint8Array) {
    this.name = name;
    this.#bytes = bytes;
  }

  size(): number {
    return this.#bytes.length;
  }

  read(into: Uint8Array, at: number): void {
    if (at + into.length > this.#bytes.length)
      throw endsInside(this.name, into.length, at, this.#bytes.length);
    into.set(this.#bytes.subarray(at, at + into.length));
  }

  write(): void {
    throw new AssertionError("the file is only read");
  }

  truncate(): void {
    this.write();
  }

  sync(): void {
    this.write();
  }

  lock(): void {
    this.write();
  }

  close(): void {}
}
