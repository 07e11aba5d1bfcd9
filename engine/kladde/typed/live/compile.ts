/**
 * From models to types, once each.
 *
 *  (1) What lies behind a pointer is compiled when it is first needed: graphs may have cycles.
 */

import type { ElementModel, NumberModel, SimpleModel, TypeModel } from "../schema/model.ts";
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

function compile(model: TypeModel): Type {
  switch (model.kind) {
    case "number":
      return numberType(model);
    case "struct":
      return new StructType(model, (self) => compiled.set(model, self), typeOf) as Type;
    case "tuple":
      return new TupleType(model, typeOf) as Type;
    case "enum":
      return new EnumType(model, (self) => compiled.set(model, self), typeOf) as Type;
    case "oneOf":
      return new OneOfType(model) as Type;
    case "box":
      return new BoxType(model, typeOf) as Type;
    case "map":
    case "sortedMap":
      return new MapType(model, typeOf) as Type;
    case "opaque":
      return new OpaqueType(model) as Type;
    case "option":
    case "vec":
    case "packedVec":
    case "smallVec":
    case "set":
    case "slotted":
      return elementType(model);
    default:
      return simpleType(model);
  }
}

function numberType(model: NumberModel): Type {
  if (model.code === "f32" || model.code === "f64") return new FloatType(model.slotBytes) as Type;
  return (model.as === "bigint" ? new BigIntegerType(model) : new IntegerType(model)) as Type;
}

function simpleType({ kind, slotBytes }: SimpleModel): Type {
  switch (kind) {
    case "bool":
      return new BoolType(slotBytes) as Type;
    case "char":
      return new CharType(slotBytes) as Type;
    case "unit":
      return new UnitType(slotBytes) as Type;
    case "string":
      return new StringType(slotBytes) as Type;
    case "smallString":
      return new SmallStringType(slotBytes) as Type;
    case "json":
      return new JsonType(slotBytes) as Type;
    case "text":
      return new TextNodeType(slotBytes) as Type;
    case "bytes":
      return new BytesType(slotBytes) as Type;
  }
}

function optionType(slotBytes: number, inner: Type): Type {
  if (inner.holding === "plain") return new PlainOptionType(slotBytes, inner as PlainType<unknown>) as Type;
  if (inner.holding === "text") return new TextOptionType(slotBytes, inner) as Type;
  return new NodeOptionType(slotBytes, inner as Type<Node>) as Type;
}

function elementType({ kind, slotBytes, element }: ElementModel): Type {
  switch (kind) {
    case "vec":
      return new VecType(slotBytes, () => typeOf(element), false) as Type;
    case "packedVec":
      return new VecType(slotBytes, () => typeOf(element), true) as Type;
    case "smallVec":
      return new SmallVecType(slotBytes, () => typeOf(element)) as Type;
    case "set":
      return new SetType(slotBytes, typeOf(element), new UnitType(0)) as Type;
    case "slotted":
      return new SlottedType(typeOf(element)) as Type;
    case "option":
      return optionType(slotBytes, typeOf(element));
  }
}
