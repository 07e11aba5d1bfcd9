/** Lines of a report for a terminal: headings, tables, lists that are cut. */

export const rowsMax = 20;

export interface TextOptions {
  /** Every row of every list. */
  readonly all: boolean;
}

export type Lines = Generator<string, void, undefined>;

export const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;
export const shown = (value: number | string | null): string => (value === null ? "-" : String(value));
export const share = (part: number, whole: number): string =>
  whole === 0 ? "-" : `${Math.round((100 * part) / whole)} %`;

export function* heading(text: string): Lines {
  yield "";
  yield text;
}

export type Cell = number | string | null;

/** Rows under their titles. */
export function* table(titles: readonly string[], rows: readonly (readonly Cell[])[]): Lines {
  const texts = [titles, ...rows.map((row) => row.map(shown))];
  const widths = titles.map((_, i) => Math.max(...texts.map((row) => row[i]!.length)));
  const isText = titles.map((_, i) => rows.some((row) => typeof row[i] === "string" && !/ %$/.test(row[i])));
  for (const row of texts)
    yield `  ${row.map((text, i) => (isText[i] ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))).join("  ")}`.trimEnd();
}

/** The first of `rows`, and whether there are more. */
export function cut<T>(rows: Iterable<T>, all: boolean): { readonly first: T[]; readonly hasMore: boolean } {
  const first: T[] = [];
  for (const row of rows) {
    if (!all && first.length === rowsMax) return { first, hasMore: true };
    first.push(row);
  }
  return { first, hasMore: false };
}
