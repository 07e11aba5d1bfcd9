/**
 * What reading costs beside what JavaScript has of its own: properties beside getters of a plain class, lookups and
 * iteration beside a plain `Map`.
 *
 *  (1) Both sides are measured in turn, round by round, so that drift of the machine hits both; a ratio is of one round.
 *  (2) Warm: both sides have run before the first round. Twelve types of objects have been read by then, as in an
 *      application: accessors that all types share have seen all of them.
 *  (3) Every loop's result is used, so that none is left out.
 */

import { Kladde, k, MemoryFile } from "../../../kladde/index.ts";
import type { TextMap } from "../document.ts";
import { nanosOf, type Spread, spreadOf } from "./statistics.ts";

export interface Reading {
  readonly what: string;
  /** Nanoseconds a read. */
  readonly ours: Spread;
  readonly plain: Spread;
  /** Ours over the plain side's. */
  readonly ratio: Spread;
}

const rounds = 41;
const warmRounds = 10;
const objectCount = 1000;
const readsPerRound = 200_000;
const typeCount = 12;

/** Keeps the results of loops alive. */
export const sink = { value: 0 };

function compare(what: string, reads: number, ours: () => number, plain: () => number): Reading {
  const sample = (body: () => number): number =>
    nanosOf(() => {
      sink.value += body();
    }) / reads;
  for (let round = 0; round < warmRounds; round++) sink.value += ours() + plain();
  const pairs = Array.from({ length: rounds }, (_, round) => {
    if (round % 2 === 0) return { ours: sample(ours), plain: sample(plain) };
    const first = sample(plain);
    return { ours: sample(ours), plain: first };
  });
  return {
    what,
    ours: spreadOf(pairs.map((pair) => pair.ours)),
    plain: spreadOf(pairs.map((pair) => pair.plain)),
    ratio: spreadOf(pairs.map((pair) => pair.ours / pair.plain)),
  };
}

interface Point {
  readonly label: string;
  readonly x: number;
  readonly y: number;
}

/** A class as people write it: fields behind getters. */
class PlainPoint implements Point {
  readonly #label: string;
  readonly #x: number;
  readonly #y: number;

  constructor(label: string, x: number, y: number) {
    this.#label = label;
    this.#x = x;
    this.#y = y;
  }

  get label(): string {
    return this.#label;
  }

  get x(): number {
    return this.#x;
  }

  get y(): number {
    return this.#y;
  }
}

/** Objects of a type of their own, in a file in memory. */
function livePoints(type: number): Point[] {
  const Live = k.struct({ label: k.string(), x: k.f64(), y: k.u32() }, { name: `Point${type}` });
  const points = Kladde.open(new MemoryFile(`points-${type}`), k.vec(Live));
  points.push(...Array.from({ length: objectCount }, (_, i) => ({ label: `p${i}`, x: i / 2, y: i })));
  return [...points];
}

// The same loop several times over: a function's code remembers the shapes that it has seen, and these must not share.

function readLive(points: readonly Point[]): number {
  let sum = 0;
  for (let i = 0; i < readsPerRound; i += 2) {
    const point = points[(i >>> 1) % objectCount]!;
    sum += point.x + point.y;
  }
  return sum;
}

function readPlain(points: readonly PlainPoint[]): number {
  let sum = 0;
  for (let i = 0; i < readsPerRound; i += 2) {
    const point = points[(i >>> 1) % objectCount]!;
    sum += point.x + point.y;
  }
  return sum;
}

function readLabels(points: readonly Point[]): number {
  let sum = 0;
  for (let i = 0; i < readsPerRound; i++) sum += points[i % objectCount]!.label.length;
  return sum;
}

function readPlainLabels(points: readonly PlainPoint[]): number {
  let sum = 0;
  for (let i = 0; i < readsPerRound; i++) sum += points[i % objectCount]!.label.length;
  return sum;
}

function readAny(points: readonly Point[]): number {
  let sum = 0;
  for (const point of points) sum += point.x + point.y + point.label.length;
  return sum;
}

export function propertyReads(): Reading[] {
  const types = Array.from({ length: typeCount }, (_, type) => livePoints(type));
  const plain = Array.from({ length: objectCount }, (_, i) => new PlainPoint(`p${i}`, i / 2, i));
  for (let round = 0; round < warmRounds; round++) {
    for (const points of types) sink.value += readAny(points);
  }
  const live = types[0]!;
  return [
    compare(
      "a number",
      readsPerRound,
      () => readLive(live),
      () => readPlain(plain),
    ),
    compare(
      "a string",
      readsPerRound,
      () => readLabels(live),
      () => readPlainLabels(plain),
    ),
  ];
}

/** Lookups in random order, and iteration, beside a `Map` with the same entries. */
export function mapReads(texts: TextMap): Reading[] {
  const plain = new Map(texts as unknown as Iterable<[number, string]>);
  const keys = shuffled([...plain.keys()]);
  const lookUp = (map: Pick<TextMap, "get">): number => {
    let sum = 0;
    for (const key of keys) sum += map.get(key)!.length;
    return sum;
  };
  const iterate = (map: Iterable<[number, string]>): number => {
    let sum = 0;
    for (const [key, text] of map) sum += key + text.length;
    return sum;
  };
  const ours = texts as unknown as Iterable<[number, string]>;
  return [
    compare(
      "a lookup, keys in random order",
      keys.length,
      () => lookUp(texts),
      () => lookUp(plain),
    ),
    compare(
      "an entry of an iteration",
      keys.length,
      () => iterate(ours),
      () => iterate(plain),
    ),
  ];
}

/** Fisher and Yates, with a fixed sequence. */
function shuffled(keys: number[]): number[] {
  let state = 1;
  for (let i = keys.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const j = state % (i + 1);
    [keys[i], keys[j]] = [keys[j]!, keys[i]!];
  }
  return keys;
}
