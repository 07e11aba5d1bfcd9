/**
 * A list that lies inside the value around it while it is short.
 *
 *  (1) `$id` is 0 while the content is inline, `nowhere` if it is spilled and empty, else the allocation it spilled to.
 *  (2) Whatever changes the length of inline content changes its tag, and the length of all that encloses it: each level
 *      takes the change, makes its own encoding of it, and hands that up. What is recorded is the outermost one, once.
 *  (3) Going out and coming in again are steps of the ledger: memory takes them when the records are made, the innermost
 *      first. A list that lies inline passes on what the steps within it add; its own step adds only what is left then.
 *
 * Cost: a change that alters lengths encodes the content of each inline list around it, at most 254 bytes a level.
 */

import { lebLength } from "../../../codec/leb128.ts";
import { VecType } from "./content-types.ts";
import type { Encoder } from "./encoder.ts";
import type { Ledger } from "./ledger.ts";
import type { Loader } from "./loader.ts";
import { baseOf, type Node } from "./node.ts";
import type { Reader } from "./reader.ts";
import { inlineBytesMax, nowhere, type Patch, patched, spilledBytesMin, spilledTag } from "./small.ts";
import { encodePointer } from "./text-types.ts";
import type { Type } from "./type.ts";
import { Vec } from "./vec.ts";

export class SmallVec extends Vec {
  override $allocationAt(_index: number): number {
    return this.$id > 0 ? this.$id : (this.$parent as Node).$allocationAt(this.$index);
  }

  override $offsetAt(index: number): number {
    const within = this.$prefix![index]!;
    return this.$id > 0 ? within : baseOf(this) + 1 + within;
  }

  override $shiftAt(index: number, delta: number): void {
    super.$shiftAt(index, delta);
    if (this.$id === 0) (this.$parent as Node).$shiftAt(this.$index, delta);
  }

  override $encode(out: Encoder, packed: boolean): void {
    if (this.$id === 0) this.#encodeInline(out);
    else this.#encodeSpilled(out, packed);
  }

  #encodeInline(out: Encoder): void {
    const from = out.room(1);
    for (let at = 0; at < this.$values.length; at++)
      this.$element.encode(out, true, this.$values[at], this.$idAt(at));
    out.bytes[from] = out.at - from - 1;
  }

  #encodeSpilled(out: Encoder, packed: boolean): void {
    out.byte(spilledTag);
    encodePointer(out, packed, this.$id === nowhere ? 0 : this.$id);
  }

  override $attach(ledger: Ledger, out: Encoder, packed: boolean): void {
    if (this.$id !== 0) {
      ledger.reviveTree(this);
      this.#encodeSpilled(out, packed);
      return;
    }
    ledger.noteAttached(
      this,
      this.$ids.some((id) => id !== 0),
    );
    const from = out.room(1);
    this.$attachContent(ledger, out);
    const bytes = out.at - from - 1;
    if (bytes <= inlineBytesMax) {
      out.bytes[from] = bytes;
      return;
    }
    this.$id = ledger.store.newId();
    ledger.store.write(this.$id, 0, out.bytes.subarray(from + 1, out.at));
    out.at = from;
    this.#encodeSpilled(out, packed);
  }

  /** Fills a new list from the `bytes` that come next. */
  $decodeInline(reader: Reader, loader: Loader, bytes: number): void {
    const { end } = reader;
    reader.end = reader.take(bytes) + bytes;
    reader.at = reader.end - bytes;
    this.$decodeElements(reader, loader, false);
    reader.end = end;
  }

  override $recordSplice(
    ledger: Ledger,
    start: number,
    removed: number,
  ): { readonly id: number; readonly delta: number } {
    const bytes = ledger.out.view();
    const from = this.$prefix![start]!;
    const removedBytes = this.$prefix![start + removed]! - from;
    this.$patch(ledger, { offset: this.$offsetAt(start), removed: removedBytes, bytes });
    return { id: this.$id, delta: this.$id === 0 ? bytes.length - removedBytes : 0 };
  }

  override $patch(ledger: Ledger, patch: Patch): void {
    const { bytes, removed } = patch;
    const size = this.$prefix!.at(-1)!;
    const next = size + bytes.length - removed;
    if (this.$id > 0 && next >= spilledBytesMin) this.$patchContent(ledger, patch, size);
    else if (this.$id === 0 && next === size) (this.$parent as Node).$patch(ledger, patch);
    else this.#replace(ledger, size, patch);
  }

  /** Records the whole encoding again, and that the content goes out or comes in. */
  #replace(ledger: Ledger, size: number, patch: Patch): void {
    const before = this.$id;
    const base = baseOf(this);
    const start = before > 0 ? 0 : base + 1;
    const content = patched(this.#content(ledger), { ...patch, offset: patch.offset - start });
    const id = content.length <= inlineBytesMax ? 0 : ledger.store.newId();
    if (before > 0) ledger.retireAllocation(before);
    if (id !== 0) ledger.store.write(id, 0, content);
    const removed = before === 0 ? 1 + size : 1 + lebLength(Math.max(0, before));
    const encoded = new Uint8Array(id === 0 ? 1 + content.length : 1 + lebLength(id));
    const out = ledger.inline.clear();
    out.byte(id === 0 ? content.length : spilledTag);
    if (id === 0) out.raw(content);
    else encodePointer(out, true, id);
    encoded.set(out.view());
    if (id !== before) {
      // Inline content has told those around it how its length changed; of spilled content they do not know.
      const told = before === 0 ? 1 + content.length : removed;
      ledger.afterwards(this, id, encoded.length - told);
    }
    (this.$parent as Node).$patch(ledger, { offset: base, removed, bytes: encoded });
  }

  #content(ledger: Ledger): Uint8Array {
    const out = ledger.inline.clear();
    this.#encodeInline(out);
    return out.view().slice(1);
  }
}

export class SmallVecType extends VecType {
  constructor(slotBytes: number, element: () => Type) {
    super(slotBytes, element, true);
  }

  protected override create(): SmallVec {
    return new SmallVec(this, this.element(), true);
  }

  override decode(reader: Reader, packed: boolean, loader: Loader, holder: Node, index: number): SmallVec {
    const tag = reader.byte();
    if (tag === spilledTag) {
      const node = super.decode(reader, packed, loader, holder, index) as SmallVec;
      if (node.$id === 0) node.$id = nowhere;
      return node;
    }
    const node = this.settled(loader, holder, index) as SmallVec;
    node.$decodeInline(reader, loader, tag);
    return node;
  }
}
