/** What the budget is spent on: offers, floors, cuts and what they carry over, the tail in compaction mode. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { contentCapacity } from "../format/layout.ts";
import type { StoreOptions } from "../options.ts";
import { type Spent, spend } from "../testing/planned-budget.ts";
import { data, free, leaf, type PlannedPage, repeated } from "../testing/planned-pages.ts";

/** Number of the first planned page. */
const first = 2;

/** What is spent, page by page, the numbers of new pages aside. */
const spentOn = (pages: readonly PlannedPage[], budget: number, options: StoreOptions = {}): unknown[] =>
  spend(pages, budget, options).spent.map((one) => {
    if (one.kind === "leaves") return one;
    const { page: _, ...rest } = one;
    return rest;
  });

const dataPage = (whole: readonly number[], used: number, carried = 0, cut?: number) => ({
  kind: "data",
  carried,
  whole,
  cut,
  used,
});

/** The same where it does not matter which of equal pages are taken. */
const shapeOf = (pages: readonly PlannedPage[], budget: number, options: StoreOptions = {}): unknown[] =>
  spend(pages, budget, options).spent.map((one) => {
    if (one.kind === "leaves") return { leaves: one.pages.length };
    const { carried, whole, cut, used } = one;
    return { carried, whole: whole.length, cuts: cut !== undefined, used };
  });

const kindsOf = (pages: readonly PlannedPage[], budget: number): string[] =>
  spend(pages, budget).spent.map(({ kind }) => kind);

describe("an offer of data pages", () => {
  test("takes the best victim that still fits, again and again", () => {
    const pages = [data(1000, 9), data(2000, 9), data(900, 9), data(180, 9), data(1200, 9), data(800, 1)];
    assert.deepEqual(spentOn(pages, 1), [dataPage([5, 4, 2, 7, 6], 4080)]);
    // Without the last one the page would be four fifths full.
    assert.deepEqual(spentOn(pages.slice(0, 5), 1), []);
  });

  test("must fill its page but for the share that may stay empty", () => {
    const rest = Math.ceil(0.95 * contentCapacity) - 2 * 1900;
    assert.equal(spentOn([data(1900), data(1900), data(rest)], 1).length, 1);
    assert.deepEqual(spentOn([data(1900), data(1900), data(rest - 1)], 1), []);
    assert.equal(spentOn([data(1900), data(1900), data(rest - 1)], 1, { theta: 0.06 }).length, 1);
  });

  test("holds no victim that would free less than it writes, times the floor", () => {
    assert.deepEqual(spentOn(repeated(20, data(2041, 1000)), 8), []);
    assert.equal(spentOn([data(2040), data(2040)], 1).length, 1);
    assert.deepEqual(spentOn(repeated(20, data(1361, 1000)), 8, { churnFloor: 2 }), []);
    assert.equal(spentOn(repeated(3, data(1360)), 1, { churnFloor: 2 }).length, 1);
    assert.equal(spentOn([data(2720), data(1200)], 1, { churnFloor: 0.5 }).length, 1);
  });

  test("is not there where nothing is live, and the budget is kept", () => {
    const { spent, budgetPagesUsed } = spend([free("ready"), data(0), data(4081)], 8);
    assert.deepEqual(spent, []);
    assert.equal(budgetPagesUsed, 0);
  });
});

describe("a cut", () => {
  test("fills the page to its end, and what is left over leads the next one; the last page cuts nothing", () => {
    assert.deepEqual(shapeOf(repeated(9, data(1500)), 3), [
      { carried: 0, whole: 2, cuts: true, used: 4081 },
      { carried: 419, whole: 2, cuts: true, used: 4081 },
      { carried: 838, whole: 2, cuts: false, used: 3838 },
    ]);
  });

  test("is never made with a budget of one page", () => {
    assert.deepEqual(spentOn(repeated(9, data(1500)), 1), []);
    assert.deepEqual(shapeOf([...repeated(9, data(1500)), data(900)], 1), [
      { carried: 0, whole: 3, cuts: false, used: 3900 },
    ]);
  });

  test("takes a victim that is larger than the room, and that pays", () => {
    assert.deepEqual(spentOn([data(1540), data(1541), data(2041)], 2), []);
    assert.deepEqual(spentOn([data(1540), data(1541), data(1900)], 2), [
      dataPage([2, 3], 4081, 0, 4),
      dataPage([], 900, 900),
    ]);
  });

  test("is not made for room that may stay empty", () => {
    assert.deepEqual(spentOn([data(1938), data(1939), data(2040)], 8), [dataPage([2, 3], 3877)]);
    assert.deepEqual(shapeOf([data(1938), data(1938), data(2040)], 8), [
      { carried: 0, whole: 2, cuts: true, used: 4081 },
      { carried: 1835, whole: 0, cuts: false, used: 1835 },
    ]);
  });

  test("is not made for room that any victim would fit into", () => {
    // 2041 bytes are free, and no victim has more than 2040.
    assert.deepEqual(spentOn([data(2040)], 8), []);
  });

  test("forces the next page open, whatever it holds", () => {
    assert.deepEqual(spentOn([data(2000), data(1800), data(1000)], 2), [
      dataPage([4, 3], 4081, 0, 2),
      dataPage([], 719, 719),
    ]);
  });

  test("lets what is carried go before leaves that would pay", () => {
    const dataPages = [data(2000), data(1800), data(1000)];
    // Two leaves of 1632 free 1.2 bytes for one written, the data pages 1.55.
    assert.deepEqual(kindsOf([...dataPages, ...repeated(2, leaf(1632))], 3), ["data", "data", "leaves"]);
    // Five of 650 free 4.2.
    assert.deepEqual(kindsOf([...dataPages, ...repeated(5, leaf(650))], 3), ["leaves", "data", "data"]);
  });
});

describe("an offer of leaves", () => {
  test("writes a quarter more than the leaves need, and must fill a page with it", () => {
    assert.deepEqual(shapeOf(repeated(2, leaf(1632)), 1), [{ leaves: 2 }]);
    assert.deepEqual(shapeOf(repeated(2, leaf(1500)), 1), []);
    // 5 · 652 · 1.25 = 4075.
    assert.deepEqual(shapeOf(repeated(6, leaf(652)), 1), [{ leaves: 5 }]);
  });

  test("must free the floor's multiple of what it writes", () => {
    // Each leaf is sparse enough for a floor of 4; with a quarter more to write, four of 816 are not.
    const options = { churnFloor: 4 };
    assert.deepEqual(shapeOf(repeated(4, leaf(816)), 1, options), []);
    assert.deepEqual(shapeOf(repeated(5, leaf(652)), 1, options), [{ leaves: 5 }]);
  });

  test("goes before data pages if it frees more per byte written", () => {
    // Data pages: (4081 − 1000) / 1000 = 3.08.
    const dataPages = repeated(4, data(1000));
    // (4081 − 800) / 1000 = 3.28, and (4081 − 1050) / 1312.5 = 2.3.
    assert.deepEqual(kindsOf([...dataPages, ...repeated(4, leaf(800))], 1), ["leaves"]);
    assert.deepEqual(kindsOf([...dataPages, ...repeated(3, leaf(1050))], 1), ["data"]);
  });

  test("uses a page of the budget, and opens none", () => {
    const pages = [...repeated(8, leaf(800)), ...repeated(4, data(1000))];
    const { spent, budgetPagesUsed } = spend(pages, 2);
    assert.equal(budgetPagesUsed, 2);
    assert.deepEqual(
      spent.map(({ kind }) => kind),
      ["leaves", "leaves"],
    );
    assert.deepEqual(kindsOf(pages, 8), ["leaves", "leaves", "data"]);
  });
});

describe("in compaction mode", () => {
  const holes = repeated(40, free("ready"));

  test("the tail passes both floors", () => {
    assert.deepEqual(spentOn([...holes, leaf(4000)], 4), [{ kind: "leaves", pages: [42] }]);
    assert.deepEqual(spentOn([...holes, data(3000)], 4), [dataPage([42], 3000)]);
    for (const tail of [leaf(4000), data(3000)])
      assert.deepEqual(spentOn([...holes, tail], 4, { holeShare: 1 }), []);
  });

  test("pages are moved from the end downward, as many as the budget has", () => {
    const pages = [...holes, leaf(3900), data(4081), leaf(3800), data(4081), data(4081)];
    assert.deepEqual(spentOn(pages, 4), [
      dataPage([46], 4081),
      dataPage([45], 4081),
      { kind: "leaves", pages: [44] },
      dataPage([43], 4081),
    ]);
  });

  test("the tail goes before what frees more, and leaves others the room it has", () => {
    const pages = [data(80), data(400), ...repeated(4, data(900)), ...holes, data(3600)];
    assert.deepEqual(spentOn(pages, 1), [dataPage([48, 2, 3], 4080)]);
  });

  test("a tail that does not fit beside what is carried is cut, but for the last page", () => {
    const pages = [data(1500), ...holes, data(3500), data(3600)];
    assert.deepEqual(spentOn(pages, 3), [
      // Beside the tail there is room for 481 of 1500; beside the other 1019 for 3062 of 3500.
      dataPage([44], 4081, 0, 2),
      dataPage([], 4081, 1019, 43),
      dataPage([], 438, 438),
    ]);
    assert.deepEqual(spentOn(pages, 2), [dataPage([44], 4081, 0, 2), dataPage([], 1019, 1019)]);
  });

  test("a tail that needs more than a page, because its bytes are shared, stays", () => {
    assert.deepEqual(spentOn([...holes, data(4082)], 4), []);
    assert.deepEqual(spentOn([...holes, data(12_000)], 4), []);
  });

  test("the tail stays where no free page lies below it", () => {
    const pages = [...repeated(30, data(4081)), ...repeated(3, free("ready")), data(3000)];
    assert.deepEqual(spentOn(pages, 4, { holeShare: 0.05 }), [dataPage([35], 3000)]);
  });
});

test("under any page table and options the rules hold", () => {
  const bytes = fc.oneof(fc.integer({ min: 0, max: contentCapacity }), fc.integer({ min: 1, max: 900 }));
  const page: fc.Arbitrary<PlannedPage> = fc.oneof(
    fc.record({ kind: fc.constant("data" as const), bytes, age: fc.integer({ min: 0, max: 50 }) }),
    fc.record({ kind: fc.constant("leaf" as const), bytes, age: fc.integer({ min: 0, max: 50 }) }),
    fc.constantFrom(free("ready"), free("retiring")),
  );
  const options = fc.record({
    churnFloor: fc.constantFrom(0.3, 1, 2, 4),
    theta: fc.constantFrom(0, 0.05, 0.5, 0.99),
    sample: fc.constantFrom(1, 8),
    holeShare: fc.constantFrom(0.01, 0.25, 1),
  });
  const budget = fc.double({ min: 1, max: 12, noNaN: true });
  fc.assert(
    fc.property(fc.array(page, { maxLength: 80 }), budget, options, (pages, drawn, given) => {
      const { spent, budgetPagesUsed } = spend(pages, drawn, given);
      assert.equal(budgetPagesUsed, spent.length);
      assert.ok(spent.length <= Math.round(drawn));
      const rules = new Rules(pages, given);
      spent.forEach((one, i) => {
        rules.judge(one, i + 1 === Math.round(drawn));
      });
      assert.equal(rules.carried, 0, "something is carried out of the budget");
    }),
    { numRuns: 600 },
  );
});

interface Given {
  readonly churnFloor: number;
  readonly theta: number;
  readonly holeShare: number;
}

/** What holds of every page of a budget. */
class Rules {
  carried = 0;
  readonly #bytes: number[];
  readonly #options: Given;
  readonly #seen = new Set<number>();
  readonly #pages: readonly PlannedPage[];

  constructor(pages: readonly PlannedPage[], options: Given) {
    this.#pages = pages;
    this.#bytes = pages.map((page) => page.bytes ?? 0);
    this.#options = options;
  }

  judge(one: Spent, isLast: boolean): void {
    const tail = this.#tail();
    const victims =
      one.kind === "leaves" ? one.pages : [...one.whole, ...(one.cut === undefined ? [] : [one.cut])];
    for (const victim of victims) {
      assert.ok(!this.#seen.has(victim), `page ${victim} is chosen twice`);
      this.#seen.add(victim);
      const bytes = this.#bytes[victim - first]!;
      assert.ok(bytes > 0, "an empty page is chosen");
      const most = Math.floor(contentCapacity / (1 + this.#options.churnFloor));
      if (bytes > most) assert.equal(victim, tail, "a victim that does not pay is no tail");
    }
    if (one.kind === "leaves") {
      assert.equal(this.carried, 0, "leaves go before what is carried");
      const written = 1.25 * this.#bytesOf(victims);
      this.#requireFloors(victims, written, written, tail);
    } else {
      assert.equal(one.carried, this.carried);
      const offered = this.carried + this.#bytesOf(victims);
      assert.equal(one.used, Math.min(contentCapacity, offered));
      assert.ok(one.cut === undefined || !isLast, "the last page cuts");
      if (one.carried === 0) this.#requireFloors(victims, one.used, offered, tail);
      this.carried = offered - one.used;
    }
  }

  #bytesOf(victims: readonly number[]): number {
    return victims.reduce((sum, victim) => sum + this.#bytes[victim - first]!, 0);
  }

  #requireFloors(victims: readonly number[], used: number, written: number, tail: number): void {
    if (victims.includes(tail) && this.#options.holeShare < 1) return;
    assert.ok(used >= (1 - this.#options.theta) * contentCapacity, "a page is not worth its write");
    const reclaimed = victims.length * contentCapacity - this.#bytesOf(victims);
    assert.ok(reclaimed >= this.#options.churnFloor * written, "an offer does not pay");
  }

  /** The highest page that is still where it was. */
  #tail(): number {
    for (let i = this.#pages.length - 1; i >= 0; i--)
      if (this.#bytes[i]! > 0 && !this.#seen.has(first + i)) return first + i;
    return -1;
  }
}
