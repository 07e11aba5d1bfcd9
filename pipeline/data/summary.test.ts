import assert from "node:assert/strict";
import { test } from "node:test";
import { formatJson } from "./summary.ts";

test("what is written is read back, and small entries take one line", () => {
  const value = {
    values: { a: { value: 1.5, says: 'a "word", {b}', band: undefined }, b: {} },
    rows: [[1, null], []],
    long: Array.from({ length: 60 }, (_, at) => at),
    "odd key": true,
  };
  const text = formatJson(value);
  assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
  assert.match(text, /^ {4}"a": \{ "value": 1\.5, "says": "a \\"word\\", \{b\}" \},$/m);
  assert.match(text, /^ {4}\[1, null\],$/m);
  assert.match(text, /^ {4}59\n {2}\],$/m);
  assert.ok(text.endsWith("}\n"));
});
