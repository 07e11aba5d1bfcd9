import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { crc32c, crc32cCombine, crc32cZeros } from "./crc32c.ts";

/** The definition, bit by bit. */
function crcByBits(bytes: Uint8Array, crc = 0): number {
  let register = ~crc;
  for (const byte of bytes) {
    register ^= byte;
    for (let bit = 0; bit < 8; bit++) register = (register >>> 1) ^ (register & 1 ? 0x82f63b78 : 0);
  }
  return ~register >>> 0;
}

const crcs = fc.integer({ min: 0, max: 2 ** 32 - 1 });

test("the published vectors", () => {
  const vectors: [Uint8Array, number][] = [
    [new Uint8Array(0), 0],
    [new TextEncoder().encode("123456789"), 0xe3069283],
    [new Uint8Array(32), 0x8a9136aa],
    [new Uint8Array(32).fill(0xff), 0x62a8ab43],
    [Uint8Array.from({ length: 32 }, (_, i) => i), 0x46dd794e],
  ];
  for (const [bytes, expected] of vectors) {
    assert.equal(crc32c(bytes), expected);
    assert.equal(crcByBits(bytes), expected);
  }
});

test("every length through all block sizes agrees with the definition", () => {
  const bytes = Uint8Array.from({ length: 9000 }, (_, i) => (i * 167 + (i >>> 8) * 31) & 255);
  for (let length = 0; length <= bytes.length; length += length < 1100 ? 1 : 97) {
    const part = bytes.subarray(length % 5, length);
    assert.equal(crc32c(part, length), crcByBits(part, length), `length ${length}`);
  }
});

test("any bytes, any start", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 6000 }), crcs, (bytes, crc) => {
      assert.equal(crc32c(bytes, crc), crcByBits(bytes, crc));
    }),
    { numRuns: 200 },
  );
});

test("split anywhere: chained and combined", () => {
  const input = fc.uint8Array({ maxLength: 5000, size: "max" });
  fc.assert(
    fc.property(input, fc.nat(), (bytes, at) => {
      const a = bytes.subarray(0, at % (bytes.length + 1));
      const b = bytes.subarray(a.length);
      assert.equal(crc32c(b, crc32c(a)), crc32c(bytes));
      assert.equal(crc32cCombine(crc32c(a), crc32c(b), b.length), crc32c(bytes));
    }),
  );
});

test("zeros agree with literal zeros", () => {
  fc.assert(
    fc.property(crcs, fc.integer({ min: 0, max: 20_000 }), (crc, count) => {
      assert.equal(crc32cZeros(crc, count), crc32c(new Uint8Array(count), crc));
    }),
  );
});

test("zeros add up, to 2^32", () => {
  fc.assert(
    fc.property(crcs, fc.integer({ min: 0, max: 2 ** 32 }), fc.nat(), (crc, count, at) => {
      const first = at % (count + 1);
      assert.equal(crc32cZeros(crc32cZeros(crc, first), count - first), crc32cZeros(crc, count));
    }),
  );
  const mebibyte = new Uint8Array(2 ** 20);
  let crc = 0;
  for (let i = 0; i < 64; i++) crc = crc32c(mebibyte, crc);
  assert.equal(crc32cZeros(0, 2 ** 26), crc);
  // Doubling a 64 MiB run six times reaches 4 GiB without reading it.
  for (let count = 2 ** 26; count < 2 ** 32; count *= 2) crc = crc32cCombine(crc, crc, count);
  assert.equal(crc32cZeros(0, 2 ** 32), crc);
});

test("a count that is none is refused", () => {
  for (const count of [-1, 0.5, Number.NaN, 2 ** 32 + 1]) {
    assert.throws(() => crc32cZeros(0, count), RangeError);
    assert.throws(() => crc32cCombine(0, 0, count), RangeError);
  }
});
