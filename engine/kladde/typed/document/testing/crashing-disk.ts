/**
 * A directory that loses power: files that behave as `CrashingFile` does, and names.
 *
 *  (1) Mutating calls of all files, and of the directory, are counted together from 0; the power fails during the one that
 *      is planned.
 *  (2) A replacement is durable when its call returns, and with it every earlier change of names. One that was under way
 *      when the power failed has happened or not.
 *  (3) A name made or removed since the last replacement is there after a cut, or is not.
 */

import { type CrashChoice, CrashingFile, PowerCut } from "../../../../storage/crashing.ts";
import { MemoryDisk } from "../../../../storage/memory-disk.ts";
import { below } from "../../../../storage/random.ts";
import type { Disk, Random, StorageFile } from "../../../../storage/storage.ts";
import { WrappedFile } from "../../../../storage/wrapped.ts";

export class CrashingDisk implements Disk {
  /** Mutating calls so far. */
  mutations = 0;
  readonly #cutAt: number;
  #names = new Map<string, CrashingFile>();
  /** As of the last replacement. */
  #durable: Map<string, CrashingFile>;
  /** What a replacement that the cut interrupted would have made of the names. */
  #interrupted: Map<string, CrashingFile> | undefined;

  /** Starts with `files`, safe. */
  constructor(files: ReadonlyMap<string, Uint8Array>, cutAt = -1) {
    this.#cutAt = cutAt;
    for (const [name, bytes] of files) this.#names.set(name, new CrashingFile(bytes, {}, name));
    this.#durable = new Map(this.#names);
  }

  open(name: string, mode: "create" | "write" | "read"): StorageFile {
    let file = this.#names.get(name);
    if (file === undefined && mode !== "create") throw new Error(`no file ${name}`);
    if (file === undefined) {
      this.#mutate(undefined);
      file = new CrashingFile(new Uint8Array(0), {}, name);
      this.#names.set(name, file);
    }
    return new Counted(file, (target) => this.#mutate(target));
  }

  size(name: string): number {
    return this.#names.get(name)?.size() ?? -1;
  }

  replace(from: string, to: string): void {
    const after = new Map(this.#names);
    after.set(to, after.get(from)!);
    after.delete(from);
    if (this.mutations === this.#cutAt) this.#interrupted = after;
    this.#mutate(undefined);
    this.#names = after;
    this.#durable = new Map(after);
  }

  remove(name: string): void {
    if (!this.#names.has(name)) return;
    this.#mutate(undefined);
    this.#names.delete(name);
  }

  /** What may be there after a cut now: the names as `names` says, contents as `choice` does. */
  after(names: "lost" | "kept" | Random, choice: CrashChoice): MemoryDisk {
    const disk = new MemoryDisk();
    for (const [name, file] of this.#namesAfter(names)) {
      const image = file.image(choice);
      const copy = disk.open(name, "create");
      copy.truncate(image.length);
      copy.write(image, 0);
    }
    return disk;
  }

  #namesAfter(names: "lost" | "kept" | Random): ReadonlyMap<string, CrashingFile> {
    if (names === "lost") return this.#durable;
    if (names === "kept") return this.#interrupted ?? this.#names;
    if (this.#interrupted !== undefined && below(names, 2) === 0) return this.#interrupted;
    const result = new Map<string, CrashingFile>();
    for (const name of new Set([...this.#durable.keys(), ...this.#names.keys()])) {
      const file = (below(names, 2) === 0 ? this.#durable : this.#names).get(name);
      if (file !== undefined) result.set(name, file);
    }
    return result;
  }

  /** Before each mutating call; `target` is to be told that the power fails during it. */
  #mutate(target: CrashingFile | undefined): void {
    const number = this.mutations++;
    if (number !== this.#cutAt) return;
    if (target === undefined) throw new PowerCut(`power cut at mutating call ${number} of the disk`);
    target.plan = { cutAt: target.mutations };
  }
}

/** A handle that counts. */
class Counted extends WrappedFile {
  readonly #file: CrashingFile;
  readonly #before: (file: CrashingFile) => void;

  constructor(file: CrashingFile, before: (file: CrashingFile) => void) {
    super(file);
    this.#file = file;
    this.#before = before;
  }

  override write(from: Uint8Array, at: number): void {
    this.#before(this.#file);
    super.write(from, at);
  }

  override truncate(bytes: number): void {
    this.#before(this.#file);
    super.truncate(bytes);
  }

  override sync(): void {
    this.#before(this.#file);
    super.sync();
  }
}
