import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { sha256 } from "./sha256.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const reference = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

test("the published vectors", () => {
  const text = (words: string) => new TextEncoder().encode(words);
  const vectors: [Uint8Array, string][] = [
    [text(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    [text("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    [
      text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ],
    [
      new Uint8Array(1_000_000).fill(0x61),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
    ],
  ];
  for (const [bytes, expected] of vectors) assert.equal(hex(sha256(bytes)), expected);
});

test("every length through three blocks agrees with the reference, at any start", () => {
  const bytes = Uint8Array.from({ length: 200 }, (_, i) => (i * 167 + 31) & 255);
  for (let end = 0; end <= bytes.length; end++) {
    const part = bytes.subarray(end % 3, end);
    assert.equal(hex(sha256(part)), reference(part), `length ${part.length}`);
  }
});

test("any bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3000, size: "max" }), (bytes) => {
      const before = bytes.slice();
      assert.equal(hex(sha256(bytes)), reference(bytes));
      assert.deepEqual(bytes, before);
    }),
    { numRuns: 200 },
  );
});
