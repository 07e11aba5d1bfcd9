/** Makes the class of a struct; the live layer's takes its place. */

import type { StructModel } from "./model.ts";

export function structClass(
  _fieldCount: number,
  modelOf: (schema: object) => StructModel,
): new (
  init?: object,
) => object {
  return class {
    constructor(init?: object) {
      for (const { property } of modelOf(new.target).fields)
        Object.defineProperty(this, property, { value: Reflect.get(init ?? {}, property), enumerable: true });
    }
  };
}
