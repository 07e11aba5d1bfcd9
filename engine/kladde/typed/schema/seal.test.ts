/** One type is one model; and what models say of fields, variants and initial values. */

import assert from "node:assert/strict";
import { test } from "node:test";
import * as k from "./k.ts";
import type { EnumModel, OneOfModel, StructModel, TypeModel } from "./model.ts";
import { seal } from "./seal.ts";

const rootOf = (schema: object): TypeModel => seal(schema).root;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

test("equal constructors over equal arguments are one model, in whichever schema they are written", () => {
  const Note = k.struct({ title: k.string() });
  const makers: readonly (() => Parameters<typeof k.vec>[0])[] = [
    () => k.u8(),
    () => k.u64({ as: "number" }),
    () => k.string(),
    () => k.vec(Note),
    () => k.packedVec(k.vec(Note)),
    () => k.map(k.oneOf("a", "b"), k.option(Note)),
    () => k.sortedMap(k.u8(), k.box(Note, { packed: true })),
    () => k.set(k.i64()),
    () => k.tuple(Note, k.string(), k.unit()),
    () => k.u8().slotted(),
    () => Note,
  ];
  const models = new Set<TypeModel>();
  for (const make of makers) {
    const model = rootOf(make());
    assert.equal(rootOf(make()), model);
    assert.equal((rootOf(k.vec(make())) as { element?: TypeModel }).element, model);
    models.add(model);
  }
  assert.equal(models.size, makers.length);
});

test("how a value reads makes another model of the same layout", () => {
  const pairs = [
    [k.u64(), k.u64({ as: "number" })],
    [k.string(), k.text()],
    [k.string(), k.json()],
    [k.map(k.u8(), k.string()), k.sortedMap(k.u8(), k.text())],
  ] as const;
  for (const [a, b] of pairs) {
    assert.notEqual(rootOf(a), rootOf(b));
    assert.equal(rootOf(a).descriptor, rootOf(b).descriptor);
  }
});

test("every struct and enum is its own type, even if two look alike; every use of it is the same", () => {
  const make = () => k.struct({ x: k.u8() });
  const [A, B] = [make(), make()];
  class C extends A {}
  const Both = k.struct({ a: A, b: B, c: C, again: A.named("d") });
  const [a, b, c, again] = (rootOf(Both) as StructModel).fields.map(({ type }) => type);
  assert.equal(new Set([a, b, c]).size, 3);
  assert.equal(again, a);
  assert.equal(rootOf(A), a);
  assert.equal((c as StructModel).construct, C);
  assert.equal((c as StructModel).name, "C");
  assert.equal(hex(A.fingerprint()), hex(C.fingerprint()));
});

test("descriptors on a cycle are shared, however the schema is written", () => {
  const shared = "dd56214261d9f423ce32f59d8a2a1f22";
  const trap = (first: boolean): string => {
    const Tree = k.struct(
      {
        get inner() {
          return Inner;
        },
        get kids(): unknown {
          return k.vec(Tree);
        },
      },
      { name: "Tree" },
    );
    const Inner = k.struct(
      {
        get kids(): unknown {
          return k.vec(Tree);
        },
      },
      { name: "Inner" },
    );
    if (first) Inner.fingerprint();
    return hex(Tree.fingerprint());
  };
  assert.equal(trap(false), shared);
  assert.equal(trap(true), shared);

  const once = k.struct({
    get inner() {
      return inner;
    },
    get kids(): unknown {
      return list;
    },
  });
  const inner = k.struct({
    get kids(): unknown {
      return list;
    },
  });
  const list = k.vec(once);
  assert.equal(hex(once.fingerprint()), shared);
});

test("a schema is sealed once, and its getters run once", () => {
  let runs = 0;
  const Tree = k.struct({
    get kids(): unknown {
      runs++;
      return k.vec(Tree);
    },
  });
  assert.equal(runs, 0);
  assert.equal(seal(Tree), seal(Tree));
  seal(k.struct({ tree: Tree, more: k.vec(Tree) }));
  assert.equal(runs, 1);
});

test("the class form keeps methods, names and further state out of the schema", () => {
  class Person extends k.struct({ first: k.string(), last: k.string() }) {
    cache = new Map();
    get full(): string {
      return `${this.first} ${this.last}`;
    }
  }
  const model = rootOf(Person) as StructModel;
  assert.equal(model.name, "Person");
  assert.deepEqual(
    model.fields.map(({ property }) => property),
    ["first", "last"],
  );
  assert.equal((rootOf(class extends k.struct({}, { name: "person" }) {}) as StructModel).name, "person");
  assert.equal(Person.slotSize, 8);
  assert.equal(new Person({ first: "a", last: "b" }).full, "a b");
});

test("modifiers say names and initial values, chain in any order, and leave the schema as it was", () => {
  const count = k.u32();
  const Page = k.struct({
    a: count.named("visit_count").was("hits").default(3).was("visits", "views"),
    b: count.default(0).slotted(),
    c: count,
    list: k.vec(k.u8()).default([1, 2]),
    unset: k.option(k.u8()).default(undefined as never),
  });
  const { fields } = rootOf(Page) as StructModel;
  const [a, b, c, list, unset] = fields;
  assert.deepEqual(
    [a!.persisted, a!.former, a!.initial],
    ["visit_count", ["hits", "visits", "views"], { value: 3 }],
  );
  assert.deepEqual([b!.persisted, b!.type.kind, b!.initial], ["b", "slotted", { value: 0 }]);
  assert.deepEqual([c!.persisted, c!.former, c!.initial], ["c", [], undefined]);
  assert.equal(a!.type, c!.type);
  assert.deepEqual(list!.initial, { value: [1, 2] });
  assert.ok("initial" in unset!);
  assert.match(Buffer.from(Page.table()).toString("latin1"), /visit_count/);
});

test("variants are counted from zero, from the last number given, and lie in ascending order", () => {
  const read = (model: TypeModel): unknown => {
    const { width, variants } = model as OneOfModel;
    return [width, variants.map(({ name, discriminant }) => [discriminant, name])];
  };
  const plain = k.enum({ B: {}, A: { x: k.u8() } });
  assert.deepEqual(read(rootOf(plain)), [
    1,
    [
      [0, "B"],
      [1, "A"],
    ],
  ]);
  const given = k.enum({ A: {}, B: {}, C: {} }, { discriminants: { A: 300, C: 7 } });
  assert.deepEqual(read(rootOf(given)), [
    2,
    [
      [7, "C"],
      [300, "A"],
      [301, "B"],
    ],
  ]);
  const widths = [255, 256, 65535, 65536, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER].map(
    (value) => (rootOf(k.oneOf("a", { discriminants: { a: value } })) as OneOfModel).width,
  );
  assert.deepEqual(widths, [1, 2, 2, 4, 4, 8, 8]);
  assert.equal((rootOf(k.oneOf("a", "b", { width: 4 })) as OneOfModel).width, 4);
  const renamed = rootOf(
    k.enum({ A: {}, B: {} }, { was: { A: "Old", B: ["X", "Y"] }, tag: "type", name: "E" }),
  );
  assert.deepEqual(
    (renamed as EnumModel).variants.map(({ former }) => former),
    [["Old"], ["X", "Y"]],
  );
  assert.deepEqual([(renamed as EnumModel).tag, (renamed as EnumModel).name], ["type", "E"]);
});

test("slots are measured, also of types that are packed only", () => {
  const sizes: readonly (readonly [schema: Parameters<typeof k.vec>[0], bytes: number | undefined])[] = [
    [k.struct({ a: k.u8(), b: k.f64(), c: k.char(), d: k.json() }), 17],
    [k.option(k.u64()), 9],
    [k.enum({ A: {}, B: { x: k.u32(), y: k.bool() } }, { width: 4 }), 9],
    [k.tuple(), 0],
    [k.smallString(), undefined],
    [k.struct({ s: k.smallVec(k.u8()) }), undefined],
    [k.vec(k.u8()), 4],
  ];
  for (const [schema, bytes] of sizes) {
    assert.equal(schema.slotSize, bytes);
    assert.equal(rootOf(schema).slotBytes, bytes ?? -1);
  }
  const inner = (rootOf(k.struct({ deep: k.vec(k.tuple(k.u16(), k.bool())) })) as StructModel).fields[0]!
    .type;
  assert.equal((inner as { element?: TypeModel }).element?.slotBytes, 3);
});
