import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { FakeStore } from "./fake-store.ts";
import { Interval } from "./interval.ts";
import { Model } from "./model.ts";
import { apply } from "./store.ts";

const operation = fc.record({
  kind: fc.constantFrom("alloc", "write", "write", "resize", "free"),
  slot: fc.nat(),
  offset: fc.integer({ min: 0, max: 40 }),
  length: fc.integer({ min: 0, max: 60 }),
  fill: fc.integer({ min: 1, max: 255 }),
});

describe("model and interval", () => {
  it("hold what a naive store holds, whatever the operations", () => {
    fc.assert(
      fc.property(fc.array(fc.array(operation, { maxLength: 30 }), { maxLength: 5 }), (intervals) => {
        const interval = new Interval();
        const model = new Model();
        const store = new FakeStore(new Map());
        const ids: number[] = [];
        const live: number[] = [];
        let slots = 0;
        for (const operations of intervals) {
          interval.clear();
          for (const { kind, slot, offset, length, fill } of operations) {
            if (kind === "alloc" || live.length === 0) {
              interval.alloc(slots, length);
              live.push(slots++);
              continue;
            }
            const at = live[slot % live.length]!;
            if (kind === "resize") interval.resize(at, length);
            else if (kind === "free") interval.free(live.splice(slot % live.length, 1)[0]!);
            else {
              const position = interval.write(at, offset, length);
              interval.bytes.fill(fill, position, position + length);
            }
          }
          model.apply(interval);
          apply(store, ids, interval);
          assert.deepEqual(
            [...model.slots()],
            live.toSorted((a, b) => a - b),
          );
          for (const slot of live) assert.deepEqual(model.contents(slot), store.contents.get(ids[slot]!));
          assert.equal(model.allocations, store.stats().allocations);
          assert.equal(model.allocationBytes, store.stats().allocationBytes);
        }
      }),
    );
  });

  it("grow beyond their first room", () => {
    const interval = new Interval();
    interval.alloc(0, 0);
    for (let i = 0; i < 5000; i++) {
      const position = interval.write(0, i * 300, 300);
      interval.bytes.fill(i & 255, position, position + 300);
    }
    const model = new Model();
    model.apply(interval);
    const contents = model.contents(0)!;
    assert.equal(contents.length, 1_500_000);
    for (const i of [0, 1023, 1024, 4999]) assert.equal(contents[i * 300 + 299], i & 255);
  });

  it("compute the common CRC-32 over several contents", () => {
    const model = new Model();
    const interval = new Interval();
    for (const [slot, text] of ["1234", "56789"].entries()) {
      interval.alloc(slot, text.length);
      interval.bytes.set(Buffer.from(text), interval.write(slot, 0, text.length));
    }
    model.apply(interval);
    assert.equal(model.crc32([0, 1]).toString(16), "cbf43926");
  });

  it("refuse operations on what is not there", () => {
    const of = (add: (interval: Interval) => void) => () => {
      const interval = new Interval();
      add(interval);
      new Model().apply(interval);
    };
    assert.throws(
      of((interval) => interval.free(0)),
      RangeError,
    );
    assert.throws(
      of((interval) => interval.write(0, 0, 1)),
      RangeError,
    );
    assert.throws(
      of((interval) => interval.alloc(1, 1)),
      RangeError,
    );
  });
});
