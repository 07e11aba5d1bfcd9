/** What a stored type is, whatever its encoding: slotted or packed, in place or behind a pointer. */

import { sameLayout } from "../types/compare.ts";
import type {
  Descriptor,
  EnumDescriptor,
  OpaqueDescriptor,
  PrimitiveDescriptor,
  SmallDescriptor,
  StructDescriptor,
  VariantDescriptor,
  WrapperDescriptor,
} from "../types/descriptor.ts";
import { isMapSlot } from "../types/shapes.ts";

export type Nature =
  | { readonly kind: "scalar"; readonly type: PrimitiveDescriptor }
  | { readonly kind: "struct"; readonly type: StructDescriptor }
  | { readonly kind: "enum"; readonly type: EnumDescriptor }
  | { readonly kind: "opaque"; readonly type: OpaqueDescriptor }
  /** Text too: a list of characters. */
  | { readonly kind: "list"; readonly element: Descriptor }
  | {
      readonly kind: "map";
      readonly key: Descriptor;
      readonly value: Descriptor;
      readonly slot: StructDescriptor;
    }
  | { readonly kind: "box" | "small"; readonly content: Descriptor }
  /** Nothing that a schema can be. */
  | { readonly kind: "odd"; readonly message: string };

export function natureOf(type: Descriptor): Nature {
  switch (type.kind) {
    case "primitive":
      return { kind: "scalar", type };
    case "struct":
      return { kind: "struct", type };
    case "enum":
      return { kind: "enum", type };
    case "opaque":
      return { kind: "opaque", type };
    case "pointer":
      return natureOfPointer(type);
    case "small":
      return natureOfSmall(type);
    default:
      return { kind: "odd", message: `a ${type.kind} type stands for no value` };
  }
}

/** Without the wrappers that only force an encoding. */
export function unwrapped(type: Descriptor): Descriptor {
  let inner = type;
  while (inner.kind === "slotted") inner = inner.target;
  return inner;
}

function natureOfPointer({ target }: WrapperDescriptor): Nature {
  const isPacked = target.kind === "packed";
  const content = isPacked ? target.target : target;
  if (content.kind !== "sequence") return { kind: "box", content };
  const element = content.target;
  if (isPacked || !isMapSlot(element)) return { kind: "list", element };
  const [, key, value] = element.fields;
  return { kind: "map", key: key!.type, value: value!.type, slot: element };
}

function natureOfSmall({ content, spilled }: SmallDescriptor): Nature {
  const outside =
    spilled.kind === "pointer" && spilled.target.kind === "packed" ? spilled.target.target : undefined;
  if (outside === undefined || !sameLayout(outside, content))
    return { kind: "odd", message: "a small value whose content changes its type when it moves out" };
  return content.kind === "sequence" ? { kind: "list", element: content.target } : { kind: "small", content };
}

/** The variants of an option, whatever their discriminants. */
export function optionOf(
  type: EnumDescriptor,
): { readonly none: VariantDescriptor; readonly some: VariantDescriptor } | undefined {
  const none = type.variants.find(({ name, fields }) => name === "None" && fields.length === 0);
  const some = type.variants.find(
    ({ name, fields }) => name === "Some" && fields.length === 1 && fields[0]!.name === "0",
  );
  return none === undefined || some === undefined || type.variants.length !== 2 ? undefined : { none, some };
}
