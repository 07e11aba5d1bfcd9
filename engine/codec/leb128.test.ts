import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { lebLength, lebNext, lebTooLarge, lebTruncated, readLeb, writeLeb } from "./leb128.ts";

const hex = (text: string) => Uint8Array.from(text.split(" "), (byte) => Number.parseInt(byte, 16));

/** The definition, in big integers. */
function encodeSlowly(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt(value);
  do {
    bytes.push(Number(rest & 127n) + (rest > 127n ? 128 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Uint8Array.from(bytes);
}

/** Every magnitude alike, and the edges of each. */
const values = fc.oneof(
  fc.tuple(fc.integer({ min: 0, max: 52 }), fc.maxSafeNat()).map(([bits, value]) => value % 2 ** bits),
  fc
    .tuple(fc.integer({ min: 0, max: 53 }), fc.integer({ min: -1, max: 1 }))
    .map(([bits, step]) => Math.min(2 ** 53 - 1, Math.max(0, 2 ** bits + step))),
  fc.maxSafeNat(),
);

test("the published vectors", () => {
  const vectors: [number, string][] = [
    [0, "00"],
    [127, "7F"],
    [128, "80 01"],
    [300, "AC 02"],
    [16384, "80 80 01"],
    [2 ** 32 - 1, "FF FF FF FF 0F"],
    [8203, "8B 40"],
    [2 ** 48 - 1, "FF FF FF FF FF FF 3F"],
    [2 ** 53 - 1, "FF FF FF FF FF FF FF 0F"],
  ];
  for (const [value, text] of vectors) {
    const expected = hex(text);
    const bytes = new Uint8Array(expected.length);
    assert.equal(writeLeb(bytes, 0, value), expected.length);
    assert.deepEqual(bytes, expected);
    assert.equal(lebLength(value), expected.length);
    assert.equal(readLeb(expected, 0, expected.length), value);
    assert.equal(lebNext, expected.length);
  }
});

test("any value is written in its shortest form and read back, and only whole", () => {
  fc.assert(
    fc.property(values, fc.integer({ min: 0, max: 3 }), (value, at) => {
      const bytes = new Uint8Array(at + 12).fill(0xff);
      const end = writeLeb(bytes, at, value);
      assert.deepEqual(bytes.subarray(at, end), encodeSlowly(value));
      assert.equal(end - at, lebLength(value));
      assert.equal(bytes[end], 0xff);
      assert.equal(readLeb(bytes, at, bytes.length), value);
      assert.equal(lebNext, end);
      for (let cut = at; cut < end; cut++) {
        assert.equal(readLeb(bytes, at, cut), lebTruncated);
        assert.equal(lebNext, at);
      }
    }),
    { numRuns: 1000 },
  );
});

test("longer forms read as the same value", () => {
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 200 }), (value, extra) => {
      const bytes = new Uint8Array(10 + extra).fill(0x80);
      const end = writeLeb(bytes, 0, value);
      bytes[end - 1]! |= 0x80;
      bytes[end + extra - 1] = 0;
      assert.equal(readLeb(bytes, 0, bytes.length), value);
      assert.equal(lebNext, end + extra);
    }),
  );
});

test("a value above 2^53 − 1 is refused", () => {
  for (const text of [
    "80 80 80 80 80 80 80 10",
    "FF FF FF FF FF FF FF 1F",
    "80 80 80 80 80 80 80 80 01",
    "80 80 80 80 80 80 80 80 80 80 80 80 80 80 80 80 80 80 80 01",
  ]) {
    const bytes = hex(text);
    assert.equal(readLeb(bytes, 0, bytes.length), lebTooLarge, text);
    assert.equal(lebNext, 0);
  }
});

test("nothing at all is truncated", () => {
  assert.equal(readLeb(new Uint8Array(0), 0, 0), lebTruncated);
  assert.equal(readLeb(Uint8Array.of(1, 2), 2, 2), lebTruncated);
});
