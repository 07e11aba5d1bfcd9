/** Resolution of what has names: fields of structs and variants, variants of enums; and of opaque types. */

import type {
  ElementModel,
  EnumModel,
  FieldModel,
  OneOfModel,
  OpaqueModel,
  SimpleModel,
  StructModel,
  TupleModel,
  TypeModel,
  VariantModel,
} from "../schema/model.ts";
import { sameLayout, sameVersion } from "../types/compare.ts";
import type {
  Descriptor,
  EnumDescriptor,
  FieldDescriptor,
  OpaqueDescriptor,
  StructDescriptor,
  VariantDescriptor,
} from "../types/descriptor.ts";
import { typeName } from "../types/name.ts";
import { quoted, type Way } from "../types/path.ts";
import { fieldStep } from "./frames.ts";
import { match } from "./match.ts";
import type { Bridge } from "./mismatch.ts";
import { optionOf } from "./nature.ts";
import { type Cell, type FieldStep, type FieldsPlan, type Step, skip, type VariantPlan } from "./plan.ts";
import {
  fieldNaming,
  type Naming,
  renameAdvice,
  renameAdviceAtLarge,
  renameHint,
  variantNaming,
} from "./renames.ts";
import { initialOf, type Make } from "./zero.ts";

export interface PairContext {
  /** The plan of a pair, which is filled later. */
  cellOf(writer: Descriptor, reader: TypeModel, way: Way | undefined): Cell;
  /** Whether values of `writer` are read as `reader` without loss; a guess, which is no where it would take long. */
  isAlike(writer: Descriptor, reader: TypeModel): boolean;
  /** What to try before data is given up; what is likely goes before what is not. */
  advise(advice: string, isLikely: boolean): void;
}

type Note = (message: string, bridge: Bridge) => void;

export function fieldsStep(
  context: PairContext,
  stored: StructDescriptor,
  reader: StructModel | TupleModel | SimpleModel,
  way: Way | undefined,
  note: Note,
): Step {
  const wanted = "fields" in reader ? reader.fields : [];
  // Elements of a tuple are named by their places.
  const owner = { way, of: "", canRename: reader.kind === "struct" };
  const fields = fieldsPlan(context, stored.fields, wanted, owner, note);
  const to = reader.kind === "struct" ? reader : reader.kind === "tuple" ? "array" : "nothing";
  return { op: "fields", to, fields };
}

/** Whose fields they are: the path of the value, and words for a message. */
interface Owner {
  readonly way: Way | undefined;
  readonly of: string;
  /** Whether the schema has a way to say that a field had another name. */
  readonly canRename: boolean;
}

function fieldsPlan(
  context: PairContext,
  stored: readonly FieldDescriptor[],
  wanted: readonly FieldModel[],
  { way, of, canRename }: Owner,
  note: Note,
): FieldsPlan {
  const { wantedOf, missing } = match(stored, wanted, ({ persisted }) => persisted);
  const places = new Map(wanted.map((field, place) => [field, place]));
  const fields = stored.map((field, place): FieldStep => {
    const model = wantedOf.get(field);
    if (model === undefined) {
      const hint = canRename ? fieldHint(context, field, nearest(missing, places, place)) : "";
      note(
        `the file has a field ${quoted(field.name)} (${typeName(field.type)})${of} that is not expected${hint}`,
        "drop-fields",
      );
      return { cell: skip, property: undefined };
    }
    if (model.persisted !== field.name)
      note(
        `the field ${quoted(model.persisted)}${of} is called ${quoted(field.name)} in the file`,
        "upgrade",
      );
    const cell = context.cellOf(field.type, model.type, { step: fieldStep(field.name), before: way });
    return { cell, property: model.property };
  });
  const inFileOrder = stored.flatMap((field) => wantedOf.get(field) ?? []);
  noteOrder(inFileOrder, wanted, of, note);
  return { fields, missing: missingFields(missing, of, note) };
}

/** Fields that only the schema has; what was renamed mostly kept its place. */
function nearest(
  missing: readonly FieldModel[],
  places: ReadonlyMap<FieldModel, number>,
  place: number,
): FieldModel[] {
  const distance = (field: FieldModel): number => Math.abs(places.get(field)! - place);
  return missing.toSorted((a, b) => distance(a) - distance(b));
}

function fieldHint(context: PairContext, stored: FieldDescriptor, missing: readonly FieldModel[]): string {
  const alike = missing.filter(({ type }) => context.isAlike(stored.type, type));
  const names = alike.map(({ persisted }) => persisted);
  return hintOf(context, fieldNaming, stored.name, names, missing.length > 0);
}

/** The hint at what `was` may be called now, also as advice. `isPossible`: whether the schema has names that the file has not. */
function hintOf(
  context: PairContext,
  naming: Naming,
  was: string,
  now: readonly string[],
  isPossible: boolean,
): string {
  if (now.length > 0) context.advise(renameAdvice(naming, was, now[0]!), true);
  else if (isPossible) context.advise(renameAdviceAtLarge(naming), false);
  return renameHint(naming, was, now);
}

function missingFields(missing: readonly FieldModel[], of: string, note: Note): (readonly [string, Make])[] {
  return missing.flatMap((field) => {
    const make = initialOf(field);
    const what = `the field ${quoted(field.persisted)} (${typeName(field.type.descriptor)})${of} is missing in the file`;
    if (make !== undefined) {
      note(what, "upgrade");
      return [[field.property, make] as const];
    }
    note(`${what}, and has neither a default nor a zero value`, "none");
    return [];
  });
}

function noteOrder(
  matched: readonly FieldModel[],
  wanted: readonly FieldModel[],
  of: string,
  note: Note,
): void {
  const places = new Map(wanted.map((field, i) => [field, i]));
  const isOrdered = matched.every((field, i) => i === 0 || places.get(matched[i - 1]!)! < places.get(field)!);
  if (!isOrdered) note(`fields${of} are in another order in the file`, "upgrade");
}

export function enumStep(
  context: PairContext,
  stored: EnumDescriptor,
  reader: EnumModel | OneOfModel | ElementModel,
  way: Way | undefined,
  note: Note,
): Step | undefined {
  const width = "width" in reader ? reader.width : 1;
  if (stored.width !== width)
    note(`discriminants take ${width} bytes as expected, ${stored.width} in the file`, "upgrade");
  if (!("variants" in reader)) return optionStep(context, stored, reader, way, note);
  const { wantedOf, missing } = match(stored.variants, reader.variants, ({ name }) => name);
  const variants = new Map<VariantDescriptor, VariantPlan>();
  const hints = new Map<VariantDescriptor, string>();
  for (const variant of stored.variants) {
    const model = wantedOf.get(variant);
    if (model === undefined) hints.set(variant, noteUnknownVariant(context, variant, missing, note));
    else variants.set(variant, variantPlan(context, variant, model, reader, way, note));
  }
  for (const { name } of missing) note(`the variant ${quoted(name)} is missing in the file`, "upgrade");
  return { op: "enum", variants, hints };
}

/** Returns the hint at what the variant may be called now. */
function noteUnknownVariant(
  context: PairContext,
  variant: VariantDescriptor,
  missing: readonly VariantModel[],
  note: Note,
): string {
  const namesake = missing.find(({ discriminant }) => discriminant === variant.discriminant);
  if (namesake !== undefined) {
    const hint = hintOf(context, variantNaming, variant.name, [namesake.name], true);
    const whose = `${quoted(variant.name)} in the file, to ${quoted(namesake.name)} as expected`;
    note(`the discriminant ${variant.discriminant} belongs to ${whose}${hint}`, "none");
    return hint;
  }
  const alike = missing.filter(({ fields }) => holdsAll(fields, variant.fields));
  const names = alike.map(({ name }) => name);
  const hint = hintOf(context, variantNaming, variant.name, names, missing.length > 0);
  note(`the file has a variant ${quoted(variant.name)} that is not expected${hint}`, "if-unused");
  return hint;
}

const holdsAll = (wanted: readonly FieldModel[], stored: readonly FieldDescriptor[]): boolean =>
  stored.every(({ name }) => wanted.some(({ persisted }) => persisted === name));

function variantPlan(
  context: PairContext,
  stored: VariantDescriptor,
  model: VariantModel,
  reader: EnumModel | OneOfModel,
  way: Way | undefined,
  note: Note,
): VariantPlan {
  const { name } = model;
  if (stored.name !== name)
    note(`the variant ${quoted(name)} is called ${quoted(stored.name)} in the file`, "upgrade");
  if (stored.discriminant !== model.discriminant)
    note(
      `the variant ${quoted(name)} has the discriminant ${model.discriminant} as expected, ${stored.discriminant} in the file`,
      "upgrade",
    );
  const owner = {
    way: { step: fieldStep(stored.name), before: way },
    of: ` of the variant ${quoted(name)}`,
    canRename: true,
  };
  const fields = fieldsPlan(context, stored.fields, model.fields, owner, note);
  return reader.kind === "oneOf"
    ? { to: "name", name, fields }
    : { to: "object", tag: reader.tag, name, fields };
}

function optionStep(
  context: PairContext,
  stored: EnumDescriptor,
  reader: ElementModel,
  way: Way | undefined,
  note: Note,
): Step | undefined {
  const option = optionOf(stored);
  if (option === undefined) return undefined;
  const { none, some } = option;
  if (none.discriminant !== 0 || some.discriminant !== 1)
    note("the variants of the option have other discriminants in the file", "upgrade");
  const cell = context.cellOf(some.fields[0]!.type, reader.element, way);
  return {
    op: "enum",
    variants: new Map<VariantDescriptor, VariantPlan>([
      [none, { to: "null" }],
      [some, { to: "content", cell }],
    ]),
    hints: new Map(),
  };
}

export function opaqueStep(stored: OpaqueDescriptor, reader: OpaqueModel, note: Note): Step | undefined {
  const wanted = reader.descriptor;
  const isSameType =
    stored.library === wanted.library &&
    stored.type === wanted.type &&
    stored.inlineBytes === wanted.inlineBytes &&
    stored.parameters.length === wanted.parameters.length &&
    stored.parameters.every((parameter, i) => sameLayout(parameter, wanted.parameters[i]!));
  if (!isSameType || !sameVersion(stored.version, wanted.version)) return undefined;
  if (stored.version.join() !== wanted.version.join()) {
    const [expected, found] = [wanted.version.join("."), stored.version.join(".")];
    note(`expected version ${expected}, found ${found}, which is compatible`, "upgrade");
  }
  return { op: "opaque", codec: reader.codec };
}
