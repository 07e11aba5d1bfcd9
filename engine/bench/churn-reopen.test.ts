/**
 * The workload `churn` at 256 KiB, its file opened again after every flush, with reclamation and without. A recycled id
 * that brings old content back shows within a few flushes: memory has it right, the file has not.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Store } from "../kladde/index.ts";
import { MemoryFile } from "../storage/memory.ts";
import { Model } from "./model.ts";
import { apply } from "./store.ts";
import { draw } from "./workloads.ts";

const sizeBytes = 256 * 1024;

for (const consolidate of [true, false]) {
  test(`churn at 256 KiB, consolidate: ${consolidate}: after every flush a copy of the file has every allocation`, () => {
    const { drawing, marks } = draw("churn", sizeBytes);
    const file = new MemoryFile();
    const store = Store.create(file, { consolidate });
    const model = new Model();
    const ids: number[] = [];
    let flushed = 0;
    for (const _mark of marks) {
      model.apply(drawing.interval);
      apply(store, ids, drawing.interval);
      store.flush();
      compareCopy(file, model, ids);
      store.check();
      flushed++;
    }
    assert.ok(flushed >= 6);
    const { leafPages, evacuatedPages } = store.stats();
    assert.ok(leafPages > 2, "nearly everything lies in the header");
    assert.equal(evacuatedPages > 0, consolidate);
  });
}

function compareCopy(file: MemoryFile, model: Model, ids: readonly number[]): void {
  const copy = Store.openReadOnly(file.clone());
  const slots = [...model.slots()];
  assert.deepEqual([...copy.ids()].sort(byNumber), slots.map((slot) => ids[slot]!).sort(byNumber));
  for (const slot of slots) {
    const expected = model.contents(slot)!;
    const id = ids[slot]!;
    assert.equal(copy.committedSize(id), expected.length, `size of allocation ${id}`);
    const isSame = Buffer.compare(copy.read(id, 0, expected.length), expected) === 0;
    assert.ok(isSame, `allocation ${id} has other bytes in the copy`);
  }
  copy.close();
}

const byNumber = (a: number, b: number): number => a - b;
