/** A directory in memory. As on a real disk a lock goes by the name, whatever file has it. */

import { StoreError } from "../errors.ts";
import { alreadyLocked, MemoryFile } from "./memory.ts";
import type { Disk, StorageFile } from "./storage.ts";
import { WrappedFile } from "./wrapped.ts";

export class MemoryDisk implements Disk {
  readonly #files = new Map<string, MemoryFile>();
  readonly #holders = new Map<string, StorageFile>();

  open(name: string, mode: "create" | "write" | "read"): StorageFile {
    let file = this.#files.get(name);
    if (file === undefined) {
      if (mode !== "create")
        throw new StoreError("io-failed", "cannot open the file: it does not exist", { file: name });
      file = new MemoryFile(name);
      this.#files.set(name, file);
    }
    return new NamedFile(file.reopen(name), this.#holders);
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

class NamedFile extends WrappedFile {
  readonly #holders: Map<string, StorageFile>;

  constructor(inner: StorageFile, holders: Map<string, StorageFile>) {
    super(inner);
    this.#holders = holders;
  }

  override lock(): void {
    if (this.#holders.has(this.name)) throw alreadyLocked(this.name);
    this.#holders.set(this.name, this);
  }

  override close(): void {
    if (this.#holders.get(this.name) === this) this.#holders.delete(this.name);
    super.close();
  }
}
