/** Bytes that grow as they are written: tags, varints and text, as descriptor tables and their hashes need them. */

import { writeLeb } from "../../../codec/leb128.ts";

const utf8 = new TextEncoder();

/** Of a varint. */
const varintBytesMax = 8;

export class ByteWriter {
  private bytes = new Uint8Array(64);
  private used = 0;

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.used++] = value;
  }

  varint(value: number): void {
    this.reserve(varintBytesMax);
    this.used = writeLeb(this.bytes, this.used, value);
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.used);
    this.used += bytes.length;
  }

  /** Its length in bytes, and UTF-8. */
  string(text: string): void {
    const bytes = utf8.encode(text);
    this.varint(bytes.length);
    this.append(bytes);
  }

  /** A copy of what was written. */
  finish(): Uint8Array {
    return this.bytes.slice(0, this.used);
  }

  private reserve(count: number): void {
    if (this.used + count <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.bytes.length, this.used + count));
    grown.set(this.bytes.subarray(0, this.used));
    this.bytes = grown;
  }
}
