/**
 * SplitMix32: chance from a seed, small, fast and the same everywhere. Not for secrets.
 */

import type { Random } from "./storage.ts";

export class SplitMix32 implements Random {
  /** What a failing test prints to be run again. */
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed | 0;
  }

  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let z = this.#state;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return (z ^ (z >>> 15)) >>> 0;
  }

  /** Uniform in 0 … `count` − 1, for `count` up to 2^32. */
  below(count: number): number {
    return below(this, count);
  }
}

/** Uniform in 0 … `count` − 1, for `count` up to 2^32. */
export function below(random: Random, count: number): number {
  return Math.floor((random.next() / 2 ** 32) * count);
}
