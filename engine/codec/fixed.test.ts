import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readU16, readU32, readU64, writeU16, writeU32, writeU64 } from "./fixed.ts";

test("all widths agree with DataView and leave their neighbours alone", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.integer({ min: 0, max: 3 }), (value, at) => {
      const bytes = new Uint8Array(16).fill(0xa5);
      const expected = new Uint8Array(16).fill(0xa5);
      const view = new DataView(expected.buffer);
      writeU64(bytes, at, value);
      view.setBigUint64(at, BigInt(value), true);
      assert.deepEqual(bytes, expected);
      assert.equal(readU64(bytes, at), value);
      const low = value % 2 ** 32;
      writeU32(bytes, at + 2, low);
      view.setUint32(at + 2, low, true);
      assert.deepEqual(bytes, expected);
      assert.equal(readU32(bytes, at + 2), low);
      writeU16(bytes, at + 5, value % 2 ** 16);
      view.setUint16(at + 5, value % 2 ** 16, true);
      assert.deepEqual(bytes, expected);
      assert.equal(readU16(bytes, at + 5), value % 2 ** 16);
    }),
  );
});

test("the edges", () => {
  const bytes = new Uint8Array(8);
  for (const value of [0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1]) {
    writeU64(bytes, 0, value);
    assert.equal(readU64(bytes, 0), value);
  }
  for (const value of [0, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1]) {
    writeU32(bytes, 0, value);
    assert.equal(readU32(bytes, 0), value);
  }
});

test("64 bits above 2^53 − 1 read as NaN", () => {
  const bytes = Uint8Array.of(0, 0, 0, 0, 0, 0, 0x20, 0);
  assert.ok(Number.isNaN(readU64(bytes, 0)));
  assert.ok(Number.isNaN(readU64(new Uint8Array(8).fill(0xff), 0)));
});
