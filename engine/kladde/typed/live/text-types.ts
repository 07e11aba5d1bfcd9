/**
 * Types whose values are primitives with an allocation of their own: strings and JSON values, and options of them.
 *
 * A holder keeps the value, the allocation's id and its bytes; a place holds a pointer. 0 is the empty text.
 */

import type { Encoder } from "./encoder.ts";
import type { Ledger } from "./ledger.ts";
import type { Loader } from "./loader.ts";
import { describe, typeMistake } from "./mistakes.ts";
import type { Node } from "./node.ts";
import { decodeText, Malformed, type Reader, Unsuited } from "./reader.ts";
import { Type } from "./type.ts";

const pointerMax = 0xffff_ffff;

export function encodePointer(out: Encoder, packed: boolean, id: number): void {
  if (packed) out.leb(id);
  else out.u32(id);
}

export const decodePointer = (reader: Reader, packed: boolean): number =>
  packed ? reader.leb(pointerMax) : reader.u32();

/** A well-formed string. Throws `TypeError`. */
export function wellFormed(input: unknown): string {
  if (typeof input !== "string") throw typeMistake(`expected a string, not ${describe(input)}`);
  if (!input.isWellFormed())
    throw typeMistake(
      "the string has a lone surrogate, which UTF-8 cannot hold; use toWellFormed() to replace it",
    );
  return input;
}

export abstract class TextType<Stored> extends Type<Stored> {
  override readonly holding = "text";

  /** What lies in the allocation. */
  abstract override textOf(stored: Stored): string;
  protected abstract parse(text: string): Stored;

  override fillsAllocation(stored: Stored): boolean {
    return stored !== null;
  }

  override encode(out: Encoder, packed: boolean, _stored: Stored, id: number): void {
    encodePointer(out, packed, id);
  }

  override attach(ledger: Ledger, out: Encoder, packed: boolean, stored: Stored, id: number): number {
    const own = id === 0 ? ledger.writeText(this.textOf(stored)) : id;
    encodePointer(out, packed, own);
    return own;
  }

  /** A text with an allocation is empty until the loader has read it. */
  override decode(reader: Reader, packed: boolean, loader: Loader, holder: Node, index: number): Stored {
    return this.decodeAt(decodePointer(reader, packed), loader, holder, index);
  }

  /** The text in allocation `id`; there is none up to 0. */
  protected decodeAt(id: number, loader: Loader, holder: Node, index: number): Stored {
    loader.textId = id;
    loader.textBytes = 0;
    if (id > 0) {
      if (holder.$readsTextsLate(index)) loader.readLate(this, holder, index, id);
      else {
        const bytes = loader.readLeaf(id);
        loader.textBytes = bytes.length;
        return this.parseBytes(bytes);
      }
    }
    return this.parse("");
  }

  /** What the content of an allocation says. */
  parseBytes(bytes: Uint8Array): Stored {
    return this.parse(decodeText(bytes, 0, bytes.length));
  }
}

export class StringType extends TextType<string> {
  override make(input: unknown): string {
    return wellFormed(input);
  }

  override zero(): string {
    return "";
  }

  override textOf(stored: string): string {
    return stored;
  }

  protected override parse(text: string): string {
    return text;
  }
}

/** A value as JSON text, parsed once and frozen. */
export class JsonType extends TextType<unknown> {
  override make(input: unknown): unknown {
    const text = toJson(input);
    if (!text.isWellFormed())
      throw typeMistake("the JSON text has a lone surrogate, which UTF-8 cannot hold");
    return freeze(JSON.parse(text));
  }

  override zero(): null {
    return null;
  }

  override isEqual(old: unknown, next: unknown): boolean {
    return JSON.stringify(old) === JSON.stringify(next);
  }

  /** Null is the empty text, so that an empty place needs no allocation. */
  override textOf(stored: unknown): string {
    return stored === null ? "" : JSON.stringify(stored);
  }

  protected override parse(text: string): unknown {
    if (text === "") return null;
    try {
      return freeze(JSON.parse(text));
    } catch (cause) {
      if (cause instanceof SyntaxError) throw new Unsuited(`the JSON text does not parse: ${cause.message}`);
      throw cause;
    }
  }
}

function toJson(input: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(input);
  } catch (cause) {
    throw typeMistake(`cannot be written as JSON: ${(cause as Error).message}`);
  }
  if (text === undefined) throw typeMistake(`${describe(input)} cannot be written as JSON`);
  return text;
}

function freeze(value: unknown): unknown {
  const stack = [value];
  while (stack.length > 0) {
    const next = stack.pop();
    if (typeof next !== "object" || next === null) continue;
    Object.freeze(next);
    for (const below of Object.values(next)) stack.push(below);
  }
  return value;
}

/** None or a text: `null` stands for none. */
export class TextOptionType extends TextType<unknown> {
  readonly inner: Type;
  override readonly shift = 1;

  constructor(slotBytes: number, inner: Type) {
    super(slotBytes);
    this.inner = inner;
  }

  override make(input: unknown): unknown {
    return input === null ? null : this.inner.make(input);
  }

  override zero(): null {
    return null;
  }

  override get isOptional(): boolean {
    return true;
  }

  override isEqual(old: unknown, next: unknown): boolean {
    return old === null || next === null ? old === next : this.inner.isEqual(old, next);
  }

  override textOf(stored: unknown): string {
    return stored === null ? "" : this.inner.textOf(stored);
  }

  protected override parse(): never {
    throw new Malformed("an option has no text");
  }

  override fillsAllocation(stored: unknown): boolean {
    return stored !== null && this.inner.fillsAllocation(stored);
  }

  override encode(out: Encoder, packed: boolean, stored: unknown, id: number): void {
    out.byte(stored === null ? 0 : 1);
    if (stored !== null) this.inner.encode(out, packed, stored, id);
    else if (!packed) out.zeros(this.inner.slotBytes);
  }

  override attach(ledger: Ledger, out: Encoder, packed: boolean, stored: unknown, id: number): number {
    if (stored !== null) {
      out.byte(1);
      return this.inner.attach(ledger, out, packed, stored, id);
    }
    this.encode(out, packed, null, 0);
    ledger.textBytes = 0;
    return 0;
  }

  override decode(reader: Reader, packed: boolean, loader: Loader, holder: Node, index: number): unknown {
    const discriminant = reader.byte();
    if (discriminant > 1) throw new Malformed(`${discriminant} is neither None nor Some`);
    if (discriminant === 1) return this.inner.decode(reader, packed, loader, holder, index);
    if (!packed) reader.zeros(this.inner.slotBytes);
    loader.textId = 0;
    loader.textBytes = 0;
    return null;
  }

  override extent(stored: unknown): number {
    return stored === null ? 1 : this.slotBytes;
  }
}
