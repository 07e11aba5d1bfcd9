/**
 * A caller's mistakes with values: what is wrong, where in the value, and what to do.
 *
 *  (1) `at` is the value's path, such as `notes[3].title`; every container that a mistake passes through adds its step.
 *  (2) Thrown before anything is recorded; the document is unchanged.
 */

export type MistakeCode = "type" | "range" | "owned";

export interface Mistake extends Error {
  readonly code: MistakeCode;
  /** Path of the value; empty for the value that was passed itself. */
  at: string;
}

interface Marked extends Mistake {
  says: string;
}

const marked = new WeakSet<object>();

function mark(error: Error, code: MistakeCode): Mistake {
  const mistake = Object.assign(error, { code, at: "", says: error.message });
  Object.defineProperty(mistake, "says", { enumerable: false });
  marked.add(mistake);
  return mistake;
}

/** The value is of the wrong kind. */
export const typeMistake = (says: string): Mistake => mark(new TypeError(says), "type");

/** The value is of the right kind, but too large, too small, or outside. */
export const rangeMistake = (says: string): Mistake => mark(new RangeError(says), "range");

/** The object is part of another value already. */
export const ownedMistake = (says: string): Mistake => mark(new TypeError(says), "owned");

/**
 * Puts `step`, such as `.title` or `[3]`, before the path of a mistake; leaves every other error alone, but for the end
 * of the stack, which a value that contains itself runs into. That has no path: it would be as long as the stack.
 */
export function blame(error: unknown, step: string): unknown {
  if (!(error instanceof Error)) return error;
  if (!marked.has(error)) return isEndOfStack(error) ? endlessMistake() : error;
  if (step === "") return error;
  const mistake = error as Marked;
  const joined = `${step}${mistake.at === "" || mistake.at.startsWith("[") ? "" : "."}${mistake.at}`;
  mistake.at = joined.startsWith(".") ? joined.slice(1) : joined;
  mistake.message = `${mistake.at}: ${mistake.says}`;
  return mistake;
}

const endlessMistake = (): Error =>
  Object.assign(new TypeError("the value contains itself, or nests too deeply to be stored at once"), {
    code: "type" satisfies MistakeCode,
    at: "",
  });

/** A `RangeError` of the engines of Node.js, Chrome and Safari, an `InternalError` of Firefox. */
const isEndOfStack = ({ name, message }: Error): boolean =>
  (name === "RangeError" && message.includes("call stack")) || name === "InternalError";

/** What a value is, for a message. */
export function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return `the string ${JSON.stringify(shorten(value))}`;
  if (typeof value === "object") return describeObject(value);
  if (typeof value === "function" || typeof value === "symbol") return `a ${typeof value}`;
  return typeof value === "bigint" ? `${value}n` : String(value);
}

function describeObject(value: object): string {
  const name = value.constructor?.name ?? "";
  return name === "" || name === "Object" ? "a plain object" : `an instance of ${name}`;
}

const shorten = (text: string): string => (text.length > 32 ? `${text.slice(0, 31)}…` : text);
