/**
 * How numbers look: one rule per unit, so that the same quantity looks the same in prose, in tables and in panels.
 *
 * A number and its unit are joined by a narrow no-break space; digits are grouped by commas, as in English text.
 */
import type { Allowed, Kind, Unit } from "./schema.ts";

const space = "\u202f";
const minus = "\u2212";

const grouped = (value: number, decimals: number): string =>
  value
    .toLocaleString("en-GB", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    .replace("-", minus);

/** `value` with `digits` significant digits, never in exponent notation. */
const significant = (value: number, digits: number): string => {
  if (value === 0) return "0";
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))));
  return grouped(value, Math.min(decimals, 20));
};

function formatBytes(bytes: number): string {
  const names = ["B", "KiB", "MiB", "GiB", "TiB"];
  let power = 0;
  while (Math.abs(bytes) >= 1024 ** (power + 1) && power < names.length - 1) power += 1;
  const value = bytes / 1024 ** power;
  return `${power === 0 || Number.isInteger(value) ? grouped(value, 0) : significant(value, 3)}${space}${names[power]}`;
}

function formatMicros(micros: number): string {
  if (Math.abs(micros) >= 1e6) return `${significant(micros / 1e6, 3)}${space}s`;
  if (Math.abs(micros) >= 1e3) return `${significant(micros / 1e3, 3)}${space}ms`;
  return `${significant(micros, micros < 10 ? 2 : 3)}${space}µs`;
}

/** `decimals` overrides the rule of the units that have a fixed number of them. */
export function formatValue(value: number, unit: Unit, decimals?: number): string {
  switch (unit) {
    case "ratio":
      return `${grouped(value, decimals ?? 2)}${space}×`;
    case "share":
      return `${grouped(value * 100, decimals ?? (Math.abs(value) < 0.0995 ? 1 : 0))}${space}%`;
    case "bytes":
      return formatBytes(value);
    case "pages":
    case "count":
      return grouped(value, decimals ?? (Number.isInteger(value) ? 0 : 1));
    case "micros":
      return formatMicros(value);
    case "operationsPerSecond":
      return `${grouped(Number(value.toPrecision(3)), 0)}/s`;
    case "statementsPerKiB":
      return `${grouped(value, decimals ?? 2)}${space}per${space}KiB`;
    case "number":
      return grouped(value, decimals ?? (Number.isInteger(value) ? 0 : 2));
  }
}

/** What the head of a column says of the unit, where its cells leave it out. */
export const unitInHead: Partial<Record<Unit, string>> = { ratio: "×", statementsPerKiB: "per KiB" };

/** A cell of a table: text as it is, numbers by their unit, nothing as a dash. */
export function formatCell(
  value: string | number | null | undefined,
  unit: Unit | undefined,
  decimals?: number,
): string {
  if (value === null || value === undefined) return "–";
  if (typeof value === "string") return value;
  if (unit !== undefined && unit in unitInHead) return grouped(value, decimals ?? 2);
  if (unit !== undefined) return formatValue(value, unit, decimals);
  return Number.isInteger(value) ? grouped(value, 0) : significant(value, 4).replace(/(\.\d*?)0+$/, "$1");
}

/** Differences are told in the number's own unit where that is what may differ, and for shares. */
const isAbsolute = (unit: Unit, allowed: Allowed): boolean => unit === "share" || "absolute" in allowed;

/** A difference from a published number: relative; in points for shares, in its own unit where that is allowed. */
export function formatDifference(difference: number, unit: Unit, allowed: Allowed): string {
  const sign = difference > 0 ? "+" : "";
  if (unit !== "share" && isAbsolute(unit, allowed)) return `${sign}${formatValue(difference, unit)}`;
  const rounded = Math.round(difference * 1000) / 10 || 0;
  const percent = `${rounded > 0 ? "+" : ""}${grouped(rounded, 1)}${space}%`;
  return unit === "share" ? `${percent}${space}pts` : percent;
}

/** What a difference may be, or where the number may lie: "±5 %", "at most 1.35 ×", "2.80 to 4.50 ×". */
export function formatAllowed(allowed: Allowed, unit: Unit): string {
  if ("relative" in allowed) return `±${percentOf(allowed.relative)}`;
  if ("absolute" in allowed) {
    if (unit === "share") return `±${percentOf(allowed.absolute)}${space}pts`;
    return `±${formatValue(allowed.absolute, unit)}`;
  }
  const { least, most } = allowed;
  if (least === undefined) return most === undefined ? "" : `at most ${formatValue(most, unit)}`;
  if (most === undefined) return `at least ${formatValue(least, unit)}`;
  return `${formatValue(least, unit)} to ${formatValue(most, unit)}`;
}

/** Of a share of one: no more decimals than it has. */
function percentOf(part: number): string {
  const percent = Math.round(part * 1e6) / 1e4;
  return `${grouped(percent, Number.isInteger(percent) ? 0 : percent < 0.1 ? 2 : 1)}${space}%`;
}

export const markOf: Readonly<Record<Kind, string>> = { exact: "=", measured: "≈" };
export const kindSays: Readonly<Record<Kind, string>> = {
  exact: "exact: the same on every machine",
  measured: "measured: belongs to one machine",
};
