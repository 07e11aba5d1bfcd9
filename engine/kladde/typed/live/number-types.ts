/** Types of numbers: integers as numbers or bigints, and floats. */

import { unzigzag, unzigzagBig, zigzag, zigzagBig } from "../../../codec/zigzag.ts";
import type { NumberModel } from "../schema/model.ts";
import type { Encoder } from "./encoder.ts";
import { describe, rangeMistake, typeMistake } from "./mistakes.ts";
import { PlainType } from "./plain-types.ts";
import { type Reader, Unsuited } from "./reader.ts";

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
    else out.bigLeb(zigzagBig(BigInt(value)));
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
    return this.#narrow(this.#low === 0 ? value : unzigzagBig(value));
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

  #unsafe(): Unsuited {
    return new Unsuited(
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
      out.bigLeb(this.#low === 0n ? value : zigzagBig(value));
      return;
    }
    const at = out.room(8);
    out.numbers.setBigUint64(at, BigInt.asUintN(64, value), true);
  }

  override decode(reader: Reader, packed: boolean): bigint {
    if (packed) {
      const value = reader.bigLeb();
      return this.#low === 0n ? value : unzigzagBig(value);
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
