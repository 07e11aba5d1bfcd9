/**
 * The workloads' chance: xorshift64 with shifts 13, 7, 17, its 64 bits held in two 32-bit halves.
 *
 *  (1) A value is the state after a step; every draw is one step, so draws can be counted and compared.
 *  (2) The state is never zero: the lowest bit of a seed's state is set.
 *  (3) No BigInt and no rounding: results are exact for the ranges each function accepts.
 *
 * Cost: a few nanoseconds a draw; `bytes` copies from a precomputed cycle.
 */

const twoTo32 = 2 ** 32;
/** Up to here `below` stays within 53 bits. */
export const belowMax = 2 ** 26;

export class Chance {
  /** Steps made so far. */
  draws = 0;
  /** Both halves are signed 32-bit integers. */
  #high: number;
  #low: number;

  /** State: (seed · 0x9E3779B97F4A7C15 mod 2^64) | 1. */
  constructor(seed: number) {
    if (!Number.isInteger(seed) || seed < 0 || seed >= twoTo32) {
      throw new RangeError(`a seed is an integer from 0 to 2^32 − 1, not ${seed}`);
    }
    const goldenLow = 0x7f4a7c15;
    const goldenHigh = 0x9e3779b9;
    this.#low = Math.imul(seed, goldenLow) | 1;
    this.#high = (Math.imul(seed, goldenHigh) + upperHalf(seed, goldenLow)) | 0;
  }

  /** The next value's halves are then in `high` and `low`. */
  step(): void {
    let high = this.#high;
    let low = this.#low;
    high ^= (high << 13) | (low >>> 19);
    low ^= low << 13;
    low ^= (low >>> 7) | (high << 25);
    high ^= high >>> 7;
    high ^= (high << 17) | (low >>> 15);
    low ^= low << 17;
    this.#high = high;
    this.#low = low;
    this.draws++;
  }

  get high(): number {
    return this.#high >>> 0;
  }

  get low(): number {
    return this.#low >>> 0;
  }

  /** 0 … n − 1, the value mod n; `n` from 0 (taken for 1) to `belowMax`. */
  below(n: number): number {
    if (!(n <= belowMax)) throw new RangeError(`below(${n}) is out of range: at most ${belowMax}`);
    this.step();
    if (n <= 1) return 0;
    const divisor = n >>> 0;
    const high = this.#high >>> 0;
    const low = this.#low >>> 0;
    // value = high · 2^32 + low; with high and 2^32 reduced, the sum stays below 2^52 + 2^32.
    const carried = (high % divisor) * (((0xffffffff % divisor) + 1) % divisor) + low;
    return remainder(carried, divisor);
  }

  /** Both ends included. */
  range(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }

  /** 0 … 1, without 1. */
  unit(): number {
    this.step();
    return ((this.#high >>> 0) * 2 ** 21 + (this.#low >>> 11)) / 2 ** 53;
  }

  chance(probability: number): boolean {
    return this.unit() <= probability;
  }

  /** Fills `into[from … from + count − 1]` from one value. */
  bytes(into: Uint8Array, from: number, count: number): void {
    this.step();
    // Byte i is bits 7 … 14 of value + i · 0x9E37, so only the low 15 bits matter, and they run through one cycle.
    let position = Math.imul(this.#low & cycleMask, strideInverse) & cycleMask;
    if (count <= copyFrom) {
      for (let i = 0; i < count; i++) into[from + i] = cycle[position + i]!;
      return;
    }
    for (let done = 0; done < count; ) {
      const length = Math.min(count - done, cycleLength);
      into.set(cycle.subarray(position, position + length), from + done);
      done += length;
      position = (position + length) & cycleMask;
    }
  }
}

const cycleLength = 2 ** 15;
const cycleMask = cycleLength - 1;
const stride = 0x9e37;
/** stride · strideInverse = 1 mod 2^15. */
const strideInverse = inverse(stride);
/** Below this many bytes a loop is faster than a copy of a view. */
const copyFrom = 40;

/** Bits 7 … 14 of k · stride, for two rounds of k, so that a whole cycle can be copied from any position. */
const cycle = Uint8Array.from(
  { length: 2 * cycleLength },
  (_, k) => (Math.imul(k, stride) & cycleMask) >>> 7,
);

/** Inverse of an odd number mod 2^32, by Newton's iteration: each round doubles the number of right bits. */
function inverse(odd: number): number {
  let x = odd;
  for (let round = 0; round < 5; round++) x = Math.imul(x, 2 - Math.imul(odd, x));
  return x;
}

/** Upper 32 bits of the 64-bit product of two unsigned 32-bit numbers. */
function upperHalf(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const carry = aLow * bHigh + (middle % 0x10000);
  return (aHigh * bHigh + Math.floor(middle / 0x10000) + Math.floor(carry / 0x10000)) | 0;
}

/** x mod n for x below 2^53: the quotient may be off by one, which the sign of the rest shows. */
function remainder(x: number, n: number): number {
  const rest = x - Math.floor(x / n) * n;
  return rest < 0 ? rest + n : rest >= n ? rest - n : rest;
}
