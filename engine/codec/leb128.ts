/**
 * Varints: unsigned LEB128, seven bits a byte, least significant group first, for values up to 2^53 − 1.
 *
 *  (1) Values are doubles; bit operators see them only below 2^28.
 *  (2) The writer uses the shortest form. The reader accepts longer forms; whoever must refuse them compares the
 *      bytes consumed with `lebLength`.
 *  (3) Nothing allocates and nothing throws: the reader returns the value, or a negative code, and leaves the
 *      position behind it in `lebNext`.
 */

/** `readLeb`: the bytes end inside the varint. */
export const lebTruncated = -1;
/** `readLeb`: the value exceeds 2^53 − 1. */
export const lebTooLarge = -2;

/** Position behind the varint that `readLeb` read last; after a failure, the position of the varint. */
export let lebNext = 0;

/** Bytes of the shortest form of `value`. */
export function lebLength(value: number): number {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x20_0000) return 3;
  if (value < 0x1000_0000) return 4;
  if (value < 2 ** 35) return 5;
  if (value < 2 ** 42) return 6;
  return value < 2 ** 49 ? 7 : 8;
}

/** Writes `value`, an integer from 0 to 2^53 − 1, at `at`, and returns the position behind it. */
export function writeLeb(bytes: Uint8Array, at: number, value: number): number {
  let next = at;
  let rest = value;
  while (rest >= 0x1000_0000) {
    const high = Math.floor(rest / 128);
    bytes[next++] = (rest - high * 128) | 0x80;
    rest = high;
  }
  while (rest >= 0x80) {
    bytes[next++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[next++] = rest;
  return next;
}

/** The varint at `at`, which must end before `end` (at most the length of `bytes`); else a negative code. */
export function readLeb(bytes: Uint8Array, at: number, end: number): number {
  if (at < end) {
    const first = bytes[at]!;
    if (first < 0x80) {
      lebNext = at + 1;
      return first;
    }
    if (at + 1 < end) {
      const second = bytes[at + 1]!;
      if (second < 0x80) {
        lebNext = at + 2;
        return (first & 0x7f) | (second << 7);
      }
    }
  }
  return readLongLeb(bytes, at, end);
}

function readLongLeb(bytes: Uint8Array, at: number, end: number): number {
  lebNext = at;
  let value = 0;
  let scale = 1;
  for (let next = at; next < end; next++) {
    const byte = bytes[next]!;
    const group = byte & 0x7f;
    if (group !== 0) {
      // The eighth group of seven bits begins at 2^49 and has room for four.
      if (scale > 2 ** 49 || (scale === 2 ** 49 && group > 15)) return lebTooLarge;
      value += group * scale;
    }
    if (byte < 0x80) {
      lebNext = next + 1;
      return value;
    }
    // Beyond that point only the fact matters; a run of empty groups must not become infinite.
    if (scale <= 2 ** 49) scale *= 128;
  }
  return lebTruncated;
}
