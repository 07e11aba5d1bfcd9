/** A directory in memory. */

import { StoreError } from "../errors.ts";
import { MemoryFile } from "./memory.ts";
import type { Disk, StorageFile } from "./storage.ts";

export class MemoryDisk implements Disk {
  readonly #files = new Map<string, MemoryFile>();

  open(name: string, mode: "create" | "write" | "read"): StorageFile {
    const known = this.#files.get(name);
    if (known !== undefined) return known.reopen(name);
    if (mode !== "create")
      throw new StoreError("io-failed", "cannot open the file: it does not exist", { file: name });
    const file = new MemoryFile(name);
    this.#files.set(name, file);
    return file.reopen();
  }

  size(name: string): number {
    return this.#files.get(name)?.size() ?? -1;
  }

  replace(from: string, to: string): void {
    const file = this.#files.get(from);
    if (file === undefined)
      throw new StoreError("io-failed", "cannot replace the file: the new one does not exist", { file: to });
    this.#files.set(to, file);
    this.#files.delete(from);
  }

  remove(name: string): void {
    this.#files.delete(name);
  }
}
