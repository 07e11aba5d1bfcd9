/** Checks of what a caller passes, before anything is recorded. */

import { u32Max } from "./format/layout.ts";

/** Throws `TypeError` unless `value` is a number, `RangeError` unless it is a whole one from `low` to `high`. */
export function requireWhole(name: string, value: number, low: number, high: number): void {
  if (typeof value !== "number") throw new TypeError(`${name} must be a number, not ${describe(value)}`);
  if (!Number.isInteger(value) || value < low || value > high)
    throw new RangeError(`${name} must be a whole number from ${low} to ${high}, not ${value}`);
}

export const requireId = (name: string, id: number): void => requireWhole(name, id, 1, u32Max);

/** `[offset, offset + length)` must lie below 2^32 − 1. */
export function requireRange(offsetName: string, offset: number, lengthName: string, length: number): void {
  requireWhole(offsetName, offset, 0, u32Max);
  requireWhole(lengthName, length, 0, u32Max);
  if (offset + length > u32Max)
    throw new RangeError(
      `${offsetName} ${offset} + ${lengthName} ${length} passes 2^32 − 1, the largest allocation`,
    );
}

export function requireBytes(name: string, bytes: Uint8Array): void {
  if (!(bytes instanceof Uint8Array))
    throw new TypeError(`${name} must be a Uint8Array, not ${describe(bytes)}`);
}

const functionFault = (value: unknown): string | undefined =>
  typeof value === "function" ? undefined : `must be a function, not ${describe(value)}`;

export function requireFunction(name: string, value: unknown): void {
  refuseFault(name, functionFault(value));
}

/** What is wrong with `value` as work to be done when it is called; undefined if nothing is. */
export function bodyFault(value: unknown): string | undefined {
  const kind = Object.prototype.toString.call(value);
  if (kind === "[object AsyncFunction]") return "must not be async; do the waiting before it";
  if (kind === "[object GeneratorFunction]" || kind === "[object AsyncGeneratorFunction]")
    return "must not be a generator; calling one runs nothing of it";
  return functionFault(value);
}

/** What is wrong with a result: a body that gives a promise, or the like of one, goes on after its scope has ended. */
export function resultFault(result: unknown): string | undefined {
  if ((typeof result !== "object" && typeof result !== "function") || result === null) return undefined;
  if (typeof (result as { then?: unknown }).then !== "function") return undefined;
  // It is refused here; that it fails later is nobody's to handle.
  if (result instanceof Promise) result.catch(() => {});
  return "must not be async; do the waiting before it";
}

/** Throws `TypeError` for a fault that one of these found. */
export function refuseFault(name: string, fault: string | undefined): void {
  if (fault !== undefined) throw new TypeError(`${name} ${fault}`);
}

export function requireObject(name: string, value: unknown): void {
  if (typeof value !== "object" || value === null)
    throw new TypeError(`${name} must be an object, not ${describe(value)}`);
}

export const dangling = (name: string, id: number): RangeError =>
  new RangeError(`${name} ${id} does not exist; it was never allocated, or it was freed`);

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  const name = value.constructor?.name ?? "";
  return name === "" || name === "Object" ? "a plain object" : `an instance of ${name}`;
}
