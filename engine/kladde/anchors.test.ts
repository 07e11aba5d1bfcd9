/**
 * Anchors and grow witnesses in header and leaf: the ways in which old content, or an old size, can come back.
 *
 * Each of the cases here was once a defect of an implementation, or is the reason for a rule of the format.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MemoryFile } from "../storage/memory.ts";
import { Store } from "./index.ts";
import { pageLeaf, pageRetiring } from "./state/pages.ts";
import { dataPage, fileOf, headerPage, tableContent, tablePage } from "./testing/pages.ts";
import { compareWithReload, contextOf } from "./testing/reload.ts";
import { Shelf, tunings } from "./testing/shelf.ts";

const filled = (bytes: number, value: number): Uint8Array => new Uint8Array(bytes).fill(value);
const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

/** `id`'s content is `expected`, now and in another session. */
function holds(shelf: Shelf, id: number, expected: Uint8Array): void {
  assert.deepEqual(shelf.content(id), expected);
  shelf.reopen();
  assert.deepEqual(shelf.content(id), expected);
}

/** 200 bytes whose Ref lies in a leaf that another allocation keeps from going. */
function besideOther(): { shelf: Shelf; id: number } {
  for (const tuning of tunings) {
    const shelf = new Shelf();
    const [id, other] = [shelf.store.alloc(0), shelf.store.alloc(0)];
    for (const each of [id, other]) shelf.store.write(each, 0, filled(200, 7));
    shelf.store.flush();
    shelf.crowd(tuning);
    shelf.store.flush();
    if (shelf.places(id).join() === "leaf" && shelf.places(other).join() === "leaf") return { shelf, id };
  }
  assert.fail("both Refs were to lie in a leaf");
}

/** 100 bytes, cut down to 40; the Shrink is in a leaf written by the last flush. */
function shrunkInLeaf(): { shelf: Shelf; id: number } {
  for (const tuning of tunings) {
    const shelf = new Shelf();
    const id = shelf.store.alloc(0);
    shelf.store.write(id, 0, filled(100, 7));
    shelf.shelve(id);
    shelf.store.resize(id, 40);
    shelf.crowd(tuning);
    shelf.store.flush();
    if (shelf.anchorPlace(id) === "leaf") return { shelf, id };
  }
  assert.fail("the Shrink was to lie in a leaf");
}

describe("an id that comes back", () => {
  test("has no old content when its tombstone is in the header", () => {
    const shelf = new Shelf();
    const id = shelf.store.alloc(0);
    shelf.store.write(id, 0, filled(200, 7));
    shelf.shelve(id);
    shelf.store.free(id);
    shelf.flush();
    assert.equal(shelf.anchorPlace(id), "header");
    assert.equal(shelf.store.alloc(10), id);
    shelf.store.resize(id, 200);
    shelf.flush();
    holds(shelf, id, filled(200, 0));
  });

  test("has none when its tombstone is in a leaf", () => {
    const { shelf, id } = besideOther();
    shelf.store.free(id);
    shelf.flush();
    shelf.shelve(id);
    assert.equal(shelf.anchorPlace(id), "leaf");
    assert.equal(shelf.store.alloc(10), id);
    shelf.store.resize(id, 200);
    shelf.store.write(id, 50, filled(3, 9));
    shelf.flush();
    const expected = joined(filled(50, 0), filled(3, 9), filled(147, 0));
    assert.deepEqual(shelf.content(id), expected);
    shelf.shelve(id);
    holds(shelf, id, expected);
  });

  test("has none when the page of its tombstone leaves in the flush that reuses it", () => {
    // Page 3 holds a child beside its statements, so the first flush takes it apart.
    const old = tablePage(2, tableContent([], [["ref", 1, 0, 200, 5 * 4096 + 11]]));
    const mixed = tablePage(3, tableContent([4], [["tombstone", 1]]));
    const header = headerPage(4, tableContent([3], []), { journalPointer: 6 });
    const file = new MemoryFile(
      "file",
      fileOf([header, undefined, undefined, mixed, old, dataPage(2, filled(200, 7))]),
    );
    const store = Store.open(file, { consolidate: false });
    assert.equal(store.alloc(10), 1);
    store.resize(1, 200);
    store.flush();
    compareWithReload(contextOf(store));
    store.check();
    store.close();
    assert.deepEqual(Store.openReadOnly(file).read(1, 0, 200), filled(200, 0));
  });

  test("exists when it comes back empty over its old content, in the flush that frees it or in a later one", () => {
    const shelf = new Shelf();
    const id = shelf.store.alloc(0);
    shelf.store.write(id, 0, filled(200, 7));
    shelf.shelve(id);
    shelf.store.free(id);
    shelf.flush();
    assert.equal(shelf.store.alloc(0), id);
    shelf.flush();
    shelf.flush();
    holds(shelf, id, filled(0, 0));
    shelf.shelve(id);
    holds(shelf, id, filled(0, 0));
  });
});

describe("a leaf that nothing needs any more", () => {
  test("stays linked until the flush after the one in which its last anchor moved away", () => {
    const { shelf, id } = shrunkInLeaf();
    const { state } = contextOf(shelf.store);
    const leaf = state.slab.page[state.allocations.anchor[state.allocations.row(id)]!]!;
    for (let tuning = 1; state.pages.coverage[leaf]! > 3; tuning++) {
      // What else lies in the leaf is stated again somewhere else.
      shelf.crowd(tuning);
      shelf.flush();
    }
    assert.equal(shelf.anchorPlace(id), "leaf");
    shelf.store.resize(id, 30);
    shelf.flush();
    assert.equal(state.pages.state[leaf], pageLeaf);
    shelf.flush();
    assert.equal(state.pages.state[leaf], pageRetiring);
    shelf.flush();
    holds(shelf, id, filled(30, 7));
  });
});

describe("an allocation that shrank", () => {
  test("keeps the size of a growth that wrote nothing at its end", () => {
    const { shelf, id } = shrunkInLeaf();
    shelf.store.resize(id, 90);
    shelf.flush();
    assert.deepEqual(shelf.places(id), ["header", "leaf"]);
    shelf.flush();
    holds(shelf, id, joined(filled(40, 7), filled(50, 0)));
  });

  test("shows zeros where it grew again, whether or not the anchor's page leaves in that flush", () => {
    for (const place of ["header", "leaf"] as const) {
      const { shelf, id } = shrunkInLeaf();
      if (place === "header") {
        shelf.store.resize(id, 39);
        shelf.flush();
      }
      assert.equal(shelf.anchorPlace(id), place);
      const kept = place === "header" ? 39 : 40;
      shelf.store.resize(id, 100);
      shelf.flush();
      holds(shelf, id, joined(filled(kept, 7), filled(100 - kept, 0)));
    }
  });

  test("keeps its size when only the old extents would say more", () => {
    const { shelf, id } = shrunkInLeaf();
    shelf.store.write(id, 30, filled(30, 8));
    shelf.flush();
    holds(shelf, id, joined(filled(30, 7), filled(30, 8)));
    shelf.shelve(id);
    holds(shelf, id, joined(filled(30, 7), filled(30, 8)));
  });

  test("shows zeros after a shrink and a growth within one flush", () => {
    const shelf = new Shelf();
    const id = shelf.store.alloc(0);
    shelf.store.write(id, 0, filled(100, 7));
    shelf.shelve(id);
    shelf.store.resize(id, 40);
    shelf.store.resize(id, 100);
    shelf.flush();
    holds(shelf, id, joined(filled(40, 7), filled(60, 0)));
  });
});
