/** Types of structs, tuples and enums: live objects whose bytes lie in their place. */

import type { EnumModel, StructModel, TupleModel } from "../schema/model.ts";
import { type Layout, layOut } from "./layout.ts";
import type { Loader } from "./loader.ts";
import { blame, describe, typeMistake } from "./mistakes.ts";
import { claim, Node } from "./node.ts";
import { type Compile, NodeType, settle } from "./node-types.ts";
import { decodeDiscriminant } from "./plain-types.ts";
import { Malformed, type Reader } from "./reader.ts";
import { fillStruct, installLayout, makeInstance, variantClass, zeroStruct } from "./struct.ts";
import type { StructNode } from "./struct-node.ts";
import { inputsOf } from "./vec.ts";

export class StructType extends NodeType<StructNode> {
  readonly #construct: StructModel["construct"];
  #layout: Layout | undefined;

  constructor(model: StructModel, type: (self: StructType) => void, compile: Compile) {
    super(model.slotBytes);
    this.#construct = model.construct;
    type(this);
    const fields = model.fields.map((field) => ({ ...field, type: compile(field.type) }));
    this.#layout = layOut({ name: model.name, head: null, tag: null, slotBytes: model.slotBytes, fields });
    installLayout(model.construct, this.#layout, this);
  }

  override make(input: unknown): StructNode {
    if (input instanceof Node) {
      if (input.$type !== this) throw typeMistake(`expected a ${this.#layout!.name}, not ${describe(input)}`);
      claim(input);
      return input as StructNode;
    }
    const node = makeInstance(this.#construct, this.#layout!);
    fillStruct(node, input);
    return node;
  }

  override zero(): StructNode {
    const node = makeInstance(this.#construct, this.#layout!);
    zeroStruct(node);
    return node;
  }

  override decode(reader: Reader, packed: boolean, loader: Loader, holder: Node, index: number): StructNode {
    const node = settle(makeInstance(this.#construct, this.#layout!), loader, holder, index);
    node.$decode(reader, packed, loader);
    return node;
  }
}

export class TupleType extends NodeType<StructNode> {
  readonly #construct: StructModel["construct"];
  readonly #layout: Layout;

  constructor(model: TupleModel, compile: Compile) {
    super(model.slotBytes);
    const fields = model.fields.map((field) => ({ ...field, type: compile(field.type) }));
    const { slotBytes } = model;
    this.#layout = layOut({ name: "tuple", head: null, tag: null, isTuple: true, slotBytes, fields });
    this.#construct = variantClass(this.#layout, this);
  }

  override make(input: unknown): StructNode {
    if (input instanceof Node && input.$type === this) {
      claim(input);
      return input as StructNode;
    }
    const values = inputsOf(input);
    const { fields } = this.#layout;
    if (values.length !== fields.length)
      throw typeMistake(`expected ${fields.length} values, not ${values.length}`);
    const node = makeInstance(this.#construct, this.#layout);
    for (const [at, { type }] of fields.entries()) {
      try {
        node.$init(at, type.make(values[at]));
      } catch (cause) {
        throw blame(cause, `[${at}]`);
      }
    }
    return node;
  }

  override zero(): StructNode {
    const node = makeInstance(this.#construct, this.#layout);
    zeroStruct(node);
    return node;
  }

  override decode(reader: Reader, packed: boolean, loader: Loader, holder: Node, index: number): StructNode {
    const node = settle(makeInstance(this.#construct, this.#layout), loader, holder, index);
    node.$decode(reader, packed, loader);
    return node;
  }
}

interface Variant {
  readonly layout: Layout;
  readonly construct: StructModel["construct"];
}

export class EnumType extends NodeType<StructNode> {
  readonly #tag: string;
  readonly #width: number;
  readonly #byName = new Map<string, Variant>();
  readonly #byDiscriminant = new Map<number, Variant>();

  constructor(model: EnumModel, type: (self: EnumType) => void, compile: Compile) {
    super(model.slotBytes);
    this.#tag = model.tag;
    this.#width = model.width;
    type(this);
    for (const { name, discriminant, fields } of model.variants) {
      const layout = layOut({
        name: `${model.name}.${name}`,
        head: { value: discriminant, width: model.width },
        tag: { property: model.tag, value: name },
        slotBytes: model.slotBytes,
        fields: fields.map((field) => ({ ...field, type: compile(field.type) })),
      });
      const variant = { layout, construct: variantClass(layout, this) };
      this.#byName.set(name, variant);
      this.#byDiscriminant.set(discriminant, variant);
    }
  }

  override make(input: unknown): StructNode {
    if (input instanceof Node) {
      if (input.$type !== this) throw typeMistake(`expected a variant of the enum, not ${describe(input)}`);
      claim(input);
      return input as StructNode;
    }
    if (typeof input !== "object" || input === null)
      throw typeMistake(`expected an object with the property ${this.#tag}, not ${describe(input)}`);
    const name = (input as Record<string, unknown>)[this.#tag];
    const variant = typeof name === "string" ? this.#byName.get(name) : undefined;
    if (variant === undefined) {
      const names = [...this.#byName.keys()].map((known) => JSON.stringify(known)).join(", ");
      throw blame(typeMistake(`expected one of ${names}, not ${describe(name)}`), `.${this.#tag}`);
    }
    const node = makeInstance(variant.construct, variant.layout);
    fillStruct(node, input);
    return node;
  }

  override zero(): StructNode {
    const variant = this.#byDiscriminant.get(0);
    if (variant === undefined) throw typeMistake("needs an initial value: no variant has the discriminant 0");
    const node = makeInstance(variant.construct, variant.layout);
    zeroStruct(node);
    return node;
  }

  override decode(reader: Reader, packed: boolean, loader: Loader, holder: Node, index: number): StructNode {
    const discriminant = decodeDiscriminant(reader, packed, this.#width);
    const variant = this.#byDiscriminant.get(discriminant);
    if (variant === undefined) throw new Malformed(`${discriminant} is the discriminant of no variant`);
    const node = settle(makeInstance(variant.construct, variant.layout), loader, holder, index);
    node.$decode(reader, packed, loader);
    return node;
  }

  override get isStable(): boolean {
    return false;
  }

  override extent(node: StructNode): number {
    return node.$layout.usedBytes;
  }
}
