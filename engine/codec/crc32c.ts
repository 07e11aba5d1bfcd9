/**
 * CRC-32C (Castagnoli), reflected polynomial 0x82F63B78.
 *
 * A CRC is chained through its value: `crc32c(b, crc32c(a))` is the CRC of `a ‖ b`, and 0 is the CRC of nothing.
 *
 *  (1) A CRC is an unsigned 32-bit number; the register is its complement and stays a signed integer in locals.
 *  (2) In the register bit 31 is the coefficient of x^0 and bit 0 that of x^31. Appending a zero byte multiplies
 *      by x^8 modulo the polynomial, so appending many is one product, and two CRCs combine without their bytes.
 *
 * Cost: long inputs run as four interleaved streams of slicing-by-4, because one stream waits for its own table
 * lookups; they join by a multiplication that is tabulated for the two block sizes. A block is copied to a scratch
 * array first: reading whole words from there saves more than the copy costs, and the input may lie anywhere.
 */

/** CRC of `bytes` appended to whatever `crc` (default 0) already covers; unsigned. */
export type Crc32c = (bytes: Uint8Array, crc?: number) => number;

const polynomial = 0x82f63b78 | 0;

/** Four times 256: `slices[256·k + b]` is the register after byte `b` and then `k` zero bytes, from register 0. */
const slices = makeSlices();

/** `squares[k]` is x^(2^k). 2^32 zero bytes are 2^35 bits. */
const squares = makeSquares(36);

/** A page's content is a little more than one long block; what is left goes through short ones. */
const longStreamWords = 254;
const shortStreamWords = 16;
const longBlockBytes = 16 * longStreamWords;
const shortBlockBytes = 16 * shortStreamWords;
const longShift = makeShift(4 * longStreamWords);
const shortShift = makeShift(4 * shortStreamWords);

const blockWords = new Int32Array(longBlockBytes / 4);
const blockBytes = new Uint8Array(blockWords.buffer);
/** Where words lie the other way round, blocks are not used. */
const isLittleEndian = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

/** The portable CRC-32C. */
export const crc32c: Crc32c = (bytes, crc = 0) => {
  const end = bytes.length;
  let register = ~crc;
  let at = 0;
  if (end >= shortBlockBytes && isLittleEndian) {
    for (; end - at >= longBlockBytes; at += longBlockBytes) {
      blockBytes.set(bytes.subarray(at, at + longBlockBytes));
      register = appendBlock(register, longStreamWords, longShift);
    }
    for (; end - at >= shortBlockBytes; at += shortBlockBytes) {
      blockBytes.set(bytes.subarray(at, at + shortBlockBytes));
      register = appendBlock(register, shortStreamWords, shortShift);
    }
  }
  return ~appendFew(register, bytes, at) >>> 0;
};

/** CRC after appending `count` zero bytes (0 … 2^32) to what `crc` covers. */
export function crc32cZeros(crc: number, count: number): number {
  return ~multiply(~crc, powerOfBytes(count)) >>> 0;
}

/** CRC of `a ‖ b` from the CRCs of both and the length of `b` (0 … 2^32). */
export function crc32cCombine(crcA: number, crcB: number, bytesB: number): number {
  return (multiply(crcA, powerOfBytes(bytesB)) ^ crcB) >>> 0;
}

/** The register after the bytes from `from` on. */
function appendFew(register: number, bytes: Uint8Array, from: number): number {
  const table = slices;
  const end = bytes.length;
  let r = register;
  let at = from;
  for (; end - at >= 4; at += 4) {
    r ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    r = lookUpWord(table, r);
  }
  for (; at < end; at++) r = table[(r ^ bytes[at]!) & 255]! ^ (r >>> 8);
  return r;
}

/** The register after four streams of `count` words each, which lie one behind the other in the scratch array. */
function appendBlock(register: number, count: number, shift: Int32Array): number {
  const table = slices;
  const words = blockWords;
  let a = register;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let i = 0; i < count; i++) {
    a = lookUpWord(table, a ^ words[i]!);
    b = lookUpWord(table, b ^ words[i + count]!);
    c = lookUpWord(table, c ^ words[i + 2 * count]!);
    d = lookUpWord(table, d ^ words[i + 3 * count]!);
  }
  b ^= shiftRegister(shift, a);
  c ^= shiftRegister(shift, b);
  return d ^ shiftRegister(shift, c);
}

/** The register after four bytes whose word is already mixed in. */
function lookUpWord(table: Int32Array, word: number): number {
  return (
    table[768 + (word & 255)]! ^
    table[512 + ((word >>> 8) & 255)]! ^
    table[256 + ((word >>> 16) & 255)]! ^
    table[word >>> 24]!
  );
}

function shiftRegister(shift: Int32Array, register: number): number {
  return (
    shift[register & 255]! ^
    shift[256 + ((register >>> 8) & 255)]! ^
    shift[512 + ((register >>> 16) & 255)]! ^
    shift[768 + (register >>> 24)]!
  );
}

/** Product of two registers modulo the polynomial; signed. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b | 0;
  for (let rest = a | 0; rest !== 0; rest <<= 1) {
    if (rest < 0) product ^= shifted;
    shifted = (shifted >>> 1) ^ (-(shifted & 1) & polynomial);
  }
  return product;
}

/** x^(8·count). */
function powerOfBytes(count: number): number {
  if (!(Number.isInteger(count) && count >= 0 && count <= 2 ** 32)) {
    throw new RangeError(`a number of bytes must be an integer from 0 to 2^32, not ${count}`);
  }
  let power = 1 << 31;
  for (let rest = count, k = 3; rest > 0; rest = Math.floor(rest / 2), k++) {
    if (rest % 2 === 1) power = multiply(power, squares[k]!);
  }
  return power;
}

function makeSlices(): Int32Array {
  const table = new Int32Array(4 * 256);
  for (let b = 0; b < 256; b++) {
    let register = b;
    for (let bit = 0; bit < 8; bit++) register = (register >>> 1) ^ (-(register & 1) & polynomial);
    table[b] = register;
  }
  for (let i = 256; i < table.length; i++) {
    const before = table[i - 256]!;
    table[i] = table[before & 255]! ^ (before >>> 8);
  }
  return table;
}

function makeSquares(count: number): Int32Array {
  const powers = new Int32Array(count);
  powers[0] = 1 << 30;
  for (let k = 1; k < count; k++) powers[k] = multiply(powers[k - 1]!, powers[k - 1]!);
  return powers;
}

/** Per byte of the register, what that byte becomes after `count` zero bytes. */
function makeShift(count: number): Int32Array {
  const power = powerOfBytes(count);
  const table = new Int32Array(4 * 256);
  for (let i = 0; i < table.length; i++) {
    table[i] = multiply((i & 255) << (8 * (i >>> 8)), power);
  }
  return table;
}
