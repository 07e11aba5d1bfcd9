/**
 * What a crash leaves: the journal cut anywhere, a disk that kept some of the writes, and every prefix of a mutation's records.
 *
 *     SEED=17 RUNS=100 node --test engine/kladde/typed/live/crash.test.ts
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CrashingFile } from "../../../storage/crashing.ts";
import { MemoryFile } from "../../../storage/memory.ts";
import { SplitMix32 } from "../../../storage/random.ts";
import { readIndependently } from "../../testing/independent/read.ts";
import { readTree } from "../plain/testing/tree.ts";
import { seal } from "../schema/seal.ts";
import { Course, readDocument } from "../testing/course.ts";
import { afterRecords, endsOf, recordsOf } from "../testing/journal.ts";
import { copyModel, normal } from "../testing/models.ts";
import { readByDescriptor } from "../testing/observe.ts";
import { change, somewhere } from "../testing/operations.ts";
import { drawSpec, type Typed } from "../testing/specs.ts";
import { runsOf, Tape, tapes } from "../testing/tape.ts";

const pageBytes = 4096;
const streamBytes = 4088;

/** One change of the course, or a transaction of some. */
function mutate(course: Course, numbers: readonly number[]): void {
  const tape = new Tape(numbers);
  if (tape.oneIn(4)) course.transaction(tape);
  else course.log.push(change(somewhere(course.root, tape), tape));
}

/** A course whose model is known after each transaction in the journal. */
function record(type: readonly number[], all: readonly number[][]) {
  const tape = new Tape(type);
  const course = new Course(drawSpec(tape), tape, { journalBudgetPages: 64 });
  for (const numbers of all.slice(0, all.length / 2)) mutate(course, numbers);
  const older = course.file.bytes();
  course.handle.flush();
  const models = [copyModel(course.model)];
  for (const numbers of all.slice(all.length / 2)) {
    mutate(course, numbers);
    const count = readIndependently(course.file.bytes()).transactions.length;
    if (count === models.length - 1)
      assert.deepEqual(normal(course.model), normal(models.at(-1)), "not recorded");
    else assert.equal(count, models.push(copyModel(course.model)) - 1, "one transaction a change");
  }
  return { course, models, older };
}

interface Cut {
  readonly position: number;
  readonly way: string;
  readonly bytes: Uint8Array;
}

/** The file with its journal ending at each byte: zeros from there, an older segment's bytes, or nothing. */
function* cuts(file: Uint8Array, older: Uint8Array, pages: readonly number[], end: number): Generator<Cut> {
  for (let position = 0; position <= end; position++) {
    const page = pages[Math.floor(position / streamBytes)];
    if (page === undefined) return;
    const within = position % streamBytes;
    const at = page * pageBytes + within;
    const zeros = file.slice();
    zeros.fill(0, at, (page + 1) * pageBytes);
    // What is there instead may happen to be the same at first: the journal ends where it differs.
    const kept = (bytes: Uint8Array) =>
      bytes.subarray(at, (page + 1) * pageBytes).findIndex((byte, near) => byte !== file[at + near]);
    if (kept(zeros) >= 0) yield { position: position + kept(zeros), way: "zeros", bytes: zeros };
    const stale = file.slice();
    const from = older.subarray(at, (page + 1) * pageBytes);
    stale.fill(0xa5, at, (page + 1) * pageBytes);
    stale.set(from, at);
    if (kept(stale) >= 0) yield { position: position + kept(stale), way: "stale", bytes: stale };
    const isLast = page === Math.max(...pages) && page === file.length / pageBytes - 1;
    if (within === 0 && isLast) yield { position, way: "cut", bytes: file.slice(0, at) };
  }
}

test("the journal cut at every byte gives the state of the last transaction that is whole", () => {
  let opened = 0;
  const property = fc.property(tapes(20), ([type, all]) => {
    const { course, models, older } = record(type, all);
    const file = course.file.bytes();
    const { transactions, journalPages } = readIndependently(file);
    const ends = endsOf(transactions);
    const end = Math.min(ends.at(-1) ?? 0, 1500);
    for (const { position, way, bytes } of cuts(file, older, journalPages, end)) {
      const whole = ends.filter((one) => one <= position).length;
      assert.deepEqual(readDocument(course.typed, bytes), normal(models[whole]), `${way} at ${position}`);
      if (ends.includes(position) || position % 50 === 0)
        assert.deepEqual(
          readByDescriptor(course.typed, bytes),
          normal(models[whole]),
          `${way} at ${position}`,
        );
      opened++;
    }
  });
  fc.assert(property, runsOf(25));
  assert.ok(opened > 1000 || process.env.RUNS !== undefined, `${opened} files opened`);
});

test("a journal of several pages that is cut at their bounds and beside them", () => {
  let pages = 0;
  for (let seed = 1; seed <= 3; seed++) {
    const random = new SplitMix32(seed);
    const draw = (count: number) => Array.from({ length: count }, () => random.next());
    const { course, models, older } = record(
      draw(30),
      Array.from({ length: 160 }, () => draw(24)),
    );
    const file = course.file.bytes();
    const { transactions, journalPages } = readIndependently(file);
    const ends = endsOf(transactions);
    pages = Math.max(pages, journalPages.length);
    for (const { position, way, bytes } of cuts(file, older, journalPages, ends.at(-1) ?? 0)) {
      const within = position % streamBytes;
      const isNear =
        within < 3 || within > streamBytes - 3 || ends.includes(position) || ends.includes(position + 1);
      if (!isNear) continue;
      const whole = ends.filter((one) => one <= position).length;
      assert.deepEqual(readDocument(course.typed, bytes), normal(models[whole]), `${way} at ${position}`);
    }
  }
  assert.ok(pages > 1, `${pages} pages`);
});

test("after such a recovery the document goes on", () => {
  const property = fc.property(tapes(8), fc.nat(), ([type, all], chosen) => {
    const { course, models, older } = record(type, all);
    const file = course.file.bytes();
    const { transactions, journalPages } = readIndependently(file);
    const ends = endsOf(transactions);
    const found = [...cuts(file, older, journalPages, Math.min(ends.at(-1) ?? 0, 3000))];
    // Nothing was journaled: there is nothing to cut.
    if (found.length === 0) return;
    const { position, bytes } = found[chosen % found.length]!;
    const whole = ends.filter((one) => one <= position).length;
    const again = course.from(new MemoryFile("cut", bytes), models[whole]);
    for (const numbers of all) mutate(again, numbers);
    again.verify();
    again.handle.flush();
    again.reopen();
    again.verify();
  });
  fc.assert(property, runsOf(25));
});

/** Whether a walk from the root meets what a reader would stumble over; stale and leaked allocations are allowed. */
function requireSound(
  { schema }: Typed,
  access: ReturnType<typeof afterRecords>,
  root: number,
  schemaId: number,
): void {
  const { findings } = readTree(access, seal(schema).descriptor, root, { schemaId });
  const bad = findings.filter(
    ({ rule }) => rule === "dangling" || rule === "second-owner" || rule === "stride",
  );
  assert.deepEqual(bad, []);
}

test("no prefix of a change's records leaves a pointer to nothing or to what another owns", () => {
  const property = fc.property(tapes(12), ([type, all]) => {
    const tape = new Tape(type);
    const course = new Course(drawSpec(tape), tape, { journalBudgetPages: 64 });
    for (const numbers of all) {
      const before = readIndependently(course.file.bytes());
      const steps = new Tape(numbers);
      const name = change(somewhere(course.root, steps), steps);
      // They are several changes each.
      if (/setAll|assign|update|getOrInsert/.test(name)) continue;
      const after = readIndependently(course.file.bytes());
      for (const transaction of after.transactions.slice(before.transactions.length)) {
        const records = recordsOf(transaction);
        const frees = records.findIndex(({ kind }) => kind === "free");
        const last = frees < 0 ? [] : records.slice(frees);
        assert.ok(
          last.every(({ kind }) => kind === "free"),
          `${name}: frees come last`,
        );
        for (let count = 0; count <= records.length; count++) {
          const access = afterRecords(before.contents, records.slice(0, count));
          requireSound(course.typed, access, before.header.root, before.header.schemaTable);
        }
      }
    }
  });
  fc.assert(property, runsOf(60));
});

test("a power cut in the middle of a flush leaves the state before it or after it, which are the same", () => {
  const property = fc.property(tapes(8), fc.integer(), ([type, all], seed) => {
    const tape = new Tape(type);
    const file = new CrashingFile();
    const course = new Course(drawSpec(tape), tape, { journalBudgetPages: 64 }, file);
    const random = new SplitMix32(seed);
    for (const numbers of all) {
      mutate(course, numbers);
      const synced = new CrashingFile(file.image("kept"));
      const isCutOff = random.below(3) === 0;
      if (!isCutOff) {
        course.handle.flush();
        continue;
      }
      const clone = course.from(synced, course.model);
      const calls = synced.mutations;
      synced.plan = { cutAt: calls + random.below(4) };
      try {
        clone.handle.flush();
      } catch (cause) {
        assert.match(String(cause), /power/);
      }
      for (const { choice, image } of synced.images(random, 3))
        assert.deepEqual(readDocument(course.typed, image), normal(course.model), choice);
    }
  });
  fc.assert(property, runsOf(30));
});

test("whatever a power cut leaves is the state of some transaction since the last flush", () => {
  const property = fc.property(tapes(10), fc.integer(), ([type, all], seed) => {
    const tape = new Tape(type);
    const file = new CrashingFile();
    const course = new Course(drawSpec(tape), tape, { journalBudgetPages: 64 }, file);
    const random = new SplitMix32(seed);
    let since = [normal(course.model)];
    for (const numbers of all) {
      mutate(course, numbers);
      since.push(normal(course.model));
      for (const { choice, image } of file.images(random, 4)) {
        const found = readDocument(course.typed, image);
        const isOne = since.some((one) => isEqual(one, found));
        assert.ok(isOne, `${choice}: not one of the last ${since.length} states`);
        readByDescriptor(course.typed, image);
      }
      if (random.below(4) !== 0) continue;
      course.handle.flush();
      since = [normal(course.model)];
    }
  });
  fc.assert(property, runsOf(25));
});

function isEqual(a: unknown, b: unknown): boolean {
  try {
    assert.deepEqual(a, b);
    return true;
  } catch {
    return false;
  }
}
