/**
 * The class that a struct schema is.
 *
 *  (1) `new` by the application seals the schema and fills the object before it returns.
 */

import type { StructModel } from "../schema/model.ts";
import { typeOf } from "./compile.ts";
import { typeMistake } from "./mistakes.ts";
import { admitClaims, claimMark, dropClaims, keepClaims } from "./node.ts";
import { slotsClass } from "./slots.ts";
import { addManySlots, fillStruct, takeBare, zeroStruct } from "./struct.ts";
import type { Type } from "./type.ts";

/**
 * The class behind a struct schema of `fieldCount` fields. `modelOf` seals the schema, which is the class that is made
 * with `new`: this one, or one that extends it.
 */
export function structClass(
  fieldCount: number,
  modelOf: (schema: object) => StructModel,
): new (
  init?: object,
) => object {
  const Slots = slotsClass(fieldCount);
  return class extends Slots {
    constructor(init?: object) {
      super();
      if (takeBare()) return;
      // A class that extends a sealed one has the layout of that one until it is sealed itself.
      if (!Object.hasOwn(new.target.prototype, "$layout")) typeOf(modelOf(new.target));
      addManySlots(this);
      const mark = claimMark();
      try {
        if (init === undefined) zeroStruct(this);
        else fillStruct(this, init);
        admitClaims(mark, this);
      } catch (cause) {
        dropClaims(mark);
        throw cause;
      }
      keepClaims(mark, null);
    }

    override get $type(): Type {
      throw typeMistake("the struct's schema has not been sealed");
    }
  };
}
