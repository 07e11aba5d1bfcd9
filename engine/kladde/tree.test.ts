/**
 * The tree of table pages at its sizes: all in the header, leaves under the header, and an interior layer between.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../storage/memory.ts";
import { headerContentCapacity } from "./format/layout.ts";
import { Store } from "./index.ts";
import type { StoreOptions } from "./options.ts";
import type { Contents } from "./testing/model.ts";
import { dataPage, fileOf, headerPage, type Statement, tableContent, tablePage } from "./testing/pages.ts";
import { compareWithReload, contextOf } from "./testing/reload.ts";
import { compareContents } from "./testing/run.ts";

/** Sixteen statements fill a leaf; the journal never flushes by itself. */
const options: StoreOptions = { consolidate: false, inlineThreshold: 251, journalBudgetPages: 2 ** 20 };
const valueBytes = 240;
const perLeaf = 16;

/** A store and what it must hold, with values that need a statement of 244 bytes and more each. */
class Shelves {
  readonly file = new MemoryFile();
  readonly store: Store = Store.create(this.file, options);
  readonly contents = new Map<number, Uint8Array>();
  #round = 0;

  add(count: number): void {
    this.store.batch(() => {
      for (let i = 0; i < count; i++) this.write(this.store.alloc(valueBytes));
    });
  }

  write(id: number): void {
    this.#round = (this.#round + 1) % 251;
    const value = new Uint8Array(valueBytes).fill(1 + this.#round);
    this.store.write(id, 0, value);
    this.contents.set(id, value);
  }

  free(ids: Iterable<number>): void {
    this.store.batch(() => {
      for (const id of ids) {
        this.store.free(id);
        this.contents.delete(id);
      }
    });
  }

  /** Flushes, and says how many table pages that wrote. */
  flush(): number {
    const before = this.store.stats().tablePagesWritten;
    this.store.flush();
    this.store.check();
    compareWithReload(contextOf(this.store));
    compareContents(Store.openReadOnly(this.file.clone()), this.contents);
    return this.store.stats().tablePagesWritten - before;
  }

  get shape(): { leaves: number; interiors: number; namedByHeader: number } {
    const { leafPages, interiorPages } = this.store.stats();
    const { rootChildren } = contextOf(this.store).state;
    return { leaves: leafPages, interiors: interiorPages, namedByHeader: rootChildren.length };
  }
}

test("the header holds what fits, and what does not goes into leaves", () => {
  const shelves = new Shelves();
  // id, tag, offset and 240 bytes each, behind the terminator of the children: 16 · 243 + 1 = 3889.
  shelves.add(16);
  assert.equal(shelves.flush(), 0);
  const { state } = contextOf(shelves.store);
  assert.equal(state.pages.written[state.headerPage], 3889);
  const rest = headerContentCapacity - 3889;
  const last = shelves.store.alloc(rest - 3);
  const value = new Uint8Array(rest - 3).fill(9);
  shelves.store.write(last, 0, value);
  shelves.contents.set(last, value);
  assert.equal(shelves.flush(), 0);
  assert.equal(state.pages.written[state.headerPage], headerContentCapacity);
  shelves.store.resize(last, rest - 2);
  shelves.contents.set(last, new Uint8Array([...value, 0]));
  assert.equal(shelves.flush(), 1);
  assert.deepEqual(shelves.shape, { leaves: 1, interiors: 0, namedByHeader: 1 });
});

test("600 leaves are named by the header, more through interior pages, until there are fewer again", () => {
  const shelves = new Shelves();
  shelves.add(598 * perLeaf);
  shelves.flush();
  const few = shelves.shape;
  assert.ok(few.leaves > 590 && few.leaves <= 600, `${few.leaves} leaves`);
  assert.deepEqual(few, { ...few, interiors: 0, namedByHeader: few.leaves });

  shelves.add(30 * perLeaf);
  shelves.flush();
  const many = shelves.shape;
  assert.ok(many.leaves > 600 && many.leaves <= 800, `${many.leaves} leaves`);
  assert.deepEqual(many, { ...many, interiors: 1, namedByHeader: 1 });

  // Nothing to say that the header cannot carry.
  assert.equal(shelves.flush(), 0);

  shelves.add(800 * perLeaf);
  shelves.flush();
  const most = shelves.shape;
  assert.ok(most.leaves > 1400 && most.leaves <= 1600, `${most.leaves} leaves`);
  assert.deepEqual(most, { ...most, interiors: 2, namedByHeader: 2 });

  shelves.free([...shelves.contents.keys()].filter((id) => id > 300 * perLeaf));
  shelves.flush();
  for (let i = 0; i < 3; i++) {
    shelves.write(1);
    shelves.flush();
  }
  const left = shelves.shape;
  assert.ok(left.leaves < 600, `${left.leaves} leaves are left`);
  assert.deepEqual(left, { ...left, interiors: 0, namedByHeader: left.leaves });
  shelves.store.close();
  compareContents(Store.openReadOnly(shelves.file), shelves.contents);
});

const inline = (id: number, value: number): Statement => ["inline", id, 0, [value, value]];

/** Opens `pages` for writing, compares, flushes twice with a check after each, and looks again. */
function takesOver(pages: readonly (Uint8Array | undefined)[], contents: Contents): Store {
  const file = new MemoryFile("foreign", fileOf(pages));
  compareContents(Store.openReadOnly(file), contents);
  const store = Store.open(file, { consolidate: false });
  for (let i = 0; i < 2; i++) {
    compareContents(store, contents);
    store.check();
    store.flush();
    compareWithReload(contextOf(store));
  }
  store.check();
  compareContents(Store.openReadOnly(file.clone()), contents);
  return store;
}

test("a page with both children and statements is taken apart by the first flush", () => {
  const mixed = tablePage(
    3,
    tableContent([4, 6], [inline(2, 22), ["ref", 3, 0, 4, 7 * 4096 + 11], ["grow", 3, 9], ["shrink", 5, 1]]),
  );
  const leaf = tablePage(2, tableContent([], [inline(1, 11), ["inline", 5, 0, [55, 55, 55]]]));
  const deeper = tablePage(3, tableContent([8], [["tombstone", 9], inline(10, 100)]));
  const deepest = tablePage(1, tableContent([], [inline(9, 90), inline(11, 110)]));
  const header = headerPage(4, tableContent([5], [inline(4, 44)]), { journalPointer: 3 });
  const data = dataPage(2, [1, 2, 3, 4]);
  const store = takesOver(
    [header, undefined, undefined, undefined, leaf, mixed, deeper, data, deepest],
    new Map([
      [1, Uint8Array.of(11, 11)],
      [2, Uint8Array.of(22, 22)],
      [3, Uint8Array.of(1, 2, 3, 4, 0, 0, 0, 0, 0)],
      [4, Uint8Array.of(44, 44)],
      [5, Uint8Array.of(55)],
      [10, Uint8Array.of(100, 100)],
      [11, Uint8Array.of(110, 110)],
    ]),
  );
  assert.deepEqual(contextOf(store).state.rootChildren, [4, 8]);
  assert.equal(store.stats().interiorPages, 0);
  // Ids 6 to 8 are named by nothing. Page 8 still names id 9, so its tombstone was stated again, and it comes last.
  assert.deepEqual(
    [6, 7, 8, 9].map(() => store.alloc(2)),
    [6, 7, 8, 9],
  );
  store.flush();
  store.check();
  assert.deepEqual(store.read(9, 0, 2), new Uint8Array(2));
  compareWithReload(contextOf(store));
});

test("interior pages of any depth are taken over", () => {
  const leaves = [2, 3, 4, 5].map((page) => tablePage(1, tableContent([], [inline(page, page)])));
  const pages = [
    undefined,
    headerPage(5, tableContent([8], []), { journalPointer: 99 }),
    ...leaves,
    tablePage(2, tableContent([2, 3], [])),
    tablePage(2, tableContent([4, 6], [])),
    tablePage(3, tableContent([5, 7], [])),
  ];
  const contents = new Map([2, 3, 4, 5].map((id) => [id, Uint8Array.of(id, id)]));
  const store = takesOver(pages, contents);
  assert.deepEqual(contextOf(store).state.rootChildren, [2, 3, 4, 5]);
});
