/** Assigning all entries of a map or set at once: all of them or none, in a file and outside. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../../../storage/memory.ts";
import { Kladde } from "../document/in-files.ts";
import * as k from "../schema/k.ts";

const Tag = k.struct({ name: k.string() }, { name: "Tag" });
const Doc = k.struct({ tags: k.map(k.string(), Tag), words: k.set(k.string()) }, { name: "Doc" });

for (const place of ["in a file", "outside every file"]) {
  const make = (): InstanceType<typeof Doc> => {
    const init = { tags: [["a", { name: "A" }] as const, ["b", { name: "B" }] as const], words: ["x", "y"] };
    return place === "in a file"
      ? Kladde.open(new MemoryFile("doc"), Doc, { init: () => init })
      : new Doc(init);
  };

  test(`${place}, an entry that is refused leaves the others as they were`, () => {
    const doc = make();
    const first = doc.tags.get("a");
    doc.tags.delete("b");
    doc.tags.set("c", { name: "C" });
    const bad = [["d", { name: "D" }] as const, ["e", { name: 5 as never }] as const];
    assert.throws(() => doc.tags.assign(bad), /e.*name: expected a string/);
    assert.deepEqual([...doc.tags.keys()], ["a", "c"]);
    assert.equal(doc.tags.get("a"), first);
    assert.throws(() => doc.words.assign(["z", 1 as never]), TypeError);
    assert.deepEqual([...doc.words], ["x", "y"]);
    first!.name = "still there";
    assert.equal(doc.tags.get("a")!.name, "still there");
  });

  test(`${place}, a map may be assigned entries of its own`, () => {
    const doc = make();
    const first = doc.tags.get("a");
    doc.tags.assign([...doc.tags].reverse());
    assert.deepEqual([...doc.tags.keys()], ["b", "a"]);
    assert.equal(doc.tags.get("a"), first);
  });
}

test("the variant of a value cannot change in place", () => {
  const Shape = k.enum({ Dot: {}, Line: { length: k.f64() } });
  const doc = Kladde.open(new MemoryFile("shape"), k.struct({ shape: Shape }), {
    init: () => ({ shape: { kind: "Dot" } as const }),
  });
  const change = () => {
    (doc.shape as { kind: string }).kind = "Line";
  };
  assert.throws(
    change,
    /^TypeError: the kind of a value cannot change to the string "Line"; store a new value/,
  );
  assert.equal(doc.shape.kind, "Dot");
});
