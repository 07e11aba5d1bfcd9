/** Typed files for tests, byte by byte. */

import { MemoryFile } from "../../storage/memory.ts";
import { Store } from "../store.ts";
import type { Datum } from "../typed/plain/testing/values.ts";
import { NaiveEncoder } from "../typed/plain/testing/values.ts";
import { type Descriptor, encodeTable, fingerprintOf } from "../typed/types/index.ts";
import {
  cyclic,
  enumOf,
  map,
  opaque,
  option,
  packed,
  packedVec,
  pointer,
  prim,
  slotted,
  smallString,
  string,
  struct,
  tuple,
  variant,
  vec,
} from "../typed/types/testing/build.ts";

export type Allocations = Readonly<Record<number, readonly number[]>>;

/** A store whose allocations are exactly these, the root in the first; ids from 1 on, and the types behind them. */
export function typedStore(
  type: Descriptor,
  allocations: Allocations,
  name = "typed.kladde",
): { store: Store; file: MemoryFile } {
  const file = new MemoryFile(name);
  const store = Store.create(file, { consolidate: false });
  const ids = Object.keys(allocations).map(Number);
  const last = Math.max(1, ...ids);
  for (let id = 1; id <= last; id++) store.write(store.alloc(0), 0, Uint8Array.from(allocations[id] ?? []));
  const types = store.alloc(0);
  store.write(types, 0, encodeTable(type));
  store.setRoots(1, types, fingerprintOf(type));
  for (let id = 1; id <= last; id++) if (allocations[id] === undefined) store.free(id);
  return { store, file };
}

/** The same, closed. */
export function typedFile(type: Descriptor, allocations: Allocations, name?: string): MemoryFile {
  const { store, file } = typedStore(type, allocations, name);
  store.close();
  return file;
}

export function allocationsOf(type: Descriptor, datum: Datum): Record<number, number[]> {
  const encoder = new NaiveEncoder();
  encoder.root(type, datum);
  return Object.fromEntries(encoder.allocations);
}

const text = (value: string): Datum => ({ pointsTo: value });
const list = (...data: Datum[]): Datum => ({ list: data });
const at = (datum: Datum): Datum => ({ pointsTo: datum });

/** A document in which every kind of type occurs. */
export function libraryType(): Descriptor {
  const name = string();
  const shape = enumOf(
    "Shape",
    1,
    variant(0, "Dot"),
    variant(1, "Circle", { radius: prim("f64") }),
    variant(2, "Label", { text: name, kind: prim("u8") }),
  );
  const page = struct("Page", { name: smallString(), visits: slotted(prim("u32")), more: smallString() });
  return struct("Library", {
    title: name,
    count: prim("u64"),
    state: enumOf("OneOf", 1, variant(0, "draft"), variant(1, "final")),
    shapes: vec(shape),
    authors: map(name, struct("Author", { born: prim("i16"), nick: option(name) })),
    pairs: map(tuple(prim("u8"), prim("u8")), prim("bool")),
    pages: packedVec(page),
    raw: vec(prim("u8")),
    tree: pointer(cyclic("Tree", (tree) => ({ value: prim("i32"), children: vec(tree) }))),
    none: pointer(packed(prim("u32"))),
    initial: prim("char"),
    ratio: prim("f32"),
    blob: opaque("lib", "Blob", [1, 2, 3], 3),
    "odd name": struct("Unit", {}),
  });
}

export const libraryDatum: Datum = list(
  text("Öffentliche Bücherei"),
  2n ** 64n - 1n,
  { variant: 1, fields: [] },
  at(list({ variant: 0, fields: [] }, { variant: 1, fields: [0.5] }, { variant: 2, fields: [text("x"), 9] })),
  at(
    list(
      list(true, text("Ada"), list(1815, { variant: 1, fields: [text("AL")] })),
      { dead: [7, 9, 9, 9] },
      list(true, text("Grace"), list(1906, { variant: 0, fields: [] })),
    ),
  ),
  at(list(list(true, list(1, 2), true))),
  at(
    list(
      list({ spilled: false, content: "home" }, 300, { spilled: true, content: "far away" }),
      list({ spilled: false, content: "" }, 0, { spilled: false, content: "b" }),
    ),
  ),
  at(list(1, 2, 255)),
  at(list(5, at(list(list(6, { pointsTo: null }))))),
  { pointsTo: null },
  "ß",
  Number.NaN,
  { raw: [1, 2, 3] },
  list(),
);

export const libraryFile = (name = "library.kladde"): MemoryFile => {
  const type = libraryType();
  return typedFile(type, allocationsOf(type, libraryDatum), name);
};
