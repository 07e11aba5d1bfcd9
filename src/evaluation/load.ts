/**
 * Reads what the pipeline wrote. A missing or malformed file stops the build with its name and what to do.
 *
 * Cost: each file is read and checked once per build; in development, once per change.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { z } from "astro/zod";
import { changesFile, columnsFile, figureFile, summaryFile } from "./paths.ts";
import {
  type Changes,
  type Column,
  changesSchema,
  columnListSchema,
  type DeclaredColumn,
  type Summary,
  summarySchema,
} from "./schema.ts";

interface Entry {
  readonly modifiedMillis: number;
  readonly content: unknown;
}
const cache = new Map<string, Entry>();

function readJson<T>(file: string, schema: z.ZodType<T>): T {
  const modifiedMillis = statSync(file).mtimeMs;
  const known = cache.get(file);
  if (known?.modifiedMillis === modifiedMillis) return known.content as T;
  const parsed = schema.safeParse(JSON.parse(readFileSync(file, "utf8")));
  if (!parsed.success)
    throw new Error(`${file} does not have the expected shape:\n${z.prettifyError(parsed.error)}`);
  cache.set(file, { modifiedMillis, content: parsed.data });
  return parsed.data;
}

export function loadSummary(study: string, askedBy: string): Summary {
  const file = summaryFile(study);
  if (!existsSync(file)) {
    throw new Error(
      `${askedBy} needs ${file}, which does not exist; "pnpm reproduce --only ${study}" writes it`,
    );
  }
  const summary = readJson(file, summarySchema);
  if (summary.study !== study)
    throw new Error(`${file} is the summary of "${summary.study}", not of "${study}"`);
  return summary;
}

export function loadChanges(study: string): Changes | undefined {
  const file = changesFile(study);
  return existsSync(file) ? readJson(file, changesSchema) : undefined;
}

/** What the tables' columns mean; a test keeps the file equal to the declaration in the code. */
export const loadColumns = (): readonly DeclaredColumn[] => readJson(columnsFile, columnListSchema);

export function readFigureFile(study: string, path: string, figure: string): string {
  const file = figureFile(study, path);
  if (!existsSync(file)) {
    throw new Error(
      `figure "${figure}" of ${study} names ${file}, which does not exist; "pnpm reproduce --no-bench" draws it`,
    );
  }
  return readFileSync(file, "utf8");
}

/** Looks up `id`, or fails naming the page, the file and the ids there are. */
export function pick<T>(
  map: Readonly<Record<string, T>>,
  id: unknown,
  what: string,
  study: string,
  page: string,
): T {
  const found = typeof id === "string" && Object.hasOwn(map, id) ? map[id] : undefined;
  if (found === undefined) {
    const known = Object.keys(map).join(", ") || "none";
    throw new Error(`${page}: no ${what} "${String(id)}" in ${summaryFile(study)}; there are: ${known}`);
  }
  return found;
}

export type Row = Readonly<Record<string, string | number | null>>;

/** The rows of a figure's CSV, which needs no quoting; a column that is not a label is a number. */
export function parseCsv(text: string, columns: readonly Column[], file: string): Row[] {
  const [head = "", ...lines] = text.trimEnd().split("\n");
  const names = head.split(",");
  const kinds = new Map(columns.map((column) => [column.key, column.kind]));
  return lines.map((line, index) => {
    const cells = line.split(",");
    if (cells.length !== names.length) {
      throw new Error(
        `${file}, line ${index + 2}: ${cells.length} fields where the head names ${names.length}`,
      );
    }
    return Object.fromEntries(names.map((name, at) => [name, cell(cells[at] ?? "", kinds.get(name))]));
  });
}

function cell(text: string, kind: Column["kind"] | undefined): string | number | null {
  if (text === "") return null;
  const number = Number(text);
  return kind === "label" || Number.isNaN(number) ? text : number;
}
