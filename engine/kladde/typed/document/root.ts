/**
 * The root of a document: one place at the front of an allocation of its own.
 *
 *  (1) A slotted root is exactly its slot long, a packed one exactly its encoding.
 */

import { assert } from "../../../errors.ts";
import type { Ledger } from "../live/ledger.ts";
import { Node, place } from "../live/node.ts";
import type { Type } from "../live/type.ts";
import type { Document } from "./document.ts";

export class RootNode extends Node {
  readonly document: Document;
  readonly #type: Type;
  readonly #id: number;
  #stored: unknown;
  #textId = 0;
  #textBytes = 0;

  constructor(document: Document, type: Type, id: number, ledger: Ledger) {
    super();
    this.document = document;
    this.#type = type;
    this.#id = id;
    this.$doc = ledger;
  }

  /** Takes the value that was made or loaded. */
  fill(stored: unknown, textId: number, textBytes: number): void {
    this.#stored = stored;
    this.#textId = textId;
    this.#textBytes = textBytes;
    if (stored instanceof Node) place(stored, this, 0);
  }

  override get $type(): Type {
    return this.#type;
  }

  override $valueAt(_index: number): unknown {
    return this.#stored;
  }

  override $typeAt(_index: number): Type {
    return this.#type;
  }

  override $allocationAt(_index: number): number {
    return this.#id;
  }

  override $offsetAt(_index: number): number {
    return 0;
  }

  override $isPacked(): boolean {
    return this.#type.slotBytes < 0;
  }

  override $stepAt(_index: number): string {
    return "";
  }

  override $storeAt(_index: number, value: unknown, id: number, bytes: number): void {
    this.#stored = value;
    this.#textId = id;
    this.#textBytes = bytes;
  }

  override $idAt(_index: number): number {
    return this.#textId;
  }

  override $bytesAt(_index: number): number {
    return this.#textBytes;
  }

  override $shiftAt(): void {}

  override $encode(): void {
    assert(false, "nothing holds the root");
  }

  override $attach(): void {
    assert(false, "nothing holds the root");
  }

  override $writeContent(): void {
    assert(false, "the root is written when it is made");
  }

  override $load(): void {
    assert(false, "the loader decodes the root itself");
  }

  override $collectIds(): void {}

  override $clearIds(): void {}

  override $restoreIds(_from: readonly number[], at: number): number {
    return at;
  }

  override $pushChildren(stack: Node[]): void {
    if (this.#stored instanceof Node) stack.push(this.#stored);
  }

  override $toPlain(toPlain: (value: unknown) => unknown): unknown {
    return toPlain(this.#type.read(this.#stored));
  }
}
