/** Description defragmentation: which candidates are taken, in what order, for what share, and what becomes of them. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MemoryFile } from "../../storage/memory.ts";
import type { FlushContext } from "../flush/context.ts";
import { closePage, OpenPage } from "../flush/open-page.ts";
import { contentCapacity } from "../format/layout.ts";
import { Store } from "../index.ts";
import type { StoreOptions } from "../options.ts";
import { HookedStore } from "../testing/hooked-store.ts";
import { bytesOf } from "../testing/perform.ts";

/** Allocations of `bytes` bytes, each written in pieces of `pieceBytes`, a flush for each piece. */
function inPieces(
  count: number,
  bytes: number,
  pieceBytes: number,
  options: StoreOptions = {},
): { hooked: HookedStore; ids: number[] } {
  const hooked = new HookedStore({ inlineThreshold: 0, mu: 0.001, ...options });
  const { store } = hooked;
  const ids = Array.from({ length: count }, () => store.alloc(bytes));
  for (let from = 0; from < bytes; from += pieceBytes) {
    for (const id of ids) store.write(id, from, contentOf(id, bytes).subarray(from, from + pieceBytes));
    hooked.flush();
  }
  for (const id of ids) assert.equal(statementsOf(hooked, id), Math.ceil(bytes / pieceBytes));
  return { hooked, ids };
}

const contentOf = (id: number, bytes: number): Uint8Array => bytesOf(7000 + id, bytes);

const statementsOf = (hooked: HookedStore, id: number): number => {
  const { slab } = hooked.context.state;
  let count = 0;
  for (let slot = 1; slot < slab.end; slot++) if (slab.pins[slot]! > 0 && slab.id[slot] === id) count++;
  return count;
};

const requireContents = (hooked: HookedStore, ids: readonly number[], bytes: number): void => {
  for (const id of ids) assert.deepEqual(hooked.store.read(id, 0, bytes), contentOf(id, bytes));
};

/** Proposes whole allocations, and spends the share on them in a flush. */
function rewrite(hooked: HookedStore, ids: readonly number[], bytes: number): void {
  const { defragmentation } = hooked;
  defragmentation.beginWalk();
  for (const id of ids) defragmentation.propose(id, 0, bytes);
  hooked.flush({ afterFold: () => defragmentation.spendShare() });
}

describe("a rewrite", () => {
  test("puts one statement in place of many, and the same bytes where it says", () => {
    const { hooked, ids } = inPieces(1, 900, 50);
    rewrite(hooked, ids, 900);
    assert.equal(statementsOf(hooked, ids[0]!), 1);
    assert.deepEqual(
      hooked.places(ids[0]!).map(({ from, bytes }) => [from, bytes]),
      [[0, 900]],
    );
    requireContents(hooked, ids, 900);
    const { defragRewrites, defragBytes } = hooked.store.stats();
    assert.deepEqual([defragRewrites, defragBytes], [1, 900]);
  });

  test("of a short range is stated inline", () => {
    const { hooked, ids } = inPieces(1, 60, 6);
    // As in a session with other options.
    const { context } = hooked as { context: { options: FlushContext["options"] } };
    context.options = { ...context.options, inlineThreshold: 64 };
    rewrite(hooked, ids, 60);
    assert.equal(statementsOf(hooked, ids[0]!), 1);
    assert.deepEqual(hooked.places(ids[0]!), []);
    requireContents(hooked, ids, 60);
  });

  test("makes zeros real, those that nothing states too", () => {
    const { hooked, ids } = inPieces(1, 200, 20);
    const [id] = ids as [number];
    hooked.store.move(id, 40, 3, id, 100);
    hooked.store.resize(id, 203);
    hooked.flush();
    const before = hooked.store.read(id, 0, 203);
    hooked.flush();
    rewrite(hooked, [id], 203);
    assert.deepEqual(
      hooked.places(id).map(({ from, bytes }) => [from, bytes]),
      [[0, 203]],
    );
    assert.deepEqual(hooked.store.read(id, 0, 203), before);
  });

  test("is no write of the allocation", () => {
    const { hooked, ids } = inPieces(1, 900, 50);
    const { allocations, epoch } = hooked.context.state;
    const row = allocations.row(ids[0]!);
    const written = allocations.lastWritten[row];
    hooked.flush();
    rewrite(hooked, ids, 900);
    assert.equal(allocations.lastWritten[row], written);
    assert.ok(written! <= epoch);
  });

  test("does not change what else the flush writes, and comes behind it in the queue of cuts", () => {
    const { hooked, ids } = inPieces(2, 1000, 50);
    const fresh = hooked.store.alloc(0);
    hooked.store.write(fresh, 0, bytesOf(1, 4000));
    const { defragmentation, context } = hooked;
    defragmentation.beginWalk();
    for (const id of ids) defragmentation.propose(id, 0, 1000);
    hooked.flush({
      afterFold: () => {
        defragmentation.spendShare();
        const { chunks } = context;
        const rows = Array.from({ length: chunks.end - chunks.head }, (_, i) => chunks.head + i);
        assert.deepEqual(
          rows.map((row) => [chunks.id[row], chunks.isRewrite[row]]),
          [...ids.map((id) => [id, 1]), [fresh, 0]],
        );
      },
    });
    requireContents(hooked, ids, 1000);
    for (const id of ids) assert.equal(statementsOf(hooked, id), 1);
    assert.deepEqual(hooked.store.read(fresh, 0, 4000), bytesOf(1, 4000));
  });
});

describe("the share", () => {
  test("is spent on the best, as far as it goes; the others are spares", () => {
    const { hooked, ids } = inPieces(6, 1000, 50, { defragShare: 2500 / contentCapacity });
    rewrite(hooked, ids, 1000);
    assert.equal(hooked.store.stats().defragRewrites, 2);
    assert.equal(ids.filter((id) => statementsOf(hooked, id) === 1).length, 2);
    // What is too long for what is left does not keep a shorter one from it.
    hooked.defragmentation.beginWalk();
    const rest = ids.filter((id) => statementsOf(hooked, id) > 1);
    for (const id of rest.slice(0, 3)) hooked.defragmentation.propose(id, 0, 1000);
    hooked.defragmentation.propose(rest[3]!, 0, 400);
    hooked.flush({ afterFold: () => hooked.defragmentation.spendShare() });
    assert.equal(hooked.store.stats().defragRewrites, 2 + 3);
  });

  test("goes to the highest gain per byte, times its age", () => {
    const { hooked, ids } = inPieces(3, 600, 60, { defragShare: 600 / contentCapacity });
    const [young, , dense] = ids as [number, number, number];
    // The third has twice the statements; the first was written again just now, at its end.
    for (let from = 0; from < 600; from += 60) {
      hooked.store.write(dense, from + 30, contentOf(dense, 600).subarray(from + 30, from + 60));
      hooked.flush();
    }
    for (let flush = 0; flush < 40; flush++) {
      hooked.store.write(young, 590, contentOf(young, 600).subarray(590));
      hooked.flush();
    }
    rewrite(hooked, ids, 600);
    assert.deepEqual(
      ids.map((id) => statementsOf(hooked, id) === 1),
      [false, false, true],
    );
  });

  test("of 0 pays for nothing", () => {
    const { hooked, ids } = inPieces(1, 900, 50, { defragShare: 0 });
    rewrite(hooked, ids, 900);
    assert.equal(hooked.store.stats().defragRewrites, 0);
  });
});

describe("a candidate is looked at again, and let go", () => {
  const attempt = (change: (hooked: HookedStore, id: number) => void, options: StoreOptions = {}): number => {
    const { hooked, ids } = inPieces(1, 900, 50, options);
    const [id] = ids as [number];
    change(hooked, id);
    rewrite(hooked, ids, 900);
    return hooked.store.stats().defragRewrites;
  };

  test("unless it still pays and has rested", () => {
    assert.equal(
      attempt(() => {}),
      1,
    );
  });

  test("when its end has gone, or all of it", () => {
    assert.equal(
      attempt(({ store }, id) => store.resize(id, 899)),
      0,
    );
    assert.equal(
      attempt(({ store }, id) => store.free(id)),
      0,
    );
  });

  test("when it was written as one in the meantime", () => {
    const overwrite = (hooked: HookedStore, id: number): void => {
      hooked.store.write(id, 0, contentOf(id, 900));
      hooked.flush();
      hooked.flush();
    };
    assert.equal(attempt(overwrite), 0);
  });

  test("when this very flush writes into it, and its allocation has not rested otherwise", () => {
    assert.equal(
      attempt(({ store }, id) => store.write(id, 100, bytesOf(1, 70))),
      0,
    );
  });

  test("when this very flush has written a little of it, stated inline", () => {
    const write = ({ store }: HookedStore, id: number): void => store.write(id, 100, bytesOf(1, 5));
    assert.equal(attempt(write, { inlineThreshold: 20 }), 0);
    const writeBefore = (hooked: HookedStore, id: number): void => {
      write(hooked, id);
      hooked.flush();
    };
    assert.equal(attempt(writeBefore, { inlineThreshold: 20 }), 1);
  });

  test("when the price has none pay", () => {
    assert.equal(
      attempt(() => {}, { mu: Number.POSITIVE_INFINITY }),
      0,
    );
    assert.equal(
      attempt(() => {}, { mu: 1 }),
      0,
    );
    assert.equal(
      attempt(() => {}, { mu: 0 }),
      1,
    );
  });
});

describe("a range in motion", () => {
  test("is left alone when a chunk of it has no page yet", () => {
    const { hooked, ids } = inPieces(1, 900, 50);
    const [id] = ids as [number];
    hooked.store.write(id, 100, bytesOf(1, 70));
    hooked.defragmentation.beginWalk();
    // The written range itself is young; around it all has rested.
    hooked.defragmentation.propose(id, 0, 900);
    const { allocations } = hooked.context.state;
    hooked.flush({
      afterFold: () => {
        // As if the allocation had not been written for long: the age alone must not decide.
        allocations.lastWritten[allocations.row(id)] = 0;
        hooked.defragmentation.spendShare();
      },
    });
    assert.equal(hooked.store.stats().defragRewrites, 0);
  });

  test("is left alone by free filling once evacuation has moved bytes of it into a page of this flush", () => {
    for (const isMoved of [true, false]) {
      const { hooked, ids } = inPieces(1, 900, 50, { defragShare: 0 });
      const [id] = ids as [number];
      hooked.defragmentation.beginWalk();
      hooked.defragmentation.propose(id, 0, 900);
      const victim = hooked.places(id)[0]!.page;
      hooked.flush({
        afterFold: () => hooked.defragmentation.spendShare(),
        spendBudget: () => {
          const open = new OpenPage(hooked.context);
          if (isMoved) hooked.evacuation.whole(victim, open);
          hooked.defragmentation.fill(open);
          closePage(hooked.context, open);
        },
      });
      assert.equal(hooked.store.stats().defragRewrites, isMoved ? 0 : 1);
      requireContents(hooked, ids, 900);
    }
  });
});

describe("spares", () => {
  test("go into room left over, each that fits and is longer than what is stated inline", () => {
    const { hooked, ids } = inPieces(4, 600, 50, { defragShare: 0, inlineThreshold: 30 });
    const [a, b, c, d] = ids as [number, number, number, number];
    const { defragmentation } = hooked;
    defragmentation.beginWalk();
    for (const id of [a, b, c]) defragmentation.propose(id, 0, 600);
    defragmentation.propose(d, 0, 25);
    let room = 0;
    hooked.flush({
      afterFold: () => defragmentation.spendShare(),
      spendBudget: () => {
        const open = new OpenPage(hooked.context);
        open.used = contentCapacity - 1300;
        defragmentation.fill(open);
        room = open.room;
        closePage(hooked.context, open);
        // What found room is no spare any more, what did not still is.
        const next = new OpenPage(hooked.context);
        defragmentation.fill(next);
        assert.equal(next.used, 600);
        closePage(hooked.context, next);
      },
    });
    assert.equal(room, 100);
    assert.deepEqual(
      ids.map((id) => statementsOf(hooked, id) === 1),
      [true, true, true, false],
    );
    requireContents(hooked, ids, 600);
  });

  test("of an earlier walk are forgotten by the next", () => {
    const { hooked, ids } = inPieces(1, 600, 50, { defragShare: 0 });
    hooked.defragmentation.beginWalk();
    hooked.defragmentation.propose(ids[0]!, 0, 600);
    hooked.flush({
      afterFold: () => hooked.defragmentation.spendShare(),
      spendBudget: () => {
        hooked.defragmentation.beginWalk();
        const open = new OpenPage(hooked.context);
        hooked.defragmentation.fill(open);
        assert.equal(open.used, 0);
        closePage(hooked.context, open);
      },
    });
  });
});

test("a damaged page that open did not look at fails the reads that need it, and no flush", () => {
  const file = new MemoryFile();
  const writer = Store.create(file, { consolidate: false, inlineThreshold: 0 });
  const [id, other] = [writer.alloc(0), writer.alloc(0)];
  for (let i = 0; i < 20; i++) {
    writer.write(id, 50 * i, bytesOf(i, 50));
    writer.flush();
  }
  writer.close();
  const pages: number[] = [];
  const reader = Store.openReadOnly(file);
  reader.visitDataFragments((page) => pages.push(page));
  reader.close();
  file.write(Uint8Array.of(0xff), pages[3]! * 4096 + 20);
  for (const defragShare of [1, 0]) {
    const store = Store.open(file.clone(), { verify: "lazy", mu: 0, defragShare });
    for (let flush = 0; flush < 4; flush++) {
      store.write(other, 0, bytesOf(flush, 100));
      store.flush();
      store.check();
    }
    assert.deepEqual(store.read(other, 0, 100), bytesOf(3, 100));
    assert.deepEqual(store.read(id, 0, 50), bytesOf(0, 50));
    assert.throws(() => store.read(id, 150, 50), { code: "corrupt" });
  }
});
