/**
 * Objects on their way between lists, maps, options, boxes and other objects, in transactions that are taken back or not.
 *
 *     SEED=17 RUNS=1000 node --test engine/kladde/typed/document/moves.test.ts
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as k from "../schema/k.ts";
import { Course } from "../testing/course.ts";
import { change, somewhere } from "../testing/operations.ts";
import { drawText, type SpecField, type Typed, textValue } from "../testing/specs.ts";
import { runsOf, Tape, tapes } from "../testing/tape.ts";

const name = textValue(k.string());
const small = textValue(k.smallString(), "small string");

const field = (property: string, { spec, schema }: Typed): SpecField => ({ property, spec, schema });

const holding = (kind: "vec" | "packedVec" | "option" | "box", element: Typed, schema: unknown): Typed => ({
  spec: { kind, element: () => element },
  schema,
});

const structOf = (fields: readonly SpecField[]): Typed => {
  const schema = k.struct(Object.fromEntries(fields.map((one) => [one.property, one.schema])));
  return { spec: { kind: "struct", fields, make: schema as never }, schema };
};

const mapOf = (element: Typed): Typed => ({
  spec: { kind: "map", key: name, element: () => element },
  schema: k.map(k.string(), element.schema),
});

const words = holding("packedVec", small, k.packedVec(k.smallString()));
const part = structOf([field("name", name), field("words", words)]);
const parts = holding("vec", part, k.vec(part.schema));
const packedParts = holding("packedVec", part, k.packedVec(part.schema));
const item = structOf([
  field("name", name),
  field("parts", parts),
  field("main", holding("option", part, k.option(part.schema))),
  field("inner", holding("box", part, k.box(part.schema, { packed: true }))),
]);
const boxed = holding("box", item, k.box(item.schema));
const grove = structOf([
  field("items", holding("vec", item, k.vec(item.schema))),
  field("packed", holding("packedVec", item, k.packedVec(item.schema))),
  field("boxed", holding("vec", boxed, k.vec(boxed.schema))),
  field("byName", mapOf(item)),
  field("partsByName", mapOf(parts)),
  field("parts", packedParts),
  field("one", holding("option", item, k.option(item.schema))),
]);

/** Something to move about. */
function fill(course: Course, tape: Tape): void {
  const { doc, root } = course;
  for (const list of ["items", "boxed", "packed"] as const) {
    const model = {
      name: drawText(tape),
      parts: [{ name: "p", words: ["w"] }],
      main: null,
      inner: { name: "i", words: [] },
    };
    doc[list].push(structuredClone(model));
    (root.model() as Record<string, unknown[]>)[list]!.push(model);
  }
}

test("objects keep their identity, their content and one owner on whatever way they go", () => {
  const counts = new Map<string, number>();
  const property = fc.property(tapes(30), ([first, all]) => {
    const tape = new Tape(first);
    const course = new Course(grove, tape, { journalBudgetPages: 4 });
    fill(course, tape);
    const step = (steps: Tape): void => {
      if (steps.oneIn(3)) course.log.push(change(somewhere(course.root, steps), steps));
      else if (steps.oneIn(4)) course.transaction(steps, step);
      else course.move(steps);
    };
    try {
      for (const numbers of all) {
        step(new Tape(numbers));
        course.verify();
      }
    } catch (cause) {
      throw new Error(`after ${course.log.join(", ")}`, { cause });
    }
    for (const one of course.log) counts.set(one, (counts.get(one) ?? 0) + 1);
  });
  fc.assert(property, runsOf(60));
  const puts = [...counts]
    .filter(([one]) => one.startsWith("put into"))
    .reduce((sum, [, count]) => sum + count, 0);
  assert.ok(puts > 100 || process.env.RUNS !== undefined, `${puts} stored again`);
});
