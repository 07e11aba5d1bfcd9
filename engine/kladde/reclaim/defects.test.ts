/**
 * Mistakes that were met in implementations of reclamation: old content that came back, and an end of the file that
 * did not move.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MemoryFile } from "../../storage/memory.ts";
import { contentCapacity } from "../format/layout.ts";
import { Store, type StoreOptions } from "../index.ts";
import { pageLeaf } from "../state/pages.ts";
import { rewriteTablePage } from "../state/taking.ts";
import { HookedStore } from "../testing/hooked-store.ts";
import { dataPage, fileOf, headerPage, tableContent } from "../testing/pages.ts";
import { bytesOf } from "../testing/perform.ts";
import { compareWithReload, contextOf } from "../testing/reload.ts";
import { isHoled } from "./compaction.ts";

describe("an id whose tombstone's leaf is rewritten", () => {
  /** An id that was freed: its old statement in one leaf, which others keep, and its tombstone in another. */
  function entombed(): { hooked: HookedStore; id: number; old: number; grave: number } {
    const hooked = new HookedStore();
    const { store } = hooked;
    const [id, other] = [store.alloc(0), store.alloc(0)];
    for (const one of [id, other]) store.write(one, 0, bytesOf(one, 200));
    hooked.flush();
    hooked.crowd(0);
    hooked.crowd(1);
    const [old] = hooked.tablePages(other);
    assert.deepEqual(hooked.tablePages(id), [old]);
    store.free(id);
    hooked.flush();
    hooked.shelve(id, 0);
    const [grave] = hooked.tablePages(id);
    const { state } = hooked.context.state.pages;
    assert.ok(grave !== old && state[grave!] === pageLeaf && state[old!] === pageLeaf);
    return { hooked, id, old: old!, grave: grave! };
  }

  const sessionOf = (hooked: HookedStore) => Store.openReadOnly(hooked.file.clone());
  const rewrite =
    (hooked: HookedStore, ...pages: readonly number[]) =>
    (): void => {
      for (const page of pages) rewriteTablePage(hooked.context.state, page);
    };

  test("stays freed while it is, whichever of its leaves go", () => {
    for (const which of ["grave", "old", "both"] as const) {
      const { hooked, id, old, grave } = entombed();
      const pages = { grave: [grave], old: [old], both: [grave, old] }[which];
      hooked.flush({ spendBudget: rewrite(hooked, ...pages) });
      assert.ok(![...sessionOf(hooked).ids()].includes(id), `after ${which}`);
      // Nothing denies anything any more once the old statement is gone.
      assert.equal(hooked.tablePages(id).length, which === "grave" ? 1 : 0);
      hooked.flush();
      assert.ok(![...sessionOf(hooked).ids()].includes(id));
    }
  });

  test("has zeros where it comes back in that flush and grows, and in every later one", () => {
    for (const which of ["grave", "old", "both"] as const) {
      const { hooked, id, old, grave } = entombed();
      const pages = { grave: [grave], old: [old], both: [grave, old] }[which];
      assert.equal(hooked.store.alloc(10), id);
      hooked.store.resize(id, 200);
      hooked.flush({ spendBudget: rewrite(hooked, ...pages) });
      for (let flush = 0; flush < 3; flush++) {
        assert.deepEqual(sessionOf(hooked).read(id, 0, 200), new Uint8Array(200), `after ${which}`);
        hooked.crowd(flush % 2);
      }
    }
  });

  test("has zeros where it comes back, and grows only later", () => {
    const { hooked, id, grave } = entombed();
    assert.equal(hooked.store.alloc(10), id);
    hooked.flush({ spendBudget: rewrite(hooked, grave) });
    hooked.crowd(1);
    hooked.store.resize(id, 200);
    hooked.flush();
    assert.deepEqual(sessionOf(hooked).read(id, 0, 200), new Uint8Array(200));
  });

  test("comes back empty, and exists", () => {
    const { hooked, id, grave } = entombed();
    assert.equal(hooked.store.alloc(0), id);
    hooked.flush({ spendBudget: rewrite(hooked, grave) });
    hooked.crowd(1);
    assert.equal(sessionOf(hooked).committedSize(id), 0);
  });
});

test("a page at the end whose bytes several allocations share fails no flush", () => {
  const page = 20;
  for (const sharing of [1, 2, 3, 5]) {
    const ids = Array.from({ length: sharing }, (_, i) => i + 1);
    const refs = ids.map((id) => ["ref", id, 0, 4000, page * 4096 + 11] as const);
    const pages: (Uint8Array | undefined)[] = Array.from({ length: page + 1 }, () => undefined);
    pages[0] = headerPage(4, tableContent([], refs), { journalPointer: 6 });
    pages[page] = dataPage(2, bytesOf(1, 4000));
    const file = new MemoryFile("file", fileOf(pages));
    const store = Store.open(file);
    const own = store.alloc(0);
    for (let flush = 0; flush < 5; flush++) {
      store.write(own, 0, bytesOf(flush, 10));
      store.flush();
      store.check();
    }
    assert.ok(store.stats().compactionFlushes > 0);
    store.close();
    const next = Store.openReadOnly(file);
    for (const id of ids) assert.deepEqual(next.read(id, 0, 4000), bytesOf(1, 4000));
  }
});

describe("a full leaf at the end of the file", () => {
  const allocationBytes = 4000;

  interface Shrunk {
    readonly file: MemoryFile;
    readonly store: Store;
    readonly kept: readonly number[];
    readonly leaf: number;
  }

  /** 400 pages' worth, three quarters of it freed in the flush whose statements end in a leaf more than 80 % full. */
  function shrunk(options: StoreOptions): Shrunk {
    for (let patches = 300; patches < 700; patches += 25) {
      const file = new MemoryFile();
      const store = Store.create(file, options);
      const ids: number[] = [];
      while (ids.length < 400) {
        // Towards the end one by one, so that hardly a page is free.
        for (let i = ids.length < 350 ? 25 : 1; i > 0; i--) {
          const id = store.alloc(0);
          store.write(id, 0, bytesOf(id, allocationBytes));
          ids.push(id);
        }
        store.flush();
      }
      const kept = ids.filter((_, i) => i % 4 === 0);
      for (const id of ids) if (!kept.includes(id)) store.free(id);
      for (let i = 0; i < patches; i++)
        store.write(kept[i % 100]!, 64 * (3 * Math.floor(i / 100) + 1), bytesOf(i, 64));
      store.flush();
      const leaf = highestLive(store);
      const { state, coverage } = contextOf(store).state.pages;
      if (state[leaf] === pageLeaf && coverage[leaf]! > 0.8 * contentCapacity)
        return { file, store, kept, leaf };
    }
    assert.fail("a full leaf was to be the last page");
  }

  function highestLive(store: Store): number {
    const { pages } = contextOf(store).state;
    let page = pages.filePages - 1;
    while (pages.coverage[page] === 0) page--;
    return page;
  }

  const tinyFlush = ({ store, kept }: Shrunk, round: number): void => {
    store.write(kept[0]!, 3000, bytesOf(round, 3));
    store.flush();
    store.check();
    compareWithReload(contextOf(store));
  };

  test("moves in the first flush that finds a free page below it, and the file comes down", () => {
    const one = shrunk({});
    const { pages } = contextOf(one.store).state;
    const { state, epoch, ready } = pages;
    const before = one.store.stats().filePages;
    const written = epoch[one.leaf];
    let isThere = true;
    let waited = 0;
    for (let flush = 0; flush < 60; flush++) {
      // What was freed is in quarantine at first, and no hole before it comes out of it.
      const mayMove = isHoled(pages, one.leaf, 0.25) && ready.lowest() < one.leaf;
      tinyFlush(one, flush);
      if (isThere) waited += mayMove ? 0 : 1;
      isThere &&= state[one.leaf] === pageLeaf && epoch[one.leaf] === written;
      assert.ok(!(isThere && mayMove), `flush ${flush} leaves it where it is`);
    }
    assert.equal(isThere, false);
    assert.ok(waited <= 2, `${waited} flushes before it moved`);
    assert.ok(one.store.stats().compactionFlushes > 0);
    assert.ok(one.store.stats().filePages < before / 2, `${one.store.stats().filePages} of ${before} pages`);
  });

  test("stays where compaction is off, and so does the file's length", () => {
    const one = shrunk({ holeShare: 1 });
    const before = one.store.stats().filePages;
    for (let flush = 0; flush < 60; flush++) tinyFlush(one, flush);
    assert.equal(one.store.stats().compactionFlushes, 0);
    assert.ok(
      one.store.stats().filePages > 0.9 * before,
      `${one.store.stats().filePages} of ${before} pages`,
    );
  });
});
