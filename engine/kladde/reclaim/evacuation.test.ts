/** Moving the survivors of a page: whole, across two pages, in part. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { closePage, OpenPage } from "../flush/open-page.ts";
import { contentCapacity } from "../format/layout.ts";
import { Store } from "../index.ts";
import { pageData, pageReady, pageRetiring } from "../state/pages.ts";
import { HookedStore, type Place } from "../testing/hooked-store.ts";
import { bytesOf } from "../testing/perform.ts";
import type { Carried } from "./evacuation.ts";

/** One allocation for each length; all lie in one page, side by side. */
function onePage(...lengths: readonly number[]): { hooked: HookedStore; ids: number[]; page: number } {
  const hooked = new HookedStore();
  const { store } = hooked;
  const ids = lengths.map((length) => {
    const id = store.alloc(0);
    store.write(id, 0, contentOf(id, length));
    return id;
  });
  hooked.flush();
  const { page } = hooked.places(ids[0]!)[0]!;
  for (const id of ids) assert.equal(hooked.places(id)[0]!.page, page);
  return { hooked, ids, page };
}

const contentOf = (id: number, length: number): Uint8Array => bytesOf(1000 + id, length);

/** Where each allocation lies, as `[page, position, bytes]`. */
const spots = (hooked: HookedStore, id: number): (readonly [number, number, number])[] =>
  hooked.places(id).map(({ page, position, bytes }: Place) => [page, position, bytes] as const);

/** Opens a page, lets `fill` put something into it, and returns its number. */
function fillPage(hooked: HookedStore, fill: (open: OpenPage) => void): number {
  const open = new OpenPage(hooked.context);
  fill(open);
  closePage(hooked.context, open);
  return open.page;
}

test("whole, survivors lie side by side in key order, and the page comes free", () => {
  const { hooked, ids, page } = onePage(300, 400, 500, 600);
  const [a, b, c, d] = ids as [number, number, number, number];
  hooked.store.free(b);
  let target = 0;
  hooked.flush({
    spendBudget: () => {
      target = fillPage(hooked, (open) => assert.equal(hooked.evacuation.whole(page, open), true));
    },
  });
  assert.deepEqual(spots(hooked, a), [[target, 0, 300]]);
  assert.deepEqual(spots(hooked, c), [[target, 300, 500]]);
  assert.deepEqual(spots(hooked, d), [[target, 800, 600]]);
  const { evacuatedPages, evacuatedBytes } = hooked.store.stats();
  assert.deepEqual({ evacuatedPages, evacuatedBytes }, { evacuatedPages: 1, evacuatedBytes: 1400 });
  const { state, coverage } = hooked.context.state.pages;
  assert.equal(coverage[target], 1400);
  assert.equal(state[page], pageRetiring);
  hooked.flush();
  assert.equal(state[page], pageReady);
  assert.deepEqual(hooked.store.read(d, 0, 600), contentOf(d, 600));
});

test("whole, into a page that holds something already", () => {
  const first = onePage(1000);
  const { hooked, page } = first;
  const other = hooked.store.alloc(0);
  hooked.store.write(other, 0, contentOf(other, 900));
  hooked.flush({ fillDataPage: (open) => assert.equal(hooked.evacuation.whole(page, open), true) });
  const target = hooked.places(other)[0]!.page;
  assert.deepEqual(spots(hooked, other), [[target, 0, 900]]);
  assert.deepEqual(spots(hooked, first.ids[0]!), [[target, 900, 1000]]);
});

test("a survivor that was overwritten in the middle moves in its parts, without what is dead", () => {
  const { hooked, ids, page } = onePage(1000, 200);
  hooked.store.write(ids[0]!, 300, bytesOf(1, 30));
  hooked.flush();
  let target = 0;
  hooked.flush({
    spendBudget: () => {
      target = fillPage(hooked, (open) => hooked.evacuation.whole(page, open));
    },
  });
  assert.deepEqual(spots(hooked, ids[0]!), [
    [target, 0, 300],
    [target, 300, 670],
  ]);
  assert.deepEqual(spots(hooked, ids[1]!), [[target, 970, 200]]);
});

/** Moves `page` across two pages, the first of which has `used` bytes already. */
function moveAcross(hooked: HookedStore, page: number, used: number): { first: number; second: number } {
  let pages = { first: 0, second: 0 };
  const filler = hooked.store.alloc(0);
  if (used > 0) hooked.store.write(filler, 0, contentOf(filler, used));
  let carried: Carried | undefined;
  let first = 0;
  hooked.flush({
    fillDataPage: (open) => {
      first = open.page;
      carried = hooked.evacuation.across(page, open);
      if (carried !== undefined) assert.equal(open.room, 0);
    },
    spendBudget: () => {
      if (carried === undefined) return;
      const left = carried;
      const second = fillPage(hooked, (open) => hooked.evacuation.lead(left, open));
      pages = { first, second };
    },
  });
  return pages;
}

test("across, the page is filled to its end, one survivor is cut there, and the rest leads the next page", () => {
  const { hooked, ids, page } = onePage(300, 400, 500, 600);
  const [a, b, c, d] = ids as [number, number, number, number];
  const { first, second } = moveAcross(hooked, page, contentCapacity - 900);
  assert.deepEqual(spots(hooked, a), [[first, contentCapacity - 900, 300]]);
  assert.deepEqual(spots(hooked, b), [[first, contentCapacity - 600, 400]]);
  assert.deepEqual(spots(hooked, c), [
    [first, contentCapacity - 200, 200],
    [second, 0, 300],
  ]);
  assert.deepEqual(spots(hooked, d), [[second, 300, 600]]);
  assert.notEqual(hooked.context.state.pages.state[page], pageData);
  const { evacuatedPages, evacuatedBytes } = hooked.store.stats();
  assert.deepEqual({ evacuatedPages, evacuatedBytes }, { evacuatedPages: 1, evacuatedBytes: 1800 });
  const copy = Store.openReadOnly(hooked.file.clone());
  for (const [id, length] of [
    [a, 300],
    [b, 400],
    [c, 500],
    [d, 600],
  ] as const)
    assert.deepEqual(copy.read(id, 0, length), contentOf(id, length));
});

test("across, nothing is cut where the page ends between two survivors, and nothing carried where all fit", () => {
  for (const [room, carriedIds] of [
    [700, 2],
    [1800, 0],
  ] as const) {
    const { hooked, ids, page } = onePage(300, 400, 500, 600);
    const { second } = moveAcross(hooked, page, contentCapacity - room);
    for (const id of ids) assert.equal(hooked.places(id).length, 1);
    assert.equal(ids.filter((id) => hooked.places(id)[0]!.page === second).length, carriedIds);
    assert.notEqual(hooked.context.state.pages.state[page], pageData);
  }
});

test("a page that carries is not planned with again in its flush", () => {
  const { hooked, page } = onePage(300, 400, 500, 600);
  hooked.flush({
    spendBudget: () => {
      const filler = onePageOf(hooked, contentCapacity - 900);
      const left = hooked.evacuation.across(page, filler)!;
      closePage(hooked.context, filler);
      assert.equal(left.bytes, 900);
      assert.equal(hooked.chosen.allows(page), false);
      assert.equal(hooked.context.state.pages.coverage[page], 900);
      fillPage(hooked, (open) => hooked.evacuation.lead(left, open));
      assert.equal(hooked.context.state.pages.coverage[page], 0);
    },
  });
  hooked.flush({ spendBudget: () => assert.equal(hooked.chosen.allows(page), true) });
});

/** An open page that counts as filled with so many bytes. */
function onePageOf(hooked: HookedStore, used: number): OpenPage {
  const open = new OpenPage(hooked.context);
  open.used = used;
  return open;
}

test("in part, a statement's survivors move together, each group that fits", () => {
  const { hooked, ids, page } = onePage(1000, 700, 400);
  const [a, b, c] = ids as [number, number, number];
  // Two patches leave three pieces of a's statement in a leaf, of 960 bytes in all.
  hooked.crowd();
  hooked.store.write(a, 300, bytesOf(1, 20));
  hooked.store.write(a, 600, bytesOf(1, 20));
  hooked.flush();
  let target = 0;
  hooked.flush({
    spendBudget: () => {
      const open = onePageOf(hooked, contentCapacity - 1100);
      hooked.evacuation.part(page, open);
      target = open.page;
      closePage(hooked.context, open);
    },
  });
  // a's pieces, then b does not fit into the 140 bytes left, nor does c.
  assert.deepEqual(
    spots(hooked, a).map(([at, , bytes]) => [at, bytes]),
    [
      [target, 300],
      [target, 280],
      [target, 380],
    ],
  );
  for (const id of [b, c]) assert.equal(hooked.places(id)[0]!.page, page);
  const { coverage, state } = hooked.context.state.pages;
  assert.equal(coverage[page], 1100);
  assert.equal(state[page], pageData);
  const { evacuatedPages, evacuatedBytes } = hooked.store.stats();
  assert.deepEqual({ evacuatedPages, evacuatedBytes }, { evacuatedPages: 0, evacuatedBytes: 960 });
});

test("in part, a group that does not fit is passed over, and none is torn", () => {
  const { hooked, ids, page } = onePage(1000, 700, 400);
  const [a, b, c] = ids as [number, number, number];
  // The statement lies in a leaf, or the header would state its pieces one by one.
  hooked.crowd();
  hooked.store.write(a, 300, bytesOf(1, 20));
  hooked.flush();
  hooked.flush({
    spendBudget: () => {
      const open = onePageOf(hooked, contentCapacity - 900);
      hooked.evacuation.part(page, open);
      assert.equal(open.room, 200);
      closePage(hooked.context, open);
      assert.equal(hooked.chosen.allows(page), true);
    },
  });
  for (const { page: at } of hooked.places(a)) assert.equal(at, page);
  assert.notEqual(hooked.places(b)[0]!.page, page);
  assert.equal(hooked.places(c)[0]!.page, page);
});

test("in part, what the flush has taken already moves piece by piece", () => {
  // The header states all of it, so that this flush has taken every survivor before anything is moved.
  const { hooked, ids, page } = onePage(1000);
  hooked.store.write(ids[0]!, 300, bytesOf(1, 20));
  hooked.flush();
  hooked.flush({
    spendBudget: () => {
      const open = onePageOf(hooked, contentCapacity - 700);
      hooked.evacuation.part(page, open);
      assert.equal(open.room, 400);
      closePage(hooked.context, open);
    },
  });
  const [front, back] = hooked.places(ids[0]!) as [Place, Place];
  assert.deepEqual([front.bytes, back.bytes], [300, 680]);
  assert.notEqual(front.page, page);
  assert.equal(back.page, page);
});
