/**
 * A live struct, tuple or variant: its fields are its places.
 *
 *  (1) It has no allocation of its own: its bytes are part of whatever holds it.
 *  (2) `$prefix` holds where fields begin, from the start of the value, and its end, if it is packed; null: in a slot.
 *  (3) `$text` holds allocation and UTF-8 bytes of each text field.
 */

import { assert } from "../../../errors.ts";
import type { Encoder } from "./encoder.ts";
import { type Layout, packedHeadBytes } from "./layout.ts";
import type { Ledger } from "./ledger.ts";
import type { Loader } from "./loader.ts";
import { baseOf, Node, noText, place } from "./node.ts";
import { encodeDiscriminant } from "./plain-types.ts";
import type { Reader } from "./reader.ts";
import { Malformed } from "./reader.ts";
import type { Patch } from "./small.ts";
import type { Type } from "./type.ts";

const slotNames = Array.from({ length: 32 }, (_, at) => `$${at}`);
const slotName = (index: number): string => slotNames[index] ?? `$${index}`;

export abstract class StructNode extends Node {
  $text: number[] | null = null;
  $prefix: number[] | null = null;
  /** On the prototype of every class made of a schema. */
  declare readonly $layout: Layout;

  $get(index: number): unknown {
    return (this as Record<string, unknown>)[slotName(index)];
  }

  $put(index: number, value: unknown): void {
    (this as Record<string, unknown>)[slotName(index)] = value;
  }

  /** Puts a value into a new object: a node becomes its child. */
  $init(index: number, stored: unknown): void {
    this.$put(index, stored);
    if (stored instanceof Node) place(stored, this, index);
  }

  override $valueAt(index: number): unknown {
    return this.$get(index);
  }

  override $typeAt(index: number): Type {
    return this.$layout.fields[index]!.type;
  }

  override $allocationAt(_index: number): number {
    return (this.$parent as Node).$allocationAt(this.$index);
  }

  override $offsetAt(index: number): number {
    const within = this.$prefix === null ? this.$layout.fields[index]!.offset : this.$prefix[index]!;
    return baseOf(this) + within;
  }

  override $isPacked(): boolean {
    return this.$prefix !== null;
  }

  override $stepAt(index: number): string {
    const { property } = this.$layout.fields[index]!;
    return /^[0-9]/.test(property) ? `[${property}]` : `.${property}`;
  }

  override $storeAt(index: number, value: unknown, id: number, bytes: number): void {
    this.$put(index, value);
    const { textAt } = this.$layout.fields[index]!;
    if (textAt < 0) return;
    this.$text![textAt] = id;
    this.$text![textAt + 1] = bytes;
  }

  override $idAt(index: number): number {
    const { textAt } = this.$layout.fields[index]!;
    return textAt < 0 ? 0 : this.$text![textAt]!;
  }

  override $bytesAt(index: number): number {
    const { textAt } = this.$layout.fields[index]!;
    return textAt < 0 ? noText() : this.$text![textAt + 1]!;
  }

  override $shiftAt(index: number, delta: number): void {
    const prefix = this.$prefix!;
    for (let at = index + 1; at < prefix.length; at++) prefix[at]! += delta;
    (this.$parent as Node).$shiftAt(this.$index, delta);
  }

  override $patch(ledger: Ledger, patch: Patch): void {
    (this.$parent as Node).$patch(ledger, patch);
  }

  override $encode(out: Encoder, packed: boolean): void {
    const { fields } = this.$layout;
    const from = this.#encodeHead(out, packed);
    for (let at = 0; at < fields.length; at++)
      fields[at]!.type.encode(out, packed, this.$get(at), this.$idAt(at));
    if (!packed) this.#pad(out, from);
  }

  override $attach(ledger: Ledger, out: Encoder, packed: boolean): void {
    const { fields } = this.$layout;
    ledger.noteAttached(this, this.$text?.some((entry, at) => at % 2 === 0 && entry !== 0) === true);
    const from = this.#encodeHead(out, packed);
    const prefix: number[] | null = packed ? [] : null;
    for (let at = 0; at < fields.length; at++) {
      const { type, textAt } = fields[at]!;
      prefix?.push(out.at - from);
      if (textAt < 0) type.attach(ledger, out, packed, this.$get(at), 0);
      else this.#attachText(ledger, out, packed, at, textAt);
    }
    prefix?.push(out.at - from);
    this.$prefix = prefix;
    if (!packed) this.#pad(out, from);
  }

  #attachText(ledger: Ledger, out: Encoder, packed: boolean, at: number, textAt: number): void {
    const text = this.$text!;
    const before = text[textAt]!;
    const id = this.$layout.fields[at]!.type.attach(ledger, out, packed, this.$get(at), before);
    if (before !== 0) return;
    text[textAt] = id;
    text[textAt + 1] = ledger.textBytes;
  }

  #encodeHead(out: Encoder, packed: boolean): number {
    const from = out.at;
    const { head } = this.$layout;
    if (head === null) return from;
    encodeDiscriminant(out, packed, head.width, head.value);
    return from;
  }

  #pad(out: Encoder, from: number): void {
    const missing = from + this.$layout.slotBytes - out.at;
    if (missing > 0) out.zeros(missing);
  }

  /** Fills a new object from `reader`, which stands behind the discriminant. */
  $decode(reader: Reader, packed: boolean, loader: Loader): void {
    const { fields, head, slotBytes, usedBytes } = this.$layout;
    const headBytes = packed ? packedHeadBytes(head) : (head?.width ?? 0);
    const from = reader.at - headBytes;
    const prefix: number[] | null = packed ? [] : null;
    for (let at = 0; at < fields.length; at++) {
      const { type, textAt } = fields[at]!;
      prefix?.push(reader.at - from);
      loader.at(this, at);
      this.$put(at, type.decode(reader, packed, loader, this, at));
      if (textAt < 0) continue;
      this.$text![textAt] = loader.textId;
      this.$text![textAt + 1] = loader.textBytes;
    }
    prefix?.push(reader.at - from);
    this.$prefix = prefix;
    if (packed || usedBytes === slotBytes) return;
    if (reader.at - from !== usedBytes) throw new Malformed("a variant ends early");
    reader.zeros(slotBytes - usedBytes);
  }

  override $writeContent(): void {
    assert(false, "a struct has no allocation of its own");
  }

  override $load(): void {
    assert(false, "a struct has no allocation of its own");
  }

  override $remeasure(encoder: Encoder): void {
    const holder = this.$parent as Node;
    const isPacked = holder.$isPacked() && !holder.$typeAt(this.$index).forcesSlot;
    this.$prefix = null;
    if (!isPacked) return;
    const { fields } = this.$layout;
    const from = this.#encodeHead(encoder.clear(), true);
    const prefix: number[] = [];
    for (let at = 0; at < fields.length; at++) {
      prefix.push(encoder.at - from);
      fields[at]!.type.encode(encoder, true, this.$get(at), this.$idAt(at));
    }
    prefix.push(encoder.at - from);
    this.$prefix = prefix;
  }

  override $collectIds(into: number[]): void {
    const text = this.$text;
    if (text === null) return;
    for (let at = 0; at < text.length; at += 2) into.push(text[at]!);
  }

  override $clearIds(): void {
    const text = this.$text;
    if (text === null) return;
    for (let at = 0; at < text.length; at += 2) text[at] = 0;
  }

  override $restoreIds(from: readonly number[], start: number): number {
    const text = this.$text;
    if (text === null) return start;
    for (let at = 0; at < text.length; at += 2) text[at] = from[start + at / 2]!;
    return start + text.length / 2;
  }

  override $pushChildren(stack: Node[]): void {
    const { fields } = this.$layout;
    for (let at = 0; at < fields.length; at++) {
      if (fields[at]!.type.holding !== "node") continue;
      const child = this.$get(at);
      if (child instanceof Node) stack.push(child);
    }
  }

  override $toPlain(toPlain: (value: unknown) => unknown): Record<string, unknown> | unknown[] {
    const { fields, tag, isTuple } = this.$layout;
    if (isTuple) return fields.map(({ type }, at) => toPlain(type.read(this.$get(at))));
    const plain: Record<string, unknown> = tag === null ? {} : { [tag.property]: tag.value };
    for (let at = 0; at < fields.length; at++) {
      const { property, type } = fields[at]!;
      plain[property] = toPlain(type.read(this.$get(at)));
    }
    return plain;
  }

  override $shown(): { readonly plain: unknown; readonly name: string } {
    const plain = this.$toPlain((value) => value);
    if (this.$layout.isTuple) return { plain, name: "KTuple" };
    // What a class adds is shown too, what objects keep for themselves is not.
    for (const [key, value] of Object.entries(this))
      if (!key.startsWith("$")) (plain as Record<string, unknown>)[key] = value;
    return { plain, name: this.$layout.name };
  }
}
