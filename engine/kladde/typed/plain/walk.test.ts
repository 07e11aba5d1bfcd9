import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { StoreError } from "../../../errors.ts";
import type { Descriptor } from "../types/descriptor.ts";
import { accessOfBytes, arbitraryDatum, arbitraryType, expected, NaiveEncoder, shown } from "./testing.ts";
import { readTree, type ValueTree } from "./tree.ts";
import { walkValue } from "./walk.ts";

const silent = {
  scalar() {},
  text() {},
  bytes() {},
  opaque() {},
  none() {},
  enter() {},
  leave() {},
  broken() {},
  cut() {},
};

/** The message of the fault that a strict reading finds; nothing if it finds none. */
function strictFault(
  allocations: ReadonlyMap<number, Uint8Array>,
  type: Descriptor,
  root: number,
): string | undefined {
  try {
    walkValue(accessOfBytes(allocations), type, root, silent, { isStrict: true });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof StoreError, String(error));
    assert.equal(error.code, "corrupt");
    return error.message;
  }
}

const encoded = arbitraryType.chain((type) =>
  arbitraryDatum(type).map((datum) => {
    const encoder = new NaiveEncoder();
    const root = encoder.root(type, datum);
    const allocations = new Map([...encoder.allocations].map(([id, bytes]) => [id, Uint8Array.from(bytes)]));
    return { type, datum, root, allocations };
  }),
);

function treeOf({
  type,
  root,
  allocations,
}: {
  type: Descriptor;
  root: number;
  allocations: ReadonlyMap<number, Uint8Array>;
}): ValueTree {
  return readTree(accessOfBytes(allocations), type, root);
}

test("what a naive encoder wrote is read back, with every byte accounted for", () => {
  fc.assert(
    fc.property(encoded, (file) => {
      const tree = treeOf(file);
      assert.deepEqual(tree.findings, []);
      assert.deepEqual(shown(tree.root), expected(file.type, file.datum));
      assert.equal(strictFault(file.allocations, file.type, file.root), undefined);
      assert.ok(tree.isComplete);
      assert.deepEqual(
        [...tree.reached].sort((a, b) => a - b),
        [...file.allocations.keys()],
      );
      const bytes = [...file.allocations.values()].reduce((sum, each) => sum + each.length, 0);
      assert.equal(tree.root.treeBytes, bytes);
      assert.equal(tree.bytesRead, bytes);
    }),
    { numRuns: 1500 },
  );
});
