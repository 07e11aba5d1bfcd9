/**
 * What a file says of its types and values, as data: part of `kladde inspect --json`, all of `--types` and `--values`.
 *
 *  (1) As in `document.ts`: null is "not known" or "does not apply", and new fields may come without a new version.
 */

import type { Finding } from "./findings.ts";

/** Types and values; both null if nothing is known of them, for the reason that `unknown` gives. */
export interface TypedDocument {
  readonly format: "kladde types and values";
  readonly version: number;
  readonly file: string;
  readonly unknown: string | null;
  readonly types: TypesDocument | null;
  readonly values: ValuesDocument | null;
  readonly findings: readonly Finding[];
  readonly faults: number;
}

export interface TypesDocument {
  /** Size of the descriptor table in bytes. */
  readonly tableBytes: number;
  /** Name of the root's type. */
  readonly root: string;
  /** Hexadecimal, computed from the table. */
  readonly fingerprint: string;
  /** The same as the header has it. */
  readonly fingerprintStated: string;
  /** In the order of the table; the root first. */
  readonly types: readonly TypeRow[];
  /** Types beyond those listed. */
  readonly typesOmitted: number;
}

export interface TypeRow {
  /** In the order in which a walk from the root meets the types. */
  readonly number: number;
  /** As a schema would call it. */
  readonly name: string;
  readonly kind: string;
  /** Bytes of a slot; null: the type has only a packed form. */
  readonly slotBytes: number | null;
  /** Hexadecimal; null in a table of too many types. */
  readonly fingerprint: string | null;
  /** Of a struct. */
  readonly fields: readonly FieldRow[];
  /** Bytes of an enum's discriminant. */
  readonly discriminantBytes: number | null;
  readonly variants: readonly VariantRow[];
  /** Names of what a container, wrapper or opaque type holds. */
  readonly holds: readonly string[];
}

export interface FieldRow {
  readonly name: string;
  readonly type: string;
  readonly typeNumber: number;
  /** Offset in a slot; null if the type has none. */
  readonly offset: number | null;
}

export interface VariantRow {
  readonly name: string;
  readonly discriminant: number;
  readonly fields: readonly FieldRow[];
}

export interface ValuesDocument {
  /** Path of the value that the rows are about; empty for the root. */
  readonly path: string;
  /** Whether a value with this path was found. */
  readonly found: boolean;
  /** Whether everything was looked at. If not, bytes and leaks are those known so far. */
  readonly complete: boolean;
  /** Allocations that values lie in, the root's included, and their bytes. */
  readonly allocations: number;
  readonly bytes: number;
  /** Allocations that no value leads to. `certain`: nothing can hide a pointer to them. */
  readonly leaks: {
    readonly certain: boolean;
    readonly allocations: number;
    readonly bytes: number;
    /** The first ids. */
    readonly ids: readonly number[];
  };
  /** Values in the order of their bytes, each before what is in it. */
  readonly rows: readonly ValueRow[];
  /** Values in the tree that are not among the rows. */
  readonly rowsOmitted: number;
  /** The rows as one plain value. */
  readonly value: unknown;
  /** Of the allocations that were asked about, those that a value lies in. */
  readonly owners: readonly OwnerRow[];
}

/** What an allocation holds. */
export interface OwnerRow {
  readonly id: number;
  /** Path of the value; empty for the root. */
  readonly path: string;
  readonly type: string;
}

export type ValueKind =
  | "scalar"
  | "text"
  | "bytes"
  | "struct"
  | "tuple"
  | "variant"
  | "list"
  | "map"
  | "box"
  | "opaque"
  | "null"
  | "broken";

export interface ValueRow {
  /** Values around it, up to the one that the path names. */
  readonly depth: number;
  /** Its step in the path. */
  readonly step: string;
  /** Of an entry of a map; null if it cannot be read. */
  readonly key: Plain;
  readonly kind: ValueKind;
  readonly type: string;
  /** Of a scalar or text; hexadecimal of bytes. Long ones are cut. */
  readonly value: Plain;
  /** Units of the text, or bytes, in full. */
  readonly length: number | null;
  readonly variant: string | null;
  /** Values directly in it, shown or not. */
  readonly count: number | null;
  /** Whether it goes on behind what was read or is shown. */
  readonly cut: boolean;
  /** Why the bytes of a broken value cannot be had: page, rule and what is wrong; null: they can. */
  readonly fault: string | null;
  /** Allocation with its content, and the bytes of that. */
  readonly id: number | null;
  readonly bytes: number | null;
  /** Bytes of the allocations of all that is in it, its own included. */
  readonly treeBytes: number;
}

/** 64-bit integers that no number can hold, and what JSON has no number for, are text. */
export type Plain = number | string | boolean | null;
