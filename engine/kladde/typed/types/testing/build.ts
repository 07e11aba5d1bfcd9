/** Constructors of descriptors for tests. Each call makes a new object; what is to be shared is passed twice. */

import {
  type Descriptor,
  type DiscriminantWidth,
  type FieldDescriptor,
  type PrimitiveName,
  primitiveCodes,
  type StructDescriptor,
  type VariantDescriptor,
} from "../descriptor.ts";

type Fields = Readonly<Record<string, Descriptor>>;

export const prim = (name: PrimitiveName): Descriptor => ({ kind: "primitive", code: primitiveCodes[name] });

const fieldsOf = (fields: Fields): FieldDescriptor[] =>
  Object.entries(fields).map(([name, type]) => ({ name, type }));

export const struct = (name: string, fields: Fields): StructDescriptor => ({
  kind: "struct",
  name,
  fields: fieldsOf(fields),
});

/** A struct whose fields are given once it exists, so that they may refer to it. */
export function cyclic(name: string, fields: (self: Descriptor) => Fields): StructDescriptor {
  const list: FieldDescriptor[] = [];
  const self: StructDescriptor = { kind: "struct", name, fields: list };
  list.push(...fieldsOf(fields(self)));
  return self;
}

export const variant = (discriminant: number, name: string, fields: Fields = {}): VariantDescriptor => ({
  discriminant,
  name,
  fields: fieldsOf(fields),
});

export const enumOf = (
  name: string,
  width: DiscriminantWidth,
  ...variants: VariantDescriptor[]
): Descriptor => ({ kind: "enum", name, width, variants });

const wrapper =
  (kind: "pointer" | "sequence" | "packed" | "slotted") =>
  (target: Descriptor): Descriptor => ({ kind, target });

export const pointer = wrapper("pointer");
export const sequence = wrapper("sequence");
export const packed = wrapper("packed");
export const slotted = wrapper("slotted");
export const small = (content: Descriptor, spilled: Descriptor): Descriptor => ({
  kind: "small",
  content,
  spilled,
});
export const opaque = (
  library: string,
  type: string,
  version: readonly [number, number, number],
  inlineBytes: number,
  ...parameters: Descriptor[]
): Descriptor => ({ kind: "opaque", library, type, version, inlineBytes, parameters });

export const vec = (element: Descriptor): Descriptor => pointer(sequence(element));
export const packedVec = (element: Descriptor): Descriptor => pointer(packed(sequence(element)));
export const tuple = (...elements: Descriptor[]): Descriptor =>
  struct(`Tuple${elements.length}`, Object.fromEntries(elements.map((type, i) => [String(i), type])));
export const option = (type: Descriptor): Descriptor =>
  enumOf("Option", 1, variant(0, "None"), variant(1, "Some", { "0": type }));
export const map = (key: Descriptor, value: Descriptor): Descriptor =>
  vec(struct("Slot", { live: prim("bool"), key, value }));
export const string = (): Descriptor => packedVec(prim("char"));

/** Shares its text between both forms, as constructors do that return one object for equal arguments. */
export function smallString(): Descriptor {
  const text = sequence(prim("char"));
  return small(text, pointer(packed(text)));
}

/** A tree whose `kids` occur at two depths of one cycle, as one object or as two. */
export function trap(shared: boolean): Descriptor {
  return cyclic("Tree", (tree) => {
    const kids = vec(tree);
    return { inner: struct("Inner", { kids: shared ? kids : vec(tree) }), kids };
  });
}
