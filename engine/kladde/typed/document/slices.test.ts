/** A document that is opened in slices is the same, and others get their turns. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../../../storage/memory.ts";
import * as k from "./k.ts";
import { kladdeOn } from "./kladde.ts";

const Kladde = kladdeOn();

const Item = k.struct({ name: k.string(), numbers: k.packedVec(k.u32()) });
const All = k.struct({
  map: k.map(k.u32(), k.string()),
  list: k.vec(Item),
  packed: k.packedVec(k.string()),
});

const count = 6000;

function large(): MemoryFile {
  const file = new MemoryFile("large");
  const doc = Kladde.open(file, All);
  doc.batch(() => {
    for (let at = 0; at < count; at++) {
      doc.map.set(at, `value ${at}`);
      doc.packed.push(`packed ${at}`);
    }
    for (let at = 0; at < 100; at++)
      doc.list.push({ name: `item ${at}`, numbers: Array.from({ length: at }, (_, n) => n * at) });
    for (let at = 0; at < count; at += 3) doc.map.delete(at);
  });
  doc.close();
  return new MemoryFile("large", file.bytes());
}

test("a document opened in slices is the same, and can be changed", async () => {
  const file = large();
  let turns = 0;
  const pause = async () => {
    turns++;
  };
  const doc = await Kladde.openAsync(file, All, { pause });
  const expected = k.toJS(Kladde.open(new MemoryFile("copy", file.bytes()), All));
  assert.deepEqual(k.toJS(doc), expected);
  assert.ok(turns >= 3, `${turns} turns`);
  doc.packed.splice(5000, 1, "longer than it was before");
  doc.list.at(50)!.numbers.push(7);
  doc.map.set(1, "changed");
  assert.deepEqual(k.toJS(Kladde.open(new MemoryFile("copy", file.bytes()), All)), k.toJS(doc));
  assert.equal(doc.stats().leaked, 0);
});

test("without a pause of its own it waits for another turn", async () => {
  let isTurn = false;
  setTimeout(() => {
    isTurn = true;
  });
  const opening = Kladde.openAsync(large(), All);
  assert.equal(isTurn, false);
  await opening;
  assert.equal(isTurn, true);
});

test("new and refused documents are as with open", async () => {
  const fresh = await Kladde.openAsync(new MemoryFile("fresh"), All);
  assert.equal(fresh.map.size, 0);
  const other = k.struct({ other: k.u8() });
  await assert.rejects(Kladde.openAsync(large(), other), { code: "schema-mismatch" });
  await assert.rejects(Kladde.openAsync(large(), All, { pause: 5 as never }), TypeError);
  const error = new RangeError("stop");
  const file = large();
  const close = file.close.bind(file);
  let isClosed = false;
  file.close = () => {
    isClosed = true;
    close();
  };
  const pause = () => Promise.reject(error);
  await assert.rejects(Kladde.openAsync(file, All, { pause }), error);
  assert.ok(isClosed);
});

test("with autoFlush idle a flush that is due has a turn of its own", async () => {
  const doc = Kladde.open(new MemoryFile("idle"), All, { autoFlush: "idle", journalBudgetPages: 2 });
  const { flushes } = doc.stats();
  for (let at = 0; at < 40; at++) doc.map.set(at, "x".repeat(400));
  assert.equal(doc.stats().flushes, flushes);
  await new Promise((go) => setTimeout(go, 1));
  assert.equal(doc.stats().flushes, flushes + 1);
  assert.throws(() => Kladde.open(new MemoryFile("x"), All, { autoFlush: "later" as never }), TypeError);
});
