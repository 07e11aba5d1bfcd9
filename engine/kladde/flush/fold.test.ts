import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { StoreError } from "../../errors.ts";
import {
  recordCopy,
  recordFree,
  recordMove,
  recordResize,
  recordSplice,
  recordWrite,
} from "../format/record.ts";
import { Arena, Log } from "../journal/log.ts";
import { type Committed, Fold, foldRecords } from "./fold.ts";
import { piecesMax, sourceLiteral, sourceStorage, sourceZero } from "./pieces.ts";

type Contents = Map<number, Uint8Array>;

type Op =
  | { do: "free"; id: number }
  | { do: "resize"; id: number; size: number }
  | { do: "write"; id: number; offset: number; bytes: Uint8Array }
  | { do: "splice"; id: number; offset: number; oldLength: number; bytes: Uint8Array }
  | { do: "copy" | "move"; id: number; offset: number; length: number; to: number; toOffset: number };

function resized(bytes: Uint8Array | undefined, size: number): Uint8Array {
  const result = new Uint8Array(size);
  if (bytes !== undefined) result.set(bytes.subarray(0, size));
  return result;
}

/** The content of an id that a record targets, reaching `end`. */
function reaching(contents: Contents, id: number, end: number): Uint8Array {
  const bytes = resized(contents.get(id), Math.max(contents.get(id)?.length ?? 0, end));
  contents.set(id, bytes);
  return bytes;
}

/** Mutates byte arrays, one record at a time. */
function mutate(contents: Contents, op: Op): void {
  if (op.do === "free") contents.delete(op.id);
  else if (op.do === "resize") contents.set(op.id, resized(contents.get(op.id), op.size));
  else if (op.do === "write") reaching(contents, op.id, op.offset + op.bytes.length).set(op.bytes, op.offset);
  else if (op.do === "splice") {
    const bytes = reaching(contents, op.id, op.offset + op.oldLength);
    const parts = [bytes.subarray(0, op.offset), op.bytes, bytes.subarray(op.offset + op.oldLength)];
    contents.set(op.id, Uint8Array.from(Buffer.concat(parts)));
  } else {
    const source = contents.get(op.id);
    const end = op.offset + op.length;
    const copied = resized(source?.subarray(op.offset, end), op.length);
    const size = source?.length ?? 0;
    const target = reaching(contents, op.to, op.toOffset + op.length);
    if (op.do === "move" && size > 0) contents.get(op.id)!.fill(0, op.offset, Math.min(end, size));
    target.set(copied, op.toOffset);
  }
}

function record(log: Log, arena: Arena, op: Op): void {
  if (op.do === "free") log.push(recordFree, op.id, 0, 0, 0, 0, 0);
  else if (op.do === "resize") log.push(recordResize, op.id, op.size, 0, 0, 0, 0);
  else if (op.do === "write")
    log.push(recordWrite, op.id, op.offset, 0, op.bytes.length, 0, arena.append(op.bytes));
  else if (op.do === "splice")
    log.push(recordSplice, op.id, op.offset, op.oldLength, op.bytes.length, 0, arena.append(op.bytes));
  else {
    const tag = op.do === "copy" ? recordCopy : recordMove;
    log.push(tag, op.id, op.offset, op.to, op.length, op.toOffset, 0);
  }
}

const committedOf = (contents: Contents): Committed => ({
  exists: (id) => contents.has(id),
  size: (id) => contents.get(id)!.length,
});

/** The bytes that a row's pieces come to; checks the order and the joining of the pieces. */
function bytesOf(fold: Fold, row: number, arena: Arena, before: Contents): Uint8Array {
  const view = fold.pieces(row);
  const bytes = new Uint8Array(fold.size(row)).fill(0xee);
  assert.equal(view.size, fold.size(row));
  let at = 0;
  for (let i = 0; i < view.count; i++) {
    const end = view.end(i);
    assert.equal(view.offset(i), at);
    assert.ok(end > at);
    if (view.source(i) === sourceLiteral) arena.copyTo(view.at(i), end - at, bytes, at);
    else if (view.source(i) === sourceZero) bytes.fill(0, at, end);
    else bytes.set(before.get(view.sourceId(i))!.subarray(view.at(i), view.at(i) + end - at), at);
    if (i > 0 && view.source(i) === view.source(i - 1)) {
      const isNext = view.at(i) === view.at(i - 1) + (at - view.offset(i - 1));
      assert.ok(view.source(i) !== sourceZero && !(isNext && view.sourceId(i) === view.sourceId(i - 1)));
    }
    at = end;
  }
  assert.equal(at, bytes.length);
  return bytes;
}

function folded(before: Contents, ops: readonly Op[], fold = new Fold()) {
  const log = new Log();
  const arena = new Arena();
  arena.append(new Uint8Array(7));
  for (const op of ops) record(log, arena, op);
  foldRecords(log, arena, 0, log.count, committedOf(before), fold);
  return { fold, arena };
}

/** Ids that must have a row: targets, freed ids, and the sources of moves that exist. */
function expectedFlags(before: Contents, ops: readonly Op[]) {
  const contents: Contents = new Map([...before].map(([id, bytes]) => [id, bytes.slice()]));
  const ended = new Set<number>();
  const touched = new Set<number>();
  const written = new Set<number>();
  for (const op of ops) {
    const target = op.do === "copy" || op.do === "move" ? op.to : op.id;
    touched.add(target);
    if (op.do === "move" && op.offset < (contents.get(op.id)?.length ?? 0) && op.length > 0)
      touched.add(op.id);
    if (op.do !== "free") written.add(target);
    else if (before.has(op.id)) ended.add(op.id);
    mutate(contents, op);
  }
  return { contents, ended, touched, written };
}

function check(before: Contents, ops: readonly Op[], reused?: Fold): void {
  const { fold, arena } = folded(before, ops, reused);
  const { contents, ended, touched, written } = expectedFlags(before, ops);
  const ids = [...fold.ids.subarray(0, fold.count)];
  assert.deepEqual(
    ids,
    [...ids].sort((a, b) => a - b),
  );
  for (const id of touched) assert.ok(fold.rowOf(id) >= 0, `no row for ${id}`);
  for (const id of new Set([...before.keys(), ...contents.keys()])) {
    if (fold.rowOf(id) < 0) assert.deepEqual(contents.get(id), before.get(id));
  }
  for (let row = 0; row < fold.count; row++) {
    const id = fold.ids[row]!;
    assert.ok(touched.has(id));
    assert.equal(fold.rowOf(id), row);
    assert.equal(fold.existed(row), before.has(id));
    assert.equal(fold.exists(row), contents.has(id));
    assert.equal(fold.ended(row), ended.has(id));
    assert.equal(fold.written(row), written.has(id));
    assert.equal(fold.committedSize(row), before.get(id)?.length ?? 0);
    assert.deepEqual(bytesOf(fold, row, arena, before), contents.get(id) ?? new Uint8Array(0), `id ${id}`);
    const view = fold.pieces(row);
    for (let i = 0; i < view.count; i++) {
      if (!fold.isIdentity(row, view, i)) continue;
      assert.ok(before.has(id) && !ended.has(id));
      assert.deepEqual([view.source(i), view.sourceId(i), view.at(i)], [sourceStorage, id, view.offset(i)]);
    }
  }
}

let seed = 1;
const noise = (length: number): Uint8Array =>
  Uint8Array.from({ length }, () => {
    seed = Math.imul(seed, 1_664_525) + 1_013_904_223;
    return (seed >>> 24) | 1;
  });

const ids = fc.integer({ min: 1, max: 5 });
const offsets = fc.integer({ min: 0, max: 60 });
const payloads = fc.integer({ min: 0, max: 30 }).map(noise);

const anyOp: fc.Arbitrary<Op> = fc.oneof(
  { weight: 1, arbitrary: ids.map((id): Op => ({ do: "free", id })) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("resize" as const), id: ids, size: offsets }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("write" as const), id: ids, offset: offsets, bytes: payloads }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("splice" as const),
      id: ids,
      offset: offsets,
      oldLength: fc.integer({ min: 0, max: 20 }),
      bytes: payloads,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom("copy" as const, "move" as const),
      id: ids,
      offset: offsets,
      length: fc.integer({ min: 0, max: 40 }),
      to: ids,
      toOffset: offsets,
    }),
  },
);

const anyContents: fc.Arbitrary<Contents> = fc
  .array(fc.tuple(ids, fc.integer({ min: 0, max: 80 })), { maxLength: 5 })
  .map((entries) => new Map(entries.map(([id, size]) => [id, noise(size)])));

test("any records come to what they do to byte arrays", () => {
  const fold = new Fold();
  fc.assert(
    fc.property(anyContents, fc.array(anyOp, { maxLength: 25 }), (before, ops) => check(before, ops, fold)),
    { numRuns: 1500 },
  );
});

test("tables of thousands of pieces", () => {
  const size = 60_000;
  const fold = new Fold();
  // From the first and the third of these on, pieces on both sides of a border meet where chunks are joined.
  for (const [round, start] of [55_433, 1, 205_894].entries()) {
    seed = start;
    const before: Contents = new Map([
      [1, noise(size)],
      [2, noise(3000)],
    ]);
    const ops: Op[] = [];
    const random = (below: number) => {
      seed = Math.imul(seed, 1_664_525) + 1_013_904_223;
      return (seed >>> 8) % below;
    };
    for (let i = 0; i < 6000; i++) {
      const at = random(size);
      const kind = random(100);
      if (kind < 60) ops.push({ do: "write", id: 1, offset: at, bytes: noise(1 + random(4)) });
      else if (kind < 90)
        ops.push({ do: "splice", id: 1, offset: at, oldLength: random(5), bytes: noise(random(5)) });
      else if (kind < 93)
        ops.push({ do: "copy", id: 1, offset: at, length: random(300), to: 2, toOffset: random(2500) });
      else if (kind < 96)
        ops.push({ do: "move", id: 2, offset: random(2000), length: random(900), to: 1, toOffset: at });
      else if (kind < 98)
        ops.push({ do: "move", id: 1, offset: at, length: random(2000), to: 1, toOffset: random(size) });
      else if (kind === 98 && i % 50 === 0)
        ops.push({ do: "splice", id: 1, offset: at, oldLength: random(20_000), bytes: noise(3) });
      else if (kind === 99 && i % 90 === 0) ops.push({ do: "resize", id: 1, size: at });
      if (i === 4000 && round === 1) ops.push({ do: "free", id: 1 });
    }
    check(before, ops, fold);
    check(before, ops.slice(0, 1500), fold);
  }
});

test("pieces can be replaced by others of the same bytes", () => {
  const before: Contents = new Map([[1, noise(100)]]);
  const ops: Op[] = [
    { do: "splice", id: 1, offset: 10, oldLength: 0, bytes: noise(5) },
    { do: "copy", id: 1, offset: 50, length: 30, to: 2, toOffset: 3 },
  ];
  const { fold, arena } = folded(before, ops);
  const { contents } = expectedFlags(before, ops);
  let replaced = 0;
  for (let row = 0; row < fold.count; row++) {
    const view = fold.pieces(row);
    fold.beginPieces();
    for (let i = 0; i < view.count; i++) {
      const length = view.end(i) - view.offset(i);
      if (view.source(i) !== sourceStorage || fold.isIdentity(row, view, i)) {
        fold.addPiece(length, view.source(i), view.sourceId(i), view.at(i));
        continue;
      }
      const bytes = before.get(view.sourceId(i))!.subarray(view.at(i), view.at(i) + length);
      fold.addPiece(length, sourceLiteral, 0, arena.append(bytes));
      replaced++;
    }
    fold.setPieces(row);
    assert.deepEqual(bytesOf(fold, row, arena, before), contents.get(fold.ids[row]!));
  }
  assert.equal(replaced, 2);
});

/** Source, end and origin of each piece. */
function shape(fold: Fold, id: number): [number, number, number][] {
  const view = fold.pieces(fold.rowOf(id));
  return Array.from({ length: view.count }, (_, i) => [view.source(i), view.end(i), view.sourceId(i)]);
}

test("appends, and writes that follow each other in the log, are one piece", () => {
  const ops: Op[] = Array.from({ length: 500 }, (_, i) => ({
    do: "write",
    id: 3,
    offset: 10 * i,
    bytes: noise(10),
  }));
  assert.deepEqual(shape(folded(new Map(), ops).fold, 3), [[sourceLiteral, 5000, 0]]);
});

test("an untouched stretch is an identity, also after bytes went and came back", () => {
  const before: Contents = new Map([[1, noise(100)]]);
  const { fold } = folded(before, [
    { do: "copy", id: 1, offset: 20, length: 30, to: 2, toOffset: 0 },
    { do: "write", id: 1, offset: 10, bytes: noise(60) },
    { do: "copy", id: 2, offset: 0, length: 30, to: 1, toOffset: 20 },
    { do: "copy", id: 1, offset: 0, length: 100, to: 1, toOffset: 0 },
  ]);
  const view = fold.pieces(0);
  const identities = Array.from({ length: view.count }, (_, i) => fold.isIdentity(0, view, i));
  assert.deepEqual(identities, [true, false, true, false, true]);
  const again = folded(before, [
    { do: "copy", id: 1, offset: 0, length: 100, to: 2, toOffset: 0 },
    { do: "free", id: 1 },
    { do: "copy", id: 2, offset: 0, length: 100, to: 1, toOffset: 0 },
  ]).fold;
  assert.deepEqual(shape(again, 1), [[sourceStorage, 100, 1]]);
  assert.equal(again.isIdentity(0, again.pieces(0), 0), false);
});

test("the format's example of an overlapping move", () => {
  const before: Contents = new Map([[1, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)]]);
  const { fold, arena } = folded(before, [{ do: "move", id: 1, offset: 2, length: 6, to: 1, toOffset: 5 }]);
  assert.deepEqual([...bytesOf(fold, 0, arena, before)], [1, 2, 0, 0, 0, 3, 4, 5, 6, 7, 8]);
});

test("zeros by the gibibyte are one piece", () => {
  const max = 2 ** 32 - 1;
  const ops: Op[] = [{ do: "resize", id: 1, size: max }];
  for (let i = 2; i < 50; i++) ops.push({ do: "copy", id: 1, offset: 0, length: max, to: i, toOffset: 0 });
  ops.push({ do: "move", id: 2, offset: 5, length: max - 5, to: 3, toOffset: 0 });
  const { fold } = folded(new Map(), ops);
  for (let row = 0; row < fold.count; row++) {
    assert.equal(fold.size(row), max);
    assert.equal(fold.pieces(row).count, 1);
  }
});

test("a pattern doubled again and again stays in proportion", () => {
  const ops: Op[] = [{ do: "write", id: 1, offset: 0, bytes: noise(1) }];
  for (let n = 1; n < 2 ** 20; n *= 2)
    ops.push({ do: "copy", id: 1, offset: 0, length: n, to: 1, toOffset: n });
  const { fold, arena } = folded(new Map(), ops);
  assert.ok(fold.pieces(0).count <= 2 ** 20 / 32);
  const { contents } = expectedFlags(new Map(), ops);
  assert.deepEqual(bytesOf(fold, 0, arena, new Map()), contents.get(1));
});

test("J8: a splice past the largest size", () => {
  const max = 2 ** 32 - 1;
  const grow = (old: number): Op[] => [
    { do: "resize", id: 9, size: max },
    { do: "splice", id: 9, offset: 4, oldLength: old, bytes: noise(3) },
  ];
  const isJ8 = (error: unknown) =>
    error instanceof StoreError && error.code === "corrupt" && error.rule === "J8" && error.id === 9;
  assert.throws(() => folded(new Map(), grow(2)), isJ8);
  assert.equal(folded(new Map(), grow(3)).fold.size(0), max);
});

test("more pieces than fit are refused, and the fold can be used again", () => {
  // Storage pieces are not gathered: 64 of them, doubled.
  const before: Contents = new Map([[1, noise(4096)]]);
  const ops: Op[] = [];
  for (let i = 0; i < 128; i++)
    ops.push({ do: "copy", id: 1, offset: (i * 37) % 4000, length: 1, to: 2, toOffset: i });
  for (let n = 128; n <= 2 * piecesMax; n *= 2)
    ops.push({ do: "copy", id: 2, offset: 0, length: n, to: 2, toOffset: n });
  const fold = new Fold();
  assert.throws(
    () => folded(before, ops, fold),
    (error) => error instanceof StoreError && error.code === "too-large",
  );
  check(before, ops.slice(0, 130), fold);
});
