/** A test that must fail: the gate runs it to prove that a failing test is noticed. */

import assert from "node:assert/strict";
import { test } from "node:test";

test("the canary", () => {
  assert.equal(1 + 1, 3);
});
