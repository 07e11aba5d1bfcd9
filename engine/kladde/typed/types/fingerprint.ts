/**
 * Fingerprints: 16 bytes that stand for a layout and its names, the first half of a SHA-256.
 *
 *  (1) Names of structs and enums are left out; names of fields and variants are in.
 *  (2) Every descriptor is hashed once, where a depth-first walk first meets it. A reference to one that is still open
 *      is written as the number of levels up to it. So two equal descriptors on one cycle hash differently when they are
 *      two objects than when they are one: sharing is part of the type, and schemas intern theirs.
 *
 * Cost: linear in the bytes of the table, with a stack of our own.
 */

import { sha256 } from "../../../codec/sha256.ts";
import type { Descriptor, FieldDescriptor, OpaqueDescriptor } from "./descriptor.ts";
import { kindTags } from "./encode.ts";
import { targetsOf } from "./graph.ts";
import { ByteWriter } from "./writer.ts";

export const fingerprintBytes = 16;

/** Before the hash of a finished descriptor, and before the levels up to an open one. */
const finishedEdge = 0;
const openEdge = 1;

interface Frame {
  readonly node: Descriptor;
  readonly targets: readonly Descriptor[];
  /** What is known of the targets so far, ready to be spliced between the local bytes. */
  readonly edges: Uint8Array[];
}

/** The fingerprint of `root`, whose graph must be finished. */
export function fingerprintOf(root: Descriptor): Uint8Array {
  const hashes = new Map<Descriptor, Uint8Array>();
  const depths = new Map<Descriptor, number>();
  const stack: Frame[] = [];
  const enter = (node: Descriptor): void => {
    depths.set(node, stack.length);
    stack.push({ node, targets: targetsOf(node), edges: [] });
  };
  enter(root);
  for (;;) {
    const { node, targets, edges } = stack[stack.length - 1]!;
    const target = targets[edges.length];
    if (target === undefined) {
      const hash = sha256(localBytes(node, edges)).slice(0, fingerprintBytes);
      hashes.set(node, hash);
      stack.pop();
      if (stack.length === 0) return hash;
      continue;
    }
    const hash = hashes.get(target);
    const depth = depths.get(target);
    if (hash !== undefined) edges.push(finishedBytes(hash));
    else if (depth !== undefined) edges.push(openBytes(stack.length - 1 - depth));
    else enter(target);
  }
}

function finishedBytes(hash: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + hash.length);
  bytes[0] = finishedEdge;
  bytes.set(hash, 1);
  return bytes;
}

function openBytes(levels: number): Uint8Array {
  const writer = new ByteWriter();
  writer.byte(openEdge);
  writer.varint(levels);
  return writer.finish();
}

/** What is hashed for `type`; `edges` stand for what it refers to, in order. */
function localBytes(type: Descriptor, edges: readonly Uint8Array[]): Uint8Array {
  const writer = new ByteWriter();
  let next = 0;
  const edge = (): void => writer.append(edges[next++]!);
  const fields = (all: readonly FieldDescriptor[]): void => {
    writer.varint(all.length);
    for (const field of all) {
      writer.string(field.name);
      edge();
    }
  };
  writer.byte(type.kind === "primitive" ? type.code : kindTags[type.kind]);
  if (type.kind === "struct") fields(type.fields);
  else if (type.kind === "enum") {
    writer.byte(type.width);
    writer.varint(type.variants.length);
    for (const variant of type.variants) {
      writer.varint(variant.discriminant);
      writer.string(variant.name);
      fields(variant.fields);
    }
  } else {
    if (type.kind === "opaque") writeOpaque(writer, type);
    while (next < edges.length) edge();
  }
  return writer.finish();
}

/** Of the version only what decides compatibility: the major number, or below 1 the minor one. */
function writeOpaque(writer: ByteWriter, type: OpaqueDescriptor): void {
  const [major, minor] = type.version;
  writer.string(type.library);
  writer.string(type.type);
  writer.byte(major > 0 ? 1 : 0);
  writer.varint(major > 0 ? major : minor);
  writer.varint(type.inlineBytes);
  writer.varint(type.parameters.length);
}
