/**
 * A compiled type: how values of it are checked, stored, encoded and decoded.
 *
 *  (1) What a holder stores is a primitive (`plain`), a string-like primitive whose bytes lie in an allocation of their own
 *      (`text`), or a node (`node`; null where the type allows it).
 *  (2) `make` runs before anything is recorded, and is the only step that may refuse a value.
 *  (3) Encodings are canonical; `decode` accepts nothing else.
 */

import { assert } from "../../../errors.ts";
import type { Encoder } from "./encoder.ts";
import type { Ledger } from "./ledger.ts";
import type { Loader } from "./loader.ts";
import type { Node } from "./node.ts";
import type { Reader } from "./reader.ts";

export type Holding = "plain" | "text" | "node";

export abstract class Type<Stored = unknown> {
  /** Bytes of a slot; −1 if the type has only a packed form. */
  readonly slotBytes: number;
  abstract readonly holding: Holding;
  /** Bytes between the start of a place and the node in it. */
  readonly shift: number = 0;

  /** Whether a place always holds the same node, changed from within, unless another one is stored. */
  get isStable(): boolean {
    return this.holding === "node";
  }

  /** Whether the stored node is a box, which the application does not see. */
  readonly isCell: boolean = false;

  constructor(slotBytes: number) {
    this.slotBytes = slotBytes;
  }

  /** What a holder stores for `input`. Throws `TypeError` or `RangeError`; nodes among the input are claimed. */
  abstract make(input: unknown): Stored;

  /** The value of a new place. Throws `TypeError` if the type has none. */
  abstract zero(): Stored;

  /** Whether the value lies in a slot also where everything around it is packed. */
  get forcesSlot(): boolean {
    return false;
  }

  /** Whether a plain object may leave the value out. */
  get isOptional(): boolean {
    return false;
  }

  /** What the application sees of a stored value. */
  read(stored: Stored): unknown {
    return stored;
  }

  /** Whether storing `next` over `old` changes nothing. */
  isEqual(old: Stored, next: Stored): boolean {
    return Object.is(old, next);
  }

  /** What lies in the allocation of a text. */
  textOf(_stored: Stored): string {
    assert(false, "only texts have an allocation of their own");
    return "";
  }

  /** Whether a text that has an allocation stays in it when it becomes `stored`. */
  fillsAllocation(_stored: Stored): boolean {
    return false;
  }

  /** Encodes a stored value; `id` is the allocation of a text. */
  abstract encode(out: Encoder, packed: boolean, stored: Stored, id: number): void;

  /**
   * Encodes a stored value that becomes part of a file, and records what lies in allocations of its own or queues it.
   * Returns the allocation of a text, with its bytes in `ledger.textBytes`; `id` is one it has already.
   */
  attach(_ledger: Ledger, out: Encoder, packed: boolean, stored: Stored, id: number): number {
    this.encode(out, packed, stored, id);
    return id;
  }

  /** The next value; a text leaves its allocation in `loader.textId`, a node becomes a child of `holder`. */
  abstract decode(reader: Reader, packed: boolean, loader: Loader, holder: Node, index: number): Stored;

  /** Bytes of the slot that a stored value uses; zeros follow. */
  extent(_stored: Stored): number {
    return this.slotBytes;
  }
}
