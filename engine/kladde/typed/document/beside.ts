/**
 * Making a file complete before it has its name.
 *
 *  (1) The lock of the name is held while the file is made beside it, so that file needs none of its own.
 *  (2) After a crash the name is as it was; what was made so far is overwritten the next time. After a failure it is gone.
 */

import type { Disk, StorageFile } from "../../../storage/storage.ts";
import { WrappedFile } from "../../../storage/wrapped.ts";

/** Name of the file that is made beside `name`. */
export const besideOf = (name: string): string => `${name}.new`;

/** Makes a file and gives it `name`, in place of what has it. `make` gets the open file, and closes it. */
export function replaceWith(disk: Disk, name: string, make: (file: StorageFile) => void): void {
  const beside = besideOf(name);
  disk.remove(beside);
  try {
    make(new HeldFile(disk.open(beside, "create")));
    disk.replace(beside, name);
  } catch (cause) {
    try {
      disk.remove(beside);
    } catch {
      // The first failure tells more.
    }
    throw cause;
  }
}

/** A file whose lock is held already, by `holder` if that is to end with it. */
export class HeldFile extends WrappedFile {
  readonly #holder: StorageFile | undefined;

  constructor(inner: StorageFile, holder?: StorageFile) {
    super(inner);
    this.#holder = holder;
  }

  override lock(): void {}

  override close(): void {
    try {
      super.close();
    } finally {
      this.#holder?.close();
    }
  }
}
