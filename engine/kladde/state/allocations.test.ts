/** Rows of ids that lie close together, and of ids that a foreign file strews over all there are. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { SplitMix32 } from "../../storage/random.ts";
import { counted } from "../testing/counted-memory.ts";
import { AllocationTable, idExisting } from "./allocations.ts";

const u32Max = 2 ** 32 - 1;

/** Ids of which each has the row that a plain map says. */
function fill(ids: Iterable<number>): AllocationTable {
  const table = new AllocationTable();
  const rows = new Map<number, number>();
  for (const id of ids) {
    assert.equal(table.row(id), rows.get(id) ?? -1);
    const row = table.ensureRow(id);
    assert.equal(row, rows.get(id) ?? rows.size);
    rows.set(id, row);
    table.setState(id, row, idExisting);
    table.setSize(row, id % 1000);
  }
  for (const [id, row] of rows) {
    assert.equal(table.row(id), row);
    assert.equal(table.sizeOf(id), id % 1000);
    assert.equal(table.row(id === u32Max ? 0 : id + 1), rows.get(id + 1) ?? -1);
  }
  assert.equal(table.existing.count, rows.size);
  return table;
}

test("every id has a row of its own, however far apart they are", () => {
  const random = new SplitMix32(5);
  for (let run = 0; run < 40; run++) {
    const reach = 2 ** (4 + random.below(29));
    const ids = Array.from({ length: 2000 }, () => 1 + random.below(Math.min(reach, u32Max)));
    fill([1, u32Max, ...ids, u32Max, 2, 3]);
  }
});

test("ids that were far apart are found when those between them come", () => {
  const far = Array.from({ length: 300 }, (_, i) => 600_000 - 1000 * i);
  const near = Array.from({ length: 200_000 }, (_, i) => i + 1);
  fill([...far, ...near]);
});

test("columns follow the rows, not the ids", () => {
  const ids = Array.from({ length: 20_000 }, (_, i) => 1 + 100 * i);
  const [, dense] = counted(() => new AllocationTable());
  const [, bytes] = counted(() => {
    const table = new AllocationTable();
    for (const id of ids) table.ensureRow(id);
  });
  assert.ok(bytes - dense < 4 * 53 * ids.length + 2 ** 22, `${bytes} bytes for ${ids.length} ids`);
});
