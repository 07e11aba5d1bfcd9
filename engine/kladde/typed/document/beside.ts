/**
 * Making a file complete before it has its name.
 *
 *  (1) The lock of the name is held while the file is made beside it, so that file needs none of its own.
 *  (2) After a crash the name is as it was; what was made so far is overwritten the next time.
 */

import type { Disk, StorageFile } from "../../../storage/storage.ts";

/** Name of the file that is made beside `name`. */
export const besideOf = (name: string): string => `${name}.new`;

/** Makes a file and gives it `name`, in place of what has it. `make` gets the open file, and closes it. */
export function replaceWith(disk: Disk, name: string, make: (file: StorageFile) => void): void {
  const beside = besideOf(name);
  disk.remove(beside);
  make(new Unlocked(disk.open(beside, "create")));
  disk.replace(beside, name);
}

/** A file whose lock somebody else holds under another name. */
class Unlocked implements StorageFile {
  readonly name: string;
  readonly crc32c: StorageFile["crc32c"];
  readonly #file: StorageFile;

  constructor(file: StorageFile) {
    this.name = file.name;
    this.crc32c = file.crc32c;
    this.#file = file;
  }

  size(): number {
    return this.#file.size();
  }

  read(into: Uint8Array, at: number): void {
    this.#file.read(into, at);
  }

  write(from: Uint8Array, at: number): void {
    this.#file.write(from, at);
  }

  truncate(bytes: number): void {
    this.#file.truncate(bytes);
  }

  sync(): void {
    this.#file.sync();
  }

  lock(): void {}

  close(): void {
    this.#file.close();
  }
}
