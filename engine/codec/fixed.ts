/**
 * Fixed-width unsigned integers, little-endian, in a `Uint8Array`.
 *
 *  (1) Plain byte accesses: a `DataView` would have to be made or kept per array.
 *  (2) The caller has checked that the bytes exist: an access outside the array reads as garbage and writes nothing.
 *  (3) A 64-bit value is a double and exact up to 2^53 − 1; a larger one reads as NaN, which fails every comparison.
 */

export function readU16(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8);
}

export function writeU16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
}

export function readU32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

export function writeU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}

/** NaN above 2^53 − 1. */
export function readU64(bytes: Uint8Array, at: number): number {
  const high = readU32(bytes, at + 4);
  return high < 0x20_0000 ? high * 2 ** 32 + readU32(bytes, at) : Number.NaN;
}

/** `value`: an integer from 0 to 2^53 − 1. */
export function writeU64(bytes: Uint8Array, at: number, value: number): void {
  writeU32(bytes, at, value);
  writeU32(bytes, at + 4, Math.floor(value / 2 ** 32));
}
