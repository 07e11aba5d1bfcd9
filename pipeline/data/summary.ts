/**
 * The shapes that the pipeline writes and the site reads: manifest, summary, changes.
 *
 *  (1) Every number is `exact` (a function of options, seed and code) or `measured` (it holds a time).
 *  (2) A summary is a function of the kept tables and this code: redrawing it gives the same bytes.
 *  (3) Paths in it are relative to `content/evaluation/figures/<study>/`.
 */

export type Kind = "exact" | "measured";

export type Unit =
  | "ratio"
  | "share"
  | "bytes"
  | "pages"
  | "count"
  | "micros"
  | "operationsPerSecond"
  | "statementsPerKiB"
  /** A number without a unit, or whose unit its sentence says: live sizes written, an option's value. */
  | "number";

export interface MachineCard {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  /** Of the folder where the measured files lay. */
  readonly fileSystem: string;
  readonly node: string;
}

/** Where a table came from. */
export interface Provenance {
  readonly commit: string;
  readonly dirty: boolean;
  readonly date: string;
  readonly machine: MachineCard;
}

/** That of a table older than the rest of its run, and how it was made; where that is missing, it is not known. */
export interface KeptProvenance extends Provenance {
  readonly command?: string;
  readonly repeats?: number;
}

export interface TableEntry {
  readonly rows: number;
  /** Of the uncompressed CSV's exact columns. */
  readonly sha256: string;
  /** Only when the table was kept from an earlier run, because a later one made a part of the tables. */
  readonly kept?: KeptProvenance;
}

export interface Manifest extends Provenance {
  readonly study: string;
  readonly run: string;
  readonly command: string;
  readonly repeats: number;
  readonly options: Readonly<Record<string, string | number | boolean>>;
  readonly seeds: Readonly<Record<string, number>>;
  readonly tables: Readonly<Record<string, TableEntry>>;
}

export interface SummaryValue {
  readonly value: number;
  readonly unit: Unit;
  readonly kind: Kind;
  /** What it is, in one phrase. */
  readonly says: string;
  readonly band?: { readonly low: number; readonly high: number; readonly runs: number };
  readonly published?: number;
}

export interface SummaryColumn {
  readonly key: string;
  readonly title: string;
  readonly kind: Kind | "label";
  readonly unit?: Unit;
  /** Digits after the point, where the unit's usual number of them would hide a difference. */
  readonly decimals?: number;
}

export interface SummaryTable {
  readonly title: string;
  readonly caption: string;
  readonly columns: readonly SummaryColumn[];
  readonly rows: readonly Readonly<Record<string, string | number | null>>[];
}

export interface SummaryFigure {
  readonly title: string;
  readonly caption: string;
  /** Made from the data: ends and extremes of every curve, or the bars' totals. */
  readonly description: string;
  readonly kind: Kind;
  readonly svg: string;
  readonly csv: string;
  readonly spec: string;
  readonly command: string;
  readonly width: number;
  readonly height: number;
  readonly columns: readonly SummaryColumn[];
  readonly rowCount: number;
  /** How rows were chosen, where the figure does not hold every row of its runs. */
  readonly thinned?: string;
}

export type Relation = "<" | "<=" | ">" | ">=" | "within" | "beyond";

export interface SummaryClaim {
  readonly says: string;
  readonly kind: Kind;
  readonly left: number;
  readonly relation: Relation;
  readonly right: number;
  /** `within`: the largest absolute difference of left and right; `beyond`: it is larger. */
  readonly tolerance?: number;
  /** Null: on times, and not judged because there is no band. */
  readonly holds: boolean | null;
  readonly published?: string;
}

/** How far ours may be from a published number: relative to it, in its own unit, or anywhere in a range. */
export type Allowed =
  | { readonly relative: number }
  | { readonly absolute: number }
  | { readonly least?: number; readonly most?: number };

export interface Comparison {
  readonly id: string;
  /** Its place in the list of published numbers, and the title of that part of the list. */
  readonly number: string;
  readonly group: string;
  readonly what: string;
  readonly published: number;
  readonly ours: number;
  readonly unit: Unit;
  /** Relative; absolute for shares and where `allowed` is. */
  readonly difference: number;
  readonly allowed: Allowed;
  readonly verdict: "reproduced" | "differs";
  /** Why it differs. */
  readonly reason?: string;
}

export interface Summary {
  readonly study: string;
  readonly title: string;
  readonly question: string;
  /** Of the full run. */
  readonly manifest: Manifest;
  readonly values: Readonly<Record<string, SummaryValue>>;
  readonly tables: Readonly<Record<string, SummaryTable>>;
  readonly figures: Readonly<Record<string, SummaryFigure>>;
  readonly claims: Readonly<Record<string, SummaryClaim>>;
  readonly comparison: readonly Comparison[];
}

export interface ExactChange {
  readonly table: string;
  readonly rows: number;
  readonly differing: number;
  /** The first difference, in words. */
  readonly first?: string;
}

export interface MeasuredChange {
  readonly what: string;
  readonly committed: number;
  readonly yours: number;
  readonly ratio: number;
  readonly verdict: string;
}

/** A reader's run beside the committed one. */
export interface Changes {
  /** The commit that the run is compared with, or "the files as they were" without git. */
  readonly against: string;
  readonly exact: readonly ExactChange[];
  readonly measured: readonly MeasuredChange[];
}

const LINE_CHARACTERS = 160;

/** One line for what has no parts of parts and is short, so that a file of many small entries stays small and can be read. */
export const formatJson = (value: unknown): string => `${formatted(value, "")}\n`;

function formatted(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isArray = Array.isArray(value);
  const parts = Object.entries(value).filter(([, part]) => part !== undefined);
  const [open, close] = isArray ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return open + close;
  const inner = `${indent}  `;
  const lines = parts.map(
    ([key, part]) => (isArray ? "" : `${JSON.stringify(key)}: `) + formatted(part, inner),
  );
  const line = isArray ? `[${lines.join(", ")}]` : `{ ${lines.join(", ")} }`;
  const isFlat = parts.every(([, part]) => typeof part !== "object" || part === null);
  if (isFlat && indent.length + line.length <= LINE_CHARACTERS) return line;
  return `${open}\n${lines.map((each) => inner + each).join(",\n")}\n${indent}${close}`;
}
