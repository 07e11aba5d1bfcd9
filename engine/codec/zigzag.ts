/**
 * Zigzag: signed integers as unsigned ones, those of small magnitude first, so that a varint of them is short: 0, −1, 1, −2,
 * 2 … as 0, 1, 2, 3, 4 ….
 *
 *  (1) Numbers are exact both ways as long as value and result are safe integers; bigints always.
 */

/** From −2^52 to 2^52 − 1. */
export const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);

/** From 0 to 2^53 − 1. */
export const unzigzag = (value: number): number => (value % 2 === 1 ? -(value + 1) / 2 : value / 2);

export const zigzagBig = (value: bigint): bigint => (value < 0n ? -2n * value - 1n : 2n * value);

export const unzigzagBig = (value: bigint): bigint => (value & 1n ? -((value + 1n) / 2n) : value / 2n);
