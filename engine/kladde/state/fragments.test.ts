import assert from "node:assert/strict";
import { test } from "node:test";
import { SplitMix32 } from "../../storage/random.ts";
import { FragmentMap, kindBytes, kindPending, kindZero, StagedFragments } from "./fragments.ts";

/** The model: entries in a sorted array. */
type Entry = [id: number, offset: number, kind: number, ref: number, page: number, pageOffset: number];

const compare = (a: readonly number[], b: readonly number[]) => a[0]! - b[0]! || a[1]! - b[1]!;

/** Index of the first entry that is not below the key. */
function lowerBound(model: readonly Entry[], id: number, offset: number): number {
  let low = 0;
  let high = model.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(model[middle]!, [id, offset]) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

const entryAt = (map: FragmentMap, at: number): Entry => [
  map.keyId[at]!,
  map.keyOffset[at]!,
  map.kind[at]!,
  map.ref[at]!,
  map.page[at]!,
  map.pageOffset[at]!,
];

function entries(map: FragmentMap): Entry[] {
  const found: Entry[] = [];
  for (let at = map.first(); at >= 0; at = map.next(at)) found.push(entryAt(map, at));
  return found;
}

const stagedOf = (rows: readonly Entry[]): StagedFragments => {
  const staged = new StagedFragments();
  for (const row of rows) staged.push(...row);
  return staged;
};

const valuesOf = (random: SplitMix32): [number, number, number, number] => [
  1 + random.below(4),
  random.next(),
  random.next(),
  random.below(4097),
];

/** `count` keys strictly between `low` and `high`, ascending; fewer if there is no room. */
function keysBetween(
  random: SplitMix32,
  low: readonly number[],
  high: readonly number[],
  count: number,
): Entry[] {
  const found = new Map<string, Entry>();
  for (let i = 0; i < count; i++) {
    const id = low[0]! + random.below(high[0]! - low[0]! + 1);
    const offset = id === low[0] && random.below(2) === 0 ? low[1]! + 1 + random.below(50) : random.next();
    const key = [id, offset];
    if (offset >= 2 ** 32 || compare(low, key) >= 0 || compare(key, high) >= 0) continue;
    found.set(`${id}.${offset}`, [id, offset, ...valuesOf(random)]);
  }
  return [...found.values()].sort(compare);
}

interface Pair {
  readonly map: FragmentMap;
  readonly model: Entry[];
}

const positionOf = ({ map, model }: Pair, index: number) => map.floor(model[index]![0], model[index]![1]);

function replaceSomewhere(random: SplitMix32, pair: Pair, removeMax: number, addMax: number): void {
  const { map, model } = pair;
  if (model.length === 0) return;
  const index = random.below(model.length);
  const remove = Math.min(model.length - index, 1 + random.below(removeMax));
  const low = model[index - 1] ?? [0, -1];
  const high = model[index + remove] ?? [2 ** 32 - 1, 2 ** 32];
  const rows = keysBetween(random, low, high, random.below(addMax + 1));
  map.replaceRun(positionOf(pair, index), remove, stagedOf(rows));
  model.splice(index, remove, ...rows);
}

/** The same behind an entry that stays, perhaps the last of its leaf or of all; what is replaced may be nothing. */
function replaceBehindSomewhere(random: SplitMix32, pair: Pair, removeMax: number, addMax: number): void {
  const { map, model } = pair;
  if (model.length === 0) return;
  const index = random.below(model.length);
  const remove = Math.min(model.length - index - 1, random.below(removeMax + 1));
  const high = model[index + 1 + remove] ?? [2 ** 32 - 1, 2 ** 32];
  const rows = keysBetween(random, model[index]!, high, random.below(addMax + 1));
  map.replaceBehind(positionOf(pair, index), remove, stagedOf(rows));
  model.splice(index + 1, remove, ...rows);
}

function moveSomewhere(random: SplitMix32, pair: Pair): void {
  const { map, model } = pair;
  if (model.length === 0) return;
  const index = random.below(model.length);
  const entry = model[index]!;
  const [low, high] = [model[index - 1], model[index + 1]];
  const from = low?.[0] === entry[0] ? low[1] + 1 : 0;
  const to = high?.[0] === entry[0] ? high[1] : 2 ** 32;
  const offset = from + Math.floor((random.below(1000) / 1000) * (to - from));
  map.moveKey(positionOf(pair, index), offset);
  entry[1] = offset;
}

function insertSomewhere(random: SplitMix32, { map, model }: Pair, idMax: number): void {
  const id = random.below(4) === 0 ? random.next() : random.below(idMax);
  const offset = random.below(2) === 0 ? random.next() : random.below(1000);
  const index = lowerBound(model, id, offset);
  if (index < model.length && compare(model[index]!, [id, offset]) === 0) return;
  const entry: Entry = [id, offset, ...valuesOf(random)];
  map.insert(...entry);
  model.splice(index, 0, entry);
}

function look(random: SplitMix32, { map, model }: Pair): void {
  const near = model.length > 0 && random.below(2) === 0 ? model[random.below(model.length)]! : undefined;
  const id = near?.[0] ?? random.next();
  const offset = near ? Math.max(0, Math.min(2 ** 32 - 1, near[1] + random.below(3) - 1)) : random.next();
  const index = lowerBound(model, id, offset);
  const isThere = index < model.length && compare(model[index]!, [id, offset]) === 0;
  const floorIndex = isThere ? index : index - 1;
  const floor = map.floor(id, offset);
  assert.deepEqual(floor < 0 ? undefined : entryAt(map, floor), model[floorIndex]);
  // Wherever it is said to have been seen: there, beside it, in another leaf, in one that was given back.
  const seen = [floor, floor + random.below(5), random.below(map.keyId.length)];
  for (const at of seen) assert.equal(map.floorNear(Math.max(at, 0), id, offset), floor, `seen at ${at}`);
  const seek = map.seek(id, offset);
  assert.deepEqual(seek < 0 ? undefined : entryAt(map, seek), model[index]);
  if (floor >= 0) {
    const previous = map.previous(floor);
    assert.deepEqual(previous < 0 ? undefined : entryAt(map, previous), model[floorIndex - 1]);
    const next = map.next(floor);
    assert.deepEqual(next < 0 ? undefined : entryAt(map, next), model[floorIndex + 1]);
  }
}

test("agrees with a sorted array through thousands of operations of every size", () => {
  for (let seed = 1; seed <= 6; seed++) {
    const random = new SplitMix32(seed);
    const pair: Pair = { map: new FragmentMap(), model: [] };
    const idMax = seed % 3 === 0 ? 2 ** 32 - 1 : 40;
    for (let step = 0; step < 1500; step++) {
      const dice = random.below(100);
      if (dice < 40) insertSomewhere(random, pair, idMax);
      else if (dice < 55) replaceSomewhere(random, pair, 3, 4);
      else if (dice < 60) replaceSomewhere(random, pair, 30, 200);
      else if (dice < 61) replaceSomewhere(random, pair, 2000, 4);
      else if (dice < 62) replaceSomewhere(random, pair, 300, 5000);
      else if (dice < 66) replaceBehindSomewhere(random, pair, 3, 4);
      else if (dice < 67) replaceBehindSomewhere(random, pair, 300, 300);
      else if (dice < 70) moveSomewhere(random, pair);
      else if (dice < 76 && pair.model.length > 0) {
        const index = random.below(pair.model.length);
        pair.map.remove(positionOf(pair, index));
        pair.model.splice(index, 1);
      } else look(random, pair);
      assert.equal(pair.map.count, pair.model.length);
      if (step % 50 === 0) pair.map.verify();
    }
    pair.map.verify();
    assert.deepEqual(entries(pair.map), pair.model, `seed ${seed}`);
  }
});

test("small maps are checked after every operation", () => {
  for (let seed = 100; seed < 130; seed++) {
    const random = new SplitMix32(seed);
    const pair: Pair = { map: new FragmentMap(), model: [] };
    for (let step = 0; step < 120; step++) {
      const dice = random.below(10);
      if (dice < 5) insertSomewhere(random, pair, 5);
      else if (dice < 7) replaceSomewhere(random, pair, 80, 100);
      else if (dice < 8) replaceSomewhere(random, pair, 200, 0);
      else look(random, pair);
      pair.map.verify();
      assert.deepEqual(entries(pair.map), pair.model, `seed ${seed}, step ${step}`);
    }
  }
});

/** 20,000 keys need three levels; 300,000 four. */
function ascending(count: number): Entry[] {
  return Array.from(
    { length: count },
    (_, i): Entry => [
      1 + Math.floor(i / 7) * 1000,
      (i % 7) * 600_000_000,
      kindBytes,
      i + 1,
      i >>> 3,
      i & 4095,
    ],
  );
}

for (const order of ["ascending", "descending", "shuffled"] as const) {
  test(`20,000 insertions in ${order} order, then removal from both ends and the middle`, () => {
    const model = ascending(20_000);
    const inserted = model.slice();
    if (order === "descending") inserted.reverse();
    if (order === "shuffled") {
      const random = new SplitMix32(9);
      for (let i = inserted.length - 1; i > 0; i--) {
        const j = random.below(i + 1);
        [inserted[i], inserted[j]] = [inserted[j]!, inserted[i]!];
      }
    }
    const map = new FragmentMap();
    for (const entry of inserted) map.insert(...entry);
    map.verify();
    assert.deepEqual(entries(map), model);
    while (model.length > 0) {
      const index =
        model.length % 3 === 0 ? 0 : model.length % 3 === 1 ? model.length - 1 : model.length >>> 1;
      const [id, offset] = model[index]!;
      map.remove(map.floor(id, offset));
      model.splice(index, 1);
      if (model.length % 1000 === 0) {
        map.verify();
        assert.deepEqual(entries(map), model);
      }
    }
    assert.equal(map.first(), -1);
    assert.equal(map.floor(2 ** 32 - 1, 2 ** 32 - 1), -1);
    map.insert(1, 0, kindZero, 1, 0, 0);
    map.verify();
  });
}

test("a bulk load makes the map it says, and one that can be changed", () => {
  for (const count of [0, 1, 55, 56, 57, 112, 113, 56 * 56, 56 * 56 + 1, 200_000]) {
    const map = new FragmentMap();
    const builder = map.bulkLoad();
    const model = ascending(count);
    for (const entry of model) builder.push(...entry);
    builder.finish();
    map.verify();
    assert.equal(map.count, count);
    if (count <= 5000) assert.deepEqual(entries(map), model);
    const pair: Pair = { map, model };
    const random = new SplitMix32(count);
    for (let step = 0; step < 200; step++) {
      insertSomewhere(random, pair, 2 ** 32 - 1);
      replaceSomewhere(random, pair, 5, 6);
      look(random, pair);
    }
    map.verify();
  }
});

test("the whole map in one run, and back", () => {
  const model = ascending(30_000);
  const map = new FragmentMap();
  map.insert(...model[0]!);
  map.replaceRun(map.first(), 1, stagedOf(model));
  map.verify();
  assert.deepEqual(entries(map), model);
  map.replaceRun(map.first(), model.length, stagedOf([model[77]!]));
  map.verify();
  assert.deepEqual(entries(map), [model[77]]);
  map.replaceRun(map.first(), 1, new StagedFragments());
  map.verify();
  assert.equal(map.count, 0);
});

test("kind, reference and place may be written through a position", () => {
  const map = new FragmentMap();
  map.insert(2 ** 32 - 1, 2 ** 32 - 2, kindBytes, 5, 2 ** 32 - 1, 4096);
  const at = map.floor(2 ** 32 - 1, 2 ** 32 - 1);
  assert.deepEqual(entryAt(map, at), [2 ** 32 - 1, 2 ** 32 - 2, kindBytes, 5, 2 ** 32 - 1, 4096]);
  map.kind[at] = kindPending;
  map.ref[at] = 9;
  assert.deepEqual(entries(map), [[2 ** 32 - 1, 2 ** 32 - 2, kindPending, 9, 2 ** 32 - 1, 4096]]);
});

test("our mistakes are caught", () => {
  const map = new FragmentMap();
  map.insert(1, 0, kindZero, 1, 0, 0);
  assert.throws(() => map.insert(1, 0, kindZero, 1, 0, 0), /already/);
  assert.throws(() => map.bulkLoad(), /empty/);
  assert.throws(() => map.replaceRun(map.first(), 2, new StagedFragments()), /past the last/);
  const builder = new FragmentMap().bulkLoad();
  builder.push(2, 5, kindZero, 1, 0, 0);
  assert.throws(() => builder.push(2, 5, kindZero, 1, 0, 0), /order/);
  assert.throws(() => builder.push(1, 6, kindZero, 1, 0, 0), /order/);
});

test("verify sees a key out of order and a separator that is not the first key", () => {
  const broken = () => {
    const map = new FragmentMap();
    const builder = map.bulkLoad();
    for (const entry of ascending(500)) builder.push(...entry);
    builder.finish();
    return map;
  };
  const swapped = broken();
  swapped.keyOffset[swapped.first() + 1] = 2 ** 32 - 1;
  assert.throws(() => swapped.verify(), /ascend/);
  const moved = broken();
  moved.keyOffset[moved.first()] = 1;
  assert.throws(() => moved.verify(), /separator/);
});
