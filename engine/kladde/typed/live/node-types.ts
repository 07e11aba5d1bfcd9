/** What types of live objects share, and options of them. Structs: struct-types.ts; containers: content-types.ts. */

import type { TypeModel } from "../schema/model.ts";
import type { Encoder } from "./encoder.ts";
import type { Ledger } from "./ledger.ts";
import type { Loader } from "./loader.ts";
import { type Node, place } from "./node.ts";
import { Malformed, type Reader } from "./reader.ts";
import { Type } from "./type.ts";

export type Compile = (model: TypeModel) => Type;

export abstract class NodeType<N extends Node> extends Type<N> {
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
export function settle<N extends Node>(node: N, loader: Loader, holder: Node, index: number): N {
  node.$doc = loader.ledger;
  place(node, holder, index);
  return node;
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
