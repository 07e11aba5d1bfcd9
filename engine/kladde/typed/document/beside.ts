/**
 * Making a file complete before it has its name.
 *
 *  (1) The lock of the name is held while the file is made beside it, so that file needs none of its own.
 *  (2) After a crash the name is as it was; what was made so far is overwritten the next time. After a failure it is gone.
 */

import { StoreError } from "../../../errors.ts";
import type { Disk, StorageFile } from "../../../storage/storage.ts";
import { WrappedFile } from "../../../storage/wrapped.ts";
import { magic } from "../../format/layout.ts";

/** Name of the file that is made beside `name`. */
export const besideOf = (name: string): string => `${name}.new`;

/**
 * Makes a file and gives it `name`, in place of what has it. `make` gets the open file, and closes it. The file gets the
 * rights of `like`. Throws `exists` if a file that is not ours has the place beside `name`.
 */
export function replaceWith(disk: Disk, name: string, make: (file: StorageFile) => void, like = name): void {
  const beside = besideOf(name);
  requireOurs(disk, beside);
  disk.remove(beside);
  try {
    make(new HeldFile(disk.open(beside, "create", like)));
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

/** Throws unless there is nothing under `beside` but what a crash left of a file of ours, which begins empty or as one. */
function requireOurs(disk: Disk, beside: string): void {
  if (disk.size(beside) <= 0) return;
  const file = disk.open(beside, "read");
  try {
    const front = new Uint8Array(Math.min(file.size(), magic.length));
    file.read(front, 0);
    if (front.every((byte) => byte === 0) || front.every((byte, at) => byte === magic[at])) return;
  } finally {
    file.close();
  }
  throw new StoreError(
    "exists",
    "a document is made under this name before it gets its own, and another file has it; move that one away",
    { file: beside },
  );
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
