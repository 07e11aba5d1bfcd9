import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type PrimitiveCode, primitiveCodes } from "../types/descriptor.ts";
import {
  readPacked,
  readSlotted,
  readVarint,
  type Scalar,
  scalarBytes,
  scalarFault,
  scalarNext,
} from "./scalars.ts";
import { arbitraryScalar, littleEndian, naiveScalar, naiveVarint } from "./testing/values.ts";

const codes = Object.values(primitiveCodes);
const packedBytesMax = [1, 3, 5, 10, 1, 3, 5, 10, 4, 8, 1, 4];

/** The value, with what surrounds it left alone. */
function packedValue(code: PrimitiveCode, bytes: readonly number[]): Scalar {
  const padded = Uint8Array.from([0xff, ...bytes, 0xff]);
  const value = readPacked(code, padded, 1, 1 + bytes.length);
  assert.equal(scalarFault, undefined);
  assert.equal(scalarNext, 1 + bytes.length);
  return value;
}

function slottedValue(code: PrimitiveCode, bytes: readonly number[]): Scalar {
  const value = readSlotted(code, Uint8Array.from([0xff, ...bytes, 0xff]), 1);
  assert.equal(scalarFault, undefined);
  assert.equal(scalarNext, 1 + scalarBytes[code]!);
  return value;
}

test("every scalar is read back from both encodings, in as many bytes as the format says", () => {
  for (const code of codes) {
    fc.assert(
      fc.property(arbitraryScalar({ kind: "primitive", code }), (value) => {
        const slot = naiveScalar(code, value, false);
        assert.equal(slot.length, scalarBytes[code]);
        assert.ok(
          Object.is(
            slottedValue(code, slot),
            code === primitiveCodes.f32 ? Math.fround(value as number) : value,
          ),
        );
        const packed = naiveScalar(code, value, true);
        assert.ok(packed.length >= 1 && packed.length <= packedBytesMax[code]!);
        assert.ok(
          Object.is(
            packedValue(code, packed),
            code === primitiveCodes.f32 ? Math.fround(value as number) : value,
          ),
        );
      }),
    );
  }
});

/** Powers of 128 and of two, the bounds of the types, and their neighbours. */
const edges: readonly bigint[] = [
  ...Array.from({ length: 10 }, (_, i) => 128n ** BigInt(i)),
  ...[7n, 8n, 15n, 16n, 31n, 32n, 52n, 53n, 54n, 62n, 63n, 64n].map((bits) => 1n << bits),
].flatMap((value) => [value - 1n, value, value + 1n].flatMap((each) => [each, -each]));

const isInRange = (code: number, value: bigint): boolean => {
  const bits = 8 << (code & 3);
  return (code >= 4 ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)) === value;
};

test("integers at every edge, numbers where they are exact and bigints beyond", () => {
  for (const code of codes.filter((each) => each < 8)) {
    for (const value of edges.filter((each) => isInRange(code, each))) {
      const exact = Number.isSafeInteger(Number(value)) ? Number(value) : value;
      assert.equal(slottedValue(code, naiveScalar(code, value, false)), exact);
      assert.equal(packedValue(code, naiveScalar(code, value, true)), exact);
    }
  }
});

test("a packed integer just past its type is refused", () => {
  for (const code of [1, 2, 3, 5, 6, 7] as const) {
    const bits = BigInt(8 << (code & 3));
    for (const past of [1n << bits, (1n << bits) + 1n, 1n << (bits + 7n)]) {
      const bytes = Uint8Array.from(naiveVarint(past));
      readPacked(code, bytes, 0, bytes.length);
      assert.equal(scalarFault?.rule, "varint", `${code} ${past}`);
    }
  }
});

/** What is read from bytes, if it is canonical; encoding it must give those bytes. */
function mustBeCanonical(code: PrimitiveCode, bytes: Uint8Array): void {
  const value = readPacked(code, bytes, 0, bytes.length);
  if (scalarFault !== undefined) return;
  const again = naiveScalar(code, value, true);
  const isNan = typeof value === "number" && Number.isNaN(value);
  if (!isNan) assert.deepEqual(again, [...bytes.subarray(0, scalarNext)], `${code}: ${bytes.join(" ")}`);
}

test("no two spellings of a packed value are taken", () => {
  for (let first = 0; first < 256; first++)
    for (let second = 0; second < 256; second++)
      for (const code of codes) mustBeCanonical(code, Uint8Array.of(first, second));
  for (const code of codes)
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 12 }), fc.nat(11), (bytes, groups) => {
        mustBeCanonical(code, bytes);
        mustBeCanonical(
          code,
          bytes.map((byte, i) => (i < groups ? byte | 0x80 : byte & 0x7f)),
        );
      }),
    );
});

test("truncation anywhere is told, and nothing behind it is found", () => {
  for (const code of codes)
    fc.assert(
      fc.property(arbitraryScalar({ kind: "primitive", code }), (value) => {
        const bytes = Uint8Array.from(naiveScalar(code, value, true));
        for (let end = 0; end < bytes.length; end++) {
          readPacked(code, bytes, 0, end);
          assert.equal(scalarFault?.rule, "ends-early");
          assert.equal(scalarNext, -1);
        }
      }),
    );
});

test("truth values and characters that are none", () => {
  for (let byte = 2; byte < 256; byte++) {
    readSlotted(primitiveCodes.bool, Uint8Array.of(byte), 0);
    assert.equal(scalarFault?.rule, "bool");
  }
  for (const value of [0xd800n, 0xdbffn, 0xdfffn, 0x11_0000n, 0xffff_ffffn]) {
    readSlotted(primitiveCodes.char, Uint8Array.from(littleEndian(value, 4)), 0);
    assert.equal(scalarFault?.rule, "char");
  }
  for (const bytes of [
    [0x80],
    [0xc0, 0x80],
    [0xc1, 0xbf],
    [0xe0, 0x9f, 0xbf],
    [0xed, 0xa0, 0x80],
    [0xf0, 0x8f, 0xbf, 0xbf],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf5, 0x80, 0x80, 0x80],
    [0xc3, 0x28],
  ]) {
    readPacked(primitiveCodes.char, Uint8Array.from(bytes), 0, bytes.length);
    assert.equal(scalarFault?.rule, "utf-8", bytes.join(" "));
  }
});

test("every code point that may be stored is read back", () => {
  for (let value = 0; value < 0x11_0000; value += value < 0x1_0000 ? 1 : 17) {
    if (value >= 0xd800 && value <= 0xdfff) continue;
    const text = String.fromCodePoint(value);
    const bytes = Buffer.from(text);
    assert.equal(readPacked(primitiveCodes.char, bytes, 0, bytes.length), text);
    assert.equal(scalarFault, undefined);
  }
});

test("zigzag numbers small values with either sign first", () => {
  [0, -1, 1, -2, 2].forEach((value, i) => {
    for (const code of [5, 6, 7] as const) assert.ok(Object.is(packedValue(code, [i]), value));
  });
});

test("a varint longer than it must be is read, and called a fault", () => {
  assert.equal(readVarint(Uint8Array.of(0x85, 0x00), 0, 2, 100), 5);
  assert.equal(scalarFault?.rule, "varint");
  assert.equal(scalarNext, 2);
});

test("an empty last group is a fault, however large the value", () => {
  for (const value of [1n, 127n, 2n ** 40n, 2n ** 53n, 2n ** 56n, 2n ** 62n]) {
    const minimal = naiveVarint(value);
    const longer = [...minimal.slice(0, -1), minimal.at(-1)! | 0x80, 0];
    for (const code of [primitiveCodes.u64, primitiveCodes.i64]) {
      readPacked(code, Uint8Array.from(longer), 0, longer.length);
      assert.equal(scalarFault?.rule, "varint", `${value}`);
    }
  }
});
