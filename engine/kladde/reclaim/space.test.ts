/** What reclamation is for: how much of a file is alive under loads that leave half-dead pages behind. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MemoryFile } from "../../storage/memory.ts";
import { SplitMix32 } from "../../storage/random.ts";
import { contentCapacity } from "../format/layout.ts";
import { Store, type StoreOptions, type StoreStats } from "../index.ts";
import { bytesOf } from "../testing/perform.ts";
import { failOnLostReferrers } from "../testing/reclaim-oracle.ts";
import { compareWithReload, contextOf } from "../testing/reload.ts";

failOnLostReferrers();

const inspected = (store: Store): StoreStats => {
  store.check();
  compareWithReload(contextOf(store));
  return store.stats();
};

const dataFill = ({ liveDataBytes, dataPages }: StoreStats): number =>
  liveDataBytes / (dataPages * contentCapacity);

const liveFill = ({
  liveDataBytes,
  liveTableBytes,
  dataPages,
  leafPages,
  interiorPages,
}: StoreStats): number =>
  (liveDataBytes + liveTableBytes) / ((dataPages + leafPages + interiorPages) * contentCapacity);

describe("64 allocations of 8 KiB, 300 flushes of 32 writes of up to 600 bytes", () => {
  const run = (options: StoreOptions): StoreStats => {
    const random = new SplitMix32(1);
    const store = Store.create(new MemoryFile(), options);
    const size = 8192;
    const ids = Array.from({ length: 64 }, () => store.alloc(size));
    for (const id of ids) store.write(id, 0, bytesOf(id, size));
    store.flush();
    for (let flush = 0; flush < 300; flush++) {
      for (let i = 0; i < 32; i++) {
        const length = 1 + random.below(600);
        store.write(ids[random.below(64)]!, random.below(size - length + 1), bytesOf(i, length));
      }
      store.flush();
    }
    return inspected(store);
  };
  const on = run({});
  const off = run({ consolidate: false });

  test("data pages are more than three fifths alive, less than three tenths without reclamation", () => {
    assert.ok(dataFill(on) > 0.6, `${dataFill(on)}`);
    assert.ok(dataFill(off) < 0.3, `${dataFill(off)}`);
    assert.ok(on.dataPages < off.dataPages / 3, `${on.dataPages} of ${off.dataPages}`);
  });

  test("so are all live pages, with a third of the leaves", () => {
    assert.ok(liveFill(on) > 0.6, `${liveFill(on)}`);
    assert.ok(on.leafPages < off.leafPages / 3, `${on.leafPages} of ${off.leafPages}`);
  });

  test("every mechanism had its part", (t) => {
    const { evacuatedPages, freeFilledPages, budgetPagesUsed, tableRewrites, windowRestated } = on;
    t.diagnostic(JSON.stringify({ on, off }));
    assert.ok(Math.min(evacuatedPages, freeFilledPages, budgetPagesUsed, tableRewrites, windowRestated) > 20);
  });
});

test("32 logs, 200 flushes of 16-byte appends: fewer than half the statements of a store that rewrites nothing", (t) => {
  const run = (options: StoreOptions): StoreStats => {
    const random = new SplitMix32(2);
    const store = Store.create(new MemoryFile(), options);
    const logs = Array.from({ length: 32 }, () => store.alloc(0));
    for (let flush = 0; flush < 200; flush++) {
      for (let i = 0; i < 8; i++) {
        const log = logs[random.below(32)]!;
        store.write(log, store.size(log), bytesOf(flush, 16));
      }
      store.flush();
    }
    return inspected(store);
  };
  const on = run({});
  const never = run({ mu: Number.POSITIVE_INFINITY });
  t.diagnostic(`${on.statements} statements, ${never.statements} at an infinite price`);
  assert.ok(on.statements < never.statements / 2);
  assert.equal(never.defragRewrites, 0);
});

describe("chunks of half a page and a byte, one to a page, half of them freed", () => {
  const half = Math.floor(contentCapacity / 2) + 1;
  const livePages = (200 * half) / contentCapacity;
  const run = (options: StoreOptions): StoreStats => {
    const store = Store.create(new MemoryFile(), options);
    const ids = Array.from({ length: 400 }, () => store.alloc(0));
    // A flush each, so that no two share a page.
    ids.forEach((id, i) => {
      store.write(id, 0, bytesOf(i, half));
      store.flush();
    });
    ids.forEach((id, i) => {
      if (i % 2 === 1) store.free(id);
    });
    for (let flush = 0; flush < 60; flush++) {
      store.write(ids[0]!, flush, bytesOf(flush, 1));
      store.flush();
    }
    for (const [i, id] of ids.entries())
      if (i % 2 === 0 && i > 0) assert.deepEqual(store.read(id, 0, half), bytesOf(i, half));
    return inspected(store);
  };

  test("no two fit into one page, so it takes cuts to come close to what is live", () => {
    // A floor under which such a page still pays.
    const { filePages } = run({ churnFloor: 0.9 });
    assert.ok(filePages < 1.15 * livePages, `${filePages} pages for ${livePages.toFixed(0)} pages' worth`);
  });

  test("a budget of one page never cuts, and at a floor of 1 they do not pay", () => {
    for (const options of [{ churnFloor: 0.9, budgetMax: 1 }, {}]) {
      const { dataPages } = run(options);
      assert.ok(dataPages > 1.8 * livePages, `${dataPages} pages`);
    }
  });
});
