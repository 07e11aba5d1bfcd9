import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { typedKind } from "./interval.ts";
import { TypedModel } from "./model.ts";
import { drawTyped } from "./workload.ts";

const mib = 1024 * 1024;
const mask64 = (1n << 64n) - 1n;

/** The workload's definition, word for word, on a plain map. */
function* oracle(size: number): Generator<[kind: string, key: number, text: string], Map<number, string>> {
  let x = ((BigInt(size ^ 17) * 0x9e3779b97f4a7c15n) & mask64) | 1n;
  const below = (n: number): number => {
    x ^= (x << 13n) & mask64;
    x ^= x >> 7n;
    x ^= (x << 17n) & mask64;
    return Number(x % BigInt(n));
  };
  const text = (from: number, to: number): string =>
    Array.from({ length: from + below(to - from + 1) }, () => String.fromCharCode(97 + below(26))).join("");
  const map = new Map<number, string>();
  const live: number[] = [];
  for (let sum = 0, key = 0; sum < size; sum += map.get(key)!.length, key++) {
    map.set(key, text(50, 500));
    live.push(key);
    yield ["insert", key, map.get(key)!];
  }
  let next = live.length;
  for (let written = 0; written < 8 * size; ) {
    const index = below(live.length);
    const choice = below(10);
    const key = live[index]!;
    const given = choice <= 3 ? text(50, 500) : choice <= 6 ? text(8, 64) : choice <= 8 ? text(50, 500) : "";
    written += given.length;
    if (choice <= 3) {
      map.set(key, given);
      yield ["replace", key, given];
    } else if (choice <= 6) {
      map.set(key, map.get(key)! + given);
      yield ["append", key, given];
    } else if (choice <= 8) {
      map.set(next, given);
      live.push(next);
      yield ["insert", next++, given];
    } else {
      map.delete(key);
      live[index] = live.at(-1)!;
      live.pop();
      yield ["remove", key, ""];
    }
  }
  return map;
}

describe("the typed workload", () => {
  it("draws what its definition says, and its model holds what a plain map holds", () => {
    const size = mib / 32;
    const expected = oracle(size);
    const names = Object.keys(typedKind);
    const { drawing, marks } = drawTyped(size);
    const model = new TypedModel();
    for (const _ of marks) {
      const { count, kind, key, text } = drawing.interval;
      for (let i = 0; i < count; i++) {
        assert.deepEqual(expected.next().value, [names[kind[i]!], key[i], text[i]]);
      }
      model.apply(drawing.interval);
    }
    const { done, value } = expected.next();
    assert.equal(done, true);
    const map = value as Map<number, string>;
    assert.deepEqual(
      [...model],
      [...map].toSorted(([a], [b]) => a - b),
    );
    assert.equal(model.entries, map.size);
    assert.equal(
      model.textBytes,
      [...map.values()].reduce((sum, text) => sum + text.length, 0),
    );
    for (const key of [0, 1, 2, 1e6]) assert.equal(model.get(key), map.get(key));
  });

  it("has a row after every thousand operations and an end without one", () => {
    const { drawing, marks } = drawTyped(mib);
    const at: [string, number, number][] = [];
    for (const mark of marks) at.push([mark, drawing.operations, drawing.interval.count]);
    assert.deepEqual(at.slice(0, 4), [
      ["fill", 0, 1000],
      ["fill", 0, 1000],
      ["fill", 0, 1000],
      ["begin", 0, 834],
    ]);
    assert.deepEqual(
      at.slice(4, -1),
      Array.from({ length: 47 }, (_, i) => ["row", 1000 * (i + 1), 1000]),
    );
    assert.deepEqual(at.at(-1), ["end", 47_870, 870]);
  });

  it("is refused by its model when it is out of step", () => {
    const { drawing, marks } = drawTyped(mib / 64);
    const model = new TypedModel();
    marks.next();
    model.apply(drawing.interval);
    assert.throws(() => model.apply(drawing.interval), /key 0 is there already/);
    drawing.interval.clear();
    drawing.interval.add(typedKind.append, 1e6, "x");
    assert.throws(() => model.apply(drawing.interval), /key 1000000 is not there/);
  });
});
