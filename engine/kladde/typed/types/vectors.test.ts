import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeTable, encodeTable, fingerprintOf, sameLayout } from "./index.ts";
import { vectors } from "./testing/vectors.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const fromHex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(" ", ""), "hex"));

for (const { name, root, fingerprint, table } of vectors) {
  test(`vector: ${name}`, () => {
    assert.equal(hex(fingerprintOf(root())), fingerprint);
    if (table === undefined) return;
    const bytes = fromHex(table);
    assert.equal(hex(encodeTable(root())), hex(bytes));
    const decoded = decodeTable(bytes);
    assert.equal(hex(fingerprintOf(decoded)), fingerprint);
    assert.equal(hex(encodeTable(decoded)), hex(bytes));
    assert.ok(sameLayout(root(), decoded));
  });
}
