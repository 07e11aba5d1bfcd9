/**
 * Sealing: a schema value becomes the models, the layout, the table and the fingerprint that files are made with.
 *
 *  (1) Happens once per type, when it is first used; the result is kept with the type.
 *  (2) A schema that breaks a rule is refused whole, and refused again each time.
 *  (3) A type is sealed on its own: one that is only ever part of others need not be.
 *
 * Cost: proportional to the types that the schema reaches.
 */

import { checkDescriptor, type Descriptor, encodeTable, fingerprintOf, slotBytes } from "../types/index.ts";
import { Build } from "./build.ts";
import { partsOf } from "./definition.ts";
import { SchemaError } from "./error.ts";
import type { SealedSchema, StructModel, TypeModel } from "./model.ts";

const sealed = new WeakMap<object, SealedSchema>();
let sealing = false;

export function seal(schema: unknown): SealedSchema {
  const parts = partsOf(schema);
  const known = parts === undefined ? undefined : sealed.get(parts.type);
  if (known !== undefined && Object.keys(parts!.placement).length === 0) return known;
  if (sealing)
    throw new SchemaError("a getter of a shape may name schemas, but not use them, before they are sealed");
  const build = new Build();
  sealing = true;
  try {
    const root = build.rootOf(schema);
    const result = describeRoot(root, build.made);
    sealed.set(parts!.type, result);
    return result;
  } catch (error) {
    build.undo();
    throw error;
  } finally {
    sealing = false;
  }
}

/** For the constructor of a struct's class. */
export function structModelOf(schema: object): StructModel {
  return seal(schema).root as StructModel;
}

function describeRoot(root: TypeModel, made: readonly TypeModel[]): SealedSchema {
  const { descriptor } = root;
  try {
    checkDescriptor(descriptor);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new SchemaError(error.message, "", error);
  }
  const memo = new Map<Descriptor, number>();
  for (const model of made) (model as { slotBytes: number }).slotBytes = slotBytes(model.descriptor, memo);
  return { root, descriptor, fingerprint: fingerprintOf(descriptor), table: encodeTable(descriptor) };
}
