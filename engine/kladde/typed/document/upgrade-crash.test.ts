/** Power cuts while documents are made and upgraded: nothing is lost, and nothing is half there. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { CrashingFile, PowerCut } from "../../../storage/crashing.ts";
import { MemoryFile } from "../../../storage/memory.ts";
import { SplitMix32 } from "../../../storage/random.ts";
import type { Disk } from "../../../storage/storage.ts";
import { plainOf } from "../live/plain.ts";
import { SchemaMismatch } from "../plain/index.ts";
import { kladdeOn } from "./kladde.ts";
import { contentOf, firstValue, New, Old, oldDisk, upgradedValue } from "./testing/book.ts";
import { CrashingDisk } from "./testing/crashing-disk.ts";

const options = { evolve: "upgrade", dropFields: true, keepOld: true } as const;

/** The value under `book`, and by which schema. */
function valueOn(disk: Disk): { value: unknown; isNew: boolean } {
  try {
    using doc = kladdeOn(disk).open("book", New, { readonly: true });
    return { value: plainOf(doc), isNew: true };
  } catch (error) {
    if (!(error instanceof SchemaMismatch)) throw error;
    using doc = kladdeOn(disk).open("book", Old, { readonly: true });
    return { value: plainOf(doc), isNew: false };
  }
}

test("a power cut anywhere leaves the old file or the new one, whole; and the upgrade can be done again", () => {
  const files = new Map([["book", contentOf(oldDisk(), "book")]]);
  const rehearsal = new CrashingDisk(files);
  kladdeOn(rehearsal).open("book", New, options).close();
  const cuts = rehearsal.mutations;
  assert.ok(cuts > 15, `${cuts} mutating calls`);
  const random = new SplitMix32(17);
  let olds = 0;
  let news = 0;
  for (let cutAt = 0; cutAt < cuts; cutAt++) {
    const disk = new CrashingDisk(files, cutAt);
    assert.throws(() => kladdeOn(disk).open("book", New, options).close(), PowerCut, `cut ${cutAt}`);
    for (const [names, choice] of [
      ["lost", "lost"],
      ["kept", "kept"],
      ["lost", "kept"],
      ["kept", "lost"],
      ["kept", "torn"],
      ...Array.from({ length: 6 }, () => [random, random] as const),
    ] as const) {
      const after = disk.after(names, choice);
      const { value, isNew } = valueOn(after);
      assert.deepEqual(value, isNew ? upgradedValue : firstValue(), `cut ${cutAt}`);
      if (isNew) news++;
      else olds++;
      using again = kladdeOn(after).open("book", New, options);
      assert.deepEqual(plainOf(again), upgradedValue, `again after cut ${cutAt}`);
      assert.equal(kladdeOn(after).of(again).stats().leaked, 0);
    }
  }
  assert.ok(olds > 100 && news > 10, `${olds} old, ${news} new`);
});

test("a power cut while a document is made leaves nothing under its name, or all of it", () => {
  const init = () => ({ ...firstValue(), names: [] });
  const make = (disk: Disk) => kladdeOn(disk).open("book", Old, { init });
  const rehearsal = new CrashingDisk(new Map());
  make(rehearsal).close();
  const random = new SplitMix32(19);
  const seen = { missing: 0, made: 0 };
  for (let cutAt = 0; cutAt < rehearsal.mutations; cutAt++) {
    const disk = new CrashingDisk(new Map(), cutAt);
    assert.throws(() => make(disk).close(), PowerCut);
    for (let i = 0; i < 10; i++) {
      const after = disk.after(random, random);
      if (after.size("book") > 0) {
        seen.made++;
        using doc = kladdeOn(after).open("book", Old, { readonly: true });
        assert.deepEqual(plainOf(doc), { ...firstValue(), names: new Map() });
      } else seen.missing++;
      using again = make(after);
      assert.equal(again.notes.length, 2);
    }
  }
  assert.ok(seen.missing > 20 && seen.made > 5, JSON.stringify(seen));
});

test("in a file that is given, a power cut leaves the old value or the new one; at worst allocations leak", () => {
  const image = contentOf(oldDisk(), "book");
  const kladde = kladdeOn();
  const inPlace = { evolve: "upgrade", dropFields: true } as const;
  const rehearsal = new CrashingFile(image, {}, "book");
  {
    using doc = kladde.open(rehearsal, New, inPlace);
    assert.deepEqual(plainOf(doc), upgradedValue);
    assert.equal(kladde.of(doc).stats().leaked, 0);
  }
  const random = new SplitMix32(18);
  const seen = { old: 0, new: 0 };
  for (let cutAt = 0; cutAt < rehearsal.mutations; cutAt++) {
    const file = new CrashingFile(image, { cutAt }, "book");
    assert.throws(() => kladde.open(file, New, inPlace).close(), PowerCut);
    for (const { image: after } of file.images(random, 8)) {
      const isNew = opens(after, New);
      seen[isNew ? "new" : "old"]++;
      using doc = kladde.open(new MemoryFile("book", after), isNew ? New : Old);
      assert.deepEqual(plainOf(doc), isNew ? upgradedValue : firstValue());
      kladde.of(doc).sweep();
      using again = kladde.open(new MemoryFile("book", after), New, inPlace);
      assert.deepEqual(plainOf(again), upgradedValue);
    }
  }
  assert.ok(seen.old > 5 && seen.new > 5, JSON.stringify(seen));
});

function opens(image: Uint8Array, schema: typeof New): boolean {
  try {
    kladdeOn().open(new MemoryFile("book", image), schema).close();
    return true;
  } catch (error) {
    if (error instanceof SchemaMismatch) return false;
    throw error;
  }
}
