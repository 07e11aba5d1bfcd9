/**
 * The types of a descriptor table as rows.
 *
 *  (1) Offsets are those in a slot; packed values have none.
 *  (2) No more than `typesMax` are listed.
 *
 * Cost: linear in the table; fingerprints of every type only up to `fingerprintsMax` types, since each is a walk.
 */

import {
  type Descriptor,
  type FieldDescriptor,
  fingerprintOf,
  nodesOf,
  packedOnly,
  slotBytes,
  targetsOf,
  typeName,
} from "../typed/types/index.ts";
import { hex } from "./slots.ts";
import type { FieldRow, TypeRow, TypesDocument } from "./typed-document.ts";

const typesMax = 10_000;
const fingerprintsMax = 200;
/** Fields, variants and parameters listed of all types together. */
const partsMax = 100_000;

/** `stated`: the fingerprint in the header. */
export function typesDocument(root: Descriptor, tableBytes: number, stated: Uint8Array): TypesDocument {
  const nodes = nodesOf(root);
  const rows = new TypeRows(nodes);
  const types = nodes.slice(0, typesMax).map((type, number) => rows.rowOf(type, number));
  return {
    tableBytes,
    root: typeName(root),
    fingerprint: hex(fingerprintOf(root)),
    fingerprintStated: hex(stated),
    types,
    typesOmitted: nodes.length - types.length,
  };
}

class TypeRows {
  readonly #numbers: ReadonlyMap<Descriptor, number>;
  readonly #slots = new Map<Descriptor, number>();
  #room = partsMax;

  constructor(nodes: readonly Descriptor[]) {
    this.#numbers = new Map(nodes.map((node, i) => [node, i]));
  }

  rowOf(type: Descriptor, number: number): TypeRow {
    const bytes = type.kind === "sequence" || type.kind === "packed" ? packedOnly : this.#slotBytes(type);
    const isEnum = type.kind === "enum";
    const isOfFields = isEnum || type.kind === "struct";
    return {
      number,
      name: typeName(type),
      kind: type.kind,
      slotBytes: bytes === packedOnly ? null : bytes,
      fingerprint: this.#numbers.size > fingerprintsMax ? null : hex(fingerprintOf(type)),
      fields: type.kind === "struct" ? this.#fields(type.fields, bytes === packedOnly ? null : 0) : [],
      discriminantBytes: isEnum ? type.width : null,
      variants: isEnum
        ? this.#some(type.variants).map(({ name, discriminant, fields }) => ({
            name,
            discriminant,
            fields: this.#fields(fields, bytes === packedOnly ? null : type.width),
          }))
        : [],
      holds: isOfFields ? [] : this.#some(targetsOf(type)).map(typeName),
    };
  }

  #fields(fields: readonly FieldDescriptor[], start: number | null): FieldRow[] {
    let offset = start;
    return this.#some(fields).map(({ name, type }) => {
      const at = offset;
      if (offset !== null) offset += this.#slotBytes(type);
      return { name, type: typeName(type), typeNumber: this.#numbers.get(type)!, offset: at };
    });
  }

  #slotBytes(type: Descriptor): number {
    return slotBytes(type, this.#slots);
  }

  /** As many of `parts` as there is room for. */
  #some<T>(parts: readonly T[]): readonly T[] {
    const some = parts.slice(0, this.#room);
    this.#room -= some.length;
    return some;
  }
}
