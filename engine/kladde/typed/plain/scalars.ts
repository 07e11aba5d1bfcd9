/**
 * Scalars in their two encodings: fixed width, and as short as the value allows.
 *
 *  (1) A packed form is canonical: readers take one spelling of every value and call the others a fault.
 *  (2) A 64-bit integer is a number up to 2^53 − 1 either way, and a bigint beyond; what a schema asks for is decided above.
 *  (3) Nothing throws: a reader returns a value, leaves the position behind it in `scalarNext` (−1: nothing that follows
 *      can be found) and what is wrong in `scalarFault`.
 *
 * Cost: no allocation but for characters and large integers.
 */

import { readU16, readU32, readU64 } from "../../../codec/fixed.ts";
import { lebLength, lebNext, lebTooLarge, lebTruncated, readLeb } from "../../../codec/leb128.ts";
import { unzigzag, unzigzagBig } from "../../../codec/zigzag.ts";
import { type PrimitiveCode, primitiveCodes } from "../types/descriptor.ts";

export type Scalar = number | bigint | boolean | string;

/** Conditions of stored values, named so that a tool can count them. */
export type ValueRule =
  | "dangling"
  | "second-owner"
  | "size"
  | "stride"
  | "bool"
  | "char"
  | "padding"
  | "varint"
  | "utf-8"
  | "discriminant"
  | "equal-keys"
  | "ends-early"
  | "left-over"
  | "misplaced"
  | "unreadable"
  | "too-large";

export interface ScalarFault {
  readonly rule: ValueRule;
  readonly message: string;
}

/** Position behind the value read last; −1 if its length is unknown. */
export let scalarNext = 0;
/** What is wrong with the value read last. */
export let scalarFault: ScalarFault | undefined;

const { u8, u16, u32, u64, i8, i16, i32, i64, f32, f64, bool, char } = primitiveCodes;

/** Bytes of a slot, by code. */
export const scalarBytes: readonly number[] = [1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 1, 4];

/** Largest value of the varint that a packed integer is, by code; 0 for what is no varint. */
const varintMax: readonly number[] = [
  0,
  2 ** 16 - 1,
  2 ** 32 - 1,
  0,
  0,
  2 ** 16 - 1,
  2 ** 32 - 1,
  0,
  0,
  0,
  0,
  0,
];

const endsEarly: ScalarFault = { rule: "ends-early", message: "the bytes end inside a value" };
const notMinimal: ScalarFault = { rule: "varint", message: "a varint is longer than it must be" };
const notInRange: ScalarFault = { rule: "varint", message: "a varint is larger than its type allows" };
const notBool: ScalarFault = { rule: "bool", message: "a truth value is neither 0 nor 1" };
const notChar: ScalarFault = { rule: "char", message: "a character is no Unicode scalar value" };
const notUtf8: ScalarFault = { rule: "utf-8", message: "a character is not in the shortest form of UTF-8" };

/** A number where that is exact. */
const narrowed = (value: bigint): number | bigint => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
};

const scratch = new Uint8Array(8);
const scratchView = new DataView(scratch.buffer);

/** The value in the slot at `at`, whose bytes the caller has checked to exist. */
export function readSlotted(code: PrimitiveCode, bytes: Uint8Array, at: number): Scalar {
  scalarFault = undefined;
  scalarNext = at + scalarBytes[code]!;
  switch (code) {
    case u8:
      return bytes[at]!;
    case u16:
      return readU16(bytes, at);
    case u32:
      return readU32(bytes, at);
    case u64:
      return readWide(bytes, at, false);
    case i8:
      return (bytes[at]! << 24) >> 24;
    case i16:
      return (readU16(bytes, at) << 16) >> 16;
    case i32:
      return readU32(bytes, at) | 0;
    case i64:
      return readWide(bytes, at, true);
    case f32:
    case f64:
      return readFloat(code, bytes, at);
    case bool:
      return readBool(bytes[at]!);
    case char:
      return readScalarValue(readU32(bytes, at));
  }
}

/** The packed value at `at`, which must end before `end`. */
export function readPacked(code: PrimitiveCode, bytes: Uint8Array, at: number, end: number): Scalar {
  if (code === char) return readUtf8(bytes, at, end);
  const max = varintMax[code]!;
  if (max > 0) {
    const value = readVarint(bytes, at, end, max);
    return code >= i8 ? unzigzag(value) : value;
  }
  if (code === u64 || code === i64) return readWideVarint(bytes, at, end, code === i64);
  if (at + scalarBytes[code]! > end) return unreadable(endsEarly);
  return readSlotted(code, bytes, at);
}

/** The varint at `at`, at most `max`: packed integers, discriminants and pointers are such. */
export function readVarint(bytes: Uint8Array, at: number, end: number, max: number): number {
  const value = readLeb(bytes, at, end);
  if (value === lebTruncated) return unreadable(endsEarly);
  if (value === lebTooLarge || value > max) return unreadable(notInRange);
  scalarFault = lebNext - at === lebLength(value) ? undefined : notMinimal;
  scalarNext = lebNext;
  return value;
}

function unreadable(fault: ScalarFault): 0 {
  scalarFault = fault;
  scalarNext = -1;
  return 0;
}

function readWide(bytes: Uint8Array, at: number, isSigned: boolean): number | bigint {
  const value = readU64(bytes, at);
  if (!Number.isNaN(value)) return value;
  const all = (BigInt(readU32(bytes, at + 4)) << 32n) | BigInt(readU32(bytes, at));
  return narrowed(isSigned ? BigInt.asIntN(64, all) : all);
}

/** Ten groups at most, and the tenth has room for one bit. */
function readWideVarint(bytes: Uint8Array, at: number, end: number, isSigned: boolean): number | bigint {
  const short = readLeb(bytes, at, end);
  if (short >= 0) {
    scalarFault = lebNext - at === lebLength(short) ? undefined : notMinimal;
    scalarNext = lebNext;
    return isSigned ? unzigzag(short) : short;
  }
  if (short === lebTruncated) return unreadable(endsEarly);
  let value = 0n;
  for (let group = 0; group < 10 && at + group < end; group++) {
    const byte = bytes[at + group]!;
    if (group === 9 && byte > 1) return unreadable(notInRange);
    value |= BigInt(byte & 0x7f) << BigInt(7 * group);
    if (byte >= 0x80) continue;
    scalarFault = byte === 0 ? notMinimal : undefined;
    scalarNext = at + group + 1;
    return narrowed(isSigned ? unzigzagBig(value) : value);
  }
  return unreadable(at + 10 <= end ? notInRange : endsEarly);
}

function readFloat(code: typeof f32 | typeof f64, bytes: Uint8Array, at: number): number {
  const length = scalarBytes[code]!;
  for (let index = 0; index < length; index++) scratch[index] = bytes[at + index]!;
  return code === f32 ? scratchView.getFloat32(0, true) : scratchView.getFloat64(0, true);
}

function readBool(byte: number): boolean {
  if (byte > 1) scalarFault = notBool;
  return byte !== 0;
}

const isScalarValue = (value: number): boolean => value < 0xd800 || (value > 0xdfff && value < 0x11_0000);

function readScalarValue(value: number): string {
  if (isScalarValue(value)) return String.fromCodePoint(value);
  scalarFault = notChar;
  return "\ufffd";
}

/** Smallest value that needs as many bytes. */
const utf8Min: readonly number[] = [0, 0, 0x80, 0x800, 0x1_0000];

function readUtf8(bytes: Uint8Array, at: number, end: number): string | 0 {
  if (at >= end) return unreadable(endsEarly);
  const lead = bytes[at]!;
  const length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (length === 0) return unreadable(notUtf8);
  if (at + length > end) return unreadable(endsEarly);
  let value = length === 1 ? lead : lead & (0x7f >> length);
  for (let index = 1; index < length; index++) {
    const byte = bytes[at + index]!;
    if (byte >> 6 !== 2) return unreadable(notUtf8);
    value = (value << 6) | (byte & 0x3f);
  }
  scalarNext = at + length;
  scalarFault = value >= utf8Min[length]! && isScalarValue(value) ? undefined : notUtf8;
  return scalarFault === undefined ? String.fromCodePoint(value) : "\ufffd";
}
