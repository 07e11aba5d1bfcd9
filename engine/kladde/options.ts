/**
 * Every option of a store, its default and why. Type and validation derive from `defaults`.
 */

import { requireObject } from "./arguments.ts";

const defaults = {
  /**
   * Whether space is reclaimed. False: pages that die completely are reused, half-dead pages stay. True does the same
   * until there is a mechanism that it would start.
   */
  consolidate: true,
  /** Pages of journal after which a flush happens by itself: 1 MiB, which bounds memory and recovery. */
  journalBudgetPages: 256,
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
  /** Pages per flush that reclamation may open while it has learned nothing yet. */
  budgetStart: 8,
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
  whole("journalBudgetPages", 1, 2 ** 20);
  whole("batchBytes", 1, 2 ** 30);
  whole("inlineThreshold", 0, 251);
  whole("lookahead", 1, 2 ** 16);
  whole("truncateTail", 1, 2 ** 32);
  whole("budgetStart", 1, 2 ** 16);
  if (typeof options.consolidate !== "boolean") problems.push("consolidate must be true or false");
  if (!(typeof options.theta === "number" && options.theta >= 0 && options.theta < 1))
    problems.push(`theta must be at least 0 and below 1, not ${String(options.theta)}`);
  if (options.verify !== "eager" && options.verify !== "lazy")
    problems.push(`verify must be "eager" or "lazy", not ${String(options.verify)}`);
  if (options.edition !== "extents")
    problems.push(`edition must be "extents", the only one supported, not ${String(options.edition)}`);
  if (problems.length > 0) throw new TypeError(`options: ${problems.join("; ")}`);
  return options;
}
