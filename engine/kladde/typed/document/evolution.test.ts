/** Random types, values and edits: a document that is upgraded equals one that is made of the edited value. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { StoreError } from "../../../errors.ts";
import { MemoryFile } from "../../../storage/memory.ts";
import { Store } from "../../store.ts";
import { plainOf } from "../live/plain.ts";
import {
  type Draw,
  drawSpec,
  Editor,
  migrated,
  NoCounterpart,
  type Spec,
  schemaOf,
} from "../plain/testing/edits.ts";
import { arbitraryDatum, type Datum } from "../plain/testing/values.ts";
import * as k from "../schema/k.ts";
import { seal } from "../schema/seal.ts";
import { sameLayout } from "../types/index.ts";
import { kladdeOn } from "./kladde.ts";

const Kladde = kladdeOn();

/** A document of one value; not every drawing is a schema. */
function rootOf(spec: Spec) {
  try {
    const root = k.struct({ it: schemaOf(spec) });
    seal(root);
    return root;
  } catch {
    fc.pre(false);
    throw new Error("unreachable");
  }
}

const made = (schema: ReturnType<typeof rootOf>, it: unknown): MemoryFile => {
  const file = new MemoryFile("it");
  Kladde.open(file, schema, { init: () => ({ it }) as never }).close();
  return file;
};

const attempt = (spec: Spec, datum: Datum): { readonly value: unknown } | undefined => {
  try {
    return { value: migrated(spec, datum) };
  } catch (error) {
    if (error instanceof NoCounterpart) return undefined;
    throw error;
  }
};

test("a document that is upgraded equals one that is made of the edited value", () => {
  const seen = { refused: 0, upgraded: 0 };
  const property = fc.property(fc.gen(), (draw: Draw) => {
    const before = drawSpec(draw, 3);
    const after = new Editor(draw).edit(before);
    const old = rootOf(before);
    const wanted = rootOf(after);
    const datum = draw(arbitraryDatum, seal(schemaOf(before)).descriptor);
    const stored = attempt(before, datum);
    fc.pre(stored !== undefined);
    const file = made(old, stored.value);
    const bytes = file.bytes();
    const target = attempt(after, datum);
    const open = () => Kladde.open(file, wanted, { evolve: "upgrade", dropFields: true });
    if (target === undefined) {
      assert.throws(open, { code: "schema-mismatch" });
      // Of the same layout it is the loader that refuses, after the store below has opened the file for writing.
      const isSame = sameLayout(seal(old).descriptor, seal(wanted).descriptor);
      if (!isSame) assert.deepEqual(file.bytes(), bytes);
      seen.refused++;
      return;
    }
    const doc = open();
    const direct = Kladde.open(made(wanted, target.value), wanted);
    assert.deepEqual(plainOf(doc), plainOf(direct));
    assert.equal(Kladde.of(doc).stats().leaked, 0);
    doc.close();
    assert.deepEqual(plainOf(Kladde.open(file, wanted)), plainOf(direct));
    seen.upgraded++;
  });
  fc.assert(property, { numRuns: 500 });
  assert.ok(seen.upgraded > 240 && seen.refused > 2, JSON.stringify(seen));
});

test("a file whose values or types are damaged is refused unchanged, or upgraded to some value", () => {
  const seen = { refused: 0, upgraded: 0 };
  const property = fc.property(fc.gen(), (draw: Draw) => {
    const before = drawSpec(draw, 3);
    const old = rootOf(before);
    const wanted = rootOf(new Editor(draw).edit(before));
    const stored = attempt(before, draw(arbitraryDatum, seal(schemaOf(before)).descriptor));
    fc.pre(stored !== undefined && !sameLayout(seal(old).descriptor, seal(wanted).descriptor));
    const file = made(old, stored.value);
    hurt(file, draw);
    const bytes = file.bytes();
    try {
      Kladde.open(file, wanted, { evolve: "upgrade", dropFields: true }).close();
      Kladde.open(file, wanted, { readonly: true });
      seen.upgraded++;
    } catch (error) {
      assert.ok(error instanceof StoreError, String(error));
      assert.match(error.code, /^(corrupt|schema-mismatch|too-large)$/);
      assert.deepEqual(file.bytes(), bytes);
      seen.refused++;
    }
  });
  fc.assert(property, { numRuns: 250 });
  assert.ok(seen.refused > 30 && seen.upgraded > 10, JSON.stringify(seen));
});

/** Changes a byte of an allocation, or cuts it, soundly as far as the store below can tell. */
function hurt(file: MemoryFile, draw: Draw): void {
  const store = Store.open(file.reopen());
  const ids = [...store.ids()];
  const id = ids[draw(fc.nat, ids.length - 1)]!;
  const at = draw(fc.nat, Math.max(0, store.size(id) - 1));
  if (draw(fc.boolean)) store.resize(id, at);
  else store.write(id, at, Uint8Array.of(draw(fc.nat, 255)));
  store.close();
}
