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
import { sameLayout } from "../types/compare.ts";
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
import { initialOf, type Make } from "./zero.ts";

export interface PairContext {
  /** The plan of a pair, which is filled later. */
  cellOf(writer: Descriptor, reader: TypeModel, way: Way | undefined): Cell;
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
  const fields = fieldsPlan(context, stored.fields, wanted, { way, of: "" }, note);
  const to = reader.kind === "struct" ? reader : reader.kind === "tuple" ? "array" : "nothing";
  return { op: "fields", to, fields };
}

/** Whose fields they are: the path of the value, and words for a message. */
interface Owner {
  readonly way: Way | undefined;
  readonly of: string;
}

function fieldsPlan(
  context: PairContext,
  stored: readonly FieldDescriptor[],
  wanted: readonly FieldModel[],
  { way, of }: Owner,
  note: Note,
): FieldsPlan {
  const { wantedOf, missing } = match(stored, wanted, ({ persisted }) => persisted);
  const fields = stored.map((field): FieldStep => {
    const model = wantedOf.get(field);
    if (model === undefined) {
      note(
        `the file has a field ${quoted(field.name)} (${typeName(field.type)})${of} that is not expected`,
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
  for (const variant of stored.variants) {
    const model = wantedOf.get(variant);
    if (model === undefined) noteUnknownVariant(variant, missing, note);
    else variants.set(variant, variantPlan(context, variant, model, reader, way, note));
  }
  for (const { name } of missing) note(`the variant ${quoted(name)} is missing in the file`, "upgrade");
  return { op: "enum", variants };
}

function noteUnknownVariant(variant: VariantDescriptor, missing: readonly VariantModel[], note: Note): void {
  const namesake = missing.find(({ discriminant }) => discriminant === variant.discriminant);
  if (namesake === undefined)
    note(`the file has a variant ${quoted(variant.name)} that is not expected`, "if-unused");
  else
    note(
      `the discriminant ${variant.discriminant} belongs to ${quoted(variant.name)} in the file, to ${quoted(namesake.name)} ` +
        "as expected; if it was renamed, the schema must say what it was",
      "none",
    );
}

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
  const owner = { way: { step: fieldStep(stored.name), before: way }, of: ` of the variant ${quoted(name)}` };
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
  if (!isSameType || compatibility(stored) !== compatibility(wanted)) return undefined;
  if (stored.version.join() !== wanted.version.join()) {
    const [expected, found] = [wanted.version.join("."), stored.version.join(".")];
    note(`expected version ${expected}, found ${found}, which is compatible`, "upgrade");
  }
  return { op: "opaque", codec: reader.codec };
}

/** The part of a version whose change is one of the layout. */
const compatibility = ({ version: [major, minor] }: OpaqueDescriptor): string =>
  major > 0 ? String(major) : `0.${minor}`;
