/**
 * The workloads. Each is a generator that records operations with a drawing and yields a mark where a flush belongs.
 *
 *  (1) A workload depends on its size and seed alone; it never sees a store.
 *  (2) The order of draws is fixed, and a draw that a decision makes unnecessary is not made: both are part of the
 *      published results.
 *  (3) Fill, `begin`, measured operations; a row after every step that ends on a multiple of 1000 operations, and one
 *      at the end. `shrink` has rows at its own places instead.
 *
 * All but `shrink` and `sessions` go on until the application has written eight times the nominal size.
 */

import { Drawing, dataClass, type Mark, operationsPerRow } from "./drawing.ts";
import { type RawScenario, type Scenario, seedOf, sessionsOf } from "./runs.ts";

export type Steps = Generator<Mark, void>;
type Workload = (drawing: Drawing) => Steps;

const bytesPerKiB = 1024;
const patchBytesMax = 512;

const wanted = (drawing: Drawing): boolean => drawing.appBytes < 8 * drawing.sizeBytes;

/** A patch of 1 to 512 bytes anywhere in an allocation of `size`. */
function patch(drawing: Drawing, slot: number, size: number): void {
  const length = drawing.chance.range(1, patchBytesMax);
  const offset = drawing.chance.below(size - length + 1);
  drawing.write(slot, offset, length);
}

function* uniform(drawing: Drawing): Steps {
  const count = drawing.sizeBytes / pageableBytes;
  yield* fillPageable(drawing, count);
  while (wanted(drawing)) {
    patch(drawing, drawing.chance.below(count), pageableBytes);
    if (drawing.rowIsDue) yield "row";
  }
  drawing.facts = { allocations: count, writes: drawing.operations - count };
  yield "row";
}

function* skewed(drawing: Drawing): Steps {
  const { chance } = drawing;
  const count = drawing.sizeBytes / pageableBytes;
  const hot = Math.max(1, Math.floor(count / 10));
  yield* fillPageable(drawing, count);
  while (wanted(drawing)) {
    patch(drawing, chance.chance(0.9) ? chance.below(hot) : chance.below(count), pageableBytes);
    if (drawing.rowIsDue) yield "row";
  }
  drawing.facts = { hot, writes: drawing.operations - count };
  yield "row";
}

/** The writes of `uniform`, a thousand for each session. */
function* sessions(drawing: Drawing): Steps {
  const count = drawing.sizeBytes / pageableBytes;
  yield* fillPageable(drawing, count);
  for (let session = sessionsOf(drawing.sizeBytes); session > 0; session--) {
    for (let i = 0; i < operationsPerRow; i++) patch(drawing, drawing.chance.below(count), pageableBytes);
    yield "row";
  }
  drawing.facts = { allocations: count, writes: drawing.operations - count };
}

const pageableBytes = 16 * bytesPerKiB;

function* fillPageable(drawing: Drawing, count: number): Steps {
  for (let i = 0; i < count; i++) {
    drawing.write(drawing.alloc(pageableBytes), 0, pageableBytes);
    if ((i + 1) % 64 === 0) yield "fill";
  }
  yield drawing.begin();
}

function* mixed(drawing: Drawing): Steps {
  const { chance } = drawing;
  const count = drawing.sizeBytes / bytesPerKiB;
  const classes = new Uint8Array(count);
  drawing.classes = classes;
  const hot: number[] = [];
  for (let i = 0; i < count; i++) {
    const drawn = chance.chance(0.1) ? dataClass.hot : chance.chance(0.5) ? dataClass.cool : dataClass.cold;
    const slot = drawing.alloc(bytesPerKiB);
    classes[slot] = drawn;
    if (drawn === dataClass.hot) hot.push(slot);
    drawing.write(slot, 0, bytesPerKiB);
    if ((i + 1) % 1024 === 0) yield "fill";
  }
  yield drawing.begin();
  let skipped = 0;
  while (wanted(drawing)) {
    const slot = hot.length > 0 && chance.chance(0.9) ? hot[chance.below(hot.length)]! : chance.below(count);
    if (classes[slot] === dataClass.cold) {
      skipped++;
      continue;
    }
    patch(drawing, slot, bytesPerKiB);
    if (drawing.rowIsDue) yield "row";
  }
  const cool = classes.reduce((sum, one) => sum + (one === dataClass.cool ? 1 : 0), 0);
  drawing.facts = { hot: hot.length, cool, cold: count - hot.length - cool, skipped };
  yield "row";
}

function* append(drawing: Drawing): Steps {
  const { chance } = drawing;
  const logBytesMax = 64 * bytesPerKiB;
  const count = drawing.sizeBytes / (32 * bytesPerKiB);
  for (let i = 0; i < count; i++) drawing.alloc(0);
  yield drawing.begin();
  const lengths = new Array<number>(count).fill(0);
  let rotations = 0;
  let records = 0;
  while (wanted(drawing)) {
    const log = chance.below(count);
    const length = chance.range(16, 240);
    if (lengths[log]! + length > logBytesMax) {
      drawing.resize(log, 0);
      lengths[log] = 0;
      rotations++;
      if (drawing.rowIsDue) yield "row";
    }
    drawing.write(log, lengths[log]!, length);
    lengths[log] = lengths[log]! + length;
    records++;
    if (drawing.rowIsDue) yield "row";
  }
  drawing.facts = { logs: count, records, rotations, live: sum(lengths) };
  yield "row";
}

function* churn(drawing: Drawing): Steps {
  const { chance } = drawing;
  const drawSize = () => (chance.chance(0.8) ? chance.range(16, 128) : chance.range(1024, 8192));
  /** Slot and length of each value, by position. */
  const slots: number[] = [];
  const lengths: number[] = [];
  const add = (position: number, length: number) => {
    const slot = drawing.alloc(length);
    drawing.write(slot, 0, length);
    slots[position] = slot;
    lengths[position] = length;
  };
  drawing.order = slots;
  for (let filled = 0; filled < drawing.sizeBytes; ) {
    add(slots.length, drawSize());
    filled += lengths.at(-1)!;
    if (slots.length % 256 === 0) yield "fill";
  }
  yield drawing.begin();
  const values = slots.length;
  const liveBefore = sum(lengths);
  let replaced = 0;
  let rewritten = 0;
  let patched = 0;
  while (wanted(drawing)) {
    const i = chance.below(values);
    switch (chance.below(3)) {
      case 0: {
        const old = slots[i]!;
        add(i, drawSize());
        drawing.free(old);
        replaced++;
        break;
      }
      case 1:
        drawing.write(slots[i]!, 0, lengths[i]!);
        rewritten++;
        break;
      default: {
        const length = chance.range(1, Math.min(lengths[i]!, 64));
        drawing.write(slots[i]!, chance.below(lengths[i]! - length + 1), length);
        patched++;
      }
    }
    if (drawing.rowIsDue) yield "row";
  }
  drawing.facts = { values, replaced, rewritten, patched, liveBefore, live: sum(lengths) };
  yield "row";
}

function* shrink(drawing: Drawing): Steps {
  const { chance } = drawing;
  const size = 64 * bytesPerKiB;
  const count = Math.max(drawing.sizeBytes / size, 4);
  const kept: number[] = [];
  const doomed: number[] = [];
  for (let i = 0; i < count; i++) {
    const slot = drawing.alloc(size);
    drawing.write(slot, 0, size);
    if (i % 16 === 0) yield "fill";
    (chance.chance(0.25) ? kept : doomed).push(slot);
  }
  yield drawing.begin();
  for (const slot of doomed) drawing.free(slot);
  yield "row";
  for (let round = 0; round < 400; round++) {
    for (let i = 0; i < 100; i++) {
      const slot = kept[chance.below(kept.length)]!;
      const length = chance.range(1, 64);
      drawing.write(slot, chance.below(size - length + 1), length);
    }
    yield "row";
  }
  drawing.facts = { kept: kept.length, freed: doomed.length, live: kept.length * size };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

const workloads: Readonly<Record<RawScenario, Workload>> = {
  uniform,
  skewed,
  mixed,
  append,
  churn,
  shrink,
  sessions,
};

/**
 * A workload at its start; `typed` has a drawing of its own. The interval is cleared after each mark, so use it before
 * asking for the next one.
 */
export function draw(
  scenario: Scenario,
  sizeBytes: number,
  perRow: number = operationsPerRow,
): { drawing: Drawing; marks: Steps } {
  if (scenario === "typed") throw new RangeError("typed works on a document: drawTyped draws it");
  const drawing = new Drawing(sizeBytes, seedOf(scenario, sizeBytes), perRow);
  return { drawing, marks: clearing(drawing, workloads[scenario](drawing)) };
}

function* clearing(drawing: Drawing, marks: Steps): Steps {
  for (const mark of marks) {
    yield mark;
    drawing.interval.clear();
  }
}
