/**
 * Random changes of documents of random types, against plain JavaScript values.
 *
 *     SEED=17 RUNS=1000 node --test engine/kladde/typed/document/model.test.ts
 */

import { test } from "node:test";
import fc from "fast-check";
import { Course } from "../testing/course.ts";
import { drawSpec } from "../testing/specs.ts";
import { runsOf, Tape, tapes } from "../testing/tape.ts";

test("documents of random types equal their models after every step, also reopened", () => {
  const property = fc.property(tapes(25), ([type, all]) => {
    const tape = new Tape(type);
    const course = new Course(drawSpec(tape), tape, { journalBudgetPages: 4 });
    course.flushesInside = true;
    try {
      course.verify();
      for (const numbers of all) {
        course.step(new Tape(numbers));
        course.verify();
      }
    } catch (cause) {
      throw new Error(`after ${course.log.join(", ")}`, { cause });
    }
  });
  fc.assert(property, runsOf(150));
});
