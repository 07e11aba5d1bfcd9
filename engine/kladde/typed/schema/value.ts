/**
 * Schema values: what the constructors of `k` give, with the methods that every one of them has.
 *
 *  (1) A modifier gives another value and leaves the old one as it was.
 *  (2) A modified value has the same type as the one it was made from, except that `slotted` makes another type.
 */

import { type Definition, definitionKey, type Parts, type Placement, partsOf } from "./definition.ts";
import { SchemaError } from "./error.ts";
import { seal } from "./seal.ts";

export class SchemaValue {
  readonly [definitionKey]: Parts;

  constructor(definition: Definition, type?: object, placement: Placement = {}) {
    this[definitionKey] = { type: type ?? this, definition, placement };
  }
}

/** The methods, for objects of the class above and as statics of struct classes. */
const methods = {
  default(this: object, value: unknown): SchemaValue {
    return placed(this, { initial: { value } });
  },
  named(this: object, name: string): SchemaValue {
    requireName("named", name);
    return placed(this, { persisted: name });
  },
  was(this: object, ...names: readonly string[]): SchemaValue {
    for (const name of names) requireName("was", name);
    return placed(this, { former: [...(required(this).placement.former ?? []), ...names] });
  },
  slotted(this: object): SchemaValue {
    const { type, placement } = required(this);
    return new SchemaValue({ kind: "slotted", element: type }, undefined, placement);
  },
  fingerprint(this: object): Uint8Array {
    return seal(this).fingerprint.slice();
  },
  table(this: object): Uint8Array {
    return seal(this).table.slice();
  },
};

function slotSize(this: object): number | undefined {
  const { slotBytes } = seal(this).root;
  return slotBytes < 0 ? undefined : slotBytes;
}

/** Puts the methods on `target`, hidden from enumeration. */
export function addMethods(target: object): void {
  for (const [name, value] of Object.entries(methods)) {
    Object.defineProperty(target, name, { value, configurable: true, writable: true });
  }
  Object.defineProperty(target, "slotSize", { get: slotSize, configurable: true });
}

addMethods(SchemaValue.prototype);

function placed(schema: object, change: Placement): SchemaValue {
  const { type, definition, placement } = required(schema);
  return new SchemaValue(definition, type, { ...placement, ...change });
}

function required(schema: object): Parts {
  const parts = partsOf(schema);
  if (parts === undefined) throw new SchemaError("the method was called on something that is not a schema");
  return parts;
}

function requireName(method: string, name: unknown): void {
  if (typeof name !== "string") throw new SchemaError(`${method}: a name must be a string`);
}
