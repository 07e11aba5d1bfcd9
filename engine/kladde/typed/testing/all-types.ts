/** A document with a field of every type, for tests of what may be stored. */

import { MemoryFile } from "../../../storage/memory.ts";
import { kladdeOn } from "../document/kladde.ts";
import * as k from "../schema/k.ts";

export const kladde = kladdeOn();

// biome-ignore lint/suspicious/noExplicitAny: what the compiler would refuse is the point
export type Any = any;

export const Part = k.struct({ name: k.string(), size: k.u32() }, { name: "Part" });

const codec = {
  encode: (value: unknown, bytes: Uint8Array) => {
    if (typeof value === "function") value();
    else bytes[0] = value as number;
  },
  decode: (bytes: Uint8Array): unknown => bytes[0],
};

export const All = k.struct({
  u8: k.u8(),
  u16: k.u16(),
  u32: k.u32(),
  i8: k.i8(),
  i16: k.i16(),
  i32: k.i32(),
  u64: k.u64(),
  i64: k.i64(),
  u64n: k.u64({ as: "number" }),
  i64n: k.i64({ as: "number" }),
  f32: k.f32(),
  f64: k.f64(),
  bool: k.bool(),
  char: k.char(),
  text: k.text(),
  string: k.string(),
  bytes: k.bytes(),
  json: k.json<Any>(),
  part: Part,
  tuple: k.tuple(k.u8(), k.string()),
  shape: k.enum({ None: {}, Circle: { r: k.f64(), of: Part } }),
  state: k.oneOf("draft", "final"),
  option: k.option(Part),
  box: k.box(Part),
  list: k.vec(Part),
  numbers: k.vec(k.u32()),
  packed: k.packedVec(k.struct({ small: k.smallString(), more: k.smallVec(k.i32()) })),
  map: k.map(k.string(), Part),
  ids: k.map(k.u32(), k.string()),
  sorted: k.sortedMap(k.i64(), k.string()),
  set: k.set(k.string()),
  opaque: k.opaque({ library: "test", type: "byte", version: [1, 0, 0], inlineSize: 1, codec }),
});

export const part = (name = "p") => ({ name, size: 1 });

/** A new one, and its file. */
export function openAll() {
  const file = new MemoryFile("all");
  const zeros = {
    u8: 0,
    u16: 0,
    u32: 0,
    i8: 0,
    i16: 0,
    i32: 0,
    u64: 0n,
    i64: 0n,
    u64n: 0,
    i64n: 0,
    f32: 0,
    f64: 0,
  };
  const init = () => ({
    ...zeros,
    bool: false,
    char: "c",
    text: "text",
    string: "string",
    bytes: Uint8Array.of(1, 2, 3),
    json: { a: 1 },
    part: part(),
    tuple: [1, "x"] as const,
    shape: { kind: "None" } as const,
    state: "draft" as const,
    box: part("boxed"),
    list: [part("a"), part("b"), part("c")],
    numbers: [3, 1, 2],
    packed: [{ small: "s", more: [1] }],
    map: [["one", part("1")]] as const,
    ids: [[1, "one"]] as const,
    sorted: [[1n, "one"]] as const,
    set: ["a"],
    opaque: 1,
  });
  const doc: Any = kladde.open(file, All, { init });
  return { doc, file };
}
