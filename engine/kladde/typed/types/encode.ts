/**
 * The canonical bytes of a descriptor table: `varint(count)`, then each descriptor, the root first.
 *
 * Descriptors are numbered as a depth-first walk from the root first meets them; one object is one entry.
 */

import type { Descriptor, FieldDescriptor, OpaqueDescriptor } from "./descriptor.ts";
import { nodesOf, targetsOf } from "./graph.ts";
import { ByteWriter } from "./writer.ts";

/** Bytes that announce the kinds that are not primitives; a primitive's is its code. */
export const kindTags = {
  struct: 128,
  enum: 129,
  opaque: 130,
  pointer: 132,
  sequence: 133,
  packed: 134,
  slotted: 135,
  small: 136,
} as const;

/** The table of a graph that `checkDescriptor` accepts. */
export function encodeTable(root: Descriptor): Uint8Array {
  const nodes = nodesOf(root);
  const numbers = new Map(nodes.map((node, i) => [node, i]));
  const writer = new ByteWriter();
  const reference = (type: Descriptor): void => writer.varint(numbers.get(type)!);
  writer.varint(nodes.length);
  for (const node of nodes) writeDescriptor(writer, node, reference);
  return writer.finish();
}

type WriteReference = (type: Descriptor) => void;

function writeDescriptor(writer: ByteWriter, type: Descriptor, reference: WriteReference): void {
  writer.byte(type.kind === "primitive" ? type.code : kindTags[type.kind]);
  if (type.kind === "struct") {
    writer.string(type.name);
    writeFields(writer, type.fields, reference);
  } else if (type.kind === "enum") {
    writer.string(type.name);
    writer.byte(type.width);
    writer.varint(type.variants.length);
    for (const variant of type.variants) {
      writer.varint(variant.discriminant);
      writer.string(variant.name);
      writeFields(writer, variant.fields, reference);
    }
  } else {
    if (type.kind === "opaque") writeOpaque(writer, type);
    for (const target of targetsOf(type)) reference(target);
  }
}

function writeOpaque(writer: ByteWriter, type: OpaqueDescriptor): void {
  writer.string(type.library);
  writer.string(type.type);
  for (const part of type.version) writer.varint(part);
  writer.varint(type.inlineBytes);
  writer.varint(type.parameters.length);
}

function writeFields(
  writer: ByteWriter,
  fields: readonly FieldDescriptor[],
  reference: WriteReference,
): void {
  writer.varint(fields.length);
  for (const field of fields) {
    writer.string(field.name);
    reference(field.type);
  }
}
