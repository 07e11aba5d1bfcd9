/** Types and values as text: a block for every type that has parts, and values as an indented tree with sizes. */

import {
  type Cell,
  count,
  cut,
  heading,
  type Lines,
  rowsMax,
  type TextOptions,
  table,
} from "./text-table.ts";
import type {
  FieldRow,
  TypedDocument,
  TypeRow,
  TypesDocument,
  ValueRow,
  ValuesDocument,
} from "./typed-document.ts";

/** Which parts are shown; absent: all. */
export interface TypedTextOptions extends TextOptions {
  readonly only?: "types" | "values" | undefined;
}

/** Nothing for a file without types. */
export function* typedText(document: TypedDocument, { all, only }: TypedTextOptions): Lines {
  const { unknown, types, values, findings } = document;
  if (unknown !== null) {
    yield* heading("Types and values");
    yield `  nothing is known of them: ${unknown}`;
  } else if (types === null && only !== undefined) yield "the file names no types";
  if (types !== null && only !== "values") yield* typeLines(types, all);
  if (values !== null && only !== "types") yield* valueLines(values);
  if (findings.length === 0) return;
  yield* heading("Findings in types and values");
  const { first, hasMore } = cut(findings, all);
  for (const { severity, message } of first) yield `  ${severity}: ${message}`;
  if (hasMore) yield `  and ${findings.length - first.length} more (--all)`;
}

function* typeLines(document: TypesDocument, all: boolean): Lines {
  const { root, tableBytes, fingerprint, fingerprintStated, types, typesOmitted } = document;
  yield* heading(
    `Types: the root is ${root}; ${count(types.length + typesOmitted, "type")} in ${tableBytes} bytes`,
  );
  const agrees =
    fingerprint === fingerprintStated ? "as the header says" : `the header says ${fingerprintStated}`;
  yield `  fingerprint ${fingerprint}, ${agrees}`;
  const shown = types.filter(({ kind, number }) => number === 0 || hasParts.has(kind));
  const { first, hasMore } = cut(shown, all);
  for (const type of first) yield* typeBlock(type, all);
  if (hasMore) yield `  and ${count(shown.length - first.length, "type")} more (--all)`;
}

/** Other types are named where they are used. */
const hasParts: ReadonlySet<string> = new Set(["struct", "enum", "opaque"]);

function* typeBlock(type: TypeRow, all: boolean): Lines {
  const { name, kind, slotBytes, fields, variants, discriminantBytes, holds } = type;
  const slot = slotBytes === null ? "packed only" : `slot of ${count(slotBytes, "byte")}`;
  const wide = discriminantBytes === null ? "" : `, discriminant of ${count(discriminantBytes, "byte")}`;
  yield `  ${name}: ${kind}, ${slot}${wide}${holds.length === 0 ? "" : `, of ${holds.slice(0, rowsMax).join(", ")}`}`;
  yield* fieldLines(fields, "    ", all);
  const { first, hasMore } = cut(variants, all);
  for (const variant of first) {
    yield `    ${variant.discriminant} ${variant.name}`;
    yield* fieldLines(variant.fields, "      ", all);
  }
  if (hasMore) yield `    and ${count(variants.length - first.length, "variant")} more (--all)`;
}

function* fieldLines(fields: readonly FieldRow[], indent: string, all: boolean): Lines {
  const { first, hasMore } = cut(fields, all);
  for (const { name, type, offset } of first)
    yield `${indent}${name}: ${type}${offset === null ? "" : `, at ${offset}`}`;
  if (hasMore) yield `${indent}and ${count(fields.length - first.length, "field")} more (--all)`;
}

function* valueLines(document: ValuesDocument): Lines {
  const { path, found, complete, allocations, bytes, leaks, rows, rowsOmitted } = document;
  yield* heading(
    `Values: ${bytes} bytes in ${count(allocations, "allocation")}${complete ? "" : ", as far as they can be read"}`,
  );
  if (leaks.allocations > 0)
    yield `  ${leaks.certain ? "leaked" : "possibly leaked"}: ${count(leaks.allocations, "allocation")} of ${leaks.bytes} bytes`;
  if (!found) yield `  there is no ${path}`;
  if (rows.length > 0)
    yield* table(
      valueTitles,
      rows.map((row) => valueCells(row, path)),
    );
  if (rowsOmitted > 0) yield `  and ${count(rowsOmitted, "value")} more (--limit, --depth, --path)`;
}

const valueTitles = ["value", "type", "content", "allocation", "bytes", "with all below"];
/** Deeper values are not indented further. */
const indentMax = 20;

function valueCells(row: ValueRow, path: string): Cell[] {
  const { depth, id, bytes, treeBytes } = row;
  const step = depth === 0 ? path || "root" : row.step.replace(/^\./, "") || "content";
  const isApart = treeBytes > 0;
  return [
    `${"  ".repeat(Math.min(depth, indentMax))}${step}`,
    row.type,
    contentOf(row),
    id === null ? "" : `#${id}`,
    bytes,
    isApart ? treeBytes : null,
  ];
}

/** What a value is, in a few words. */
export function contentOf(row: ValueRow): string {
  const { kind, value, variant, count: parts, length, cut: isCut, fault } = row;
  const rest = isCut ? " …" : "";
  if (kind === "text") return `${JSON.stringify(value)}${isCut ? ` … (${length} units)` : ""}`;
  if (kind === "scalar" || kind === "null")
    return value === null ? "null" : typeof value === "string" ? scalarText(value) : String(value);
  if (kind === "bytes" || kind === "opaque") return `${count(length ?? 0, "byte")}: ${value}${rest}`;
  if (kind === "broken") return fault === null ? "cannot be read" : `cannot be read: ${fault}`;
  if (kind === "list") return `${count(parts ?? 0, "element")}${rest}`;
  if (kind === "map") return `${parts} ${parts === 1 ? "entry" : "entries"}${rest}`;
  return variant ?? "";
}

/** A character, or a number that is written as text. */
const scalarText = (value: string): string =>
  /^-?(\d+|Infinity)$|^NaN$/.test(value) && value.length > 1 ? value : JSON.stringify(value);
