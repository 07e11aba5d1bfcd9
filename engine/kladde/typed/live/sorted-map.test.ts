/** A sorted map iterates in the order of its keys, whatever comes and goes meanwhile, in any number of iterations. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../../../storage/memory.ts";
import { Kladde } from "../document/in-files.ts";
import * as k from "../schema/k.ts";

test("an iteration goes on behind its last key, also when another one has sorted since", () => {
  const map = Kladde.open(new MemoryFile("sorted"), k.sortedMap(k.string(), k.u8()));
  map.setAll([..."bdfh"].map((key) => [key, 1] as const));
  const slow = map.keys();
  assert.equal(slow.next().value, "b");
  assert.equal(slow.next().value, "d");
  map.set("a", 1);
  map.set("c", 1);
  map.set("e", 1);
  map.delete("h");
  assert.deepEqual([...map.keys()], [..."abcdef"]);
  assert.deepEqual([...slow], ["e", "f"]);
  assert.deepEqual(
    [...map],
    [..."abcdef"].map((key) => [key, 1]),
  );
});
