/** Random schemas: written twice they are one type, and their tables say what they are. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { checkDescriptor, decodeTable, fingerprintOf, sameLayout } from "../types/index.ts";
import { SchemaError } from "./error.ts";
import * as k from "./k.ts";
import { seal } from "./seal.ts";

type Schema = Parameters<typeof k.vec>[0];

/** A schema as data, so that it can be written as often as one likes. */
type Plan =
  | { readonly make: "leaf"; readonly leaf: number }
  | { readonly make: "wrap"; readonly wrap: number; readonly inner: Plan }
  | { readonly make: "map"; readonly key: number; readonly inner: Plan }
  | { readonly make: "tuple"; readonly parts: readonly Plan[] }
  | { readonly make: "declared"; readonly at: number };

const leaves: readonly (() => Schema)[] = [
  k.u8,
  k.i64,
  () => k.u64({ as: "number" }),
  k.f32,
  k.bool,
  k.char,
  k.string,
  k.text,
  k.bytes,
  k.json,
  k.unit,
  k.smallString,
  () => k.oneOf("a", "b", "c", { width: 2 }),
  () => k.set(k.u16()),
];
const wraps: readonly ((inner: Schema) => Schema)[] = [
  k.option,
  k.box,
  (inner) => k.box(inner, { packed: true }),
  k.vec,
  k.packedVec,
  k.smallVec,
  (inner) => inner.slotted(),
];
const keys = [k.u32, k.char, k.string, () => k.oneOf("x", "y")] as const;

const { plan } = fc.letrec<{ plan: Plan }>((tie) => ({
  plan: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({ make: fc.constant("leaf"), leaf: fc.nat(leaves.length - 1) }),
    fc.record({ make: fc.constant("declared"), at: fc.nat(3) }),
    fc.record({ make: fc.constant("wrap"), wrap: fc.nat(wraps.length - 1), inner: tie("plan") }),
    fc.record({ make: fc.constant("map"), key: fc.nat(keys.length - 1), inner: tie("plan") }),
    fc.record({ make: fc.constant("tuple"), parts: fc.array(tie("plan"), { maxLength: 3 }) }),
  ) as fc.Arbitrary<Plan>,
}));

/** Four structs that may use themselves and each other; `write` makes their types anew each time they are asked. */
function declare(shapes: readonly (readonly Plan[])[]): (plan: Plan) => Schema {
  const declared: Schema[] = shapes.map((plans, at) => {
    const shape = {};
    for (const [index, each] of plans.entries())
      Object.defineProperty(shape, `f${index}`, { get: () => write(each), enumerable: true });
    return at % 2 === 0 ? k.struct(shape, { name: `S${at}` }) : k.enum({ None: {}, Some: shape });
  });
  const write = (each: Plan): Schema => {
    if (each.make === "leaf") return leaves[each.leaf]!();
    if (each.make === "wrap") return wraps[each.wrap]!(write(each.inner));
    if (each.make === "map") return k.map(keys[each.key]!(), write(each.inner));
    if (each.make === "tuple") return k.tuple(...each.parts.map(write));
    return declared[each.at]!;
  };
  return write;
}

const shapes = fc.array(fc.array(plan, { maxLength: 3 }), { minLength: 4, maxLength: 4 });

test("random schemas are sealed or refused; sealed ones are one type, and their tables describe them", () => {
  let count = 0;
  fc.assert(
    fc.property(shapes, plan, (fields, root) => {
      const write = declare(fields);
      const first = write(root);
      try {
        seal(first);
      } catch (error) {
        assert.ok(error instanceof SchemaError, String(error));
        assert.throws(() => seal(write(root)), { message: error.message });
        return;
      }
      count++;
      const { root: model, descriptor, fingerprint, table } = seal(first);
      assert.equal(seal(write(root)).root, model);
      const decoded = decodeTable(table);
      checkDescriptor(decoded);
      assert.ok(sameLayout(decoded, descriptor));
      assert.deepEqual(fingerprintOf(decoded), fingerprint);
      // The same declarations again are other types of the same layout.
      assert.deepEqual(seal(declare(fields)(root)).table, table);
    }),
    { numRuns: 1000 },
  );
  assert.ok(count > 100, `${count} schemas could be sealed`);
});
