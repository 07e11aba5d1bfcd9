/** The fingerprints and tables that every implementation of the format must agree on, through `k`. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as k from "./k.ts";
import { seal } from "./seal.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const text = (name: string): string => hex(new TextEncoder().encode(name));

const Page = k.struct({ name: k.smallString(), visits: k.u32().slotted() }, { name: "Page" });

const Tree = k.struct(
  {
    value: k.i32(),
    get children() {
      return k.vec(Tree);
    },
  },
  { name: "Tree" },
);

const Chain = k.struct(
  {
    head: k.i32(),
    get tail() {
      return k.box(Chain);
    },
  },
  { name: "List" },
);

const A = k.struct(
  {
    get b() {
      return k.box(B);
    },
  },
  { name: "A" },
);
const B = k.struct(
  {
    get a() {
      return k.box(A);
    },
  },
  { name: "B" },
);

const note = { title: k.string(), tags: k.vec(k.string()) };
const lib = { library: "lib", type: "T", version: [1, 2, 3], inlineSize: 8 } as const;
const codec = { encode: () => {}, decode: () => 0 };

const vectors: readonly (readonly [
  schema: Parameters<typeof k.vec>[0],
  fingerprint: string,
  table: string,
])[] = [
  [
    k.struct({ x: k.i32(), y: k.i32() }, { name: "Point" }),
    "0d91791f5827efadfa8150af9812fad6",
    `028005${text("Point")}020178010179 01 06`,
  ],
  [k.opaque({ ...lib, codec }), "11435cae785f4d2027e535f33aa7447a", "0182036c69620154010203 08 00"],
  [k.u32(), "dbc1b4c900ffe48d575b5da5c6380401", "0102"],
  [k.string(), "7a5b563b21d464aa427b608b6c5422ac", "048401860285030b"],
  [k.text(), "7a5b563b21d464aa427b608b6c5422ac", "048401860285030b"],
  [k.json(), "7a5b563b21d464aa427b608b6c5422ac", "048401860285030b"],
  [k.packedVec(k.char()), "7a5b563b21d464aa427b608b6c5422ac", "048401860285030b"],
  [k.vec(k.u32()), "bf5d421590be4fb2d128f07625c6e57e", "038401850202"],
  [k.bytes(), "a9dbc2e91827a1a3e59f64783f857951", "038401850200"],
  [k.vec(k.u8()), "a9dbc2e91827a1a3e59f64783f857951", "038401850200"],
  [k.packedVec(k.u32()), "ea6436530d5a6e6e3646857a5527d222", "0484018602850302"],
  [
    k.map(k.u64(), k.string()),
    "b888158c3d6cae8d0e35ef7ff904b647",
    "09840185028004536c6f7403046c69766503036b6579040576616c7565050a038406860785080b",
  ],
  [
    k.sortedMap(k.u64({ as: "number" }), k.text()),
    "b888158c3d6cae8d0e35ef7ff904b647",
    "09840185028004536c6f7403046c69766503036b6579040576616c7565050a038406860785080b",
  ],
  [
    k.struct({ x: k.i32(), y: k.u8() }, { name: "Point" }),
    "5d81a7fe091040c3eeb12039fb184660",
    "038005506f696e74020178010179020600",
  ],
  [
    k.struct(note, { name: "Note" }),
    "f88a891f23f187a022d77f65a650488d",
    "0780044e6f746502057469746c65010474616773058402860385040b84068501",
  ],
  [
    k.option(k.u32()),
    "63092285f514b126f13ed708d3326a6f",
    "0281064f7074696f6e010200044e6f6e65000104536f6d650101300102",
  ],
  [k.box(k.u32()), "6c850e29a01d79534ddeb177b0d51021", "02840102"],
  [k.tuple(k.i32(), k.bool()), "a4610d1f2bfaf352d425df9a04e85a15", "0380065475706c653202013001013102060a"],
  [
    k.oneOf("draft", "final"),
    "d6863086157540247cfdb4b209df07ca",
    "0181054f6e654f6601020005647261667400010566696e616c00",
  ],
  [k.unit(), "8509b81230019d2ad970d970f791dfbd", "018004556e697400"],
  [k.smallString(), "fc9a8d5d6c01ea1c928806c4df9c9beb", "0588010385020b84048601"],
  [k.smallVec(k.char()), "fc9a8d5d6c01ea1c928806c4df9c9beb", "0588010385020b84048601"],
  [
    k.packedVec(Page),
    "e5240e9bf18ed7499467c3c1d43b003f",
    "0b84018602850380045061676502046e616d6504067669736974730988050785060b84088605870a02",
  ],
  [
    k.set(k.string()),
    "842fa534a40d6c5c43f56256a43b776f",
    "09840185028004536c6f7403046c69766503036b6579040576616c7565080a8405860685070b80065475706c653000",
  ],
  [Tree, "c09dcf8c644ae4534b9b94db4de82b4f", "04800454726565020576616c756501086368696c6472656e020684038500"],
  [Chain, "4c54a4fa0d9554f7bcfc2c91a8ac2fb6", "0380044c69737402046865616401047461696c02068400"],
  [A, "e7ef235f5f0074d790a31d20b2cbd93e", "04800141010162018402800142010161038400"],
];

for (const [schema, fingerprint, table] of vectors) {
  const wanted = table.replaceAll(" ", "");
  test(`${fingerprint}: ${wanted}`, () => {
    assert.equal(hex(schema.table()), wanted);
    assert.equal(hex(schema.fingerprint()), fingerprint);
    assert.equal(hex(seal(schema).table), wanted);
    assert.equal(hex(seal(schema).fingerprint), fingerprint);
  });
}

test("names of types and declared options do not enter a fingerprint", () => {
  const like = k.enum({ None: {}, Some: { value: k.u32().named("0") } }, { name: "Maybe" });
  assert.deepEqual(like.fingerprint(), k.option(k.u32()).fingerprint());
  assert.deepEqual(k.struct(note).fingerprint(), k.struct(note, { name: "Note" }).fingerprint());
});

test("a list without a pointer in it has no finite size", () => {
  const List = k.enum({
    Nil: {},
    Cons: {
      head: k.i32(),
      get tail() {
        return List;
      },
    },
  });
  assert.throws(() => List.fingerprint(), { name: "SchemaError", message: /finite|itself/ });
});
