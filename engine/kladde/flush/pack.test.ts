/** Packing: every page but the last full enough, at most one cut a page, chunks in key order with a little look-ahead. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { contentCapacity } from "../format/layout.ts";
import type { StoreOptions } from "../options.ts";
import { HookedStore, type Place } from "../testing/hooked-store.ts";
import { bytesOf } from "../testing/perform.ts";

interface Packed {
  readonly ids: readonly number[];
  /** Content bytes of the pages that the packer wrote, in order. */
  readonly pages: readonly { readonly page: number; readonly used: number }[];
  readonly places: ReadonlyMap<number, readonly Place[]>;
}

/** One chunk of each length, in the order of ids, packed by one flush. */
function pack(lengths: readonly number[], options: StoreOptions = {}): Packed {
  const hooked = new HookedStore({ inlineThreshold: 0, ...options });
  const { store, context } = hooked;
  const ids = store.batch(() =>
    lengths.map((length) => {
      const id = store.alloc(0);
      store.write(id, 0, bytesOf(id, length));
      return id;
    }),
  );
  const pages: { page: number; used: number }[] = [];
  hooked.flush({
    spendBudget: () => {
      const { staging, state } = context;
      for (let slot = 0; slot < staging.count; slot++) {
        const page = staging.page[slot]!;
        pages.push({ page, used: state.pages.written[page]! });
      }
    },
  });
  ids.forEach((id, i) => {
    assert.deepEqual(store.read(id, 0, lengths[i]!), bytesOf(id, lengths[i]!));
  });
  return { ids, pages, places: new Map(ids.map((id) => [id, hooked.places(id)])) };
}

const usedOf = ({ pages }: Packed): number[] => pages.map(({ used }) => used);

/** Cuts inside chunks, whole pages cut off the front of one aside. */
function cutsOf({ places }: Packed): number {
  let cuts = 0;
  for (const parts of places.values()) {
    const rest = parts.filter(({ bytes, position }) => bytes < contentCapacity || position > 0);
    cuts += Math.max(0, rest.length - 1);
  }
  return cuts;
}

const numberOf = (packed: Packed, i: number): number[] =>
  packed.places.get(packed.ids[i]!)!.map(({ page }) => packed.pages.findIndex((one) => one.page === page));

describe("the promise", () => {
  const judge = (packed: Packed, theta: number): void => {
    const used = usedOf(packed);
    for (const [i, bytes] of used.entries()) {
      assert.ok(bytes <= contentCapacity);
      if (i + 1 < used.length)
        assert.ok(
          contentCapacity - bytes <= Math.floor(theta * contentCapacity),
          `page ${i} of ${used.length} holds ${bytes}`,
        );
    }
    assert.ok(cutsOf(packed) <= used.length, "more cuts than pages");
  };

  test("holds for chunks of half a page and a byte: full pages, one cut each", () => {
    const half = Math.floor(contentCapacity / 2) + 1;
    const packed = pack(Array.from({ length: 60 }, () => half));
    judge(packed, 0.05);
    assert.equal(packed.pages.length, Math.ceil((60 * half) / contentCapacity));
    // 2041, 2040 of 2041, the one byte of it and two; and so on.
    assert.ok(usedOf(packed).filter((bytes) => bytes === contentCapacity).length > 20);
    assert.ok(cutsOf(packed) > 20);
  });

  test("holds for chunks of any lengths, under any options", () => {
    const length = fc.oneof(
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 1, max: contentCapacity }),
      fc.integer({ min: contentCapacity - 3, max: 3 * contentCapacity + 3 }),
    );
    const options = fc.record({
      theta: fc.constantFrom(0, 0.05, 0.5),
      lookahead: fc.constantFrom(1, 2, 16),
      inlineThreshold: fc.constantFrom(0, 64),
    });
    fc.assert(
      fc.property(fc.array(length, { minLength: 1, maxLength: 40 }), options, (lengths, given) => {
        judge(pack(lengths, given), given.theta);
      }),
      { numRuns: 150 },
    );
  });
});

describe("a chunk", () => {
  test("of a page or more gives up whole pages first, each of its own", () => {
    const packed = pack([100, 2 * contentCapacity, contentCapacity + 50]);
    assert.deepEqual(usedOf(packed), [contentCapacity, contentCapacity, contentCapacity, 150]);
    assert.deepEqual(numberOf(packed, 0), [3]);
    assert.deepEqual(numberOf(packed, 2), [2, 3]);
  });

  test("that fits goes before one that does not, so far as the packer looks ahead", () => {
    const lengths = [3000, 3000, 3000, 900, 3000];
    assert.deepEqual(numberOf(pack(lengths), 3), [0]);
    assert.notDeepEqual(numberOf(pack(lengths, { lookahead: 2 }), 3), [0]);
  });

  test("is not cut where what stays empty may", () => {
    const packed = pack([contentCapacity - 204, 3000, 3000]);
    assert.equal(usedOf(packed)[0], contentCapacity - 204);
    assert.equal(usedOf(pack([contentCapacity - 205, 3000, 3000]))[0], contentCapacity);
  });

  test("leaves an inline tail where that is short enough", () => {
    const packed = pack([3000, 1081 + 64, 1081 + 65], { inlineThreshold: 64 });
    const [tail] = [packed.places.get(packed.ids[1]!)!];
    // 64 bytes of the second are in no data page.
    assert.deepEqual(
      tail.map(({ bytes }) => bytes),
      [1081],
    );
    assert.equal(packed.pages.length, 2);
  });
});

test("a flush without a chunk opens no page", () => {
  assert.deepEqual(usedOf(pack([])), []);
  assert.deepEqual(usedOf(pack([10, 20, 30], { inlineThreshold: 64 })), []);
});

test("a run that was only brought together is cut last", () => {
  for (const isRewrite of [0, 1]) {
    const hooked = new HookedStore();
    const { store, context } = hooked;
    const ids = [3000, 3000, 2000].map((length) => {
      const id = store.alloc(0);
      store.write(id, 0, bytesOf(id, length));
      return id;
    });
    hooked.flush({
      afterFold: () => {
        context.chunks.isRewrite[context.chunks.head + 1] = isRewrite;
      },
    });
    // The second is cut in its turn, or the third instead.
    assert.equal(hooked.places(ids[1]!).length, isRewrite === 1 ? 1 : 2);
    assert.equal(hooked.places(ids[2]!).length, isRewrite === 1 ? 2 : 1);
  }
});
