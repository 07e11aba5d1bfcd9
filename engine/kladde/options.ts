/**
 * Every option of a store, its default and why. Type and validation derive from `defaults`.
 */

import { requireObject } from "./arguments.ts";

const defaults = {
  /** Whether space is reclaimed. False: pages that die completely are reused, half-dead pages stay, no state is kept. */
  consolidate: true,
  /** Pages of journal after which a flush happens by itself: 1 MiB, which bounds memory and recovery. */
  journalBudgetPages: 256,
  /**
   * Is given what is to run in a later turn when a flush becomes due; up to four budgets it is put off then. Null: a flush
   * happens within the call that made it due.
   */
  postpone: null as null | ((flush: () => void) => void),
  /** Bytes a batch holds back before it appends them. */
  batchBytes: 65536,
  /** Runs up to this many bytes are stated inline: they keep small allocations out of data pages. At most 251. */
  inlineThreshold: 64,
  /** Share of a data page that may stay empty rather than cut a chunk: a cut costs a statement for good. */
  theta: 0.05,
  /** Chunks the packer looks at for one that fits. */
  lookahead: 16,
  /** Free pages at the end of the file that make cutting them off worth a call. */
  truncateTail: 16,
  /** Pages scored per choice of a victim: an exact ranking would cost a scan of all pages. */
  sample: 8,
  /** Bytes that must come free per byte written for it, λ. Sets the fill of data pages: about 0.72 at 1. */
  churnFloor: 1,
  /** Live share of the whole file that the budget steers towards, τ. */
  targetFill: 0.8,
  /** Pages per flush that reclamation may open while it has learned nothing yet, and the bounds of what it learns. */
  budgetStart: 8,
  budgetMin: 1,
  budgetMax: 256,
  /** Fragments that the rotating window looks at per flush: it bounds what one flush costs. */
  walk: 512,
  /** Pages' worth of bytes per flush that description defragmentation may rewrite; 0 leaves it the room left over. */
  defragShare: 1,
  /** Price of a byte written, in bytes of statements that a rewrite must save; Infinity rewrites nothing. */
  mu: 0.02,
  /** Compaction mode runs while free pages below the tail are more than this share of the file; 1 turns it off. */
  holeShare: 0.25,
  /** Whether what consolidation has learned is kept in the file, so that the next session does not start anew. */
  consolidatorState: true,
  /** `eager`: a damaged data page refuses the file at open. `lazy`: it fails the first read that needs it. */
  verify: "eager" as "eager" | "lazy",
  /** Which set of address-table statements the file uses; nothing in the file says it. */
  edition: "extents" as const,
};

export type ResolvedOptions = Readonly<typeof defaults>;
export type StoreOptions = { readonly [Name in keyof ResolvedOptions]?: ResolvedOptions[Name] | undefined };

/** Throws `TypeError` with every problem at once. */
export function resolveOptions(given: StoreOptions = {}): ResolvedOptions {
  const problems: string[] = [];
  requireObject("options", given);
  const known = Object.entries(given).filter(([name, value]) => {
    if (!Object.hasOwn(defaults, name)) problems.push(`unknown option ${name}`);
    return value !== undefined && Object.hasOwn(defaults, name);
  });
  const options: ResolvedOptions = { ...defaults, ...Object.fromEntries(known) };
  const whole = (name: keyof ResolvedOptions, low: number, high: number): void => {
    const value = options[name] as unknown;
    if (!Number.isInteger(value) || (value as number) < low || (value as number) > high)
      problems.push(`${name} must be a whole number from ${low} to ${high}, not ${String(value)}`);
  };
  const real = (name: keyof ResolvedOptions, range: string, isInRange: (value: number) => boolean): void => {
    const value = options[name] as unknown;
    if (typeof value !== "number" || !isInRange(value))
      problems.push(`${name} must be ${range}, not ${String(value)}`);
  };
  const flag = (name: keyof ResolvedOptions): void => {
    if (typeof options[name] !== "boolean") problems.push(`${name} must be true or false`);
  };
  whole("journalBudgetPages", 1, 2 ** 20);
  whole("batchBytes", 1, 2 ** 30);
  whole("inlineThreshold", 0, 251);
  whole("lookahead", 1, 2 ** 16);
  whole("truncateTail", 1, 2 ** 32);
  whole("sample", 1, 2 ** 16);
  whole("budgetMin", 1, 2 ** 16);
  whole("budgetMax", 1, 2 ** 16);
  whole("budgetStart", 1, 2 ** 16);
  whole("walk", 0, 2 ** 32);
  real("theta", "at least 0 and below 1", (value) => value >= 0 && value < 1);
  real("churnFloor", "above 0 and finite", (value) => value > 0 && value < Number.POSITIVE_INFINITY);
  real("targetFill", "above 0 and below 1", (value) => value > 0 && value < 1);
  real("defragShare", "at least 0 and at most 65536", (value) => value >= 0 && value <= 2 ** 16);
  real("mu", "at least 0", (value) => value >= 0);
  real("holeShare", "above 0 and at most 1", (value) => value > 0 && value <= 1);
  if (options.budgetMin > options.budgetMax)
    problems.push(`budgetMin, ${options.budgetMin}, must not be above budgetMax, ${options.budgetMax}`);
  if (options.postpone !== null && typeof options.postpone !== "function")
    problems.push(`postpone must be a function or null, not ${String(options.postpone)}`);
  flag("consolidate");
  flag("consolidatorState");
  if (options.verify !== "eager" && options.verify !== "lazy")
    problems.push(`verify must be "eager" or "lazy", not ${String(options.verify)}`);
  if (options.edition !== "extents")
    problems.push(`edition must be "extents", the only one supported, not ${String(options.edition)}`);
  if (problems.length > 0) throw new TypeError(`options: ${problems.join("; ")}`);
  return options;
}
