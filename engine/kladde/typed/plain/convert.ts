/** Primitives that hold all values of another, and how a value of one is given to the other. */

import type { NumberModel } from "../schema/model.ts";
import { type PrimitiveCode, primitiveCodes } from "../types/descriptor.ts";
import type { Scalar } from "./scalars.ts";

const { i8, f32, f64 } = primitiveCodes;

/** Bits of an integer's value without its sign, by code. */
const valueBits: readonly number[] = [8, 16, 32, 64, 7, 15, 31, 63];

const isSigned = (code: number): boolean => code >= i8;
const isInteger = (code: number): boolean => code < f32;

/** Whether every value of `from` is one of `to`: the same, or a wider one. */
export function isWidening(from: PrimitiveCode, to: PrimitiveCode): boolean {
  if (from === to) return true;
  if (!isInteger(from) || !isInteger(to)) return from === f32 && to === f64;
  return valueBits[to]! >= valueBits[from]! && (isSigned(to) || !isSigned(from));
}

/** To what a schema reads; `undefined` for an integer that a number cannot hold exactly. */
export function converterTo({ as, code }: NumberModel): (value: Scalar) => unknown {
  if (as === "bigint") return (value) => BigInt(value as number | bigint);
  if (isInteger(primitiveCodes[code])) return (value) => (typeof value === "bigint" ? undefined : value);
  return (value) => value;
}
