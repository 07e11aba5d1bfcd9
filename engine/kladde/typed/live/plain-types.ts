/** Types whose values are primitives inside their place: booleans, characters, units, names and foreign bytes; numbers lie in number-types.ts. */

import type { EnumModel, OneOfModel, OpaqueModel } from "../schema/model.ts";
import type { Encoder } from "./encoder.ts";
import { describe, rangeMistake, typeMistake } from "./mistakes.ts";
import { Malformed, type Reader } from "./reader.ts";
import { Type } from "./type.ts";

export abstract class PlainType<Stored> extends Type<Stored> {
  override readonly holding = "plain";

  abstract override decode(reader: Reader, packed: boolean): Stored;
}

export class BoolType extends PlainType<boolean> {
  override make(input: unknown): boolean {
    if (typeof input !== "boolean") throw typeMistake(`expected true or false, not ${describe(input)}`);
    return input;
  }

  override zero(): boolean {
    return false;
  }

  override encode(out: Encoder, _packed: boolean, value: boolean): void {
    out.byte(value ? 1 : 0);
  }

  override decode(reader: Reader): boolean {
    const byte = reader.byte();
    if (byte > 1) throw new Malformed(`a boolean is ${byte}`);
    return byte === 1;
  }
}

/** One code point. */
export class CharType extends PlainType<string> {
  override make(input: unknown): string {
    if (typeof input !== "string") throw typeMistake(`expected one character, not ${describe(input)}`);
    const isOne =
      input.length > 0 && String.fromCodePoint(input.codePointAt(0)!) === input && input.isWellFormed();
    if (!isOne) throw rangeMistake(`expected exactly one code point, not ${describe(input)}`);
    return input;
  }

  override zero(): string {
    return "\0";
  }

  override encode(out: Encoder, packed: boolean, value: string): void {
    if (packed) out.text(value);
    else out.u32(value.codePointAt(0)!);
  }

  override decode(reader: Reader, packed: boolean): string {
    if (packed) return reader.codePoint();
    const code = reader.u32();
    if (code > 0x10_ffff || (code >= 0xd800 && code < 0xe000))
      throw new Malformed(`${code} is no Unicode scalar value`);
    return String.fromCodePoint(code);
  }
}

export class UnitType extends PlainType<undefined> {
  override make(input: unknown): undefined {
    if (input !== undefined) throw typeMistake(`expected undefined, not ${describe(input)}`);
    return undefined;
  }

  override zero(): undefined {
    return undefined;
  }

  override get isOptional(): boolean {
    return true;
  }

  override encode(): void {}

  override decode(): undefined {
    return undefined;
  }
}

/** Writes a discriminant as an enum of `width` does. */
export function encodeDiscriminant(out: Encoder, packed: boolean, width: number, value: number): void {
  if (packed) {
    out.leb(value);
    return;
  }
  const from = out.at;
  out.zeros(width);
  for (let rest = value, at = from; rest > 0; rest = Math.floor(rest / 256)) out.bytes[at++] = rest % 256;
}

export function decodeDiscriminant(reader: Reader, packed: boolean, width: number): number {
  if (packed) return reader.leb(Number.MAX_SAFE_INTEGER);
  const from = reader.take(width);
  let value = 0;
  for (let at = from + width - 1; at >= from; at--) value = value * 256 + reader.bytes[at]!;
  return value;
}

/** An enum without fields, read as a string. */
export class OneOfType extends PlainType<string> {
  readonly #width: number;
  readonly #byName: ReadonlyMap<string, number>;
  readonly #byDiscriminant: ReadonlyMap<number, string>;

  constructor(model: OneOfModel | EnumModel) {
    super(model.slotBytes);
    this.#width = model.width;
    this.#byName = new Map(model.variants.map(({ name, discriminant }) => [name, discriminant]));
    this.#byDiscriminant = new Map(model.variants.map(({ name, discriminant }) => [discriminant, name]));
  }

  override make(input: unknown): string {
    if (typeof input === "string" && this.#byName.has(input)) return input;
    const names = [...this.#byName.keys()].map((name) => JSON.stringify(name)).join(", ");
    throw typeMistake(`expected one of ${names}, not ${describe(input)}`);
  }

  override zero(): string {
    const name = this.#byDiscriminant.get(0);
    if (name === undefined) throw typeMistake("needs an initial value: no variant has the discriminant 0");
    return name;
  }

  override encode(out: Encoder, packed: boolean, value: string): void {
    encodeDiscriminant(out, packed, this.#width, this.#byName.get(value)!);
  }

  override decode(reader: Reader, packed: boolean): string {
    const discriminant = decodeDiscriminant(reader, packed, this.#width);
    const name = this.#byDiscriminant.get(discriminant);
    if (name === undefined) throw new Malformed(`${discriminant} is the discriminant of no variant`);
    return name;
  }
}

/** Bytes that only the application's codec understands; pointers in them are not seen. */
export class OpaqueType extends PlainType<unknown> {
  readonly #codec: OpaqueModel["codec"];

  constructor(model: OpaqueModel) {
    super(model.slotBytes);
    this.#codec = model.codec;
  }

  override make(input: unknown): unknown {
    return input;
  }

  override zero(): unknown {
    return this.#codec.decode(new Uint8Array(this.slotBytes));
  }

  /** An object that is stored again may have changed meanwhile. */
  override isEqual(old: unknown, next: unknown): boolean {
    return Object.is(old, next) && (typeof old !== "object" || old === null);
  }

  override encode(out: Encoder, _packed: boolean, value: unknown): void {
    const bytes = new Uint8Array(this.slotBytes);
    this.#codec.encode(value, bytes);
    out.raw(bytes);
  }

  override decode(reader: Reader): unknown {
    const at = reader.take(this.slotBytes);
    return this.#codec.decode(reader.bytes.slice(at, at + this.slotBytes));
  }
}

/** None or a plain value: `null` stands for none. */
export class PlainOptionType extends PlainType<unknown> {
  readonly #inner: PlainType<unknown>;

  constructor(slotBytes: number, inner: PlainType<unknown>) {
    super(slotBytes);
    this.#inner = inner;
  }

  override make(input: unknown): unknown {
    return input === null ? null : this.#inner.make(input);
  }

  override zero(): null {
    return null;
  }

  override get isOptional(): boolean {
    return true;
  }

  override isEqual(old: unknown, next: unknown): boolean {
    return old === null || next === null ? old === next : this.#inner.isEqual(old, next);
  }

  override encode(out: Encoder, packed: boolean, value: unknown): void {
    out.byte(value === null ? 0 : 1);
    if (value !== null) this.#inner.encode(out, packed, value, 0);
    else if (!packed) out.zeros(this.#inner.slotBytes);
  }

  override decode(reader: Reader, packed: boolean): unknown {
    const discriminant = reader.byte();
    if (discriminant > 1) throw new Malformed(`${discriminant} is neither None nor Some`);
    if (discriminant === 1) return this.#inner.decode(reader, packed);
    if (!packed) reader.zeros(this.#inner.slotBytes);
    return null;
  }

  override extent(stored: unknown): number {
    return stored === null ? 1 : this.slotBytes;
  }
}
