/**
 * A disk that loses power: the storage that durability is tested with.
 *
 * It behaves like `MemoryFile` and remembers what is not yet safe. At any moment it can say what a power cut would
 * leave behind; it can cut the power itself, refuse a call, and be full.
 *
 *  (1) The engine reads its own unsynced bytes.
 *  (2) Disks write whole sectors: after a cut every 512-byte sector holds some version it had since the last sync,
 *      each sector for itself; or, torn, one version in front and another behind.
 *  (3) The length is whichever it was at some moment since the last sync. What a kept length covers without content
 *      reads as zeros.
 *  (4) The call during which power fails is under way: what it writes may arrive or not, what it syncs likewise.
 *  (5) A failed sync makes nothing durable, and no later one makes up for it: the system may have forgotten the
 *      pages. A failed write has changed the first half of its range.
 *
 * Cost: a copy of every sector written, until the next sync.
 */

import { crc32c } from "../codec/crc32c.ts";
import { assert, StoreError, type StoreErrorCode } from "../errors.ts";
import { MemoryFile } from "./memory.ts";
import { below } from "./random.ts";
import type { Random, StorageFile } from "./storage.ts";

/** Thrown by every call once the power is cut. No error of the engine's: nothing may catch it and go on. */
export class PowerCut extends Error {
  override readonly name = "PowerCut";
}

/** What is to go wrong. Calls are counted from 0, each kind for itself. */
export interface CrashPlan {
  /** The power fails during the mutating call (write, truncate or sync) with this number. */
  cutAt?: number;
  /** The calls with these numbers fail with these codes. */
  failures?: readonly { readonly call: CallKind; readonly at: number; readonly code: StoreErrorCode }[];
  /**
   * The disk is full after this many pages of 4096 bytes: `truncate` beyond them fails, or, as on file systems that
   * assign blocks late, only a write beyond them.
   */
  full?: { readonly pages: number; readonly at: "truncate" | "write" };
}

export type CallKind = "read" | "write" | "truncate" | "sync";

/**
 * What of the unsynced is on the disk after the cut: nothing; everything; the newest length and none of the
 * contents; the contents and the synced length; everything but the second half of the last write; or, by chance,
 * any version of every sector (one in eight torn) and any length.
 */
export type CrashChoice = "lost" | "kept" | "lengthOnly" | "contentsOnly" | "torn" | Random;

const namedChoices = ["lost", "kept", "lengthOnly", "contentsOnly", "torn"] as const;

const sectorBytes = 512;
const pageBytes = 4096;

export class CrashingFile implements StorageFile {
  readonly name: string;
  readonly crc32c = crc32c;
  /** May be changed at any time. */
  plan: CrashPlan;
  /** Calls so far, those that failed included. */
  readonly calls: Record<CallKind, number> = { read: 0, write: 0, truncate: 0, sync: 0 };
  #isCut = false;
  #syncFailed = false;
  #current: MemoryFile;
  #synced: MemoryFile;
  /** Per sector written since the last sync: what it held after each write, oldest first. */
  #versions = new Map<number, Uint8Array[]>();
  /** The lengths since the last sync, oldest first. */
  #lengths: number[] = [];
  #lastWrite: { readonly at: number; readonly before: Uint8Array } | undefined;

  /** Starts with `image` on the disk, safe. */
  constructor(image: Uint8Array = new Uint8Array(0), plan: CrashPlan = {}, name = "crashing") {
    this.name = name;
    this.plan = plan;
    this.#current = new MemoryFile(name, image);
    this.#synced = new MemoryFile(name, image);
  }

  /** Writes, truncates and syncs so far: a rehearsal's count is the number of places to cut at. */
  get mutations(): number {
    return this.calls.write + this.calls.truncate + this.calls.sync;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  /** What the engine sees, safe or not. */
  bytes(): Uint8Array {
    return this.#current.bytes();
  }

  size(): number {
    this.#requirePower();
    return this.#current.size();
  }

  read(into: Uint8Array, at: number): void {
    this.#requirePower();
    this.#refuseAsPlanned("read", this.calls.read++, at);
    this.#current.read(into, at);
  }

  write(from: Uint8Array, at: number): void {
    const isCut = this.#beginMutation();
    const number = this.calls.write++;
    assert(at >= 0 && at + from.length <= this.#current.size(), "write outside the file");
    const half = from.subarray(0, Math.floor(from.length / 2));
    try {
      if (!isCut) this.#refuseAsPlanned("write", number, at);
      if (!isCut) this.#refuseBeyondEnd("write", at + from.length);
    } catch (error) {
      this.#record(half, at);
      throw error;
    }
    this.#record(from, at);
    if (isCut) throw this.#cut();
  }

  truncate(bytes: number): void {
    const isCut = this.#beginMutation();
    const number = this.calls.truncate++;
    if (!isCut) this.#refuseAsPlanned("truncate", number, bytes);
    if (!isCut && bytes > this.#current.size()) this.#refuseBeyondEnd("truncate", bytes);
    const before = this.#current.size();
    this.#current.truncate(bytes);
    this.#lengths.push(bytes);
    if (bytes < before) this.#recordSectors(bytes, before);
    if (isCut) throw this.#cut();
  }

  sync(): void {
    const isCut = this.#beginMutation();
    const number = this.calls.sync++;
    if (isCut) throw this.#cut();
    try {
      this.#refuseAsPlanned("sync", number);
    } catch (error) {
      this.#syncFailed = true;
      throw error;
    }
    if (!this.#syncFailed) this.#settle();
  }

  lock(): void {
    this.#requirePower();
    this.#current.lock();
  }

  close(): void {
    this.#requirePower();
    this.#current.close();
  }

  /** What a power cut now could leave. Open it again by `new CrashingFile(image)` or `new MemoryFile(…, image)`. */
  image(choice: CrashChoice): Uint8Array {
    switch (choice) {
      case "lost":
        return this.#synced.bytes();
      case "kept":
        return this.#current.bytes();
      case "lengthOnly":
        return withLength(this.#synced.bytes(), this.#current.size());
      case "contentsOnly":
        return withLength(this.#current.bytes(), this.#synced.size());
      case "torn":
        return this.#tornImage();
      default:
        return this.#scatteredImage(choice);
    }
  }

  /** The named choices' images, then `count` by chance; images equal to an earlier one are left out. */
  *images(random: Random, count: number): Generator<{ choice: string; image: Uint8Array }> {
    const seen: Uint8Array[] = [];
    for (let i = 0; i < namedChoices.length + count; i++) {
      const named = namedChoices[i];
      const image = this.image(named ?? random);
      if (seen.some((other) => areEqual(other, image))) continue;
      seen.push(image);
      yield { choice: named ?? `random ${i - namedChoices.length}`, image };
    }
  }

  /** Every image of whole sectors, each with each of its versions and with each length; undefined above `limit`. */
  everyImage(limit: number): Uint8Array[] | undefined {
    const lengths = new Set([this.#synced.size(), ...this.#lengths]);
    const sectors = [...this.#versions].map(([sector, written]) => ({
      sector,
      versions: distinct([sectorOf(this.#synced, sector), ...written]),
    }));
    const count = sectors.reduce((product, { versions }) => product * versions.length, lengths.size);
    if (count > limit) return undefined;
    let disks = [withLength(this.#synced.bytes(), Math.max(...lengths))];
    for (const { sector, versions } of sectors)
      disks = disks.flatMap((bytes) => versions.map((content) => withSector(bytes, sector, content)));
    return disks.flatMap((bytes) => [...lengths].map((length) => withLength(bytes, length)));
  }

  #requirePower(): void {
    if (this.#isCut) throw new PowerCut("the power is cut");
  }

  /** Whether the power fails during this call. */
  #beginMutation(): boolean {
    this.#requirePower();
    return this.mutations === this.plan.cutAt;
  }

  #cut(): PowerCut {
    this.#isCut = true;
    return new PowerCut(`power cut at mutating call ${this.plan.cutAt}`);
  }

  #refuseAsPlanned(call: CallKind, number: number, offset?: number): void {
    const failure = this.plan.failures?.find((one) => one.call === call && one.at === number);
    if (failure === undefined) return;
    throw new StoreError(failure.code, `${call} ${number} fails as planned`, { file: this.name, offset });
  }

  #refuseBeyondEnd(call: CallKind, end: number): void {
    const full = this.plan.full;
    if (full === undefined || full.at !== call || end <= full.pages * pageBytes) return;
    throw new StoreError("disk-full", `no space after ${full.pages} pages`, { file: this.name, offset: end });
  }

  #record(from: Uint8Array, at: number): void {
    const before = new Uint8Array(from.length);
    this.#current.read(before, at);
    this.#current.write(from, at);
    this.#lastWrite = { at, before };
    this.#recordSectors(at, at + from.length);
  }

  /** Keeps the present version of the sectors from byte `start` to byte `end`. */
  #recordSectors(start: number, end: number): void {
    if (start >= end) return;
    for (let sector = Math.floor(start / sectorBytes); sector * sectorBytes < end; sector++) {
      const versions = this.#versions.get(sector) ?? [];
      versions.push(sectorOf(this.#current, sector));
      this.#versions.set(sector, versions);
    }
  }

  #settle(): void {
    this.#synced.truncate(this.#current.size());
    for (const [sector, versions] of this.#versions) putSector(this.#synced, sector, versions.at(-1)!);
    this.#versions.clear();
    this.#lengths = [];
    this.#lastWrite = undefined;
  }

  #tornImage(): Uint8Array {
    const image = this.#current.bytes();
    if (this.#lastWrite === undefined) return image;
    const { at, before } = this.#lastWrite;
    const half = Math.floor(before.length / 2);
    // A later truncate may have taken part of the range away.
    const end = Math.min(image.length, at + before.length);
    if (at + half < end) image.set(before.subarray(half, end - at), at + half);
    return image;
  }

  #scatteredImage(random: Random): Uint8Array {
    const lengths = [this.#synced.size(), ...this.#lengths];
    const length = lengths[below(random, lengths.length)]!;
    const disk = new MemoryFile(this.name, withLength(this.#synced.bytes(), length));
    for (const [sector, written] of this.#versions) {
      const versions = [sectorOf(this.#synced, sector), ...written];
      const content = versions[below(random, versions.length)]!.slice();
      if (below(random, 8) === 0) {
        const other = versions[below(random, versions.length)]!;
        const cut = below(random, sectorBytes);
        content.set(other.subarray(cut), cut);
      }
      putSector(disk, sector, content);
    }
    return disk.bytes();
  }
}

/** The content of a sector, zeros where the file does not reach. */
function sectorOf(file: MemoryFile, sector: number): Uint8Array {
  const content = new Uint8Array(sectorBytes);
  const at = sector * sectorBytes;
  const inside = Math.min(sectorBytes, file.size() - at);
  if (inside > 0) file.read(content.subarray(0, inside), at);
  return content;
}

/** Writes as much of a sector as lies inside the file. */
function putSector(file: MemoryFile, sector: number, content: Uint8Array): void {
  const at = sector * sectorBytes;
  const inside = Math.min(sectorBytes, file.size() - at);
  if (inside > 0) file.write(content.subarray(0, inside), at);
}

function withSector(bytes: Uint8Array, sector: number, content: Uint8Array): Uint8Array {
  const result = bytes.slice();
  const at = sector * sectorBytes;
  if (at < result.length) result.set(content.subarray(0, result.length - at), at);
  return result;
}

const distinct = (versions: readonly Uint8Array[]): Uint8Array[] =>
  versions.filter((one, i) => !versions.slice(0, i).some((other) => areEqual(other, one)));

function withLength(bytes: Uint8Array, length: number): Uint8Array {
  const result = new Uint8Array(length);
  result.set(bytes.subarray(0, length));
  return result;
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
