/**
 * Random schemas, random edits of them, and what an edit makes of a value: by the rules as they are told to people, and sharing
 * no code with resolution.
 */

import fc from "fast-check";
import * as k from "../../schema/k.ts";
import type { Datum } from "./values.ts";

type Code = "u8" | "u16" | "u32" | "u64" | "i8" | "i16" | "i32" | "i64" | "f32" | "f64";
type Simple = "bool" | "char" | "unit" | "string" | "text" | "smallString" | "bytes";

export interface FieldSpec {
  readonly property: string;
  readonly persisted: string;
  readonly was?: string;
  readonly spec: Spec;
  /** Its value if the file lacks it. */
  readonly initial?: unknown;
  readonly isNew?: true;
}

export interface VariantSpec {
  readonly name: string;
  readonly was?: string;
  readonly discriminant: number;
  readonly fields: readonly FieldSpec[];
}

/** `from`: what it was before it was edited; absent, it was the same. */
export type Spec = (
  | { readonly kind: Simple }
  | { readonly kind: "number"; readonly code: Code; readonly as: "number" | "bigint" }
  | { readonly kind: "vec" | "packedVec" | "smallVec" | "set" | "option" | "slotted"; readonly element: Spec }
  | { readonly kind: "box"; readonly element: Spec; readonly packed: boolean }
  | { readonly kind: "map"; readonly key: Spec; readonly value: Spec }
  | { readonly kind: "struct" | "tuple"; readonly fields: readonly FieldSpec[] }
  | { readonly kind: "enum"; readonly tag: string; readonly variants: readonly VariantSpec[] }
) & { readonly from?: Spec };

/** Draws a value; `fc.gen()` gives one. */
export type Draw = fc.GeneratorValue;
const below = (draw: Draw, count: number): number => draw(fc.nat, count - 1);
const pick = <T>(draw: Draw, values: readonly T[]): T => values[below(draw, values.length)]!;

const codes: readonly Code[] = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64"];
const simple: readonly Simple[] = ["bool", "char", "unit", "string", "text", "smallString", "bytes"];

export function drawSpec(draw: Draw, depth: number): Spec {
  const kind = below(draw, depth > 0 ? 12 : 2);
  const inner = (): Spec => drawSpec(draw, depth - 1);
  switch (kind) {
    case 0:
      return drawNumber(draw);
    case 1:
      return { kind: pick(draw, simple) };
    case 2:
    case 3:
      return { kind: pick(draw, ["vec", "packedVec", "smallVec"] as const), element: inner() };
    case 4:
      return { kind: "map", key: drawKey(draw), value: inner() };
    case 5:
      return { kind: "set", element: drawKey(draw) };
    case 6:
      return { kind: "option", element: inner() };
    case 7:
      return { kind: "box", element: inner(), packed: below(draw, 2) === 0 };
    case 8:
      return {
        kind: "tuple",
        fields: ["0", "1"].map((name) => ({ property: name, persisted: name, spec: inner() })),
      };
    case 9:
      return drawEnum(draw, inner);
    default:
      return { kind: "struct", fields: drawFields(draw, inner) };
  }
}

function drawNumber(draw: Draw): Spec {
  const code = pick(draw, codes);
  const as = code.endsWith("64") && code !== "f64" && below(draw, 2) === 0 ? "bigint" : "number";
  return { kind: "number", code, as };
}

const drawKey = (draw: Draw): Spec =>
  pick<Spec>(draw, [
    { kind: "string" },
    { kind: "number", code: "u16", as: "number" },
    { kind: "number", code: "i64", as: "bigint" },
    { kind: "char" },
  ]);

function drawFields(draw: Draw, inner: () => Spec): FieldSpec[] {
  return ["a", "b", "c"].slice(0, below(draw, 4)).map((property) => {
    const persisted = below(draw, 4) === 0 ? `${property}_stored` : property;
    return { property, persisted, spec: inner() };
  });
}

function drawEnum(draw: Draw, inner: () => Spec): Spec {
  const variants = ["One", "Two", "Three"].slice(0, 1 + below(draw, 3)).map((name, i) => ({
    name,
    discriminant: 3 * i,
    fields: drawFields(draw, inner),
  }));
  return { kind: "enum", tag: "kind", variants };
}

type AnySchema = ReturnType<typeof k.u8>;

const { u8, u16, u32, u64, i8, i16, i32, i64, f32, f64 } = k;
const numberTypes = { u8, u16, u32, u64, i8, i16, i32, i64, f32, f64 };
const { bool, char, unit, string, text, smallString, bytes } = k;
const simpleTypes = { bool, char, unit, string, text, smallString, bytes };
const { vec, packedVec, smallVec, option } = k;
const elementTypes = { vec, packedVec, smallVec, option, set: k.set as unknown as typeof vec };

export function schemaOf(spec: Spec): AnySchema {
  const inner = (part: Spec): AnySchema => schemaOf(part);
  switch (spec.kind) {
    case "number":
      return (numberTypes[spec.code] as (options: object) => AnySchema)(
        spec.as === "number" && /^[ui]64$/.test(spec.code) ? { as: "number" } : {},
      );
    case "map":
      return k.map(inner(spec.key), inner(spec.value)) as never;
    case "box":
      return k.box(inner(spec.element), { packed: spec.packed }) as never;
    case "slotted":
      return inner(spec.element).slotted() as never;
    case "vec":
    case "packedVec":
    case "smallVec":
    case "set":
    case "option":
      return elementTypes[spec.kind](inner(spec.element)) as never;
    case "tuple":
      return k.tuple(...spec.fields.map((field) => inner(field.spec))) as never;
    case "struct":
      return k.struct(shapeOf(spec.fields)) as never;
    case "enum": {
      const of = <T>(each: (variant: VariantSpec) => T): Record<string, T> =>
        Object.fromEntries(spec.variants.map((variant) => [variant.name, each(variant)]));
      const was = Object.fromEntries(
        spec.variants.flatMap(({ name, was: old }) => (old === undefined ? [] : [[name, old]])),
      );
      const options = { tag: spec.tag, discriminants: of(({ discriminant }) => discriminant), was };
      return k.enum(
        of(({ fields }) => shapeOf(fields)),
        options,
      ) as never;
    }
    default:
      return simpleTypes[spec.kind]() as never;
  }
}

function shapeOf(fields: readonly FieldSpec[]): Record<string, AnySchema> {
  return Object.fromEntries(
    fields.map(({ property, persisted, was, spec, initial }) => {
      let schema = schemaOf(spec);
      if (persisted !== property) schema = schema.named(persisted) as never;
      if (was !== undefined) schema = schema.was(was) as never;
      if (initial !== undefined) schema = schema.default(initial as never) as never;
      return [property, schema];
    }),
  );
}

/** Values without a counterpart: reading must refuse. */
export class NoCounterpart extends Error {}

/** What the value that `datum` spells by the old type is under the edited one. */
export function migrated(spec: Spec, datum: Datum): unknown {
  const old = spec.from ?? spec;
  if (old.kind === "slotted") return migrated({ ...spec, from: old.element } as Spec, datum);
  if (spec.kind === "slotted") return migrated({ ...spec.element, from: old } as Spec, datum);
  if (spec.kind === "option" && old.kind !== "option") return migrated(spec.element, datum);
  switch (spec.kind) {
    case "number":
      return migratedNumber(spec.as, spec.code, datum as number | bigint);
    case "bool":
    case "char":
      return datum;
    case "unit":
      return undefined;
    case "string":
    case "text":
    case "smallString":
      return contentOf(datum) ?? "";
    case "bytes":
      return Uint8Array.from(listOf(datum) as number[]);
    case "vec":
    case "packedVec":
    case "smallVec":
      return listOf(datum).map((each) => migrated(spec.element, each));
    case "set":
      return entriesOf(datum).map(([key]) => migrated(spec.element, key));
    case "map":
      return new Map(
        entriesOf(datum).map(([key, value]) => [migrated(spec.key, key), migrated(spec.value, value)]),
      );
    case "option": {
      const { variant, fields } = datum as { variant: number; fields: Datum[] };
      return variant === 0 ? null : migrated(spec.element, fields[0]!);
    }
    case "box": {
      const content = contentOf(datum);
      return content === null ? null : migrated(spec.element, content);
    }
    case "struct":
      return migratedFields(spec.fields, (old as typeof spec).fields, (datum as { list: Datum[] }).list);
    case "tuple":
      return Object.values(
        migratedFields(spec.fields, (old as typeof spec).fields, (datum as { list: Datum[] }).list),
      );
    case "enum":
      return migratedVariant(spec, old as typeof spec, datum as { variant: number; fields: Datum[] });
  }
}

function migratedNumber(as: "number" | "bigint", code: Code, value: number | bigint): number | bigint {
  if (as === "bigint") return BigInt(value);
  if (typeof value === "bigint") throw new NoCounterpart();
  return code.startsWith("f") ? value : value + 0;
}

function migratedFields(
  fields: readonly FieldSpec[],
  stored: readonly FieldSpec[],
  list: readonly Datum[],
): Record<string, unknown> {
  return Object.fromEntries(
    fields.map((field) => {
      if (field.isNew) return [field.property, field.initial ?? zeroOf(field.spec)];
      const index = stored.findIndex(
        ({ persisted }) => persisted === field.persisted || persisted === field.was,
      );
      return [field.property, migrated(field.spec, list[index]!)];
    }),
  );
}

function migratedVariant(
  spec: Extract<Spec, { readonly kind: "enum" }>,
  old: Extract<Spec, { readonly kind: "enum" }>,
  { variant: index, fields }: { variant: number; fields: Datum[] },
): unknown {
  const stored = [...old.variants].sort((a, b) => a.discriminant - b.discriminant)[index]!;
  const variant = spec.variants.find(({ name, was }) => name === stored.name || was === stored.name);
  if (variant === undefined) throw new NoCounterpart();
  return { [spec.tag]: variant.name, ...migratedFields(variant.fields, stored.fields, fields) };
}

const zeroOf = (spec: Spec): unknown => (spec.kind === "number" ? 0 : spec.kind === "vec" ? [] : "");

/** The content of a pointer or a small value; null if there is none. */
const contentOf = (datum: Datum): Datum | null =>
  "pointsTo" in (datum as object)
    ? (datum as { pointsTo: Datum | null }).pointsTo
    : (datum as { content: Datum }).content;

function listOf(datum: Datum): readonly Datum[] {
  const content = contentOf(datum);
  if (content === null) return [];
  return typeof content === "string" ? Array.from(content) : (content as { list: Datum[] }).list;
}

const entriesOf = (datum: Datum): readonly (readonly [Datum, Datum])[] =>
  listOf(datum).flatMap((slot) =>
    "list" in (slot as object)
      ? [[(slot as { list: Datum[] }).list[1]!, (slot as { list: Datum[] }).list[2]!] as const]
      : [],
  );

const wider: Readonly<Record<Code, readonly Code[]>> = {
  u8: ["u16", "u32", "u64", "i16", "i32", "i64"],
  u16: ["u32", "u64", "i32", "i64"],
  u32: ["u64", "i64"],
  u64: [],
  i8: ["i16", "i32", "i64"],
  i16: ["i32", "i64"],
  i32: ["i64"],
  i64: [],
  f32: ["f64"],
  f64: [],
};

/** Whether the edited type has no place for a field that the old one has. */
export function dropsFields(spec: Spec): boolean {
  const old = spec.from ?? spec;
  if (spec.kind === "option" && old.kind !== "option") return dropsFields(spec.element);
  switch (spec.kind) {
    case "vec":
    case "packedVec":
    case "smallVec":
    case "box":
    case "option":
      return dropsFields(spec.element);
    case "map":
      return dropsFields(spec.value);
    case "struct":
    case "tuple":
      return losesFields(spec.fields, (old as typeof spec).fields);
    case "enum":
      return spec.variants.some(({ name, was, fields }) => {
        const stored = (old as typeof spec).variants.find(
          (variant) => variant.name === name || variant.name === was,
        );
        return stored !== undefined && losesFields(fields, stored.fields);
      });
    default:
      return false;
  }
}

const losesFields = (fields: readonly FieldSpec[], stored: readonly FieldSpec[]): boolean =>
  stored.some(({ persisted }) => !fields.some((field) => [field.persisted, field.was].includes(persisted))) ||
  fields.some((field) => !field.isNew && dropsFields(field.spec));

/** Edits `spec` here and there in ways that can be upgraded. */
export class Editor {
  readonly #draw: Draw;

  constructor(draw: Draw) {
    this.#draw = draw;
  }

  edit(spec: Spec): Spec {
    const edited = this.#parts(spec);
    // A null inside a null could not be told from it.
    const canBeNull = ["option", "box", "unit"].includes(spec.kind);
    return !canBeNull && this.#chance(8) ? { kind: "option", element: edited, from: spec } : edited;
  }

  #chance(times: number): boolean {
    return below(this.#draw, times) === 0;
  }

  #parts(spec: Spec): Spec {
    const from = spec;
    switch (spec.kind) {
      case "number":
        return this.#number(spec);
      case "string":
      case "text":
        return this.#chance(3) ? { kind: pick(this.#draw, ["string", "text"] as const), from } : spec;
      case "vec":
      case "packedVec":
      case "smallVec": {
        const kind = this.#chance(3) ? pick(this.#draw, ["vec", "packedVec"] as const) : spec.kind;
        return { kind, element: this.edit(spec.element), from };
      }
      case "map":
        return { ...spec, value: this.edit(spec.value), from };
      case "option":
        return { kind: "option", element: this.#parts(spec.element), from };
      case "box":
        return {
          kind: "box",
          packed: this.#chance(3) ? !spec.packed : spec.packed,
          element: this.edit(spec.element),
          from,
        };
      case "tuple":
        return {
          kind: "tuple",
          fields: spec.fields.map((field) => ({ ...field, spec: this.edit(field.spec) })),
          from,
        };
      case "struct":
        return { kind: "struct", fields: this.#fields(spec.fields), from };
      case "enum":
        return { ...spec, variants: this.#variants(spec.variants), from };
      default:
        return spec;
    }
  }

  #number(spec: Extract<Spec, { readonly kind: "number" }>): Spec {
    const code =
      this.#chance(3) && wider[spec.code].length > 0 ? pick(this.#draw, wider[spec.code]) : spec.code;
    const as = /^[ui]64$/.test(code) && this.#chance(2) ? "bigint" : "number";
    return { kind: "number", code, as, from: spec };
  }

  #fields(fields: readonly FieldSpec[]): FieldSpec[] {
    let result = fields.map((field): FieldSpec => {
      const spec = this.edit(field.spec);
      if (!this.#chance(5)) return { ...field, spec };
      const property = `${field.property}New`;
      return { property, persisted: property, was: field.persisted, spec };
    });
    if (result.length > 1 && this.#chance(4)) result = result.slice(1);
    if (this.#chance(4)) result.reverse();
    if (this.#chance(3)) result.splice(below(this.#draw, result.length + 1), 0, this.#newField());
    return result;
  }

  #newField(): FieldSpec {
    const [spec, initial] = pick<readonly [Spec, unknown]>(this.#draw, [
      [{ kind: "string" }, undefined],
      [{ kind: "vec", element: { kind: "bool" } }, undefined],
      [{ kind: "number", code: "u32", as: "number" }, 7],
      [{ kind: "string" }, "given"],
    ]);
    return {
      property: "added",
      persisted: "added",
      spec,
      isNew: true,
      ...(initial === undefined ? {} : { initial }),
    };
  }

  #variants(variants: readonly VariantSpec[]): VariantSpec[] {
    const result = variants.map((variant): VariantSpec => {
      const fields = this.#fields(variant.fields);
      const discriminant = this.#chance(6) ? variant.discriminant + 100 : variant.discriminant;
      if (!this.#chance(5)) return { ...variant, discriminant, fields };
      return { name: `${variant.name}New`, was: variant.name, discriminant, fields };
    });
    if (this.#chance(4)) result.unshift({ name: "Added", discriminant: 50, fields: [] });
    if (result.length > 1 && this.#chance(5)) result.pop();
    return result;
  }
}
