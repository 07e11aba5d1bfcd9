/** Names of types for people, in the words of schemas: `vec(u32)`, `map(u64, string)`, `Note`. */

import type { Descriptor, OpaqueDescriptor, StructDescriptor, WrapperDescriptor } from "./descriptor.ts";
import { clip } from "./path.ts";
import { containerOf, isMapSlot, isOption, isText, isTuple, primitiveName } from "./shapes.ts";

/** Types inside types beyond this depth are shown as `…`. */
const nestingMax = 6;
/** Elements of a tuple, and arguments of an opaque type, that are shown. */
const argumentsMax = 8;
/** Types that one name names; what nests is as wide as it is deep. */
const partsMax = 40;

/** A short name of `type`. */
export const typeName = (type: Descriptor): string => clip(nameOf(type, 0, { parts: partsMax }));

function nameOf(type: Descriptor, depth: number, room: { parts: number }): string {
  if (depth > nestingMax || room.parts-- <= 0) return "…";
  const inner = (part: Descriptor): string => nameOf(part, depth + 1, room);
  switch (type.kind) {
    case "primitive":
      return primitiveName(type.code);
    case "struct":
      return structName(type, inner);
    case "enum":
      return isOption(type)
        ? `option(${inner(type.variants[1]!.fields[0]!.type)})`
        : clip(type.name || "enum");
    case "opaque":
      return opaqueName(type, inner);
    case "small":
      return smallName(type.content, inner);
    default:
      return type.kind === "pointer" ? pointerName(type, inner) : `${type.kind}(${inner(type.target)})`;
  }
}

type Inner = (part: Descriptor) => string;

function structName(type: StructDescriptor, inner: Inner): string {
  if (!isTuple(type)) return clip(type.name || "struct");
  const shown = type.fields.slice(0, argumentsMax).map((field) => inner(field.type));
  return `tuple(${shown.join(", ")}${type.fields.length > argumentsMax ? ", …" : ""})`;
}

function opaqueName(type: OpaqueDescriptor, inner: Inner): string {
  const shown = type.parameters.slice(0, argumentsMax).map(inner);
  const parameters = shown.length === 0 ? "" : `(${shown.join(", ")})`;
  return `opaque ${clip(type.library)}/${clip(type.type)} ${type.version.join(".")}${parameters}`;
}

function pointerName(type: WrapperDescriptor, inner: Inner): string {
  const content = type.target.kind === "packed" ? type.target.target : type.target;
  const container = containerOf(type);
  if (container === "string" || container === "bytes") return container;
  if (content.kind !== "sequence") return `${container}(${inner(content)})`;
  const element = content.target;
  if (!isMapSlot(element)) return `${container}(${inner(element)})`;
  return `map(${inner(element.fields[1]!.type)}, ${inner(element.fields[2]!.type)})`;
}

function smallName(content: Descriptor, inner: Inner): string {
  if (isText(content)) return "smallString";
  return content.kind === "sequence" ? `smallVec(${inner(content.target)})` : `small(${inner(content)})`;
}
