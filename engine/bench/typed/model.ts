/**
 * What the document must contain: one string for each live key, changed by the same operations.
 *
 * Strings are kept flat, so that comparing them costs no more than reading them.
 */

import { crc32 } from "node:zlib";
import { type TypedInterval, typedKind } from "./interval.ts";

export class TypedModel {
  entries = 0;
  /** As many as there ever were. */
  entriesMost = 0;
  textBytes = 0;
  /** By key; a removed one has none. */
  readonly #texts: (string | undefined)[] = [];

  apply({ count, kind, key, text }: TypedInterval): void {
    for (let i = 0; i < count; i++) this.#applyOne(kind[i]!, key[i]!, text[i]!);
  }

  get(key: number): string | undefined {
    return this.#texts[key];
  }

  /** Ascending by key. */
  *[Symbol.iterator](): Generator<[key: number, text: string], void> {
    for (const [key, text] of this.#texts.entries()) {
      if (text !== undefined) yield [key, text];
    }
  }

  /** CRC-32 (the common one) over every entry by key: the key in eight bytes, little endian, then the string. */
  crc32(): number {
    const keyBytes = Buffer.alloc(8);
    let crc = 0;
    for (const [key, text] of this) {
      keyBytes.writeUInt32LE(key);
      crc = crc32(Buffer.from(text, "latin1"), crc32(keyBytes, crc));
    }
    return crc;
  }

  #applyOne(kind: number, key: number, text: string): void {
    const old = this.#texts[key];
    if ((old === undefined) !== (kind === typedKind.insert)) {
      throw new RangeError(`key ${key} is ${old === undefined ? "not there" : "there already"}`);
    }
    if (kind === typedKind.insert) this.entriesMost = Math.max(this.entriesMost, ++this.entries);
    if (kind === typedKind.remove) this.entries--;
    const next = kind === typedKind.remove ? undefined : kind === typedKind.append ? flat(old! + text) : text;
    this.#texts[key] = next;
    this.textBytes += (next?.length ?? 0) - (old?.length ?? 0);
  }
}

/** A concatenation's parts in one piece; letters only. */
const flat = (text: string): string => Buffer.from(text, "latin1").toString("latin1");
