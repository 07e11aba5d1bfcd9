/**
 * Random descriptor graphs that keep the rules.
 *
 * A graph is a few declared structs. Types inside them refer to any of them behind a pointer, and to later ones also
 * inline, so graphs are cyclic but of finite size. Every declared struct has a field that takes bytes.
 */

import fc from "fast-check";
import type { Descriptor, FieldDescriptor, PrimitiveName, StructDescriptor } from "../descriptor.ts";
import { primitiveCodes } from "../descriptor.ts";
import {
  enumOf,
  map,
  opaque,
  option,
  packed,
  packedVec,
  pointer,
  prim,
  sequence,
  slotted,
  small,
  smallString,
  string,
  struct,
  tuple,
  variant,
  vec,
} from "./build.ts";

/** How a type is made once the declared structs exist; `at` is the one around it. */
type Recipe = (declared: readonly StructDescriptor[], at: number) => Descriptor;

const primitive: fc.Arbitrary<Recipe> = fc
  .constantFrom(...(Object.keys(primitiveCodes) as PrimitiveName[]))
  .map((name) => () => prim(name));

const reference = (wrap: (type: Descriptor) => Descriptor): fc.Arbitrary<Recipe> =>
  fc.nat().map((n) => (declared) => wrap(declared[n % declared.length]!));

const inlineReference: fc.Arbitrary<Recipe> = fc.nat().map((n) => (declared, at) => {
  const later = declared.length - at - 1;
  return later === 0 ? prim("u8") : declared[at + 1 + (n % later)]!;
});

/** An element, which must take bytes. */
const element =
  (recipe: Recipe): Recipe =>
  (declared, at) =>
    struct("Element", {
      byte: prim("u8"),
      rest: recipe(declared, at),
    });

const wrapped = (inner: fc.Arbitrary<Recipe>, wrap: (type: Descriptor) => Descriptor): fc.Arbitrary<Recipe> =>
  inner.map((recipe) => (declared, at) => wrap(recipe(declared, at)));

const several = (
  inner: fc.Arbitrary<Recipe>,
  wrap: (types: Descriptor[]) => Descriptor,
): fc.Arbitrary<Recipe> =>
  fc
    .array(inner, { maxLength: 4 })
    .map((recipes) => (declared, at) => wrap(recipes.map((make) => make(declared, at))));

const names = ["a", "b", "title", "x y", "", "ß", "0"];
const named = (types: Descriptor[]): Record<string, Descriptor> =>
  Object.fromEntries(types.map((type, i) => [names[i]!, type]));

const { slot, packedOnly } = fc.letrec<{ slot: Recipe; packedOnly: Recipe }>((tie) => ({
  slot: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    primitive,
    inlineReference,
    reference(vec),
    reference(pointer),
    wrapped(tie("slot").map(element), vec),
    wrapped(tie("packedOnly").map(element), packedVec),
    wrapped(tie("packedOnly"), (type) => pointer(packed(type))),
    wrapped(tie("slot"), option),
    wrapped(tie("slot"), (type) => map(prim("u32"), type)),
    several(tie("slot"), (types) => tuple(...types)),
    several(tie("slot"), (types) =>
      enumOf("E", 2, variant(1, "One"), variant(7, "Some", named(types)), variant(300, "Last")),
    ),
    several(tie("slot"), (types) => opaque("lib", "T", [0, 1, 2], 3, ...types)),
  ),
  packedOnly: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    primitive,
    fc.constant<Recipe>(smallString),
    wrapped(tie("packedOnly").map(element), (type) => {
      const content = sequence(type);
      return small(content, pointer(packed(content)));
    }),
    wrapped(tie("slot"), slotted),
    tie("slot"),
    several(tie("packedOnly"), (types) => struct("P", named(types))),
  ),
}));

/** Roots of graphs. */
export const graphs: fc.Arbitrary<Descriptor> = fc
  .array(fc.array(slot, { maxLength: 4 }), { minLength: 1, maxLength: 4 })
  .map((bodies) => {
    const lists = bodies.map((): FieldDescriptor[] => [{ name: "id", type: string() }]);
    const declared = lists.map((fields, i): StructDescriptor => ({ kind: "struct", name: `S${i}`, fields }));
    bodies.forEach((recipes, at) => {
      recipes.forEach((make, i) => {
        lists[at]!.push({ name: names[i]!, type: make(declared, at) });
      });
    });
    return declared[0]!;
  });

/** Descriptors that have only a packed form, or any. */
export const packedGraphs: fc.Arbitrary<Descriptor> = packedOnly.map((make) =>
  packedVec(struct("Element", { byte: prim("u8"), rest: make([struct("S", { id: prim("u8") })], 0) })),
);
