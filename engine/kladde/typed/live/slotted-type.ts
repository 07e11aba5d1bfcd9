/** A type that keeps its slot also where everything around it is packed. */

import type { Encoder } from "./encoder.ts";
import type { Ledger } from "./ledger.ts";
import type { Loader } from "./loader.ts";
import type { Node } from "./node.ts";
import type { Reader } from "./reader.ts";
import { type Holding, Type } from "./type.ts";

export class SlottedType extends Type {
  override readonly holding: Holding;
  override readonly shift: number;
  override readonly isCell: boolean;
  readonly #inner: Type;

  constructor(inner: Type) {
    super(inner.slotBytes);
    this.#inner = inner;
    this.holding = inner.holding;
    this.shift = inner.shift;
    this.isCell = inner.isCell;
  }

  override get forcesSlot(): boolean {
    return true;
  }

  override get isStable(): boolean {
    return this.#inner.isStable;
  }

  override get isOptional(): boolean {
    return this.#inner.isOptional;
  }

  override make(input: unknown): unknown {
    return this.#inner.make(input);
  }

  override zero(): unknown {
    return this.#inner.zero();
  }

  override read(stored: unknown): unknown {
    return this.#inner.read(stored);
  }

  override isEqual(old: unknown, next: unknown): boolean {
    return this.#inner.isEqual(old, next);
  }

  override textOf(stored: unknown): string {
    return this.#inner.textOf(stored);
  }

  override encode(out: Encoder, _packed: boolean, stored: unknown, id: number): void {
    this.#inner.encode(out, false, stored, id);
  }

  override attach(ledger: Ledger, out: Encoder, _packed: boolean, stored: unknown, id: number): number {
    return this.#inner.attach(ledger, out, false, stored, id);
  }

  override decode(reader: Reader, _packed: boolean, loader: Loader, holder: Node, index: number): unknown {
    return this.#inner.decode(reader, false, loader, holder, index);
  }

  override extent(stored: unknown): number {
    return this.#inner.extent(stored);
  }
}
