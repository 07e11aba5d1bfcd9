/**
 * What the compiler must accept and refuse; it runs with the types, and here only so that the schemas are sealed too.
 * A line after `@ts-expect-error` that compiles is an error itself.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bytes, KMap, KSet, KTuple, KVec, KVecOf, Text } from "./containers.ts";
import * as k from "./k.ts";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Fits<A, B> = [A] extends [B] ? true : false;
const is = <_Proof extends true>(): void => {};

const scalars = k.struct({
  byte: k.u8(),
  wide: k.u64(),
  near: k.i64({ as: "number" }),
  float: k.f32(),
  flag: k.bool(),
  letter: k.char(),
  title: k.string(),
  short: k.smallString(),
  text: k.text(),
  data: k.bytes(),
  shape: k.json<{ readonly a: number }>(),
  nothing: k.unit(),
  state: k.oneOf("draft", "final"),
  wider: k.oneOf("low", "high", { width: 2, discriminants: { high: 9 } }),
});

is<
  Same<
    k.Infer<typeof scalars>,
    {
      byte: number;
      wide: bigint;
      near: number;
      float: number;
      flag: boolean;
      letter: string;
      title: string;
      short: string;
      text: Text;
      data: Bytes;
      shape: { readonly a: number };
      nothing: undefined;
      state: "draft" | "final";
      wider: "low" | "high";
    }
  >
>();

const Note = k.struct({ title: k.string(), tags: k.vec(k.string()), state: k.u8().default(1).named("s") });
type Note = k.Infer<typeof Note>;
is<Same<Note, { title: string; tags: KVec<string>; state: number }>>();
is<Same<k.Init<typeof Note>, { title: string; tags?: Iterable<string>; state?: number }>>();
is<Fits<Note, k.Init<typeof Note>>>();

const Box = k.struct({
  notes: k.vec(Note),
  small: k.packedVec(k.u16()),
  byId: k.map(k.u64(), k.string()),
  sorted: k.sortedMap(k.oneOf("a", "b"), k.bool()),
  set: k.set(k.u32()),
  maybe: k.option(Note),
  apart: k.box(k.string()),
  pair: k.tuple(k.i32(), Note),
  fixed: k.u32().slotted().was("old"),
});
type BoxLive = k.Infer<typeof Box>;
is<Same<BoxLive["byId"], KMap<bigint, string>>>();
is<Same<BoxLive["sorted"], KMap<"a" | "b", boolean>>>();
is<Same<BoxLive["set"], KSet<number>>>();
is<Same<BoxLive["maybe"], Note | null>>();
is<Same<BoxLive["apart"], string | null>>();
is<Same<BoxLive["fixed"], number>>();
is<Same<BoxLive["pair"], KTuple<[number, Note]>>>();
is<Same<BoxLive["notes"], KVecOf<Note, k.Init<typeof Note>>>>();
is<Fits<BoxLive, k.Init<typeof Box>>>();
is<Fits<BoxLive["byId"], Map<bigint, string>>>();
is<Fits<BoxLive["set"], Set<number>>>();
is<Fits<BoxLive["notes"], KVec<Note>>>();

const Shape = k.enum({ Circle: { r: k.f64() }, Square: { side: k.f64(), label: k.string().default("") } });
type Shape = k.Infer<typeof Shape>;
is<Same<Shape, { kind: "Circle"; r: number } | { kind: "Square"; side: number; label: string }>>();
is<
  Same<k.Init<typeof Shape>, { kind: "Circle"; r: number } | { kind: "Square"; side: number; label?: string }>
>();
const Tagged = k.enum({ A: {}, B: {} }, { tag: "type", discriminants: { B: 5 } });
is<Same<k.Infer<typeof Tagged>, { type: "A" } | { type: "B" }>>();

const Tree = k.struct({
  value: k.i32(),
  get children() {
    return k.vec(Tree);
  },
});
const Json = k.enum({
  Null: {},
  Num: { value: k.f64() },
  Arr: {
    get items() {
      return k.vec(Json);
    },
  },
});
const Left = k.struct({
  get right() {
    return k.option(k.tuple(k.box(Right), k.u8()));
  },
});
const Right = k.struct({
  name: k.string(),
  get lefts() {
    return k.map(k.string(), Left);
  },
});

class Person extends k.struct({
  first: k.string(),
  last: k.string(),
  get friends() {
    return k.vec(Person);
  },
}) {
  cache = new Map<string, number>();
  get full(): string {
    return `${this.first} ${this.last}`;
  }
}
const Team = k.struct({ lead: Person, all: k.map(k.string(), Person.slotted()) });

/** Compiled, never called: what is written here would need a document. */
export function usesOf(
  note: Note,
  box: BoxLive,
  shape: Shape,
  tree: k.Infer<typeof Tree>,
  json: k.Infer<typeof Json>,
  left: k.Infer<typeof Left>,
  team: k.Infer<typeof Team>,
): void {
  note.title = "x";
  note.tags.push("a", "b");
  box.notes.push({ title: "x" }, note, { title: "y", tags: new Set(["a"]), state: 2 });
  box.byId.set(1n, "x").update(2n, (old) => old + "!");
  box.pair[1].tags.at(0)?.trim();
  const [number, { title }] = [box.pair[0], box.pair[1]];
  if (shape.kind === "Circle") shape.r = number + title.length;
  tree.children.at(0)!.children.at(1)!.value.toFixed();
  tree.children.push({ value: 1, children: [{ value: 2 }] });
  if (json.kind === "Arr")
    json.items.push({ kind: "Num", value: 1 }, { kind: "Arr", items: [{ kind: "Null" }] });
  left.right?.[0]?.lefts.get("a")?.right?.[1].toFixed();
  team.lead.friends.at(0)?.full.trim();
  team.all.get("a")?.friends.push({ first: "a", last: "b", friends: [{ first: "c", last: "d" }] });
  team.lead.cache.clear();

  // @ts-expect-error: no such field
  note.titel = "x";
  // @ts-expect-error: another type
  note.title = 5;
  // @ts-expect-error: reads as a vector
  note.tags = ["a"];
  // @ts-expect-error: elements are strings
  note.tags.push(1);
  // @ts-expect-error: no such index signature
  note.tags[0] = "x";
  // @ts-expect-error: a property is missing
  box.notes.push({ tags: [] });
  // @ts-expect-error: a property too many
  box.notes.push({ title: "x", titel: "x" });
  // @ts-expect-error: keys are bigints
  box.byId.get(1);
  // @ts-expect-error: values are strings
  box.byId.set(1n, 1);
  // @ts-expect-error: members are numbers
  box.set.add("a");
  // @ts-expect-error: may be null
  box.maybe.title;
  // @ts-expect-error: no third element
  box.pair[2];
  // @ts-expect-error: which variant it is is not known here
  shape.r;
  // @ts-expect-error: the other variant's field
  if (shape.kind === "Circle") shape.side;
  // @ts-expect-error: no such variant
  if (shape.kind === "Oval") return;
  // @ts-expect-error: a string three levels deep
  tree.children.push({ value: 1, children: [{ value: 2, children: [{ value: "3" }] }] });
  // @ts-expect-error: not narrowed
  json.items;
  // @ts-expect-error: a number
  left.right?.[0]?.lefts.get("a")?.right?.[1].trim();
  // @ts-expect-error: no such method
  team.lead.friends.at(0)?.empty();
}

export function mistakes(): void {
  // @ts-expect-error: floats are no keys
  k.map(k.f64(), k.string());
  // @ts-expect-error: nor are objects
  k.set(Note);
  // @ts-expect-error: not a schema
  k.vec(5);
  // @ts-expect-error: not called
  k.vec(k.string);
  // @ts-expect-error: the default is no number
  k.u8().default("x");
  // @ts-expect-error: a variant there is not
  k.enum({ A: {} }, { discriminants: { B: 1 } });
  // @ts-expect-error: a name there is not
  k.oneOf("a", "b", { discriminants: { c: 1 } });
  // @ts-expect-error: read as nothing known
  k.u64({ as: "string" });
  // @ts-expect-error: title is missing
  new Note();
  // @ts-expect-error: no such property
  new Note({ title: "x", titel: "x" });
}

test("what compiles can be sealed", () => {
  for (const schema of [scalars, Note, Shape, Tagged, Tree, Json, Left, Right, Person, Team]) {
    assert.equal(schema.fingerprint().length, 16);
  }
  const roots = k.struct({ box: k.box(Box, { packed: true }) });
  assert.equal(roots.slotSize, 4);
});
