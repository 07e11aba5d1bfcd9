/**
 * Files of the operating system through Node's synchronous calls, and Node's clock.
 *
 *  (1) `read` and `write` go on after a short transfer and after an interruption; they end complete or throw.
 *  (2) Every failure of the system is a `StoreError` with the file's name and the system's error as its cause.
 *  (3) A file that `openNodeFile` made is durable in its directory before the call returns.
 *  (4) A handle's descriptor is −1 once closed, so that it can never reach another file.
 *
 * Cost: the system calls themselves, one to two microseconds for a cached page. The lock: `node-lock.ts`.
 */

import fs from "node:fs";
import path from "node:path";
import type { Crc32c } from "../codec/crc32c.ts";
import { StoreError } from "../errors.ts";
import { endsInside } from "./memory.ts";
import { nodeCrc32c } from "./node-crc.ts";
import { NodeLock } from "./node-lock.ts";
import type { Clock, Disk, StorageFile } from "./storage.ts";

/** `create`: read and write, made if missing. `write`: read and write, must exist. `read`: read only, must exist. */
export type NodeFileMode = "create" | "write" | "read";

export const nodeClock: Clock = { nowMicros: () => performance.now() * 1000 };

/** Opens a regular file. `crc32c` is for tests: normally the fastest one is chosen. */
export function openNodeFile(name: string, mode: NodeFileMode, crc32c: Crc32c = nodeCrc32c()): StorageFile {
  const descriptor = mode === "create" ? openOrMake(name) : openExisting(name, mode);
  try {
    requireRegularFile(name, descriptor);
    return new NodeFile(name, fs.realpathSync(name), descriptor, crc32c);
  } catch (error) {
    fs.closeSync(descriptor);
    throw asStoreError(error, "open", name);
  }
}

class NodeFile implements StorageFile {
  readonly name: string;
  readonly crc32c: Crc32c;
  readonly #realPath: string;
  #descriptor: number;
  #lock: NodeLock | undefined;

  constructor(name: string, realPath: string, descriptor: number, crc32c: Crc32c) {
    this.name = name;
    this.crc32c = crc32c;
    this.#realPath = realPath;
    this.#descriptor = descriptor;
  }

  size(): number {
    try {
      return fs.fstatSync(this.#descriptor).size;
    } catch (error) {
      throw this.#failure(error, "get the size of");
    }
  }

  read(into: Uint8Array, at: number): void {
    const bytes = into.length;
    let done = 0;
    while (done < bytes) {
      try {
        const count = fs.readSync(this.#descriptor, into, done, bytes - done, at + done);
        if (count === 0) throw endsInside(this.name, bytes, at, this.size());
        done += count;
      } catch (error) {
        if (!isInterruption(error)) throw this.#failure(error, "read", at);
      }
    }
  }

  write(from: Uint8Array, at: number): void {
    const bytes = from.length;
    let done = 0;
    while (done < bytes) {
      try {
        const count = fs.writeSync(this.#descriptor, from, done, bytes - done, at + done);
        if (count === 0) throw new Error("the system wrote nothing");
        done += count;
      } catch (error) {
        if (!isInterruption(error)) throw this.#failure(error, "write", at);
      }
    }
  }

  truncate(bytes: number): void {
    try {
      fs.ftruncateSync(this.#descriptor, bytes);
    } catch (error) {
      throw this.#failure(error, "set the length of", bytes);
    }
  }

  sync(): void {
    try {
      fs.fdatasyncSync(this.#descriptor);
    } catch (error) {
      throw this.#failure(error, "sync");
    }
  }

  lock(): void {
    // Not kept before it is held: a handle that locks twice must not lose the lock it has.
    const lock = new NodeLock(this.#realPath, this.name);
    this.#lock = lock;
  }

  close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = -1;
    try {
      if (descriptor >= 0) fs.closeSync(descriptor);
    } catch (error) {
      throw asStoreError(error, "close", this.name);
    } finally {
      this.#lock?.release();
      this.#lock = undefined;
    }
  }

  #failure(error: unknown, action: string, offset?: number): StoreError {
    if (this.#descriptor < 0)
      return new StoreError("closed", `cannot ${action} a closed file`, { file: this.name });
    return asStoreError(error, action, this.name, offset);
  }
}

/** Absent outside POSIX. Keeps the opening of a pipe without a writer from waiting for one. */
const nonblock = fs.constants.O_NONBLOCK ?? 0;

function openExisting(name: string, mode: "write" | "read"): number {
  const access = mode === "write" ? fs.constants.O_RDWR : fs.constants.O_RDONLY;
  try {
    return fs.openSync(name, access | nonblock);
  } catch (error) {
    throw asStoreError(error, "open", name);
  }
}

function openOrMake(name: string): number {
  try {
    return fs.openSync(name, fs.constants.O_RDWR | nonblock);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw asStoreError(error, "open", name);
  }
  let descriptor: number;
  try {
    descriptor = fs.openSync(name, fs.constants.O_RDWR | fs.constants.O_CREAT);
  } catch (error) {
    throw asStoreError(error, "create", name);
  }
  try {
    syncDirectory(path.dirname(fs.realpathSync(name)));
  } catch (error) {
    fs.closeSync(descriptor);
    throw asStoreError(error, "make durable the name of", name);
  }
  return descriptor;
}

/** The files of the operating system, by path. */
export const nodeDisk: Disk = {
  open(name, mode, like) {
    const isMade = like !== undefined && !fs.existsSync(name);
    const file = openNodeFile(name, mode);
    try {
      if (isMade) takeRights(name, like);
    } catch (error) {
      file.close();
      throw asStoreError(error, "give rights to", name);
    }
    return file;
  },
  size(name) {
    try {
      return fs.statSync(name, { throwIfNoEntry: false })?.size ?? -1;
    } catch (error) {
      throw asStoreError(error, "look at", name);
    }
  },
  replace(from, to) {
    try {
      // A link stays a link: what it leads to is replaced.
      const target = fs.existsSync(to) ? fs.realpathSync(to) : to;
      fs.renameSync(from, target);
      syncDirectory(path.dirname(target));
    } catch (error) {
      throw asStoreError(error, "replace", to);
    }
  },
  remove(name) {
    try {
      fs.rmSync(name, { force: true });
    } catch (error) {
      throw asStoreError(error, "remove", name);
    }
  },
};

/** Gives the file `name` the rights and the owner of `like`; only the superuser may give a file away. */
function takeRights(name: string, like: string): void {
  const { mode, uid, gid } = fs.statSync(like);
  fs.chmodSync(name, mode & 0o777);
  try {
    fs.chownSync(name, uid, gid);
  } catch (error) {
    if (codeOf(error) !== "EPERM") throw error;
  }
}

/** Makes the names in a directory durable. Windows has no such call and needs none. */
function syncDirectory(directory: string): void {
  if (process.platform === "win32") return;
  const descriptor = fs.openSync(directory, fs.constants.O_RDONLY);
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

function requireRegularFile(name: string, descriptor: number): void {
  const stats = fs.fstatSync(descriptor);
  if (stats.isFile()) return;
  const kind = stats.isDirectory() ? "a directory" : "a pipe, socket or device";
  throw new StoreError("io-failed", `${kind}, not a file; give the path of a file`, { file: name });
}

const fullCodes = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** What the system refused, as an error of ours; an error of ours stays as it is. */
function asStoreError(error: unknown, action: string, file: string, offset?: number): StoreError {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  const place = { file, offset };
  if (code !== undefined && fullCodes.has(code)) {
    return new StoreError("disk-full", `cannot ${action} the file: no space left (${code})`, place, error);
  }
  const why = reasons[code ?? ""] ?? (error instanceof Error ? error.message : String(error));
  return new StoreError("io-failed", `cannot ${action} the file: ${why}`, place, error);
}

const reasons: Record<string, string> = {
  ENOENT: "it or its directory does not exist",
  EISDIR: "it is a directory; give the path of a file",
  ENOTDIR: "a part of the path is not a directory",
  EACCES: "permission denied; check the rights of file and directory",
  EROFS: "the file system is read-only",
};

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | null)?.code;
}

function isInterruption(error: unknown): boolean {
  return codeOf(error) === "EINTR";
}
