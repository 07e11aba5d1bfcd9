/**
 * Rows of values as one plain value: what `JSON.stringify` can write and a person can read.
 *
 *  (1) Struct: object. Tuple and list: array. Map: array of pairs. Variant: object whose `kind` is its name. Bytes, an
 *      opaque value, a broken one: an object that says so.
 *  (2) What is not among the rows is counted in its surroundings as `omitted`.
 */

import type { ValueRow } from "./typed-document.ts";

type Fields = Record<string, unknown>;

interface Open {
  readonly row: ValueRow;
  readonly list: unknown[] | undefined;
  readonly fields: Fields | undefined;
  begun: number;
}

/** The value of the first row; null if there is none. */
export function plainValue(rows: readonly ValueRow[]): unknown {
  let root: unknown = null;
  const open: Open[] = [];
  for (const row of rows) {
    while (open.length > row.depth) finish(open.pop()!);
    const made = begin(row);
    const parent = open.at(-1);
    if (parent === undefined) root = made.value;
    else add(parent, row, made.value);
    open.push({ row, list: made.list, fields: made.fields, begun: 0 });
  }
  while (open.length > 0) finish(open.pop()!);
  return root;
}

interface Made {
  readonly value: unknown;
  readonly list?: unknown[] | undefined;
  readonly fields?: Fields | undefined;
}

/** Without a prototype, any name can be a field's. */
const empty = (): Fields => Object.create(null) as Fields;

function begin({ kind, value, variant, type, length, cut, fault }: ValueRow): Made {
  if (kind === "list" || kind === "map" || kind === "tuple") return listMade();
  if (kind === "struct") return fieldsMade(empty());
  if (kind === "variant") return fieldsMade(Object.assign(empty(), { kind: variant }));
  if (kind === "box") return fieldsMade(Object.assign(empty(), { box: type }));
  if (kind === "bytes") return { value: { bytes: length, hex: value } };
  if (kind === "opaque")
    return { value: { opaque: /opaque (.*? [\d.]+)/.exec(type)?.[1] ?? type, bytes: length, hex: value } };
  if (kind === "broken") return { value: fault === null ? { broken: type } : { broken: type, fault } };
  return { value: cut ? { cut: value, length } : value };
}

function listMade(): Made {
  const list: unknown[] = [];
  return { value: list, list };
}

const fieldsMade = (fields: Fields): Made => ({ value: fields, fields });

function add(parent: Open, row: ValueRow, value: unknown): void {
  parent.begun++;
  if (parent.list !== undefined) parent.list.push(parent.row.kind === "map" ? [row.key, value] : value);
  else if (parent.fields !== undefined) parent.fields[nameIn(parent, row)] = value;
}

/** A variant's field that is called `kind` makes way for the variant's name. */
function nameIn({ row: { kind } }: Open, { step }: ValueRow): string {
  const name = step.startsWith(".") ? step.slice(1) : step.replace(/^\[(.*)\]$/s, "$1");
  const plain = name.startsWith('"') ? (JSON.parse(name) as string) : name;
  if (plain === "") return "content";
  return kind === "variant" && plain === "kind" ? "kind (field)" : plain;
}

function finish({ row, list, fields, begun }: Open): void {
  const omitted = Math.max(0, (row.count ?? 0) - begun);
  if (omitted === 0 && !row.cut) return;
  const rest = row.cut ? { omitted, cut: true } : { omitted };
  if (list !== undefined) list.push(rest);
  else if (fields !== undefined) Object.assign(fields, rest);
}
