/** The published vectors: types, their fingerprints and their tables. */

import type { Descriptor, FieldDescriptor } from "../descriptor.ts";
import {
  cyclic,
  enumOf,
  map,
  opaque,
  option,
  packedVec,
  pointer,
  prim,
  slotted,
  smallString,
  string,
  struct,
  trap,
  tuple,
  variant,
  vec,
} from "./build.ts";

export interface Vector {
  readonly name: string;
  readonly root: () => Descriptor;
  readonly fingerprint: string;
  /** Bytes of the table; absent for a type without a finite slot, which has none. */
  readonly table?: string;
}

const text = (name: string): string =>
  `${name.length.toString(16).padStart(2, "0")}${Buffer.from(name).toString("hex")}`;

/** The published vectors, the first three of them the reference implementation's own. */
export const vectors: readonly Vector[] = [
  {
    name: "Point",
    root: () => {
      const number = prim("i32");
      return struct("Point", { x: number, y: number });
    },
    fingerprint: "0d91791f5827efadfa8150af9812fad6",
    table: `0280${text("Point")}020178010179 0106`,
  },
  {
    name: "List, which has no finite slot",
    root: () => {
      const fields: FieldDescriptor[] = [];
      const cons = { discriminant: 1, name: "Cons", fields };
      const list = enumOf("List", 4, variant(0, "Nil"), cons);
      fields.push({ name: "0", type: prim("i32") }, { name: "1", type: list });
      return list;
    },
    fingerprint: "af12af0167771e03506952fff8a274fd",
  },
  {
    name: "an opaque type",
    root: () => opaque("lib", "T", [1, 2, 3], 8),
    fingerprint: "11435cae785f4d2027e535f33aa7447a",
  },
  { name: "u32", root: () => prim("u32"), fingerprint: "dbc1b4c900ffe48d575b5da5c6380401", table: "0102" },
  {
    name: "string",
    root: string,
    fingerprint: "7a5b563b21d464aa427b608b6c5422ac",
    table: "048401860285030b",
  },
  {
    name: "vec(u32)",
    root: () => vec(prim("u32")),
    fingerprint: "bf5d421590be4fb2d128f07625c6e57e",
    table: "038401850202",
  },
  {
    name: "bytes",
    root: () => vec(prim("u8")),
    fingerprint: "a9dbc2e91827a1a3e59f64783f857951",
    table: "038401850200",
  },
  {
    name: "packedVec(u32)",
    root: () => packedVec(prim("u32")),
    fingerprint: "ea6436530d5a6e6e3646857a5527d222",
    table: "0484018602850302",
  },
  {
    name: "map(u64, string)",
    root: () => map(prim("u64"), string()),
    fingerprint: "b888158c3d6cae8d0e35ef7ff904b647",
    table: "09840185028004536c6f7403046c69766503036b6579040576616c7565050a038406860785080b",
  },
  {
    name: "Point of i32 and u8",
    root: () => struct("Point", { x: prim("i32"), y: prim("u8") }),
    fingerprint: "5d81a7fe091040c3eeb12039fb184660",
    table: "038005506f696e74020178010179020600",
  },
  {
    name: "Note",
    root: () => {
      const title = string();
      return struct("Note", { title, tags: vec(title) });
    },
    fingerprint: "f88a891f23f187a022d77f65a650488d",
    table: "0780044e6f746502057469746c65010474616773058402860385040b84068501",
  },
  {
    name: "option(u32)",
    root: () => option(prim("u32")),
    fingerprint: "63092285f514b126f13ed708d3326a6f",
    table: "0281064f7074696f6e010200044e6f6e65000104536f6d650101300102",
  },
  {
    name: "box(u32)",
    root: () => pointer(prim("u32")),
    fingerprint: "6c850e29a01d79534ddeb177b0d51021",
    table: "02840102",
  },
  {
    name: "tuple(i32, bool)",
    root: () => tuple(prim("i32"), prim("bool")),
    fingerprint: "a4610d1f2bfaf352d425df9a04e85a15",
    table: "0380065475706c653202013001013102060a",
  },
  {
    name: "oneOf(draft, final)",
    root: () => enumOf("OneOf", 1, variant(0, "draft"), variant(1, "final")),
    fingerprint: "d6863086157540247cfdb4b209df07ca",
    table: "0181054f6e654f6601020005647261667400010566696e616c00",
  },
  {
    name: "unit",
    root: () => struct("Unit", {}),
    fingerprint: "8509b81230019d2ad970d970f791dfbd",
    table: "018004556e697400",
  },
  {
    name: "smallString",
    root: smallString,
    fingerprint: "fc9a8d5d6c01ea1c928806c4df9c9beb",
    table: "0588010385020b84048601",
  },
  {
    name: "packedVec(Page)",
    root: () => packedVec(struct("Page", { name: smallString(), visits: slotted(prim("u32")) })),
    fingerprint: "e5240e9bf18ed7499467c3c1d43b003f",
    table: "0b84018602850380045061676502046e616d6504067669736974730988050785060b84088605870a02",
  },
  {
    name: "set(string)",
    root: () => map(string(), struct("Tuple0", {})),
    fingerprint: "842fa534a40d6c5c43f56256a43b776f",
    table: "09840185028004536c6f7403046c69766503036b6579040576616c7565080a8405860685070b80065475706c653000",
  },
  {
    name: "Tree",
    root: () => cyclic("Tree", (tree) => ({ value: prim("i32"), children: vec(tree) })),
    fingerprint: "c09dcf8c644ae4534b9b94db4de82b4f",
    table: "04800454726565020576616c756501086368696c6472656e020684038500",
  },
  {
    name: "Chain, named List",
    root: () => cyclic("List", (chain) => ({ head: prim("i32"), tail: pointer(chain) })),
    fingerprint: "4c54a4fa0d9554f7bcfc2c91a8ac2fb6",
    table: "0380044c69737402046865616401047461696c02068400",
  },
  {
    name: "A and B, which refer to each other",
    root: () => cyclic("A", (a) => ({ b: pointer(struct("B", { a: pointer(a) })) })),
    fingerprint: "e7ef235f5f0074d790a31d20b2cbd93e",
    table: "04800141010162018402800142010161038400",
  },
  {
    name: "the trap, shared",
    root: () => trap(true),
    fingerprint: "dd56214261d9f423ce32f59d8a2a1f22",
    table: "048004547265650205696e6e657201046b696473028005496e6e657201046b6964730284038500",
  },
  {
    name: "the trap, duplicated",
    root: () => trap(false),
    fingerprint: "f85b6aae97933143669b850bbc564296",
    table: "068004547265650205696e6e657201046b696473048005496e6e657201046b696473028403850084058500",
  },
];
