/** A file that passes every call on to another: for those that change one call or two. */

import type { StorageFile } from "./storage.ts";

export class WrappedFile implements StorageFile {
  readonly name: string;
  readonly crc32c: StorageFile["crc32c"];
  protected readonly inner: StorageFile;

  constructor(inner: StorageFile) {
    this.name = inner.name;
    this.crc32c = inner.crc32c;
    this.inner = inner;
  }

  size(): number {
    return this.inner.size();
  }

  read(into: Uint8Array, at: number): void {
    this.inner.read(into, at);
  }

  write(from: Uint8Array, at: number): void {
    this.inner.write(from, at);
  }

  truncate(bytes: number): void {
    this.inner.truncate(bytes);
  }

  sync(): void {
    this.inner.sync();
  }

  lock(): void {
    this.inner.lock();
  }

  close(): void {
    this.inner.close();
  }
}
