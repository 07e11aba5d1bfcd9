import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { StoreError } from "../../errors.ts";
import { Arena, Log } from "../journal/log.ts";
import {
  decodeRecords,
  encodeRecord,
  encodeRecordHead,
  recordCopy,
  recordFree,
  recordHeadBytesMax,
  recordLength,
  recordMove,
  recordPayloadBytes,
  recordResize,
  recordSplice,
  recordWrite,
} from "./record.ts";

type Head = [tag: number, a: number, b: number, c: number, d: number, e: number];
type Row = Head | [...Head, payload: number[]];

const u32Max = 2 ** 32 - 1;

function encode(row: Row): Uint8Array {
  const log = new Log();
  const arena = new Arena();
  const [tag, a, b, c, d, e, payload] = row;
  arena.append(Uint8Array.of(99));
  log.push(tag, a, b, c, d, e, arena.append(Uint8Array.from(payload ?? [])));
  const bytes = new Uint8Array(recordLength(log, 0) + 1);
  assert.equal(encodeRecord(log, arena, 0, bytes, 1), bytes.length);
  const head = new Uint8Array(recordHeadBytesMax);
  assert.equal(encodeRecordHead(log, 0, head, 0), bytes.length - 1 - recordPayloadBytes(log, 0));
  return bytes.subarray(1);
}

function decode(bytes: Uint8Array): Row[] {
  const log = new Log();
  const arena = new Arena();
  decodeRecords(bytes, log, arena, { page: 5 });
  return Array.from({ length: log.count }, (_, i) => {
    const row: Head = [log.tag[i]!, log.a[i]!, log.b[i]!, log.c[i]!, log.d[i]!, log.e[i]!];
    const length = recordPayloadBytes(log, i);
    return length === 0 ? row : [...row, [...arena.view(log.payload[i]!, length)]];
  });
}

const examples: [string, Row][] = [
  ["01 AC 02", [recordFree, 300, 0, 0, 0, 0]],
  ["02 01 05", [recordResize, 1, 5, 0, 0, 0]],
  ["02 07 80 20", [recordResize, 7, 4096, 0, 0, 0]],
  ["03 01 00 05 68 65 6C 6C 6F", [recordWrite, 1, 0, 0, 5, 0, [...Buffer.from("hello")]]],
  ["03 07 80 01 03 01 02 03", [recordWrite, 7, 128, 0, 3, 0, [1, 2, 3]]],
  ["04 01 01 03 02 69 70", [recordSplice, 1, 1, 3, 2, 0, [...Buffer.from("ip")]]],
  ["04 07 0A 04 01 FF", [recordSplice, 7, 10, 4, 1, 0, [255]]],
  ["05 07 00 10 08 C8 01", [recordCopy, 7, 0, 8, 16, 200]],
  ["06 07 02 06 07 05", [recordMove, 7, 2, 7, 6, 5]],
];

const hex = (text: string): Uint8Array =>
  Uint8Array.from(text.split(" "), (byte) => Number.parseInt(byte, 16));

test("the format's worked bytes", () => {
  for (const [text, row] of examples) {
    assert.deepEqual(encode(row), hex(text), text);
    assert.deepEqual(decode(hex(text)), [row], text);
  }
});

const ids = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: u32Max }));
const sizes = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: u32Max }));
/** Two numbers whose sum is in range. */
const spans = fc.tuple(sizes, sizes).map(([a, b]): [number, number] => [Math.min(a, u32Max - b), b]);
const payloads = fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 200 });

const rows: fc.Arbitrary<Row> = fc.oneof(
  ids.map((id): Row => [recordFree, id, 0, 0, 0, 0]),
  fc.tuple(ids, sizes).map(([id, size]): Row => [recordResize, id, size, 0, 0, 0]),
  fc.tuple(ids, sizes, payloads).map(([id, offset, payload]): Row => {
    const at = Math.min(offset, u32Max - payload.length);
    const row: Head = [recordWrite, id, at, 0, payload.length, 0];
    return payload.length === 0 ? row : [...row, payload];
  }),
  fc.tuple(ids, spans, payloads).map(([id, [offset, old], payload]): Row => {
    const at = Math.min(offset, u32Max - payload.length);
    const row: Head = [recordSplice, id, at, old, payload.length, 0];
    return payload.length === 0 ? row : [...row, payload];
  }),
  fc
    .tuple(fc.constantFrom(recordCopy, recordMove), ids, spans, ids, sizes)
    .map(([tag, from, [at, length], to, target]): Row => {
      return [tag, from, at, to, length, Math.min(target, u32Max - length)];
    }),
);

test("what is encoded is decoded", () => {
  fc.assert(
    fc.property(fc.array(rows, { maxLength: 20 }), (list) => {
      assert.deepEqual(decode(Uint8Array.from(list.flatMap((row) => [...encode(row)]))), list);
    }),
  );
});

test("longer varints are accepted", () => {
  assert.deepEqual(decode(hex("01 81 80 80 80 80 80 80 80 80 00")), [[recordFree, 1, 0, 0, 0, 0]]);
});

function refuses(text: string, rule: string): void {
  assert.throws(
    () => decode(hex(text)),
    (error) =>
      error instanceof StoreError && error.code === "corrupt" && error.rule === rule && error.page === 5,
    text,
  );
}

test("J6: reserved tags, fields and payloads that are cut off", () => {
  for (const text of ["00", "07 01", "FF", "01", "02 01", "02 01 80", "01 01 00"]) refuses(text, "J6");
  for (const [text] of examples) {
    const bytes = text.split(" ");
    for (let n = 1; n < bytes.length; n++) refuses(bytes.slice(0, n).join(" "), "J6");
  }
});

test("J7: ids and sums out of range", () => {
  const max = "FF FF FF FF 0F";
  const over = "80 80 80 80 10";
  for (const text of [
    "01 00",
    `01 ${over}`,
    "01 FF FF FF FF FF FF FF FF FF 01",
    `02 01 ${over}`,
    "02 00 05",
    `03 01 ${max} 01 00`,
    `04 01 ${max} 01 00`,
    `04 01 ${max} 00 01 00`,
    `05 01 ${max} 01 01 00`,
    `05 01 00 01 02 ${max}`,
    `06 01 00 ${over} 02 00`,
    "06 00 00 01 02 00",
    "06 01 00 01 00 00",
  ])
    refuses(text, "J7");
  assert.deepEqual(decode(hex(`05 01 ${max} 00 02 ${max}`)), [[recordCopy, 1, u32Max, 2, 0, u32Max]]);
});

test("any bytes decode or are refused", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      try {
        decode(bytes);
      } catch (error) {
        assert.ok(error instanceof StoreError && (error.rule === "J6" || error.rule === "J7"));
      }
    }),
    { numRuns: 2000 },
  );
});
