/** Types whose values are live objects. */

import type { BoxModel, EnumModel, MapModel, StructModel, TupleModel, TypeModel } from "../schema/model.ts";
import { BoxNode } from "./box-node.ts";
import { BytesNode, bytesOf } from "./bytes-node.ts";
import type { ContentNode } from "./content-node.ts";
import type { Encoder } from "./encoder.ts";
import { type Layout, layOut } from "./layout.ts";
import type { Ledger } from "./ledger.ts";
import type { Loader } from "./loader.ts";
import { KladdeMap, pairsOf } from "./map.ts";
import { blame, describe, typeMistake } from "./mistakes.ts";
import { claim, isLooseBox, Node, place } from "./node.ts";
import { decodeDiscriminant, type PlainType } from "./plain-types.ts";
import { Malformed, type Reader } from "./reader.ts";
import { KladdeSet } from "./set.ts";
import { SortedMap } from "./sorted-map.ts";
import { fillStruct, installLayout, makeInstance, variantClass, zeroStruct } from "./struct.ts";
import type { StructNode } from "./struct-node.ts";
import { TextNode, wellFormed } from "./text-node.ts";
import { decodePointer } from "./text-types.ts";
import { Type } from "./type.ts";
import { inputsOf, Vec } from "./vec.ts";

type Compile = (model: TypeModel) => Type;

abstract class NodeType<N extends Node> extends Type<N> {
  override readonly holding = "node";

  override encode(out: Encoder, packed: boolean, node: N): void {
    node.$encode(out, packed);
  }

  override attach(ledger: Ledger, out: Encoder, packed: boolean, node: N): number {
    node.$attach(ledger, out, packed);
    return 0;
  }

  override isEqual(old: N, next: N): boolean {
    return old === next;
  }
}

/** Puts a decoded node into its place. */
function settle<N extends Node>(node: N, loader: Loader, holder: Node, index: number): N {
  node.$doc = loader.ledger;
  place(node, holder, index);
  return node;
}

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

/** None or a node: `null` stands for none. */
export class NodeOptionType extends Type<Node | null> {
  override get isStable(): boolean {
    return false;
  }

  override readonly holding = "node";
  override readonly shift = 1;
  readonly #inner: Type<Node>;

  constructor(slotBytes: number, inner: Type<Node>) {
    super(slotBytes);
    this.#inner = inner;
  }

  override make(input: unknown): Node | null {
    return input === null ? null : this.#inner.make(input);
  }

  override zero(): null {
    return null;
  }

  override get isOptional(): boolean {
    return true;
  }

  override encode(out: Encoder, packed: boolean, stored: Node | null): void {
    if (this.#encodeHead(out, packed, stored)) this.#inner.encode(out, packed, stored!, 0);
  }

  override attach(ledger: Ledger, out: Encoder, packed: boolean, stored: Node | null): number {
    if (this.#encodeHead(out, packed, stored)) this.#inner.attach(ledger, out, packed, stored!, 0);
    return 0;
  }

  #encodeHead(out: Encoder, packed: boolean, stored: Node | null): boolean {
    out.byte(stored === null ? 0 : 1);
    if (stored === null && !packed) out.zeros(this.#inner.slotBytes);
    return stored !== null;
  }

  override decode(reader: Reader, packed: boolean, loader: Loader, holder: Node, index: number): Node | null {
    const discriminant = reader.byte();
    if (discriminant > 1) throw new Malformed(`${discriminant} is neither None nor Some`);
    if (discriminant === 1) return this.#inner.decode(reader, packed, loader, holder, index);
    if (!packed) reader.zeros(this.#inner.slotBytes);
    return null;
  }

  override extent(stored: Node | null): number {
    return stored === null ? 1 : 1 + this.#inner.extent(stored);
  }
}

/** What lies behind a pointer of its own. */
export abstract class ContentType<N extends ContentNode> extends NodeType<N> {
  /** An empty object. */
  protected abstract create(): N;
  /** Fills a new object. */
  protected abstract fill(node: N, input: unknown): void;

  override get isOptional(): boolean {
    return true;
  }

  override make(input: unknown): N {
    if (input instanceof Node && input.$type === this) {
      claim(input);
      return input as N;
    }
    const node = this.create();
    this.fill(node, input);
    return node;
  }

  override zero(): N {
    return this.create();
  }

  /** An empty object of the file, in its place. */
  protected settled(loader: Loader, holder: Node, index: number): N {
    return settle(this.create(), loader, holder, index);
  }

  override decode(reader: Reader, packed: boolean, loader: Loader, holder: Node, index: number): N {
    const node = this.settled(loader, holder, index);
    node.$id = decodePointer(reader, packed);
    if (node.$id !== 0) loader.enqueue(node);
    return node;
  }
}

export class VecType extends ContentType<Vec> {
  protected readonly element: () => Type;
  readonly #isPacked: boolean;

  constructor(slotBytes: number, element: () => Type, isPacked: boolean) {
    super(slotBytes);
    this.element = element;
    this.#isPacked = isPacked;
  }

  protected override create(): Vec {
    return new Vec(this, this.element(), this.#isPacked);
  }

  protected override fill(node: Vec, input: unknown): void {
    node.$fill(inputsOf(input));
  }
}

export class MapType extends ContentType<KladdeMap> {
  readonly #key: Type;
  readonly #value: () => Type;
  readonly #isSorted: boolean;

  constructor(model: MapModel, compile: Compile) {
    super(model.slotBytes);
    this.#key = compile(model.key);
    this.#value = () => compile(model.value);
    this.#isSorted = model.kind === "sortedMap";
  }

  protected override create(): KladdeMap {
    const Class = this.#isSorted ? SortedMap : KladdeMap;
    return new Class(this, this.#key, this.#value());
  }

  protected override fill(node: KladdeMap, input: unknown): void {
    for (const [key, value] of pairsOf(input)) node.$fillPair(key, value);
  }
}

export class SetType extends ContentType<KladdeSet> {
  readonly #key: Type;
  readonly #unit: PlainType<undefined>;

  constructor(slotBytes: number, key: Type, unit: PlainType<undefined>) {
    super(slotBytes);
    this.#key = key;
    this.#unit = unit;
  }

  protected override create(): KladdeSet {
    return new KladdeSet(this, this.#key, this.#unit);
  }

  protected override fill(node: KladdeSet, input: unknown): void {
    for (const [at, value] of inputsOf(input).entries()) {
      try {
        node.$fill(this.#key.make(value), undefined);
      } catch (cause) {
        throw blame(cause, `[${at}]`);
      }
    }
  }
}

export class TextNodeType extends ContentType<TextNode> {
  protected override create(): TextNode {
    return new TextNode(this);
  }

  protected override fill(node: TextNode, input: unknown): void {
    node.$fill(wellFormed(input));
  }

  /** A string has no empty value of its own: leaving it out is a mistake. */
  override get isOptional(): boolean {
    return false;
  }
}

export class BytesType extends ContentType<BytesNode> {
  protected override create(): BytesNode {
    return new BytesNode(this);
  }

  protected override fill(node: BytesNode, input: unknown): void {
    node.$fill(bytesOf(input));
  }

  override get isOptional(): boolean {
    return false;
  }
}

export class BoxType extends ContentType<BoxNode> {
  override readonly isCell = true;
  readonly #content: () => Type;
  readonly #isPacked: boolean;

  constructor(model: BoxModel, compile: Compile) {
    super(model.slotBytes);
    this.#content = () => compile(model.element);
    this.#isPacked = model.packed;
  }

  /** What came out of a list of boxes goes back into one with its box, and keeps its allocations. */
  override make(input: unknown): BoxNode {
    const box = input instanceof Node ? input.$parent : null;
    return super.make(box instanceof BoxNode && box.$type === this && isLooseBox(box) ? box : input);
  }

  override read(stored: BoxNode): unknown {
    return stored.$value;
  }

  protected override create(): BoxNode {
    return new BoxNode(this, this.#content(), this.#isPacked);
  }

  protected override fill(node: BoxNode, input: unknown): void {
    if (input !== null && input !== undefined) node.$fill(this.#content().make(input));
  }
}
