import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { StoreError } from "../../../errors.ts";
import type { SealedSchema } from "../schema/model.ts";
import { seal } from "../schema/seal.ts";
import { sameLayout } from "../types/compare.ts";
import { isUpgradable, resolve } from "./resolve.ts";
import { damage, damaged } from "./testing/damage.ts";
import {
  type Draw,
  drawSpec,
  dropsFields,
  Editor,
  migrated,
  NoCounterpart,
  type Spec,
  schemaOf,
} from "./testing/edits.ts";
import { accessOfBytes, arbitraryDatum, type Datum, NaiveEncoder } from "./testing/values.ts";
import { readUpgraded, ValueRefused } from "./upgrade.ts";

/** Not every drawing is a schema: packed forms, for example, have places of their own. */
function sealed(spec: Spec): SealedSchema {
  try {
    return seal(schemaOf(spec));
  } catch {
    fc.pre(false);
    throw new Error("unreachable");
  }
}

function stored(schema: SealedSchema, draw: Draw): { datum: Datum; encoder: NaiveEncoder; root: number } {
  const datum = draw(arbitraryDatum, schema.descriptor);
  const encoder = new NaiveEncoder();
  return { datum, encoder, root: encoder.root(schema.descriptor, datum) };
}

/** The value, or the error that says there is none. */
function attempt(body: () => unknown): unknown {
  try {
    return body();
  } catch (error) {
    if (error instanceof NoCounterpart || error instanceof ValueRefused) return "refused";
    throw error;
  }
}

test("after edits that can be upgraded, every surviving value is what the rules say", () => {
  const seen = { same: 0, changed: 0, dropped: 0, refused: 0 };
  fc.assert(
    fc.property(fc.gen(), (draw) => {
      const before = drawSpec(draw, 3);
      const after = new Editor(draw).edit(before);
      const writer = sealed(before);
      const reader = sealed(after);
      const resolution = resolve(writer.descriptor, reader.root);
      const drops = dropsFields(after);
      const told = JSON.stringify({ before, after, differences: resolution.differences });
      const isSame = sameLayout(writer.descriptor, reader.descriptor);
      assert.equal(resolution.differences.length === 0, isSame, told);
      assert.equal(resolution.counts.none, 0, told);
      assert.equal(resolution.counts["drop-fields"] > 0, drops, told);
      assert.equal(isUpgradable(resolution, false), !drops);
      const { datum, encoder, root } = stored(writer, draw);
      const wanted = attempt(() => migrated(after, datum));
      assert.deepEqual(
        attempt(() => readUpgraded(resolution, encoder.access(), root)),
        wanted,
      );
      if (wanted === "refused") seen.refused++;
      else if (drops) seen.dropped++;
      else if (resolution.differences.length > 0) seen.changed++;
      else seen.same++;
    }),
    { numRuns: 2000 },
  );
  for (const [what, count] of Object.entries(seen)) assert.ok(count > 20, `${what}: ${JSON.stringify(seen)}`);
});

test("a damaged file is refused, or read as some value of its type", () => {
  const seen = { corrupt: 0, refused: 0, read: 0 };
  fc.assert(
    fc.property(fc.gen(), damage, (draw, steps) => {
      const before = drawSpec(draw, 3);
      const after = new Editor(draw).edit(before);
      const writer = sealed(before);
      const resolution = resolve(writer.descriptor, sealed(after).root);
      const { encoder, root } = stored(writer, draw);
      const bytes = new Map([...encoder.allocations].map(([id, each]) => [id, Uint8Array.from(each)]));
      try {
        readUpgraded(resolution, accessOfBytes(damaged(bytes, steps)), root);
        seen.read++;
      } catch (error) {
        if (error instanceof ValueRefused) seen.refused++;
        else if (error instanceof StoreError && error.code === "corrupt") seen.corrupt++;
        else throw error;
      }
    }),
    { numRuns: 1500 },
  );
  assert.ok(seen.corrupt > 200 && seen.read > 100, JSON.stringify(seen));
});
