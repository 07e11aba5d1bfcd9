/** Types whose values are primitives inside their place: numbers, booleans, characters, units, names and foreign bytes. */

import type { EnumModel, NumberModel, OneOfModel, OpaqueModel } from "../schema/model.ts";
import type { Encoder } from "./encoder.ts";
import { describe, rangeMistake, typeMistake } from "./mistakes.ts";
import { Malformed, type Reader } from "./reader.ts";
import { Type } from "./type.ts";

export abstract class PlainType<Stored> extends Type<Stored> {
  override readonly holding = "plain";

  abstract override decode(reader: Reader, packed: boolean): Stored;
}

/** Lowest and highest value of each integer that is a number. */
const ranges = {
  u8: [0, 0xff],
  u16: [0, 0xffff],
  u32: [0, 0xffff_ffff],
  i8: [-0x80, 0x7f],
  i16: [-0x8000, 0x7fff],
  i32: [-0x8000_0000, 0x7fff_ffff],
  u64: [0, Number.MAX_SAFE_INTEGER],
  i64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
} as const;

type Integer = keyof typeof ranges;

const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);
const unzigzag = (value: number): number => (value % 2 === 1 ? -(value + 1) / 2 : value / 2);

/** Integers that are JavaScript numbers; −0 is stored as 0. */
export class IntegerType extends PlainType<number> {
  readonly #code: Integer;
  readonly #low: number;
  readonly #high: number;

  constructor(model: NumberModel) {
    super(model.slotBytes);
    this.#code = model.code as Integer;
    [this.#low, this.#high] = ranges[this.#code];
  }

  override make(input: unknown): number {
    if (typeof input !== "number")
      throw typeMistake(`expected a whole number (${this.#code}), not ${describe(input)}`);
    if (!Number.isInteger(input) || input < this.#low || input > this.#high)
      throw rangeMistake(`${input} is no whole number from ${this.#low} to ${this.#high} (${this.#code})`);
    return input + 0 === 0 ? 0 : input;
  }

  override zero(): number {
    return 0;
  }

  override encode(out: Encoder, packed: boolean, value: number): void {
    if (packed && this.slotBytes > 1) this.#encodePacked(out, value);
    else this.#encodeSlot(out, value);
  }

  #encodePacked(out: Encoder, value: number): void {
    if (this.#low === 0) out.leb(value);
    else if (Math.abs(value) < 2 ** 51) out.leb(zigzag(value));
    else out.bigLeb(value < 0 ? -2n * BigInt(value) - 1n : 2n * BigInt(value));
  }

  #encodeSlot(out: Encoder, value: number): void {
    const at = out.room(this.slotBytes);
    const { numbers } = out;
    switch (this.slotBytes) {
      case 1:
        numbers.setUint8(at, value);
        break;
      case 2:
        numbers.setUint16(at, value, true);
        break;
      case 4:
        numbers.setUint32(at, value, true);
        break;
      default:
        numbers.setUint32(at, value >>> 0, true);
        numbers.setInt32(at + 4, Math.floor(value / 2 ** 32), true);
    }
  }

  override decode(reader: Reader, packed: boolean): number {
    return packed && this.slotBytes > 1 ? this.#decodePacked(reader) : this.#decodeSlot(reader);
  }

  #decodePacked(reader: Reader): number {
    if (this.slotBytes < 8) {
      const most = 2 ** (8 * this.slotBytes) - 1;
      return this.#low === 0 ? reader.leb(most) : unzigzag(reader.leb(most));
    }
    const value = reader.bigLeb();
    return this.#narrow(this.#low === 0 ? value : value & 1n ? -((value + 1n) / 2n) : value / 2n);
  }

  #decodeSlot(reader: Reader): number {
    const at = reader.take(this.slotBytes);
    const { numbers } = reader;
    switch (this.#code) {
      case "u8":
        return numbers.getUint8(at);
      case "i8":
        return numbers.getInt8(at);
      case "u16":
        return numbers.getUint16(at, true);
      case "i16":
        return numbers.getInt16(at, true);
      case "u32":
        return numbers.getUint32(at, true);
      case "i32":
        return numbers.getInt32(at, true);
      case "u64":
        return this.#join(numbers.getUint32(at, true), numbers.getUint32(at + 4, true));
      default:
        return this.#join(numbers.getUint32(at, true), numbers.getInt32(at + 4, true));
    }
  }

  #join(low: number, high: number): number {
    const value = high * 2 ** 32 + low;
    if (!Number.isSafeInteger(value)) throw this.#unsafe();
    return value;
  }

  #narrow(value: bigint): number {
    const number = Number(value);
    if (!Number.isSafeInteger(number)) throw this.#unsafe();
    return number;
  }

  #unsafe(): Malformed {
    return new Malformed(
      `a 64-bit value is beyond 2^53 − 1, and the schema reads it as a number; read it as a bigint (k.${this.#code}())`,
    );
  }
}

/** 64-bit integers that are bigints. */
export class BigIntegerType extends PlainType<bigint> {
  readonly #code: "u64" | "i64";
  readonly #low: bigint;
  readonly #high: bigint;

  constructor(model: NumberModel) {
    super(8);
    this.#code = model.code as "u64" | "i64";
    this.#low = this.#code === "u64" ? 0n : -0x8000_0000_0000_0000n;
    this.#high = this.#code === "u64" ? 0xffff_ffff_ffff_ffffn : 0x7fff_ffff_ffff_ffffn;
  }

  override make(input: unknown): bigint {
    if (typeof input !== "bigint")
      throw typeMistake(
        `expected a bigint (${this.#code}), not ${describe(input)}; k.${this.#code}({ as: "number" }) takes numbers`,
      );
    if (input < this.#low || input > this.#high)
      throw rangeMistake(`${input} is not from ${this.#low} to ${this.#high} (${this.#code})`);
    return input;
  }

  override zero(): bigint {
    return 0n;
  }

  override encode(out: Encoder, packed: boolean, value: bigint): void {
    if (packed) {
      out.bigLeb(this.#low === 0n ? value : value < 0n ? -2n * value - 1n : 2n * value);
      return;
    }
    const at = out.room(8);
    out.numbers.setBigUint64(at, BigInt.asUintN(64, value), true);
  }

  override decode(reader: Reader, packed: boolean): bigint {
    if (packed) {
      const value = reader.bigLeb();
      return this.#low === 0n ? value : value & 1n ? -((value + 1n) / 2n) : value / 2n;
    }
    const at = reader.take(8);
    return this.#code === "u64"
      ? reader.numbers.getBigUint64(at, true)
      : reader.numbers.getBigInt64(at, true);
  }
}

/** NaN is written as the quiet NaN; −0 stays −0. f32 is rounded before it enters memory. */
export class FloatType extends PlainType<number> {
  override make(input: unknown): number {
    if (typeof input !== "number") throw typeMistake(`expected a number, not ${describe(input)}`);
    return this.slotBytes === 4 ? Math.fround(input) : input;
  }

  override zero(): number {
    return 0;
  }

  override encode(out: Encoder, _packed: boolean, value: number): void {
    const at = out.room(this.slotBytes);
    // Platforms may keep the payload of a NaN; the file has one NaN.
    const canonical = Number.isNaN(value) ? Number.NaN : value;
    if (this.slotBytes === 4) out.numbers.setFloat32(at, canonical, true);
    else out.numbers.setFloat64(at, canonical, true);
  }

  override decode(reader: Reader): number {
    const at = reader.take(this.slotBytes);
    return this.slotBytes === 4 ? reader.numbers.getFloat32(at, true) : reader.numbers.getFloat64(at, true);
  }
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
