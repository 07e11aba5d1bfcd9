/**
 * Decisions read from a list of numbers, so that a failing case can be made smaller: fewer and smaller numbers.
 *
 *  (1) A tape that has ended says 0: generators take that for the simplest choice, and end.
 */

import fc from "fast-check";

export class Tape {
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  get isOver(): boolean {
    return this.#at >= this.#numbers.length;
  }

  next(): number {
    return this.#numbers[this.#at++] ?? 0;
  }

  /** From 0 to `count` − 1. */
  below(count: number): number {
    return count <= 1 ? 0 : this.next() % count;
  }

  oneIn(count: number): boolean {
    return this.below(count) === count - 1 && count > 1;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }
}

const numbers = (most: number): fc.Arbitrary<number[]> =>
  fc.array(fc.noBias(fc.integer({ min: 0, max: 0xffff_ffff })), {
    minLength: 0,
    maxLength: most,
    size: "max",
  });

/** A tape for a type, and one for each step. */
export const tapes = (steps: number): fc.Arbitrary<readonly [number[], number[][]]> =>
  fc.tuple(numbers(60), fc.array(numbers(24), { minLength: 1, maxLength: steps, size: "max" }));

/** Options for `fc.assert`: `SEED` and `RUNS` of the environment win; `UNSHRUNK` ends with the first failure. A failure prints the seed. */
export function runsOf(runs: number): fc.Parameters<unknown> {
  const { SEED, RUNS, UNSHRUNK } = process.env;
  return {
    endOnFailure: UNSHRUNK !== undefined,
    numRuns: RUNS === undefined ? runs : Number(RUNS),
    ...(SEED === undefined ? {} : { seed: Number(SEED) }),
  };
}
