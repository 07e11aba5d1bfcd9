/** Types of what lies behind a pointer: lists, maps, sets, texts, bytes and boxes. */

import type { BoxModel, MapModel } from "../schema/model.ts";
import { BoxNode } from "./box-node.ts";
import { BytesNode, bytesOf } from "./bytes-node.ts";
import type { ContentNode } from "./content-node.ts";
import type { Loader } from "./loader.ts";
import { KladdeMap, pairsOf } from "./map.ts";
import { blame } from "./mistakes.ts";
import { claim, isLooseBox, Node } from "./node.ts";
import { type Compile, NodeType, settle } from "./node-types.ts";
import type { PlainType } from "./plain-types.ts";
import type { Reader } from "./reader.ts";
import { KladdeSet } from "./set.ts";
import { SortedMap } from "./sorted-map.ts";
import { TextNode } from "./text-node.ts";
import { decodePointer, wellFormed } from "./text-types.ts";
import type { Type } from "./type.ts";
import { inputsOf, Vec } from "./vec.ts";

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
