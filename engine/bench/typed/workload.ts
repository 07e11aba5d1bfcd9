/**
 * The workload `typed`: a map from numbers to strings of 50 to 500 letters, as an application would use it.
 *
 *  (1) It depends on size and seed alone. Keys count up from 0 and none is used twice.
 *  (2) Fill: keys are inserted until their strings sum to the size. Then, until eight times the size has been passed
 *      in: four operations of ten replace a string, three append to one, two insert a key, one removes one.
 *  (3) The order of draws is part of the published results: index, choice, length, then one draw a letter.
 *  (4) Operations are counted from `begin` on, and a row is due after every thousandth. What is left after the last
 *      row is applied and has none.
 *
 * Cost: a draw a letter, 153 million of them at 16 MiB, which take a few seconds.
 */

import { Chance } from "../chance.ts";
import { operationsPerRow } from "../drawing.ts";
import { seedOf } from "../runs.ts";
import { TypedInterval, typedKind } from "./interval.ts";

/**
 * What to do with the operations since the last mark, once they are applied: nothing, there are more of the fill; flush and
 * start counting; flush and record a row; close.
 */
export type TypedMark = "fill" | "begin" | "row" | "end";
export type TypedSteps = Generator<TypedMark, void>;

const textBytes = { from: 50, to: 500 } as const;
const tailBytes = { from: 8, to: 64 } as const;

export class TypedDrawing {
  readonly sizeBytes: number;
  readonly chance: Chance;
  readonly interval = new TypedInterval();
  operations = 0;
  appBytes = 0;
  /** What the workload says about itself at its end, for its fingerprint. */
  facts: Readonly<Record<string, number>> = {};
  readonly #letters = Buffer.alloc(textBytes.to);

  constructor(sizeBytes: number, seed: number) {
    this.sizeBytes = sizeBytes;
    this.chance = new Chance(seed);
  }

  get rowIsDue(): boolean {
    return this.operations % operationsPerRow === 0;
  }

  text({ from, to }: { readonly from: number; readonly to: number }): string {
    const { chance } = this;
    const letters = this.#letters;
    const length = chance.range(from, to);
    for (let i = 0; i < length; i++) letters[i] = letterA + chance.below(26);
    return letters.toString("latin1", 0, length);
  }
}

const letterA = 0x61;

/** A workload at its start. Its interval is cleared after each mark, so use it before asking for the next one. */
export function drawTyped(sizeBytes: number): { drawing: TypedDrawing; marks: TypedSteps } {
  const drawing = new TypedDrawing(sizeBytes, seedOf("typed", sizeBytes));
  return { drawing, marks: clearing(drawing, typed(drawing)) };
}

function* clearing({ interval }: TypedDrawing, marks: TypedSteps): TypedSteps {
  for (const mark of marks) {
    yield mark;
    interval.clear();
  }
}

function* typed(drawing: TypedDrawing): TypedSteps {
  const keys = new Keys(drawing);
  while (keys.liveBytes < drawing.sizeBytes) {
    keys.insert();
    if (keys.count % operationsPerRow === 0) yield "fill";
  }
  yield "begin";
  const counts = [0, 0, 0, 0];
  const filled = { filledKeys: keys.count, filledBytes: keys.liveBytes };
  while (drawing.appBytes < 8 * drawing.sizeBytes) {
    const kind = step(drawing, keys);
    counts[kind] = counts[kind]! + 1;
    drawing.operations++;
    if (drawing.rowIsDue) yield "row";
  }
  const [replaced, appended, inserted, removed] = counts as [number, number, number, number];
  drawing.facts = {
    ...filled,
    keys: keys.count,
    live: keys.liveBytes,
    ...{ replaced, appended, inserted, removed },
  };
  yield "end";
}

/** Returns the kind of the operation. */
function step(drawing: TypedDrawing, keys: Keys): number {
  const { chance } = drawing;
  const index = chance.below(keys.count);
  const choice = chance.below(10);
  if (choice < 4) {
    drawing.appBytes += keys.replace(index);
    return typedKind.replace;
  }
  if (choice < 7) {
    drawing.appBytes += keys.append(index);
    return typedKind.append;
  }
  if (choice < 9) {
    drawing.appBytes += keys.insert();
    return typedKind.insert;
  }
  keys.remove(index);
  return typedKind.remove;
}

/** The live keys in the order that indices are drawn from, and how long each one's string is. */
class Keys {
  liveBytes = 0;
  readonly #drawing: TypedDrawing;
  readonly #live: number[] = [];
  /** By key. */
  readonly #lengths: number[] = [];

  constructor(drawing: TypedDrawing) {
    this.#drawing = drawing;
  }

  get count(): number {
    return this.#live.length;
  }

  /** Each of these returns the bytes that it passes in. */
  insert(): number {
    const key = this.#lengths.length;
    this.#live.push(key);
    this.#lengths.push(0);
    return this.#put(typedKind.insert, key, this.#drawing.text(textBytes));
  }

  replace(index: number): number {
    return this.#put(typedKind.replace, this.#live[index]!, this.#drawing.text(textBytes));
  }

  append(index: number): number {
    const key = this.#live[index]!;
    const tail = this.#drawing.text(tailBytes);
    this.#drawing.interval.add(typedKind.append, key, tail);
    this.#setLength(key, this.#lengths[key]! + tail.length);
    return tail.length;
  }

  /** The last key takes its place. */
  remove(index: number): void {
    const key = this.#live[index]!;
    const last = this.#live.pop()!;
    if (index < this.#live.length) this.#live[index] = last;
    this.#setLength(key, 0);
    this.#drawing.interval.add(typedKind.remove, key, "");
  }

  #put(kind: typeof typedKind.insert | typeof typedKind.replace, key: number, text: string): number {
    this.#drawing.interval.add(kind, key, text);
    this.#setLength(key, text.length);
    return text.length;
  }

  #setLength(key: number, length: number): void {
    this.liveBytes += length - this.#lengths[key]!;
    this.#lengths[key] = length;
  }
}
