import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { compress, decompress } from "./gzip.ts";

const text = "scenario,size\n" + Array.from({ length: 2000 }, (_, at) => `uniform,${at * 7}\n`).join("");

test("the bytes depend on the content alone", () => {
  assert.deepEqual(compress(text), compress(text));
  const header = [...compress(text).subarray(0, 10)];
  assert.deepEqual(header, [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
});

test("what was compressed comes back, and every gzip can read it", () => {
  assert.equal(decompress(compress(text)), text);
  assert.equal(decompress(compress("")), "");
  assert.equal(decompress(gzipSync("µs")), "µs");
});

test("damaged bytes are refused", () => {
  const bytes = compress(text);
  bytes[bytes.length - 6]! ^= 1; // in the checksum
  assert.throws(() => decompress(bytes));
});
