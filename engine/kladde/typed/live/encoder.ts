/**
 * A growing buffer that values are encoded into, reused from one record to the next.
 *
 *  (1) `view()` is valid until the next write; the store copies what it is given.
 *  (2) Text is well-formed: whoever takes a string from outside has checked it.
 */

import { lebLength, writeLeb } from "../../../codec/leb128.ts";

const utf8 = new TextEncoder();

export class Encoder {
  bytes = new Uint8Array(4096);
  numbers = new DataView(this.bytes.buffer);
  at = 0;

  clear(): this {
    this.at = 0;
    return this;
  }

  /** What was encoded so far. */
  view(): Uint8Array {
    return this.bytes.subarray(0, this.at);
  }

  /** Makes room for `count` bytes and returns where they begin; their contents are whatever was there. */
  room(count: number): number {
    const from = this.at;
    const end = from + count;
    if (end > this.bytes.length) this.#grow(end);
    this.at = end;
    return from;
  }

  byte(value: number): void {
    const at = this.room(1);
    this.bytes[at] = value;
  }

  zeros(count: number): void {
    const at = this.room(count);
    this.bytes.fill(0, at, at + count);
  }

  raw(bytes: Uint8Array): void {
    const at = this.room(bytes.length);
    this.bytes.set(bytes, at);
  }

  u32(value: number): void {
    const at = this.room(4);
    this.numbers.setUint32(at, value, true);
  }

  /** `value`: from 0 to 2^53 − 1. */
  leb(value: number): void {
    const at = this.room(lebLength(value));
    writeLeb(this.bytes, at, value);
  }

  /** `value`: from 0 to 2^64 − 1. */
  bigLeb(value: bigint): void {
    let rest = value;
    while (rest >= 0x80n) {
      this.byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.byte(Number(rest));
  }

  /** Appends `text` as UTF-8 and returns its bytes. */
  text(text: string): number {
    const from = this.at;
    // Three bytes are the most that one UTF-16 unit becomes.
    if (from + text.length * 3 > this.bytes.length) this.#grow(from + text.length * 3);
    const { written } = utf8.encodeInto(text, this.bytes.subarray(from));
    this.at = from + written;
    return written;
  }

  #grow(end: number): void {
    const grown = new Uint8Array(Math.max(end, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.at));
    this.bytes = grown;
    this.numbers = new DataView(grown.buffer);
  }
}
