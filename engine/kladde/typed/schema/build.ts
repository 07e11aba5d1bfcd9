/**
 * Schema values → models: evaluates getters, gives every type its identity, and lays it out.
 *
 *  (1) A struct, an enum or an opaque type is its own type; every other is one per kind and arguments.
 *  (2) A struct or enum is known before its fields are, so that a getter may lead back to it; fields wait in a queue,
 *      so that only what is written nested takes stack.
 *  (3) What a failed build made is forgotten; nothing of it is met again.
 */

import type {
  EnumDescriptor,
  FieldDescriptor,
  StructDescriptor,
  VariantDescriptor,
} from "../types/descriptor.ts";
import { type DefinitionOf, type Parts, type Placement, partsOf, type Shape } from "./definition.ts";
import { SchemaError } from "./error.ts";
import { Interner } from "./intern.ts";
import * as layout from "./layouts.ts";
import type { ElementModel, FieldModel, SimpleModel, StructModel, TypeModel, VariantModel } from "./model.ts";
import { propertiesOf, requireDistinct } from "./names.ts";
import { describe, requireClassWithout, requireContent, requireKey, requireOpaque } from "./refusals.ts";
import { numberVariants } from "./variants.ts";

/** A getter that makes a new struct each time would never end. */
const typesMax = 10_000;

/** How deep constructors may nest without a struct or an enum between them. */
const depthMax = 200;

const interned = new Interner<TypeModel>();
const declared = new WeakMap<object, TypeModel>();

const simpleLayouts = {
  string: layout.stringLayout,
  text: layout.stringLayout,
  json: layout.stringLayout,
  smallString: layout.smallStringLayout,
  bytes: layout.bytesLayout,
  unit: layout.unitLayout,
  bool: () => layout.primitive("bool"),
  char: () => layout.primitive("char"),
} as const satisfies Record<SimpleModel["kind"], unknown>;

const elementLayouts = {
  option: layout.optionLayout,
  vec: layout.vecLayout,
  packedVec: layout.packedVecLayout,
  smallVec: layout.smallVecLayout,
  set: layout.setLayout,
  slotted: layout.slottedLayout,
} as const satisfies Record<ElementModel["kind"], unknown>;

/** Until a type's slot is measured. */
const slotBytes = -1;

export class Build {
  /** Models that this build made; their slots are not measured yet. */
  readonly made: TypeModel[] = [];
  readonly #undo: (() => void)[] = [];
  readonly #waiting: (() => void)[] = [];
  #depth = 0;

  /** The model of a root, with all that it reaches. */
  rootOf(schema: unknown): TypeModel {
    const root = this.#typeOf(schema, "");
    for (let fill = this.#waiting.pop(); fill !== undefined; fill = this.#waiting.pop()) fill();
    return root;
  }

  /** The model of a type that is no field: nothing may be said about its place. */
  #typeOf(schema: unknown, at: string): TypeModel {
    const parts = requireParts(schema, at);
    for (const [what, method] of placements) {
      if (parts.placement[what] !== undefined)
        throw new SchemaError(`.${method}() is about a field of a struct or variant; here is none`, at);
    }
    return this.#modelOf(parts, at);
  }

  /** Takes back what the build made known. */
  undo(): void {
    for (const step of this.#undo.splice(0)) step();
  }

  #modelOf({ type, definition }: Parts, at: string): TypeModel {
    const known = declared.get(type);
    if (known !== undefined) return known;
    if (this.#depth === depthMax)
      throw new SchemaError(
        `types nest deeper than ${depthMax}; does a getter make a new type each time?`,
        at,
      );
    this.#depth++;
    const model = this.#make(type, definition, at);
    this.#depth--;
    return model;
  }

  #make(type: object, definition: Parts["definition"], at: string): TypeModel {
    switch (definition.kind) {
      case "number": {
        const { kind, code, as } = definition;
        const descriptor = layout.primitive(code);
        return this.#intern(`${code} ${as}`, [], () => ({ kind, code, as, descriptor, slotBytes }));
      }
      case "struct":
        return this.#struct(type as StructModel["construct"], definition, at);
      case "enum":
        return this.#enum(type, definition, at);
      case "oneOf":
        return this.#oneOf(definition, at);
      case "tuple":
        return this.#tuple(definition, at);
      case "map":
      case "sortedMap":
        return this.#map(definition, at);
      case "box":
        return this.#box(definition, at);
      case "opaque":
        return this.#opaque(type, definition, at);
      case "option":
      case "vec":
      case "packedVec":
      case "smallVec":
      case "set":
      case "slotted":
        return this.#element(definition, at);
      default: {
        const { kind } = definition;
        const descriptor = simpleLayouts[kind]();
        return this.#intern(kind, [], () => ({ kind, descriptor, slotBytes }));
      }
    }
  }

  #element({ kind, element: schema }: DefinitionOf<ElementModel["kind"]>, at: string): TypeModel {
    const element = this.#typeOf(schema, `${at}[]`);
    if (kind === "set") requireKey(element, "set", `${at}[]`);
    if (kind === "option") requireContent(element, "option", at);
    const descriptor = elementLayouts[kind](element.descriptor);
    return this.#intern(kind, [element], () => ({ kind, element, descriptor, slotBytes }));
  }

  #box({ kind, element: schema, packed }: DefinitionOf<"box">, at: string): TypeModel {
    const element = this.#typeOf(schema, `${at}[]`);
    requireContent(element, "box", at);
    const descriptor = layout.boxLayout(element.descriptor, packed);
    const name = packed ? "packed box" : "box";
    return this.#intern(name, [element], () => ({ kind, element, packed, descriptor, slotBytes }));
  }

  #map({ kind, key: keySchema, value: valueSchema }: DefinitionOf<"map">, at: string): TypeModel {
    const key = this.#typeOf(keySchema, `${at}<key>`);
    requireKey(key, "map", `${at}<key>`);
    const value = this.#typeOf(valueSchema, `${at}[]`);
    const descriptor = layout.mapLayout(key.descriptor, value.descriptor);
    return this.#intern(kind, [key, value], () => ({ kind, key, value, descriptor, slotBytes }));
  }

  #tuple({ kind, elements }: DefinitionOf<"tuple">, at: string): TypeModel {
    const types = elements.map((element, index) => this.#typeOf(element, `${at}[${index}]`));
    const descriptor = layout.tupleLayout(types.map((type) => type.descriptor));
    const fields = types.map(
      (type, index): FieldModel => ({ property: `${index}`, persisted: `${index}`, former: [], type }),
    );
    return this.#intern(kind, types, () => ({ kind, fields, descriptor, slotBytes }));
  }

  #oneOf({ kind, names, options }: DefinitionOf<"oneOf">, at: string): TypeModel {
    const { width, variants: numbered } = numberVariants(names, options, at);
    const variants = numbered.map((variant): VariantModel => ({ ...variant, fields: [] }));
    const descriptor = layout.oneOfLayout(width, variants);
    return this.#intern(`oneOf ${JSON.stringify([width, variants])}`, [], () => ({
      kind,
      width,
      variants,
      descriptor,
      slotBytes,
    }));
  }

  #opaque(type: object, { kind, options }: DefinitionOf<"opaque">, at: string): TypeModel {
    requireOpaque(options, at);
    const descriptor = layout.opaqueLayout(options);
    return this.#declare(type, { kind, codec: options.codec, descriptor, slotBytes });
  }

  #struct(type: StructModel["construct"], { kind, shape, name: given }: DefinitionOf<"struct">, at: string) {
    const name = given ?? nameOfClass(type);
    const fields: FieldModel[] = [];
    const layoutFields: FieldDescriptor[] = [];
    const descriptor: StructDescriptor = { kind, name, fields: layoutFields };
    const model = this.#declare(type, { kind, name, fields, construct: type, descriptor, slotBytes });
    const place = at === "" ? name : at;
    this.#waiting.push(() => {
      fields.push(...this.#fields(shape, place));
      requireClassWithout(type, fields, place);
      layoutFields.push(...fields.map(layoutOf));
    });
    return model;
  }

  #enum(type: object, { kind, variants: shapes, name, tag, options }: DefinitionOf<"enum">, at: string) {
    const place = at === "" ? name : at;
    const { width, variants: numbered } = numberVariants(propertiesOf(shapes, place), options, place);
    const variants: VariantModel[] = [];
    const layoutVariants: VariantDescriptor[] = [];
    const descriptor: EnumDescriptor = { kind, name, width, variants: layoutVariants };
    const model = this.#declare(type, { kind, name, tag, width, variants, descriptor, slotBytes });
    this.#waiting.push(() => {
      for (const variant of numbered) {
        const fields = this.#variantFields(shapes, variant.name, tag, `${place}<${variant.name}>`);
        const { name: variantName, discriminant } = variant;
        variants.push({ ...variant, fields });
        layoutVariants.push({ name: variantName, discriminant, fields: fields.map(layoutOf) });
      }
    });
    return model;
  }

  #variantFields(shapes: Shape, name: string, tag: string, at: string): FieldModel[] {
    const fields = this.#fields(evaluate(shapes, name, at) as Shape, at);
    if (fields.some(({ property }) => property === tag))
      throw new SchemaError(`the field ${tag} has the name of the tag; choose another with { tag }`, at);
    return fields;
  }

  #fields(shape: Shape, at: string): FieldModel[] {
    if (typeof shape !== "object" || shape === null || partsOf(shape) !== undefined)
      throw new SchemaError("the fields of a variant must be an object whose properties are schemas", at);
    const fields = propertiesOf(shape, at).map((property) => {
      const path = `${at}.${property}`;
      const parts = requireParts(evaluate(shape, property, path), path);
      return { property, placement: parts.placement, type: this.#modelOf(parts, path) };
    });
    requireDistinct(fields, at);
    return fields.map(({ property, placement, type }) => fieldOf(property, placement, type));
  }

  #intern<M extends TypeModel>(kind: string, parts: readonly TypeModel[], make: () => M): M {
    return interned.get(kind, parts, () => {
      const model = make();
      this.made.push(model);
      this.#undo.push(() => interned.forget(kind, parts));
      return model;
    });
  }

  #declare<M extends TypeModel>(type: object, model: M): M {
    if (this.made.length === typesMax)
      throw new SchemaError(`more than ${typesMax} types; does a getter make a new one each time?`);
    declared.set(type, model);
    this.made.push(model);
    this.#undo.push(() => declared.delete(type));
    return model;
  }
}

const placements = [
  ["initial", "default"],
  ["persisted", "named"],
  ["former", "was"],
] as const;

const layoutOf = ({ persisted, type }: FieldModel): FieldDescriptor => ({
  name: persisted,
  type: type.descriptor,
});

function fieldOf(property: string, { persisted, former, initial }: Placement, type: TypeModel): FieldModel {
  const field = { property, persisted: persisted ?? property, former: former ?? [], type };
  return initial === undefined ? field : { ...field, initial };
}

function requireParts(schema: unknown, at: string): Parts {
  const parts = partsOf(schema);
  if (parts === undefined)
    throw new SchemaError(`expected a schema made by k, found ${describe(schema)}`, at);
  return parts;
}

/** Runs the getter, if the property is one. */
function evaluate(shape: Shape, property: string, at: string): unknown {
  try {
    return shape[property];
  } catch (error) {
    if (error instanceof SchemaError) throw error;
    throw new SchemaError("the getter threw; its schema must exist before this one is used", at, error);
  }
}

function nameOfClass(type: unknown): string {
  const name: unknown = Reflect.get(type as object, "name");
  return typeof name === "string" && name !== "" ? name : "Struct";
}
