/** The search for ranges that one statement would describe better: weights, the best run, tiles. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { contentCapacity } from "../format/layout.ts";
import { StoreState } from "../state/state.ts";
import { type PlannedFragment, planAllocation } from "../testing/planned-fragments.ts";
import { DescriptionSearch, framingShare, netPerByte, rewrittenFraming } from "./description.ts";

const ref = (bytes: number, framing = 9): PlannedFragment => ({ kind: "ref", bytes, framing });
const inline = (bytes: number, framing = 4): PlannedFragment => ({ kind: "inline", bytes, framing });
const zero = (bytes: number, framing = 5): PlannedFragment => ({ kind: "zero", bytes, framing });
const some = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

interface Found {
  readonly id: number;
  readonly from: number;
  readonly to: number;
}

interface Price {
  readonly mu: number;
  readonly inlineThreshold: number;
}

const price: Price = { mu: 0.02, inlineThreshold: 64 };

/** Tiles found in allocations 1, 2, … as one walk over all of them passes. */
function foundIn(
  allocations: readonly (readonly PlannedFragment[])[],
  { mu, inlineThreshold } = price,
): Found[] {
  const state = new StoreState();
  state.pages.extendTo(100);
  for (const [i, fragments] of allocations.entries()) planAllocation(state, i + 1, fragments);
  const found: Found[] = [];
  const search = new DescriptionSearch(state, mu, inlineThreshold, (id, from, to) =>
    found.push({ id, from, to }),
  );
  const { fragments } = state;
  for (let at = fragments.first(); at >= 0; at = fragments.next(at)) {
    const id = fragments.keyId[at]!;
    search.visit(at, state.fragmentEnd(at, id, state.allocations.sizeOf(id)));
  }
  search.finish();
  return found;
}

const found = (fragments: readonly PlannedFragment[], prices = price): [from: number, to: number][] =>
  foundIn([fragments], prices).map(({ from, to }) => [from, to]);

describe("weights", () => {
  const weigh = (fragments: readonly PlannedFragment[]): [share: number, net: number][] => {
    const state = new StoreState();
    planAllocation(state, 1, fragments);
    const weights: [number, number][] = [];
    for (let at = state.fragments.first(); at >= 0; at = state.fragments.next(at))
      weights.push([framingShare(state, at), netPerByte(state, at)]);
    return weights;
  };

  test("a statement's framing is spread over what it still states", () => {
    const shared: PlannedFragment = { kind: "ref", bytes: 10, framing: 9, statement: "a" };
    assert.deepEqual(weigh([shared, inline(5, 4), shared, zero(7, 6), shared, ref(8, 11)]), [
      [3, 0],
      [4, 0],
      [3, 0],
      [6, -1],
      [3, 0],
      [11, 0],
    ]);
  });

  test("zeros that nothing states have no framing to retire", () => {
    assert.deepEqual(weigh([{ kind: "default", bytes: 10 }]), [[0, -1]]);
  });

  test("what the flush has taken counts as what it will be stated as", () => {
    const taken = ["chunk", "placed", "inlined", "zeroed"] as const;
    assert.deepEqual(weigh(taken.map((kind) => ({ kind, bytes: 10 }))), [
      [8, 0],
      [8, 0],
      [4, 0],
      [5, -1],
    ]);
  });

  test("the new statement is a Ref behind the end of the file, or an Inline without its bytes", () => {
    const { pages } = new StoreState();
    const state = { pages } as StoreState;
    pages.extendTo(100);
    // Id, tag, offset; size and an address of 4096 · 100 + 11.
    assert.equal(rewrittenFraming(state, 64, 1, 0, 65), 1 + 1 + 1 + 1 + 3);
    assert.equal(rewrittenFraming(state, 64, 300, 20_000, 200), 2 + 1 + 3 + 2 + 3);
    assert.equal(rewrittenFraming(state, 64, 300, 20_000, 64), 2 + 1 + 3);
    pages.extendTo(513);
    assert.equal(rewrittenFraming(state, 64, 1, 0, 65), 1 + 1 + 1 + 1 + 4);
  });
});

describe("what is found", () => {
  test("a knot of tiny patches in a long allocation, and nothing around it", () => {
    const knot = some(12, (i) => (i % 2 === 0 ? inline(10) : ref(20)));
    assert.deepEqual(found([ref(3000), ...knot, ref(3000)]), [[3000, 3180]]);
  });

  test("a long run of zeros ends the run, a short one is made real", () => {
    const patches = some(6, () => ref(20));
    assert.deepEqual(found([...patches, zero(3), ...patches]), [[0, 243]]);
    assert.deepEqual(found([...patches, zero(3000), ...patches, ref(20)]), [[3120, 3260]]);
    assert.deepEqual(found([...patches, { kind: "default", bytes: 3000 }, ...patches.slice(1)]), [[0, 120]]);
  });

  test("a statement is not worth rewriting beyond its share over the price of a byte", () => {
    // 9 / 0.02 = 450.
    const patches = some(3, () => ref(20));
    assert.deepEqual(found([...patches, ref(449)]), [[0, 509]]);
    assert.deepEqual(found([...patches, ref(451)]), [[0, 60]]);
    assert.deepEqual(found(some(40, () => ref(451))), []);
  });

  test("a statement all of whose pieces are inside is credited whole, one of which some lie outside in part", () => {
    const piece: PlannedFragment = { kind: "ref", bytes: 100, framing: 9, statement: "a" };
    const inside = [piece, inline(10), piece, inline(10), piece];
    // 17 of framing, 6.4 for 320 bytes, 8 for the new Ref: 2.6 gained.
    assert.deepEqual(found(inside), [[0, 320]]);
    const outside = [...inside, ref(900), ...some(6, () => piece)];
    // A third of the pieces: 3 + 8 − 6.4 is not worth 8.
    assert.deepEqual(found(outside), []);
  });

  test("nothing in an allocation of one fragment, whatever it is", () => {
    for (const one of [ref(10), inline(10), zero(10), ref(4000)] as const) assert.deepEqual(found([one]), []);
    assert.deepEqual(found([ref(10)], { ...price, mu: 0 }), []);
  });

  test("a run ends with its allocation", () => {
    const patches = some(4, () => ref(20));
    assert.deepEqual(foundIn([patches, patches, [ref(20)]]), [
      { id: 1, from: 0, to: 80 },
      { id: 2, from: 0, to: 80 },
    ]);
  });

  test("the two parts of an allocation in which a walk begins and ends are searched apart", () => {
    const state = new StoreState();
    state.pages.extendTo(100);
    planAllocation(
      state,
      1,
      some(20, () => ref(20)),
    );
    const tiles: [number, number][] = [];
    const search = new DescriptionSearch(state, 0.02, 64, (_, from, to) => tiles.push([from, to]));
    const visit = (offset: number): void => search.visit(state.fragmentAt(1, offset), offset + 20);
    for (let offset = 200; offset < 400; offset += 20) visit(offset);
    search.finish();
    for (let offset = 0; offset < 100; offset += 20) visit(offset);
    // A gap, as from another walk.
    for (let offset = 120; offset < 200; offset += 20) visit(offset);
    search.finish();
    assert.deepEqual(tiles, [
      [200, 400],
      [0, 100],
      [120, 200],
    ]);
  });

  test("without a price two pieces suffice, at an infinite one nothing does", () => {
    assert.deepEqual(found([ref(2000), ref(2000)], { ...price, mu: 0 }), [[0, 4000]]);
    const tiny = some(50, () => inline(1, 10));
    assert.deepEqual(found(tiny, { ...price, mu: Number.POSITIVE_INFINITY }), []);
    assert.deepEqual(found(tiny), [[0, 50]]);
  });

  test("the new statement's framing counts: a short run must save more than it", () => {
    // Two Inlines of 4 and an Inline of 3: 5 saved, less 0.02 a byte.
    assert.deepEqual(found([inline(10), inline(10)]), [[0, 20]]);
    assert.deepEqual(found([inline(10, 2), inline(10, 1)]), []);
    // A Ref costs 7.
    assert.deepEqual(found([inline(10, 4), inline(10, 3)]), [[0, 20]]);
    assert.deepEqual(found([inline(10, 4), inline(10, 3)], { ...price, inlineThreshold: 0 }), []);
  });
});

describe("tiles", () => {
  test("a long run is cut from its start into pages", () => {
    const patches = some(300, () => ref(50));
    assert.deepEqual(found(patches), [
      [0, 4081],
      [4081, 8162],
      [8162, 12243],
      [12243, 15000],
    ]);
  });

  test("the share of a fragment belongs to the tile in which it begins", () => {
    // The rest of the run, 20 bytes, holds the end of one fragment and no framing.
    const fragments = [...some(100, () => ref(40)), ref(101)];
    assert.deepEqual(found(fragments), [[0, 4081]]);
    // With two more patches it does.
    assert.deepEqual(found([...fragments, inline(4), inline(4)]), [
      [0, 4081],
      [4081, 4109],
    ]);
  });

  test("a tile that gains nothing is left out, the others stay", () => {
    // The middle of the run is a page without a fragment of its own.
    const patches = some(200, () => ref(20, 60));
    const fragments = [...patches, ref(8243), ...patches];
    assert.deepEqual(
      found(fragments).map(([from]) => from),
      [0, 8162 + 4081],
    );
  });

  test("tiles do not overlap, cover one run, and each gains", () => {
    const fragment = fc.oneof(
      fc.record({
        kind: fc.constantFrom("ref" as const, "inline" as const, "zero" as const),
        bytes: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 6000 })),
        framing: fc.integer({ min: 3, max: 14 }),
        statement: fc.option(fc.constantFrom("a", "b", "c"), { nil: undefined }),
      }),
      fc.record({
        kind: fc.constantFrom("default" as const, "chunk" as const, "placed" as const, "inlined" as const),
        bytes: fc.integer({ min: 1, max: 300 }),
      }),
    );
    const fragmentLists = fc.array(fragment, { minLength: 1, maxLength: 60 });
    const prices = fc.record({
      mu: fc.constantFrom(0, 0.001, 0.02, 0.3),
      inlineThreshold: fc.constantFrom(0, 64),
    });
    fc.assert(
      fc.property(fragmentLists, prices, (drawn, { mu, inlineThreshold }) => {
        const list = drawn.map((one) => sharedByKind(one as PlannedFragment));
        const state = new StoreState();
        state.pages.extendTo(100);
        planAllocation(state, 1, list);
        const weights = weightsOf(state, mu);
        const tiles = found(list, { mu, inlineThreshold });
        const expected = tilesOf(state, bestRun(weights), weights, mu, inlineThreshold);
        assert.deepEqual(tiles, expected);
      }),
      { numRuns: 500 },
    );
  });
});

/** A statement is of one kind. */
const sharedByKind = (one: PlannedFragment): PlannedFragment =>
  "statement" in one && one.statement !== undefined
    ? { ...one, statement: `${one.kind} ${one.statement}` }
    : one;

interface Weight {
  readonly from: number;
  readonly to: number;
  readonly share: number;
  readonly net: number;
  readonly weight: number;
}

function weightsOf(state: StoreState, mu: number): Weight[] {
  const { fragments } = state;
  const weights: Weight[] = [];
  for (let at = fragments.first(); at >= 0; at = fragments.next(at)) {
    const from = fragments.keyOffset[at]!;
    const to = state.fragmentEnd(at, 1, state.allocations.sizeOf(1));
    const share = framingShare(state, at);
    const net = netPerByte(state, at);
    weights.push({ from, to, share, net, weight: share + (net - mu) * (to - from) });
  }
  return weights;
}

/** By trying every run: the heaviest; of equals the one that ends first, and of those the shortest. */
function bestRun(weights: readonly Weight[]): { first: number; last: number } | undefined {
  let best: { first: number; last: number; weight: number } | undefined;
  for (let last = 0; last < weights.length; last++)
    for (let first = last; first >= 0; first--) {
      let weight = 0;
      for (let i = first; i <= last; i++) weight += weights[i]!.weight;
      if (weight > Math.max(0, best?.weight ?? 0) + 1e-9) best = { first, last, weight };
    }
  return best;
}

function tilesOf(
  state: StoreState,
  run: { first: number; last: number } | undefined,
  weights: readonly Weight[],
  mu: number,
  inlineThreshold: number,
): [number, number][] {
  const tiles: [number, number][] = [];
  if (run === undefined || weights.length < 2) return tiles;
  const end = weights[run.last]!.to;
  for (let from = weights[run.first]!.from; from < end; from += contentCapacity) {
    const to = Math.min(end, from + contentCapacity);
    let gain = -rewrittenFraming(state, inlineThreshold, 1, from, to - from);
    for (const one of weights) {
      const overlap = Math.min(to, one.to) - Math.max(from, one.from);
      if (overlap <= 0) continue;
      gain += (one.net - mu) * overlap + (one.from >= from ? one.share : 0);
    }
    if (gain > 0) tiles.push([from, to]);
  }
  return tiles;
}
