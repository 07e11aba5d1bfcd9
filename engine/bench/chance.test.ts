import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { belowMax, Chance } from "./chance.ts";

const mask64 = (1n << 64n) - 1n;

/** The definition, word for word. */
class Oracle {
  state: bigint;
  constructor(seed: number) {
    this.state = ((BigInt(seed) * 0x9e3779b97f4a7c15n) & mask64) | 1n;
  }
  next(): bigint {
    let x = this.state;
    x ^= (x << 13n) & mask64;
    x ^= x >> 7n;
    x ^= (x << 17n) & mask64;
    this.state = x;
    return x;
  }
  below(n: number): number {
    return Number(this.next() % BigInt(Math.max(n, 1)));
  }
  unit(): number {
    return Number(this.next() >> 11n) / 2 ** 53;
  }
  bytes(count: number): number[] {
    const value = this.next();
    return Array.from({ length: count }, (_, i) =>
      Number((((value + BigInt(i) * 0x9e37n) & mask64) >> 7n) & 255n),
    );
  }
}

const hex = (chance: Chance): string => {
  chance.step();
  return chance.high.toString(16).padStart(8, "0") + chance.low.toString(16).padStart(8, "0");
};

const bytesOf = (chance: Chance, count: number): Uint8Array => {
  const into = new Uint8Array(count + 2).fill(0xaa);
  chance.bytes(into, 1, count);
  assert.equal(into[0], 0xaa);
  assert.equal(into[count + 1], 0xaa);
  return into.subarray(1, count + 1);
};

describe("chance", () => {
  const vectors: Record<string, string> = {
    0: "0000000040822041 100041060c011441 9b1e842f6e862629 f554f503555d8025 860c1fb090599265",
    1: "dc1b77ae0bf34dad 64f0eeb9026e6076 7b07ce91e5906136 305f050c368dcc74 2ceb16e0a1c54aec",
    1048576: "70e0bf31da508041 752ef2eb1fce1101 4644869b2293ed63 4d23560f2973f279 cb235d624228abdd",
    1048577: "545696f3305cedad 45b7587c62de9f36 e4fa593ba14a2f88 801315ac72dc59d7 4ee3faeaff5d74a4",
  };
  for (const [seed, values] of Object.entries(vectors)) {
    it(`gives the published values for seed ${seed}`, () => {
      const chance = new Chance(Number(seed));
      assert.equal(Array.from({ length: 5 }, () => hex(chance)).join(" "), values);
      assert.equal(chance.draws, 5);
    });
  }

  it("gives the published bytes and draws for seed 1048576", () => {
    assert.equal(
      Buffer.from(bytesOf(new Chance(1048576), 16)).toString("hex"),
      "003c79b5f22e6ba7e3205c99d5124e8a",
    );
    const chance = new Chance(1048576);
    assert.deepEqual([chance.below(100), chance.range(1, 512), chance.below(64)], [97, 258, 35]);
  });

  it("agrees with the 64-bit definition for any seed and any draws", () => {
    const draw = fc.oneof(
      fc.record({ kind: fc.constant("below" as const), n: fc.integer({ min: 0, max: belowMax }) }),
      fc.record({ kind: fc.constant("below" as const), n: fc.integer({ min: 0, max: 600 }) }),
      fc.record({ kind: fc.constant("unit" as const), n: fc.constant(0) }),
      fc.record({ kind: fc.constant("bytes" as const), n: fc.integer({ min: 0, max: 300 }) }),
    );
    const seed = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    fc.assert(
      fc.property(seed, fc.array(draw, { maxLength: 50 }), (seed, draws) => {
        const chance = new Chance(seed);
        const oracle = new Oracle(seed);
        for (const { kind, n } of draws) {
          if (kind === "below") assert.equal(chance.below(n), oracle.below(n));
          else if (kind === "unit") assert.equal(chance.unit(), oracle.unit());
          else assert.deepEqual([...bytesOf(chance, n)], oracle.bytes(n));
        }
        assert.equal(chance.draws, draws.length);
      }),
    );
  });

  it("agrees with the definition over 20,000 values and the largest divisor", () => {
    const chance = new Chance(77);
    const oracle = new Oracle(77);
    for (let i = 0; i < 20_000; i++) {
      const n = i % 2 === 0 ? belowMax - i : 3 + i;
      assert.equal(chance.below(n), oracle.below(n));
    }
  });

  it("gives bytes over more than one cycle", () => {
    for (const count of [32_767, 32_768, 32_769, 65_536, 100_000]) {
      assert.deepEqual([...bytesOf(new Chance(5), count)], new Oracle(5).bytes(count));
    }
  });

  it("draws a range with both ends", () => {
    const chance = new Chance(3);
    const seen = new Set(Array.from({ length: 200 }, () => chance.range(4, 6)));
    assert.deepEqual([...seen].sort(), [4, 5, 6]);
  });

  it("refuses what it cannot do exactly", () => {
    assert.throws(() => new Chance(-1), RangeError);
    assert.throws(() => new Chance(1.5), RangeError);
    assert.throws(() => new Chance(2 ** 32), RangeError);
    assert.throws(() => new Chance(1).below(belowMax + 1), RangeError);
    assert.throws(() => new Chance(1).below(Number.NaN), RangeError);
  });
});
