/** The bytes of the consolidator state. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { u32Max } from "../format/layout.ts";
import { littleEndian, varint } from "../testing/pages.ts";
import {
  decodeState,
  encodeFields,
  encodeRecord,
  fixedBytes,
  type StateFields,
  stateTag,
  visitAges,
} from "./ages.ts";

const fields: StateFields = {
  upToDate: 0x0102030405,
  budget: 12.5,
  windowId: 0xfffffffe,
  windowOffset: 0x01020304,
  snapshotBytes: 0,
};

const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

/** A state as another program would write it. */
const stateOf = (records: readonly number[], snapshotBytes = 0, upToDate = 9): Uint8Array =>
  Uint8Array.from([
    ...Buffer.from("kladdets"),
    ...littleEndian(upToDate, 8),
    ...[0, 0, 0x48, 0x41],
    ...littleEndian(7, 4),
    ...littleEndian(70, 4),
    ...littleEndian(snapshotBytes, 4),
    ...records,
  ]);

function agesIn(bytes: Uint8Array, newest = Number.MAX_SAFE_INTEGER): Map<number, number> | undefined {
  const ages = new Map<number, number>();
  return visitAges(bytes, newest, (id, epoch) => ages.set(id, epoch)) ? ages : undefined;
}

test("the fixed part, byte by byte", () => {
  const expected = [
    ...Buffer.from("kladdets"),
    ...[5, 4, 3, 2, 1, 0, 0, 0],
    ...[0, 0, 0x48, 0x41],
    ...[0xfe, 0xff, 0xff, 0xff],
    ...[4, 3, 2, 1],
    ...[0, 0, 0, 0],
  ];
  assert.equal(fixedBytes, 32);
  assert.deepEqual([...encodeFields(fields)], expected);
});

test("a record is epoch, count and the ids' distances", () => {
  assert.deepEqual(
    [...encodeRecord(300, [1, 2, 200, u32Max])],
    [...varint(300), 4, 1, 1, ...varint(198), ...varint(u32Max - 200)],
  );
  assert.deepEqual([...encodeRecord(300, [])], []);
});

test("what is encoded is decoded again", () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: u32Max }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(
      fc.record({
        budget: fc.float({ noNaN: true }),
        windowId: fc.integer({ min: 0, max: u32Max }),
        windowOffset: fc.integer({ min: 0, max: u32Max }),
        records: fc.array(fc.tuple(fc.integer({ min: 0, max: 2 ** 45 }), ids), { maxLength: 8 }),
      }),
      ({ records, ...rest }) => {
        const upToDate = 2 ** 45;
        const encoded = records.map(([epoch, list]) =>
          encodeRecord(
            epoch,
            list.sort((a, b) => a - b),
          ),
        );
        const expected = new Map<number, number>();
        for (const [epoch, list] of records) for (const id of list) expected.set(id, epoch);
        const snapshotBytes = encoded[0]?.length ?? 0;
        const bytes = joined(encodeFields({ ...rest, upToDate, snapshotBytes }), ...encoded);
        assert.deepEqual(decodeState(bytes, upToDate), { ...rest, upToDate, snapshotBytes });
        assert.deepEqual(agesIn(bytes), expected);
      },
    ),
  );
});

test("the newest record of an id counts", () => {
  const bytes = stateOf([3, 2, 1, 1, 5, 1, 2, 4, 1, 9]);
  assert.deepEqual(
    agesIn(bytes),
    new Map([
      [1, 3],
      [2, 5],
      [9, 4],
    ]),
  );
});

test("a state is good only whole", () => {
  const good = stateOf([3, 2, 1, 1, 5, 1, 2]);
  assert.equal(decodeState(good, 9)?.budget, 12.5);
  for (let length = 0; length < good.length; length++) {
    // A state may end behind a record.
    if (length === fixedBytes || length === fixedBytes + 4) continue;
    assert.equal(decodeState(good.subarray(0, length), 9), undefined, `cut after ${length} bytes`);
  }
});

const bad: Readonly<Record<string, Uint8Array>> = {
  "another writer's tag": Uint8Array.from(stateOf([]), (byte, i) => (i === 7 ? 0x72 : byte)),
  "an epoch after the file's": stateOf([], 0, 10),
  "an epoch past 2^53": Uint8Array.from(stateOf([]), (byte, i) => (i === 15 ? 0x80 : byte)),
  "a snapshot longer than the records": stateOf([3, 1, 1], 4),
  "a record of an epoch after the state's": stateOf([10, 1, 1]),
  "a varint in a longer form": stateOf([...varint(3, 2), 1, 1]),
  "a count in a longer form": stateOf([3, ...varint(1, 3), 1]),
  "an id in a longer form": stateOf([3, 1, ...varint(1, 5)]),
  "a varint without an end": stateOf([3, 1, 0x80]),
  "a varint of eleven bytes": stateOf([3, 1, ...varint(1, 11)]),
  "a count without ids": stateOf([3]),
  "fewer ids than counted": stateOf([3, 2, 1]),
  "a count of 2^50": stateOf([3, ...varint(2 ** 50), 1]),
  "an id of 2^32": stateOf([3, 1, ...varint(2 ** 32)]),
  "ids that come to 2^32": stateOf([3, 2, ...varint(u32Max), 1]),
};

for (const [name, bytes] of Object.entries(bad))
  test(`${name} is no state`, () => {
    assert.equal(decodeState(bytes, 9), undefined);
  });

test("random bytes behind the tag are a state or none, and never an error", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, hasFields) => {
      const whole = joined(hasFields ? stateOf([]) : stateTag, bytes);
      const decoded = decodeState(whole, 9);
      if (decoded === undefined) return;
      assert.ok(decoded.upToDate <= 9 && decoded.snapshotBytes <= whole.length - fixedBytes);
      for (const [id, epoch] of agesIn(whole)!) assert.ok(id <= u32Max && epoch <= decoded.upToDate);
    }),
    { numRuns: 3000 },
  );
});

test("a budget may be anything; whether it is one is for who uses it", () => {
  for (const budget of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e-40])
    assert.ok(
      Object.is(decodeState(encodeFields({ ...fields, budget }), 2 ** 50)!.budget, Math.fround(budget)),
    );
});
