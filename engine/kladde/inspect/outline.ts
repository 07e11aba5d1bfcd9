/**
 * Values as rows, in the order in which a walk meets them: a tree with sizes, cut to what is asked for.
 *
 *  (1) A box that is not empty, a small value that holds one other value, and an option that holds something stand for
 *      what they hold and have no row; raw, every value has one.
 *  (2) An entry of a map is one row, its value's; the key is its step. Bytes of keys count for the map.
 *  (3) Rows are bounded, of everything and of each list; sizes are of everything that was read.
 *
 * Cost: a row for each value that is shown, a frame for each that is open.
 */

import { fieldStep } from "../typed/plain/frames.ts";
import type { Composite, Scalar, ValueSink } from "../typed/plain/index.ts";
import { KeyRecorder, shortKey } from "../typed/plain/keys.ts";
import type { Lost } from "../typed/plain/sink.ts";
import type { Descriptor, OpaqueDescriptor, VariantDescriptor } from "../typed/types/index.ts";
import { isOption, isTuple, typeName } from "../typed/types/index.ts";
import { hex } from "./slots.ts";
import type { Plain, ValueKind, ValueRow } from "./typed-document.ts";
import { isStep } from "./value-path.ts";
import { shortOf } from "./world.ts";

export interface OutlineOptions {
  /** Steps to the value that is shown. */
  readonly steps: readonly string[];
  /** Values inside values that are shown. */
  readonly depth: number;
  /** Rows. Lists and maps inside the value that is shown get a quarter of them each. */
  readonly limit: number;
  /** Units of a text, and bytes, that are shown. */
  readonly length: number;
  readonly isRaw: boolean;
  /** Told of every allocation that content lies in, when it is met. */
  readonly met: (id: number, type: Descriptor) => void;
}

/** Where a value stands. */
interface Place {
  readonly step: string;
  readonly key: Plain;
  readonly type: Descriptor;
  /** Steps of the path that lead here; −1: none. */
  readonly matched: number;
  /** Below the value that the path names; −1: not in it. */
  readonly depth: number;
  readonly isShown: boolean;
  /** Allocation in which it stands alone, and the bytes of those that stand for it. */
  readonly id: number;
  readonly idBytes: number;
  readonly outerBytes: number;
}

/** A value that has begun and not ended. */
interface Open {
  readonly kind: Composite;
  readonly type: Descriptor;
  readonly variant: VariantDescriptor | undefined;
  readonly place: Place;
  /** Whether what it holds takes its place. */
  readonly standsFor: boolean;
  readonly row: Row | undefined;
  readonly width: number;
  begun: number;
  treeBytes: number;
  key: Plain;
  keyText: string;
}

type Row = { -readonly [Key in keyof ValueRow]: ValueRow[Key] };
type Found = Pick<ValueRow, "kind"> &
  Partial<Pick<ValueRow, "value" | "length" | "variant" | "cut" | "fault">>;

const widthMin = 4;

export class Outline implements ValueSink {
  readonly rows: Row[] = [];
  omitted = 0;
  found = false;
  readonly #options: OutlineOptions;
  readonly #names = new Map<Descriptor, string>();
  readonly #open: Open[] = [];
  readonly #keys = new KeyRecorder();
  /** Values open around the key that is being read; −1: none is. */
  #keyAt = -1;
  readonly #root: Place;

  /** Allocation `id` holds the root, in `bytes`. */
  constructor(type: Descriptor, id: number, bytes: number, options: OutlineOptions) {
    this.#options = options;
    const depth = options.steps.length === 0 ? 0 : -1;
    const isShown = depth === 0;
    this.#root = {
      step: "",
      key: null,
      type,
      matched: 0,
      depth,
      isShown,
      id,
      idBytes: bytes,
      outerBytes: bytes,
    };
  }

  scalar(type: Descriptor, value: Scalar): void {
    const place = this.#begin(type);
    if (this.#keys.isActive) this.#keys.noteScalar(value);
    this.#leaf(place, { kind: "scalar", value: plainOf(value) }, 0, 0);
  }

  text(type: Descriptor, value: string, id: number, bytes: number): void {
    const place = this.#begin(type);
    if (this.#keys.isActive) this.#keys.noteScalar(value);
    const { length } = this.#options;
    const shown = value.length > length ? value.slice(0, length).toWellFormed() : value;
    const cut = value.length > length;
    this.#leaf(place, { kind: "text", value: shown, length: value.length, cut }, id, bytes);
  }

  bytes(type: Descriptor, value: Uint8Array, id: number, bytes: number): void {
    const place = this.#begin(type);
    if (this.#keys.isActive) this.#keys.note(`h${value.join(",")}`);
    this.#leaf(place, { kind: "bytes", ...this.#hex(value, bytes) }, id, bytes);
  }

  opaque(type: OpaqueDescriptor, value: Uint8Array): void {
    const place = this.#begin(type);
    if (this.#keys.isActive) this.#keys.note(value.join(","));
    this.#leaf(place, { kind: "opaque", ...this.#hex(value, value.length) }, 0, 0);
  }

  none(type: Descriptor): void {
    const place = this.#begin(type);
    if (this.#keys.isActive) this.#keys.note("null");
    this.#leaf(place, { kind: "null" }, 0, 0);
  }

  broken(type: Descriptor, lost?: Lost): void {
    const place = this.#begin(type);
    this.#keys.noteBroken();
    const fault = lost === undefined ? null : faultOf(lost);
    // The root's allocation is no value's content, and counted already.
    const isApart = lost !== undefined && lost.id !== this.#root.id;
    this.#leaf(place, { kind: "broken", fault }, isApart ? lost.id : 0, isApart ? lost.bytes : 0);
  }

  enter(kind: Composite, type: Descriptor, id: number, bytes: number, variant?: VariantDescriptor): void {
    const outer = this.#begin(type);
    if (id !== 0) this.#options.met(id, type);
    if (this.#keys.isActive) this.#keys.note(variant === undefined ? "(" : `${variant.name}(`);
    const standsFor = !this.#options.isRaw && isTransparent(kind, type);
    const inside = { id, idBytes: bytes, outerBytes: outer.outerBytes + bytes };
    const place = standsFor && id !== 0 ? { ...outer, ...inside } : outer;
    const found = { kind: isTuple(type) ? "tuple" : rowKinds[kind], variant: variant?.name ?? null } as const;
    this.#open.push({
      kind,
      type,
      variant,
      place,
      standsFor,
      row: standsFor ? undefined : this.#show(place, found, id, bytes),
      width: this.#widthIn(kind, place),
      begun: 0,
      treeBytes: id === 0 ? 0 : bytes,
      key: null,
      keyText: "",
    });
  }

  leave(): void {
    const { kind, place, standsFor, row, begun, treeBytes } = this.#open.pop()!;
    if (this.#keys.isActive) this.#keys.note(")");
    if (standsFor && begun === 0) this.#show(place, { kind: "null" }, 0, 0);
    if (row !== undefined) {
      row.treeBytes = place.outerBytes + treeBytes;
      row.count = kind === "map" ? Math.ceil(begun / 2) : begun;
    }
    this.#end(treeBytes, null);
  }

  cut(): void {
    const row = this.#open.at(-1)?.row;
    if (row !== undefined) row.cut = true;
  }

  #leaf(place: Place, found: Found, id: number, bytes: number): void {
    if (id !== 0) this.#options.met(id, place.type);
    this.#show(place, found, id, bytes);
    this.#end(id === 0 ? 0 : bytes, found.value ?? null);
  }

  #hex(value: Uint8Array, length: number): Pick<ValueRow, "value" | "length" | "cut"> {
    const shown = value.subarray(0, this.#options.length);
    return { value: hex(shown), length, cut: shown.length < length };
  }

  /** The place of the value that begins. */
  #begin(type: Descriptor): Place {
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      this.found ||= this.#root.isShown;
      return this.#root;
    }
    const index = parent.begun++;
    if (parent.standsFor) return parent.place;
    if (parent.kind === "map" && index % 2 === 0 && this.#keyAt < 0) {
      this.#keyAt = this.#open.length;
      this.#keys.begin();
    }
    const { steps, depth: depthMax } = this.#options;
    const isOff = this.#keyAt >= 0 || parent.place.matched < 0;
    const step = isOff ? "" : stepIn(parent, index);
    const matched = isOff ? -1 : matchedBy(steps, parent, step);
    const depth = matched < steps.length ? -1 : parent.place.depth + 1;
    const rank = parent.kind === "map" ? index >> 1 : index;
    const isWithin = depth === 0 || (parent.place.isShown && rank < parent.width);
    const isShown = depth >= 0 && depth <= depthMax && isWithin && this.rows.length < this.#options.limit;
    if (depth === 0) this.found = true;
    else if (depth > 0 && !isShown) this.omitted++;
    const key = parent.kind === "map" ? parent.key : null;
    return { step, key, type, matched, depth, isShown, id: 0, idBytes: 0, outerBytes: 0 };
  }

  /** The row of what stands at `place`, if it is shown. */
  #show(place: Place, found: Found, id: number, bytes: number): Row | undefined {
    if (!place.isShown) return undefined;
    const isApart = id !== 0;
    const row: Row = {
      depth: place.depth,
      step: place.step,
      key: place.key,
      kind: found.kind,
      type: this.#nameOf(place.type),
      value: found.value ?? null,
      length: found.length ?? null,
      variant: found.variant ?? null,
      count: null,
      cut: found.cut ?? false,
      fault: found.fault ?? null,
      id: isApart ? id : place.id || null,
      bytes: isApart ? bytes : place.id === 0 ? null : place.idBytes,
      treeBytes: place.outerBytes + (isApart ? bytes : 0),
    };
    this.rows.push(row);
    return row;
  }

  /** A value has ended, with the allocations below it; `value` is that of a scalar or text. */
  #end(treeBytes: number, value: Plain): void {
    const parent = this.#open.at(-1);
    if (parent === undefined) return;
    parent.treeBytes += treeBytes;
    if (this.#keyAt !== this.#open.length) return;
    // A key that cannot be read is not known; in a step it is `?`, which as text would stand in quotes.
    const text = this.#keys.end();
    parent.key = text === undefined ? null : (value ?? text);
    parent.keyText = text ?? "?";
    this.#keyAt = -1;
  }

  #widthIn(kind: Composite, { depth }: Place): number {
    if (kind !== "elements" && kind !== "map") return Number.POSITIVE_INFINITY;
    return depth === 0 ? this.#options.limit : Math.max(widthMin, this.#options.limit >> 2);
  }

  #nameOf(type: Descriptor): string {
    let name = this.#names.get(type);
    if (name === undefined) {
      name = typeName(type);
      this.#names.set(type, name);
    }
    return name;
  }
}

/** Where the bytes are lost and why, in a few words. */
function faultOf({ cause }: Lost): string {
  const why = shortOf(cause);
  return cause.page === undefined ? why : `page ${cause.page}, ${why}`;
}

const rowKinds = {
  struct: "struct",
  variant: "variant",
  elements: "list",
  map: "map",
  box: "box",
  small: "box",
} as const satisfies Record<Composite, ValueKind>;

/** Whether a value is seen through to what it holds. */
const isTransparent = (kind: Composite, type: Descriptor): boolean =>
  kind === "box" || kind === "small" || (kind === "variant" && isOption(type));

/** Step from `parent` to what begins in it; none in a box or an option. */
function stepIn({ kind, type, variant, keyText }: Open, index: number): string {
  if (kind === "elements") return `[${index}]`;
  if (kind === "map") return `[${shortKey(keyText)}]`;
  if (kind === "struct") return type.kind === "struct" ? fieldStep(type.fields[index]?.name ?? "") : "";
  return variant === undefined || isOption(type) ? "" : fieldStep(variant.fields[index]?.name ?? "");
}

/** Steps matched at a place that `step` leads to from `parent`. */
function matchedBy(steps: readonly string[], { place, kind, keyText }: Open, step: string): number {
  const asked = steps[place.matched];
  if (asked === undefined || step === "") return place.matched;
  const isThere = isStep(asked, step) || (kind === "map" && isStep(asked, `[${keyText}]`));
  return isThere ? place.matched + 1 : -1;
}

/** A scalar in JSON: what no JSON number can hold is text. */
function plainOf(value: Scalar): Plain {
  if (typeof value === "bigint") return String(value);
  if (Object.is(value, -0)) return "-0";
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}
