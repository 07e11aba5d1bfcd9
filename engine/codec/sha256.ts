/**
 * SHA-256 of a whole byte array (FIPS 180-4).
 *
 *  (1) The input is only read; nothing outlives a call but scratch that the next one overwrites.
 *  (2) Words are signed 32-bit integers; additions wrap by `| 0`.
 *
 * Cost: one pass, 64 rounds per 64 bytes; a message of a few hundred bytes takes microseconds. It is for
 * fingerprints, not for bulk data.
 */

const blockBytes = 64;

/** The first 64 primes give the round constants, the first 8 the initial state: bits of their roots' fractions. */
const primes = firstPrimes(64);
const roundConstants = Int32Array.from(primes, (prime) => fractionBits(Math.cbrt(prime)));
const initialState = Int32Array.from(primes.slice(0, 8), (prime) => fractionBits(Math.sqrt(prime)));

/** Words of the block at hand. */
const schedule = new Int32Array(64);

/** 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const state = initialState.slice();
  const whole = bytes.length - (bytes.length % blockBytes);
  for (let at = 0; at < whole; at += blockBytes) addBlock(state, bytes, at);
  const rest = padded(bytes.subarray(whole), bytes.length);
  for (let at = 0; at < rest.length; at += blockBytes) addBlock(state, rest, at);
  const digest = new Uint8Array(32);
  const view = new DataView(digest.buffer);
  for (let i = 0; i < 8; i++) view.setInt32(4 * i, state[i]!);
  return digest;
}

/** `rest`, a one bit, zeros, and the length of the message in bits as 64 bits, big-endian: one or two blocks. */
function padded(rest: Uint8Array, messageBytes: number): Uint8Array {
  const block = new Uint8Array(rest.length < blockBytes - 8 ? blockBytes : 2 * blockBytes);
  block.set(rest);
  block[rest.length] = 0x80;
  const view = new DataView(block.buffer);
  view.setUint32(block.length - 8, Math.floor(messageBytes / 2 ** 29));
  view.setUint32(block.length - 4, (messageBytes << 3) >>> 0);
  return block;
}

function addBlock(state: Int32Array, bytes: Uint8Array, at: number): void {
  expand(bytes, at);
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < 64; i++) {
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + sum1 + choice + roundConstants[i]! + schedule[i]!) | 0;
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + sum0 + majority) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}

/** The 64 words of a block: its own 16, big-endian, and what they give. */
function expand(bytes: Uint8Array, at: number): void {
  for (let i = 0; i < 16; i++) {
    const from = at + 4 * i;
    schedule[i] =
      (bytes[from]! << 24) | (bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!;
  }
  for (let i = 16; i < 64; i++) {
    const early = schedule[i - 15]!;
    const late = schedule[i - 2]!;
    const sigma0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const sigma1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    schedule[i] = schedule[i - 16]! + sigma0 + schedule[i - 7]! + sigma1;
  }
}

/** Rotated right. */
const rotate = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

/** The first 32 bits behind the point. A double has 52 and the roots are below 32, so 47 are left. */
function fractionBits(value: number): number {
  return Math.floor((value - Math.floor(value)) * 2 ** 32) | 0;
}

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
}
