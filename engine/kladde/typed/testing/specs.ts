/**
 * Random types: a schema and, beside it, what a test must know to make values of it and to change them.
 *
 *  (1) Every constructor of schemas occurs, in every place where it may stand.
 *  (2) A recursive type ends because values get simpler with depth.
 */

import * as k from "../schema/k.ts";
import { ModelMap } from "./models.ts";
import type { Tape } from "./tape.ts";

export type Spec =
  /** Values that are replaced as a whole. `edit` makes a value that is close to another one. */
  | {
      readonly kind: "value";
      readonly name: string;
      draw(tape: Tape): unknown;
      edit?(old: unknown, tape: Tape): unknown;
    }
  | { readonly kind: "text" | "bytes" }
  | {
      readonly kind: "struct";
      readonly fields: readonly SpecField[];
      readonly make: new (init: object) => object;
    }
  | { readonly kind: "tuple"; readonly fields: readonly SpecField[] }
  | { readonly kind: "enum"; readonly tag: string; readonly variants: readonly SpecVariant[] }
  | { readonly kind: "option" | "box"; readonly element: () => Typed }
  | { readonly kind: "vec" | "packedVec" | "smallVec"; readonly element: () => Typed }
  | { readonly kind: "set"; readonly element: () => Typed }
  | { readonly kind: "map" | "sortedMap"; readonly key: Typed; readonly element: () => Typed };

// biome-ignore lint/suspicious/noExplicitAny: schemas of all kinds
export type Schema = any;

export interface Typed {
  readonly spec: Spec;
  readonly schema: Schema;
}

export interface SpecField extends Typed {
  readonly property: string;
}

export interface SpecVariant {
  readonly name: string;
  readonly fields: readonly SpecField[];
}

const value = (name: string, schema: Schema, draw: (tape: Tape) => unknown): Typed => ({
  spec: { kind: "value", name, draw },
  schema,
});

const edges = [0, 1, 127, 128, 255, 256, 16383, 16384, 65535, 2 ** 31 - 1, 2 ** 32 - 1, 2 ** 53 - 1];

const integer = (name: string, low: number, high: number, schema: Schema): Typed =>
  value(name, schema, (tape) => {
    const edge = tape.pick(edges) * (low < 0 && tape.oneIn(2) ? -1 : 1);
    const whole = tape.oneIn(2)
      ? Math.max(low, Math.min(high, edge))
      : low + (tape.next() % (high - low + 1));
    return whole + 0 === 0 ? 0 : whole;
  });

const big = (name: string, low: bigint, high: bigint, schema: Schema): Typed =>
  value(name, schema, (tape) => {
    const drawn = tape.oneIn(3) ? high - BigInt(tape.below(3)) : low + BigInt(tape.pick(edges)) * 3n;
    return tape.oneIn(2) ? BigInt(tape.below(4)) : drawn > high ? high : drawn;
  });

const integers: readonly (() => Typed)[] = [
  () => integer("u32", 0, 2 ** 32 - 1, k.u32()),
  () => integer("u8", 0, 255, k.u8()),
  () => integer("u16", 0, 65535, k.u16()),
  () => integer("i8", -128, 127, k.i8()),
  () => integer("i16", -32768, 32767, k.i16()),
  () => integer("i32", -(2 ** 31), 2 ** 31 - 1, k.i32()),
  () => integer("u64 number", 0, Number.MAX_SAFE_INTEGER, k.u64({ as: "number" })),
  () => integer("i64 number", Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, k.i64({ as: "number" })),
  () => big("u64", 0n, 2n ** 64n - 1n, k.u64()),
  () => big("i64", -(2n ** 63n), 2n ** 63n - 1n, k.i64()),
];

const floats = [0, -0, 1, -1.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0.5, 2 ** 60];

const letters = ["a", "b", "é", "漢", "𝄞", "\0", "z", " ", "\n", "😀"];

/** Texts of all lengths: empty, short, and now and then long enough that edits inside are looked for. */
export function drawText(tape: Tape): string {
  const length = tape.oneIn(12) ? 1100 + tape.below(600) : tape.below(9);
  const letter = tape.pick(letters);
  const isPlain = tape.oneIn(2);
  let text = "";
  for (let at = 0; at < length; at++)
    text += isPlain ? "abcdefgh"[at % 8] : (letters[(at * 7) % 10] ?? letter);
  return text + (length > 0 ? tape.pick(letters) : "");
}

/** A text like `old`: longer, shorter, changed in the middle; code points stay whole. */
export function editText(old: unknown, tape: Tape): string {
  const points = [...(old as string)];
  const from = tape.below(points.length + 1);
  const to = from + tape.below(points.length - from + 1);
  switch (tape.below(6)) {
    case 0:
      return drawText(tape);
    case 1:
      return old + drawText(tape);
    case 2:
      return points.slice(0, from).join("");
    case 3:
      return old as string;
    default:
      return [...points.slice(0, from), drawText(tape), ...points.slice(to)].join("");
  }
}

export const textValue = (schema: Schema, name = "string"): Typed => ({
  spec: { kind: "value", name, draw: drawText, edit: editText },
  schema,
});

const jsons = [null, 0, "text", true, [1, 2, ["x"]], { a: 1, b: { c: [] } }, {}, []];

const deepFreeze = (json: unknown): unknown => {
  if (typeof json === "object" && json !== null) Object.values(Object.freeze(json)).forEach(deepFreeze);
  return json;
};

const opaqueCodec = {
  encode: (given: unknown, bytes: Uint8Array) =>
    new DataView(bytes.buffer).setUint32(0, given as number, true),
  decode: (bytes: Uint8Array) => new DataView(bytes.buffer).getUint32(0, true) as unknown,
};

const oneOf = (): Typed =>
  value("oneOf", k.oneOf("draft", "final", "gone"), (tape) => tape.pick(["draft", "final", "gone"]));
const bool = (): Typed => value("bool", k.bool(), (tape) => tape.oneIn(2));
const char = (): Typed => value("char", k.char(), (tape) => tape.pick(letters));
const string = (): Typed => textValue(k.string());

const leaves: readonly ((tape: Tape) => Typed)[] = [
  (tape) => tape.pick(integers)(),
  string,
  string,
  () => value("f64", k.f64(), (tape) => tape.pick(floats)),
  () => value("f32", k.f32(), (tape) => Math.fround(tape.pick(floats))),
  bool,
  char,
  oneOf,
  () => ({ spec: { kind: "text" }, schema: k.text() }),
  () => ({ spec: { kind: "bytes" }, schema: k.bytes() }),
  () => value("json", k.json(), (tape) => deepFreeze(structuredClone(tape.pick(jsons)))),
  () =>
    value(
      "opaque",
      k.opaque({ library: "test", type: "word", version: [1, 0, 0], inlineSize: 4, codec: opaqueCodec }),
      (tape) => tape.next(),
    ),
];

const keys: readonly ((tape: Tape) => Typed)[] = [
  string,
  (tape) => tape.pick(integers)(),
  bool,
  char,
  oneOf,
  string,
];

interface Place {
  readonly depth: number;
  readonly isPacked: boolean;
}

/** A type for the root, which is packed if there is no other way. */
export const drawSpec = (tape: Tape): Typed => drawTyped(tape, { depth: 4, isPacked: tape.oneIn(3) });

function drawTyped(tape: Tape, place: Place): Typed {
  if (place.depth <= 0 || tape.isOver) return tape.pick(leaves)(tape);
  const below = { ...place, depth: place.depth - 1 };
  if (place.isPacked && tape.oneIn(4)) return textValue(k.smallString(), "small string");
  const drawn = tape.pick(composites)(tape, below);
  if (!tape.oneIn(8) || !isSlottable(drawn)) return drawn;
  return { spec: drawn.spec, schema: drawn.schema.slotted() };
}

const isSlottable = ({ schema }: Typed): boolean => {
  try {
    return schema.slotSize !== undefined;
  } catch {
    // Sealed by itself, a small value has no place.
    return false;
  }
};

/** Where values start anew: behind a pointer. */
const behind = (place: Place, isPacked: boolean): Place => ({ ...place, isPacked });

const composites: readonly ((tape: Tape, place: Place) => Typed)[] = [
  struct,
  (tape, place) => list("vec", tape, place),
  struct,
  (tape, place) => map(tape, place),
  (tape, place) => option(tape, place),
  (tape, place) => list("packedVec", tape, place),
  (tape, place) => box(tape, place),
  enumeration,
  tuple,
  (tape) => tape.pick(leaves)(tape),
  set,
  tree,
];

function fields(tape: Tape, place: Place, names: readonly string[]): SpecField[] {
  return names.map((property) => ({ property, ...drawTyped(tape, place) }));
}

const shapeOf = (list: readonly SpecField[]): Record<string, Schema> =>
  Object.fromEntries(list.map(({ property, schema }) => [property, schema]));

const unitField = (): SpecField => ({ property: "nothing", ...value("unit", k.unit(), () => undefined) });

function struct(tape: Tape, place: Place): Typed {
  const names = ["first", "second", "third", "fourth"].slice(0, 1 + tape.below(4));
  const list = fields(tape, place, names);
  if (tape.oneIn(8)) list.push(unitField());
  const schema = k.struct(shapeOf(list));
  return { spec: { kind: "struct", fields: list, make: schema as never }, schema };
}

function tuple(tape: Tape, place: Place): Typed {
  const list = fields(tape, place, ["0", "1", "2"].slice(0, 1 + tape.below(3)));
  return { spec: { kind: "tuple", fields: list }, schema: k.tuple(...list.map(({ schema }) => schema)) };
}

function enumeration(tape: Tape, place: Place): Typed {
  const names = ["None", "One", "Two"].slice(0, 2 + tape.below(2));
  const variants = names.map((name, at) => ({
    name,
    fields: at === 0 ? [] : fields(tape, place, ["left", "right"].slice(0, 1 + tape.below(2))),
  }));
  const shape = Object.fromEntries(variants.map(({ name, fields: list }) => [name, shapeOf(list)]));
  const width = tape.pick([1, 2, 4, 8] as const);
  return { spec: { kind: "enum", tag: "kind", variants }, schema: k.enum(shape, { width }) };
}

/** The content of an option or box: null must mean one thing only. */
function content(tape: Tape, place: Place): Typed {
  const drawn = drawTyped(tape, place);
  const { spec } = drawn;
  const hasNull =
    spec.kind === "option" || spec.kind === "box" || (spec.kind === "value" && spec.name === "json");
  return hasNull ? string() : drawn;
}

function option(tape: Tape, place: Place): Typed {
  const element = content(tape, place);
  return { spec: { kind: "option", element: () => element }, schema: k.option(element.schema) };
}

function box(tape: Tape, place: Place): Typed {
  const packed = tape.oneIn(2);
  const element = content(tape, behind(place, packed));
  return { spec: { kind: "box", element: () => element }, schema: k.box(element.schema, { packed }) };
}

const lists = { vec: k.vec, packedVec: k.packedVec };
const maps = { map: k.map, sortedMap: k.sortedMap };

function list(kind: "vec" | "packedVec", tape: Tape, place: Place): Typed {
  const isSmall = place.isPacked && tape.oneIn(2);
  const element = drawTyped(tape, behind(place, isSmall || kind === "packedVec"));
  const spec: Spec = { kind: isSmall ? "smallVec" : kind, element: () => element };
  return { spec, schema: isSmall ? k.smallVec(element.schema) : lists[kind](element.schema) };
}

function map(tape: Tape, place: Place): Typed {
  const key = tape.pick(keys)(tape);
  const element = drawTyped(tape, behind(place, false));
  const kind = tape.oneIn(3) ? "sortedMap" : "map";
  return { spec: { kind, key, element: () => element }, schema: maps[kind](key.schema, element.schema) };
}

function set(tape: Tape, _place: Place): Typed {
  const element = tape.pick(keys)(tape);
  return { spec: { kind: "set", element: () => element }, schema: k.set(element.schema) };
}

/** A type that holds itself: in a list, in a map, and in a box. */
function tree(tape: Tape, place: Place): Typed {
  const leaf = drawTyped(tape, { ...place, depth: 0 });
  const way = tape.below(3);
  const schema: Schema = k.struct({
    value: leaf.schema,
    get below() {
      return way === 0 ? k.vec(schema) : way === 1 ? k.map(k.string(), schema) : k.box(schema);
    },
  });
  const self = (): Typed => typed;
  const below: Spec =
    way === 0
      ? { kind: "vec", element: self }
      : way === 1
        ? { kind: "map", key: string(), element: self }
        : { kind: "box", element: self };
  const list: SpecField[] = [
    { property: "value", ...leaf },
    { property: "below", spec: below, schema: undefined },
  ];
  const typed: Typed = { spec: { kind: "struct", fields: list, make: schema }, schema };
  return typed;
}

/** A value of `spec` as a model. */
export function drawModel(spec: Spec, tape: Tape, depth = 4): unknown {
  const count = depth <= 0 || tape.isOver ? 0 : tape.below(4);
  const draw = ({ spec: below }: Typed): unknown => drawModel(below, tape, depth - 1);
  switch (spec.kind) {
    case "value":
      return spec.draw(tape);
    case "text":
      return drawText(tape);
    case "bytes":
      return drawBytes(tape);
    case "struct":
      return Object.fromEntries(spec.fields.map((field) => [field.property, draw(field)]));
    case "tuple":
      return spec.fields.map(draw);
    case "enum":
      return drawVariant(spec.tag, depth <= 0 ? spec.variants[0]! : tape.pick(spec.variants), draw);
    case "option":
    case "box":
      return depth <= 0 || !tape.oneIn(2) ? null : draw(spec.element());
    case "set":
      return new ModelMap(
        false,
        Array.from({ length: count }, () => [draw(spec.element()), undefined]),
      );
    case "map":
    case "sortedMap":
      return new ModelMap(
        spec.kind === "sortedMap",
        Array.from({ length: count }, () => [draw(spec.key), draw(spec.element())]),
      );
    default:
      return Array.from({ length: count }, () => draw(spec.element()));
  }
}

export const drawBytes = (tape: Tape): Uint8Array =>
  Uint8Array.from({ length: tape.below(12) }, (_, at) => at * 31 + tape.below(256));

const drawVariant = (tag: string, variant: SpecVariant, draw: (typed: Typed) => unknown): object => ({
  [tag]: variant.name,
  ...Object.fromEntries(variant.fields.map((field) => [field.property, draw(field)])),
});

/** The fields of a variant's value. */
export const variantFields = (spec: Extract<Spec, { kind: "enum" }>, model: unknown): readonly SpecField[] =>
  spec.variants.find(({ name }) => name === (model as Record<string, unknown>)[spec.tag])!.fields;

/** What an application would pass to store `model`. */
export function inputOf(spec: Spec, model: unknown): unknown {
  const ofFields = (list: readonly SpecField[]): [string, unknown][] =>
    list.map(({ property, spec: below }) => [
      property,
      inputOf(below, (model as Record<string, unknown>)[property]),
    ]);
  switch (spec.kind) {
    case "value":
    case "text":
      return model;
    case "bytes":
      return (model as Uint8Array).slice();
    case "struct":
      return Object.fromEntries(ofFields(spec.fields));
    case "tuple":
      return spec.fields.map(({ spec: below }, at) => inputOf(below, (model as unknown[])[at]));
    case "enum":
      return {
        [spec.tag]: (model as Record<string, unknown>)[spec.tag],
        ...Object.fromEntries(ofFields(variantFields(spec, model))),
      };
    case "option":
    case "box":
      return model === null ? null : inputOf(spec.element().spec, model);
    case "set":
      return (model as ModelMap).keys();
    case "map":
    case "sortedMap":
      return (model as ModelMap).slots
        .filter((entry) => entry !== undefined)
        .map(([key, below]) => [key, inputOf(spec.element().spec, below)]);
    default:
      return (model as unknown[]).map((below) => inputOf(spec.element().spec, below));
  }
}
