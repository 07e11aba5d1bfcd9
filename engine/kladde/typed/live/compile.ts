/**
 * From models to types, once each.
 *
 *  (1) What lies behind a pointer is compiled when it is first needed: graphs may have cycles.
 */

import type { NumberModel, TypeModel } from "../schema/model.ts";
import { BoxType, BytesType, MapType, SetType, TextNodeType, VecType } from "./content-types.ts";
import type { Node } from "./node.ts";
import { NodeOptionType } from "./node-types.ts";
import { BigIntegerType, FloatType, IntegerType } from "./number-types.ts";
import {
  BoolType,
  CharType,
  OneOfType,
  OpaqueType,
  PlainOptionType,
  type PlainType,
  UnitType,
} from "./plain-types.ts";
import { SlottedType } from "./slotted-type.ts";
import { SmallStringType } from "./small-string.ts";
import { SmallVecType } from "./small-vec.ts";
import { EnumType, StructType, TupleType } from "./struct-types.ts";
import { JsonType, StringType, TextOptionType } from "./text-types.ts";
import type { Type } from "./type.ts";

const compiled = new WeakMap<TypeModel, Type>();

/** The type of a model. */
export function typeOf(model: TypeModel): Type {
  const known = compiled.get(model);
  if (known !== undefined) return known;
  const type = compile(model);
  compiled.set(model, type);
  return type;
}

type Compilers = { readonly [K in TypeModel["kind"]]: (model: TypeModel & { readonly kind: K }) => unknown };

const compilers: Compilers = {
  number: (model) => numberType(model),
  bool: ({ slotBytes }) => new BoolType(slotBytes),
  char: ({ slotBytes }) => new CharType(slotBytes),
  unit: ({ slotBytes }) => new UnitType(slotBytes),
  oneOf: (model) => new OneOfType(model),
  opaque: (model) => new OpaqueType(model),
  string: ({ slotBytes }) => new StringType(slotBytes),
  smallString: ({ slotBytes }) => new SmallStringType(slotBytes),
  json: ({ slotBytes }) => new JsonType(slotBytes),
  text: ({ slotBytes }) => new TextNodeType(slotBytes),
  bytes: ({ slotBytes }) => new BytesType(slotBytes),
  struct: (model) => new StructType(model, (self) => compiled.set(model, self), typeOf),
  tuple: (model) => new TupleType(model, typeOf),
  enum: (model) => new EnumType(model, (self) => compiled.set(model, self), typeOf),
  box: (model) => new BoxType(model, typeOf),
  vec: ({ slotBytes, element }) => new VecType(slotBytes, () => typeOf(element), false),
  packedVec: ({ slotBytes, element }) => new VecType(slotBytes, () => typeOf(element), true),
  smallVec: ({ slotBytes, element }) => new SmallVecType(slotBytes, () => typeOf(element)),
  map: (model) => new MapType(model, typeOf),
  sortedMap: (model) => new MapType(model, typeOf),
  set: ({ slotBytes, element }) => new SetType(slotBytes, typeOf(element), new UnitType(0)),
  option: ({ slotBytes, element }) => optionType(slotBytes, typeOf(element)),
  slotted: ({ element }) => new SlottedType(typeOf(element)),
};

const compile = (model: TypeModel): Type => (compilers[model.kind] as (model: TypeModel) => Type)(model);

function numberType(model: NumberModel): unknown {
  if (model.code === "f32" || model.code === "f64") return new FloatType(model.slotBytes);
  return model.as === "bigint" ? new BigIntegerType(model) : new IntegerType(model);
}

function optionType(slotBytes: number, inner: Type): unknown {
  if (inner.holding === "plain") return new PlainOptionType(slotBytes, inner as PlainType<unknown>);
  if (inner.holding === "text") return new TextOptionType(slotBytes, inner);
  return new NodeOptionType(slotBytes, inner as Type<Node>);
}
