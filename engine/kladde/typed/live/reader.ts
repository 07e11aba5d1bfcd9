/**
 * A cursor over the content of one allocation, and everything it refuses.
 *
 *  (1) Only canonical bytes are accepted; every bound is checked.
 *  (2) A failure is a `Malformed`, which says what is wrong; the loader adds allocation and value path.
 */

import { lebLength, lebNext, lebTooLarge, readLeb } from "../../../codec/leb128.ts";

/** Bytes that no writer may produce. */
export class Malformed extends Error {
  override readonly name: string = "Malformed";
}

/** A sound value that the schema cannot take, though its layout is the file's. */
export class Unsuited extends Malformed {
  override readonly name: string = "Unsuited";
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Units up to which a text is put together without the decoder, whose call costs more. */
const shortTextBytes = 16;

export class Reader {
  bytes: Uint8Array = new Uint8Array(0);
  numbers = new DataView(this.bytes.buffer);
  at = 0;
  end = 0;

  open(bytes: Uint8Array): this {
    this.bytes = bytes;
    this.numbers = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
    this.end = bytes.length;
    return this;
  }

  /** Position of `count` bytes, behind which the cursor stands then. */
  take(count: number): number {
    const at = this.at;
    if (at + count > this.end) throw new Malformed(`the content ends ${at + count - this.end} bytes early`);
    this.at = at + count;
    return at;
  }

  byte(): number {
    return this.bytes[this.take(1)]!;
  }

  u32(): number {
    return this.numbers.getUint32(this.take(4), true);
  }

  /** Bytes that must be zero. */
  zeros(count: number): void {
    const from = this.take(count);
    for (let at = from; at < from + count; at++)
      if (this.bytes[at] !== 0) throw new Malformed("padding is not zero");
  }

  /** A varint in its shortest form, at most `most`. */
  leb(most: number): number {
    const value = readLeb(this.bytes, this.at, this.end);
    if (value === lebTooLarge || value > most) throw new Malformed(`a varint exceeds ${most}`);
    if (value < 0) throw new Malformed("the content ends inside a varint");
    if (lebNext - this.at !== lebLength(value)) throw new Malformed("a varint is not in its shortest form");
    this.at = lebNext;
    return value;
  }

  /** As `leb`, up to 2^64 − 1. */
  bigLeb(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.byte();
      if (shift === 63n && byte > 1) throw new Malformed("a varint exceeds 64 bits");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte >= 0x80) continue;
      if (byte === 0 && shift > 0n) throw new Malformed("a varint is not in its shortest form");
      return value;
    }
  }

  /** The next `count` bytes as text. */
  text(count: number): string {
    const from = this.take(count);
    return decodeText(this.bytes, from, from + count);
  }

  /** One code point in its shortest UTF-8 form. */
  codePoint(): string {
    const first = this.bytes[this.take(1)]!;
    this.at--;
    const count = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    return this.text(count);
  }
}

/** UTF-8 in its shortest form. Throws `Malformed`. */
export function decodeText(bytes: Uint8Array, from: number, end: number): string {
  if (end - from <= shortTextBytes) {
    let text = "";
    for (let at = from; at < end; at++) {
      const unit = bytes[at]!;
      if (unit >= 0x80) return decodeLong(bytes, from, end);
      text += String.fromCharCode(unit);
    }
    return text;
  }
  return decodeLong(bytes, from, end);
}

function decodeLong(bytes: Uint8Array, from: number, end: number): string {
  try {
    return utf8.decode(bytes.subarray(from, end));
  } catch (cause) {
    if (cause instanceof TypeError) throw new Malformed("the text is not valid UTF-8");
    throw cause;
  }
}
