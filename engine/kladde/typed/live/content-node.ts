/**
 * A live object with an allocation of its own: a pointer in its place, content behind it.
 *
 *  (1) `$id` 0: never had content. An emptied container keeps its allocation.
 *  (2) The allocation is made with the first content, in the same mutation.
 */

import type { Encoder } from "./encoder.ts";
import type { Ledger } from "./ledger.ts";
import { Node } from "./node.ts";
import { inspectKey, inspectNode } from "./show.ts";
import type { Patch } from "./small.ts";
import { encodePointer } from "./text-types.ts";
import type { Type } from "./type.ts";

export abstract class ContentNode extends Node {
  $id = 0;
  readonly #type: Type;

  constructor(type: Type) {
    super();
    this.#type = type;
  }

  override get $type(): Type {
    return this.#type;
  }

  /** Whether there is anything to record for a new allocation. */
  abstract $isEmpty(): boolean;
  /** Encodes the content; whatever it points to becomes part of `ledger`'s file. */
  abstract $attachContent(ledger: Ledger, out: Encoder): void;

  override $allocationAt(_index: number): number {
    return this.$id;
  }

  override $patch(ledger: Ledger, patch: Patch): void {
    this.$patchContent(ledger, patch);
  }

  /** Records a change of the content; `size` is its bytes, where they are known. */
  $patchContent({ store }: Ledger, { offset, removed, bytes }: Patch, size = -1): void {
    const isTail = offset + removed === size;
    if (isTail && bytes.length === 0) store.resize(this.$id, offset);
    else if (bytes.length === removed || (isTail && bytes.length > removed))
      store.write(this.$id, offset, bytes);
    else store.splice(this.$id, offset, removed, bytes);
  }

  override $encode(out: Encoder, packed: boolean): void {
    encodePointer(out, packed, this.$id);
  }

  override $attach(ledger: Ledger, out: Encoder, packed: boolean): void {
    if (this.$id !== 0) ledger.reviveTree(this);
    else {
      ledger.noteAttached(this, false);
      if (!this.$isEmpty()) {
        this.$id = ledger.store.newId();
        ledger.enqueue(this);
      } else this.$attachContent(ledger, out);
    }
    encodePointer(out, packed, this.$id);
  }

  override $writeContent(ledger: Ledger): void {
    const out = ledger.content.clear();
    this.$attachContent(ledger, out);
    ledger.store.write(this.$id, 0, out.view());
  }

  override $collectIds(into: number[]): void {
    into.push(this.$id);
  }

  override $clearIds(): void {
    this.$id = 0;
  }

  override $restoreIds(from: readonly number[], at: number): number {
    this.$id = from[at]!;
    return at + 1;
  }

  static {
    Object.defineProperty(ContentNode.prototype, inspectKey, { value: inspectNode });
  }
}
