/**
 * Reading descriptor tables, also those of foreign and damaged files.
 *
 *  (1) A table is read whole or refused with a `StoreError`: `corrupt` if its bytes contradict the format,
 *      `schema-mismatch` if they use kinds that this version does not know, or describe containers the way files of an
 *      earlier format revision do.
 *  (2) Every count is compared with the bytes that are left before anything is made for it.
 *  (3) What is returned keeps the rules of `rules.ts`; entries that the root does not reach have kept them too, and are
 *      dropped. Variants are in ascending order, whatever the order in the table.
 *
 * Cost: linear in the bytes, of which there are at most `tableBytesMax`; the same for memory.
 */

import { lebLength, lebNext, lebTooLarge, lebTruncated, readLeb } from "../../../codec/leb128.ts";
import { StoreError, type StoreErrorCode } from "../../../errors.ts";
import type { Descriptor, DiscriminantWidth, FieldDescriptor, VariantDescriptor } from "./descriptor.ts";
import { primitiveCodes } from "./descriptor.ts";
import { kindTags } from "./encode.ts";
import { typeName } from "./name.ts";
import { firstFault } from "./rules.ts";

/** The largest table that is read; those of real applications have a few thousand bytes. */
export const tableBytesMax = 2 ** 20;

/** Tags below this one are codes of primitives. */
const firstKindTag = 128;
const arrayTag = 131;
const primitiveCodesMax = Object.keys(primitiveCodes).length - 1;

/** Bytes that a field and a variant take at least. */
const fieldBytesMin = 2;
const variantBytesMin = 3;

/** The library whose containers had opaque descriptors, and the one of its types that still has one. */
const containersLibrary = "kladde-types";
const opaqueContainer = /^Persist(ed|able)(?!Blob$)/;

/** A byte order mark is part of a name. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The root of the table in `bytes`. */
export function decodeTable(bytes: Uint8Array): Descriptor {
  if (bytes.length > tableBytesMax)
    throw new StoreError(
      "too-large",
      `the descriptor table has ${bytes.length} bytes, more than ${tableBytesMax}`,
    );
  const nodes = new TableReader(bytes).readAll();
  const root = nodes[0]!;
  refuseOlderContainers(nodes);
  const fault = firstFault(root, nodes);
  if (fault === undefined) return root;
  const entry = `entry ${nodes.indexOf(fault.at)} (${typeName(fault.at)})`;
  throw new StoreError("corrupt", `the descriptor table breaks a rule: ${entry}: ${fault.message}`);
}

function refuseOlderContainers(nodes: readonly Descriptor[]): void {
  const old = nodes.find(
    (node) => node.kind === "opaque" && node.library === containersLibrary && opaqueContainer.test(node.type),
  );
  if (old === undefined) return;
  throw new StoreError(
    "schema-mismatch",
    `the file describes its containers as opaque types (${typeName(old)}), as files of an earlier format revision do; ` +
      "those cannot be read",
  );
}

class TableReader {
  private at = 0;
  /** One object per entry from the start, so that references can be resolved as they are read. */
  private nodes: Descriptor[] = [];
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  readAll(): Descriptor[] {
    const count = this.count(1);
    if (count === 0) throw this.fault("corrupt", "it has no entries");
    this.nodes = Array.from({ length: count }, () => ({}) as Descriptor);
    for (const node of this.nodes) Object.assign(node, this.descriptor());
    if (this.at < this.bytes.length)
      throw this.fault("corrupt", `${this.bytes.length - this.at} bytes are left over`);
    return this.nodes;
  }

  private descriptor(): Descriptor {
    const tag = this.byte();
    switch (tag) {
      case kindTags.struct:
        return { kind: "struct", name: this.string(), fields: this.fields() };
      case kindTags.enum:
        return { kind: "enum", name: this.string(), width: this.width(), variants: this.variants() };
      case kindTags.opaque:
        return this.opaque();
      case kindTags.pointer:
        return { kind: "pointer", target: this.reference() };
      case kindTags.sequence:
        return { kind: "sequence", target: this.reference() };
      case kindTags.packed:
        return { kind: "packed", target: this.reference() };
      case kindTags.slotted:
        return { kind: "slotted", target: this.reference() };
      case kindTags.small:
        return { kind: "small", content: this.reference(), spilled: this.reference() };
      default:
        return this.primitive(tag);
    }
  }

  private primitive(tag: number): Descriptor {
    if (tag <= primitiveCodesMax) return { kind: "primitive", code: tag as 0 };
    this.at -= 1;
    if (tag < firstKindTag)
      throw this.fault("schema-mismatch", `the primitive ${tag} is reserved or unknown`);
    const what = tag === arrayTag ? "an array, which is reserved" : `kind ${tag}, which is unknown`;
    throw this.fault("schema-mismatch", `a type is ${what}; a newer version may be able to read the file`);
  }

  private opaque(): Descriptor {
    const library = this.string();
    const type = this.string();
    const version = [this.varint(), this.varint(), this.varint()] as const;
    const inlineBytes = this.varint();
    const parameters: Descriptor[] = [];
    for (let left = this.count(1); left > 0; left--) parameters.push(this.reference());
    return { kind: "opaque", library, type, version, inlineBytes, parameters };
  }

  private fields(): FieldDescriptor[] {
    const fields: FieldDescriptor[] = [];
    for (let left = this.count(fieldBytesMin); left > 0; left--)
      fields.push({ name: this.string(), type: this.reference() });
    return fields;
  }

  private variants(): VariantDescriptor[] {
    const variants: VariantDescriptor[] = [];
    for (let left = this.count(variantBytesMin); left > 0; left--)
      variants.push({ discriminant: this.varint(), name: this.string(), fields: this.fields() });
    return variants.sort((a, b) => a.discriminant - b.discriminant);
  }

  private width(): DiscriminantWidth {
    const width = this.byte();
    if (width === 1 || width === 2 || width === 4 || width === 8) return width;
    this.at -= 1;
    throw this.fault("corrupt", `a discriminant takes 1, 2, 4 or 8 bytes, not ${width}`);
  }

  private reference(): Descriptor {
    const number = this.varint();
    const node = this.nodes[number];
    if (node === undefined)
      throw this.fault("corrupt", `entry ${number} is referred to, of ${this.nodes.length}`);
    return node;
  }

  private string(): string {
    const length = this.count(1);
    const from = this.at;
    this.at += length;
    try {
      return utf8.decode(this.bytes.subarray(from, this.at));
    } catch (cause) {
      this.at = from;
      throw this.fault("corrupt", "a name is not UTF-8", cause);
    }
  }

  /** A number of things that take at least `bytesEach`. */
  private count(bytesEach: number): number {
    const from = this.at;
    const count = this.varint();
    const left = this.bytes.length - this.at;
    if (count * bytesEach <= left) return count;
    this.at = from;
    throw this.fault("corrupt", `${count} things cannot follow in ${left} bytes`);
  }

  private varint(): number {
    const value = readLeb(this.bytes, this.at, this.bytes.length);
    if (value === lebTruncated) throw this.fault("corrupt", "it ends inside a number");
    if (value === lebTooLarge) throw this.fault("corrupt", "a number exceeds 2^53 − 1");
    if (lebNext - this.at !== lebLength(value))
      throw this.fault("corrupt", "a number is not in its shortest form");
    this.at = lebNext;
    return value;
  }

  private byte(): number {
    const byte = this.bytes[this.at];
    if (byte === undefined) throw this.fault("corrupt", "it ends inside an entry");
    this.at += 1;
    return byte;
  }

  private fault(code: StoreErrorCode, message: string, cause?: unknown): StoreError {
    return new StoreError(code, `descriptor table, byte ${this.at}: ${message}`, {}, cause);
  }
}
