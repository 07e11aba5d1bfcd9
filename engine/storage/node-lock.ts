/**
 * One writer a file, over all of this machine's processes.
 *
 * Node has no file locks of its own, but its SQLite takes the kernel's: an exclusive transaction that stays open on
 * the empty file `<real path>.lock`.
 *
 *  (1) It excludes a second open in this process, in a worker and in any other process, under any name that leads
 *      to the same real path.
 *  (2) It ends with its owner, however that ends; a killed process leaves no lock behind, only the empty file.
 *  (3) Nobody else may open the lock file: closing any descriptor of it in this process would drop the lock. Nothing
 *      is ever written to it, and it is never removed, since another process may hold it open by then.
 *
 * SQLite is loaded by the first lock: read-only use works without it.
 */

import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "../errors.ts";
import { alreadyLocked } from "./memory.ts";

const sqliteBusy = 5;

export class NodeLock {
  #database: DatabaseSync | undefined;

  /** Takes the lock of the file at `realPath`, or throws `locked`; `name` is for errors. */
  constructor(realPath: string, name: string) {
    const lockPath = `${realPath}.lock`;
    const sqlite = process.getBuiltinModule("node:sqlite");
    if (sqlite === undefined) {
      throw new StoreError("io-failed", "cannot lock the file: this Node lacks node:sqlite", { file: name });
    }
    try {
      this.#database = new sqlite.DatabaseSync(lockPath);
      // The rollback journal in memory: by default SQLite would write one beside the lock file, which a full disk
      // refuses and a killed process leaves behind.
      this.#database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    } catch (error) {
      this.release();
      // The low byte is the kind; the rest refines it.
      if (((error as { errcode?: number }).errcode ?? 0) % 256 === sqliteBusy)
        throw alreadyLocked(name, error);
      const why = error instanceof Error ? error.message : String(error);
      throw new StoreError(
        "io-failed",
        `cannot lock the file through ${lockPath}: ${why}; its directory must be writable, unless the file is only read`,
        { file: name },
        error,
      );
    }
  }

  release(): void {
    this.#database?.close();
    this.#database = undefined;
  }
}
