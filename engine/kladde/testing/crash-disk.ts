/**
 * Watching a disk that can lose power: every moment at which it could, and the images it could leave.
 *
 *  (1) A moment lies inside every write, truncate and sync: what is written has reached the system and may or may not
 *      reach the disk, what is synced likewise. That is where `CrashingFile` cuts by `cutAt`; looking at the disk
 *      there needs one run of a history instead of one for each of its calls.
 *  (2) Images named `kept`, and `torn` ones in the middle of a write, are also what the death of the process leaves
 *      behind while the system lives.
 */

import type { Crc32c } from "../../codec/crc32c.ts";
import type { CallKind, CrashChoice, CrashingFile } from "../../storage/crashing.ts";
import { SplitMix32 } from "../../storage/random.ts";
import type { StorageFile } from "../../storage/storage.ts";

export interface Moment {
  /** The call that is under way. */
  readonly call: Exclude<CallKind, "read"> | "none";
  /** Number among the mutating calls on the disk, from 0; without a call, how many there were. */
  readonly number: number;
}

/** Passes every call on to `disk` and calls `observe` inside those that change it. */
export class ObservedFile implements StorageFile {
  readonly name: string;
  readonly crc32c: Crc32c;
  readonly disk: CrashingFile;
  readonly #observe: (moment: Moment) => void;

  constructor(disk: CrashingFile, observe: (moment: Moment) => void) {
    this.name = disk.name;
    this.crc32c = disk.crc32c;
    this.disk = disk;
    this.#observe = observe;
  }

  size(): number {
    return this.disk.size();
  }

  read(into: Uint8Array, at: number): void {
    this.disk.read(into, at);
  }

  write(from: Uint8Array, at: number): void {
    const number = this.disk.mutations;
    this.disk.write(from, at);
    this.#observe({ call: "write", number });
  }

  truncate(bytes: number): void {
    const number = this.disk.mutations;
    this.disk.truncate(bytes);
    this.#observe({ call: "truncate", number });
  }

  sync(): void {
    this.#observe({ call: "sync", number: this.disk.mutations });
    this.disk.sync();
  }

  lock(): void {
    this.disk.lock();
  }

  close(): void {
    this.disk.close();
  }
}

export interface Image {
  readonly moment: Moment;
  readonly choice: string;
  readonly bytes: Uint8Array;
  /** Whether the death of the process alone can leave it. */
  readonly isDeath: boolean;
}

const namedChoices: readonly Exclude<CrashChoice, object>[] = [
  "lost",
  "kept",
  "lengthOnly",
  "contentsOnly",
  "torn",
];

/** The named choices at this moment, then `count` by chance. */
export function imagesAt(disk: CrashingFile, moment: Moment, seed: number, count: number): Image[] {
  const random = new SplitMix32(seed + 0x9e37 * moment.number);
  const images = namedChoices.map((choice): Image => {
    const isDeath = choice === "kept" || (choice === "torn" && moment.call === "write");
    return { moment, choice, bytes: disk.image(choice), isDeath };
  });
  for (let i = 0; i < count; i++)
    images.push({ moment, choice: `random ${i}`, bytes: disk.image(random), isDeath: false });
  return images;
}
