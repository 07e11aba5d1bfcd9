/**
 * Keys of maps, noted while they are read: as text in which different values differ, short enough to be shown.
 *
 *  (1) A key may hold a map, so notes nest.
 */

import type { Scalar } from "./scalars.ts";

interface Notes {
  readonly parts: string[];
  isBroken: boolean;
}

export class KeyRecorder {
  readonly #open: Notes[] = [];

  get isActive(): boolean {
    return this.#open.length > 0;
  }

  begin(): void {
    this.#open.push({ parts: [], isBroken: false });
  }

  /** The key noted since `begin`; nothing if it could not be read. */
  end(): string | undefined {
    const { parts, isBroken } = this.#open.pop()!;
    return isBroken ? undefined : parts.join(" ");
  }

  noteScalar(value: Scalar): void {
    this.note(
      typeof value === "string" ? JSON.stringify(value) : Object.is(value, -0) ? "-0" : String(value),
    );
  }

  note(part: string): void {
    for (const { parts } of this.#open) parts.push(part);
  }

  noteBroken(): void {
    for (const notes of this.#open) notes.isBroken = true;
  }
}

const keyUnitsShown = 40;

/** A key as a step of a path. */
export const shortKey = (key: string): string =>
  key.length <= keyUnitsShown ? key : `${key.slice(0, keyUnitsShown - 1)}…`;
