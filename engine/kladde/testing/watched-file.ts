/** A file in memory that counts what is asked of it beyond reading. */

import { MemoryFile } from "../../storage/memory.ts";

export class WatchedFile extends MemoryFile {
  writes = 0;
  syncs = 0;
  locks = 0;

  override write(from: Uint8Array, at: number): void {
    this.writes++;
    super.write(from, at);
  }

  override truncate(bytes: number): void {
    this.writes++;
    super.truncate(bytes);
  }

  override sync(): void {
    this.syncs++;
    super.sync();
  }

  override lock(): void {
    this.locks++;
    super.lock();
  }
}

export function caught(step: () => unknown): unknown {
  try {
    step();
  } catch (error) {
    return error;
  }
  return undefined;
}
