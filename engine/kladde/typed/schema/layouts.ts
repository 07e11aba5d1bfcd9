/**
 * Descriptors of the types that are made from others, and how containers are laid out.
 *
 *  (1) Equal layouts over the same descriptors are one object; fingerprints of recursive types depend on it.
 *  (2) Structs and enums that an application declares are not made here: each is its own.
 */

import type { Descriptor, OpaqueDescriptor, PrimitiveName, WrapperDescriptor } from "../types/descriptor.ts";
import { primitiveCodes } from "../types/descriptor.ts";
import type { OpaqueOptions } from "./definition.ts";
import { Interner } from "./intern.ts";
import type { VariantModel } from "./model.ts";

const interner = new Interner<Descriptor>();

export const primitive = (name: PrimitiveName): Descriptor =>
  interner.get(name, [], () => ({ kind: "primitive", code: primitiveCodes[name] }));

const wrapper = (kind: WrapperDescriptor["kind"], target: Descriptor): Descriptor =>
  interner.get(kind, [target], () => ({ kind, target }));

const pointer = (target: Descriptor): Descriptor => wrapper("pointer", target);
const sequence = (element: Descriptor): Descriptor => wrapper("sequence", element);

const small = (content: Descriptor, spilled: Descriptor): Descriptor =>
  interner.get("small", [content, spilled], () => ({ kind: "small", content, spilled }));

const record = (name: string, fields: readonly (readonly [string, Descriptor])[]): Descriptor => {
  const kind = `struct ${JSON.stringify([name, ...fields.map(([field]) => field)])}`;
  const types = fields.map(([, type]) => type);
  return interner.get(kind, types, () => ({
    kind: "struct",
    name,
    fields: fields.map(([field, type]) => ({ name: field, type })),
  }));
};

export const unitLayout = (): Descriptor => record("Unit", []);

export const tupleLayout = (elements: readonly Descriptor[]): Descriptor =>
  record(
    `Tuple${elements.length}`,
    elements.map((element, index) => [String(index), element]),
  );

export const slottedLayout = (target: Descriptor): Descriptor => wrapper("slotted", target);

export const vecLayout = (element: Descriptor): Descriptor => pointer(sequence(element));

export const boxLayout = (content: Descriptor, packed: boolean): Descriptor =>
  pointer(packed ? wrapper("packed", content) : content);

export const packedVecLayout = (element: Descriptor): Descriptor => boxLayout(sequence(element), true);

export const smallVecLayout = (element: Descriptor): Descriptor =>
  small(sequence(element), packedVecLayout(element));

export const stringLayout = (): Descriptor => packedVecLayout(primitive("char"));

export const smallStringLayout = (): Descriptor => smallVecLayout(primitive("char"));

export const bytesLayout = (): Descriptor => vecLayout(primitive("u8"));

/** An array of slots; a dead one keeps its bytes. */
export const mapLayout = (key: Descriptor, value: Descriptor): Descriptor =>
  vecLayout(
    record("Slot", [
      ["live", primitive("bool")],
      ["key", key],
      ["value", value],
    ]),
  );

export const setLayout = (key: Descriptor): Descriptor => mapLayout(key, tupleLayout([]));

export const optionLayout = (element: Descriptor): Descriptor =>
  interner.get("option", [element], () => ({
    kind: "enum",
    name: "Option",
    width: 1,
    variants: [
      { discriminant: 0, name: "None", fields: [] },
      { discriminant: 1, name: "Some", fields: [{ name: "0", type: element }] },
    ],
  }));

export const oneOfLayout = (width: 1 | 2 | 4 | 8, variants: readonly VariantModel[]): Descriptor => {
  const kind = `oneOf ${width} ${JSON.stringify(variants.map(({ discriminant, name }) => [discriminant, name]))}`;
  return interner.get(kind, [], () => ({
    kind: "enum",
    name: "OneOf",
    width,
    variants: variants.map(({ discriminant, name }) => ({ discriminant, name, fields: [] })),
  }));
};

export const opaqueLayout = ({ library, type, version, inlineSize }: OpaqueOptions): OpaqueDescriptor =>
  interner.get(`opaque ${JSON.stringify([library, type, version, inlineSize])}`, [], () => ({
    kind: "opaque",
    library,
    type,
    version: [version[0], version[1], version[2]],
    inlineBytes: inlineSize,
    parameters: [],
  }));
