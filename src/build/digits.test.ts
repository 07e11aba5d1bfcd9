import assert from "node:assert/strict";
import { test } from "node:test";
import { digitsIn } from "./digits.ts";

test("finds digits, as the words they stand in", () => {
  assert.deepEqual(digitsIn("the file grows 6.28 times, to 12,295 pages", []), ["6.28", "12,295"]);
  assert.deepEqual(digitsIn("nothing of the kind", []), []);
});

test("leaves what is allowed, and no more", () => {
  assert.deepEqual(digitsIn("CRC-32C of 64 MiB", ["CRC-32C", "64 MiB"]), []);
  assert.deepEqual(digitsIn("164 MiB", ["64 MiB"]), ["1"]);
  assert.deepEqual(digitsIn("16 MiB and 6 of them", ["6", "16 MiB"]), []);
});
