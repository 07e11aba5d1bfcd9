import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { unzigzag, unzigzagBig, zigzag, zigzagBig } from "./zigzag.ts";

test("small values of either sign come first", () => {
  const values = [0, -1, 1, -2, 2, -3];
  assert.deepEqual(values.map(zigzag), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual([0, 1, 2, 3, 4, 5].map(unzigzag), values);
  assert.ok(Object.is(unzigzag(0), 0) && Object.is(zigzag(0), 0));
});

test("numbers are exact to their ends, and the same as bigints", () => {
  assert.equal(zigzag(-(2 ** 52)), Number.MAX_SAFE_INTEGER);
  assert.equal(unzigzag(Number.MAX_SAFE_INTEGER), -(2 ** 52));
  assert.equal(unzigzag(Number.MAX_SAFE_INTEGER - 1), 2 ** 52 - 1);
  fc.assert(
    fc.property(fc.integer({ min: -(2 ** 52), max: 2 ** 52 - 1 }), (value) => {
      assert.equal(BigInt(zigzag(value)), zigzagBig(BigInt(value)));
      assert.equal(unzigzag(zigzag(value)), value);
    }),
  );
});

test("bigints take the same bits as an arithmetic shift would give them", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      assert.equal(zigzagBig(value), BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)));
      assert.equal(unzigzagBig(zigzagBig(value)), value);
    }),
  );
});
