/**
 * Performs a history under every oracle there is, and makes one that fails smaller.
 *
 *  (1) After every flush, asked for or not, and after every open: `check()`, the reload oracle, and every byte of
 *      every allocation against the model (replay).
 *  (2) After every step: size and existence as of now. Now and then: a store opened for reading beside it, which
 *      must find what is in the journal too.
 */

import assert from "node:assert/strict";
import { MemoryFile } from "../../storage/memory.ts";
import { Store, type StoreOptions } from "../index.ts";
import { drawHistory, type HistoryOptions, type Step, slotAtStart } from "./history.ts";
import { type Contents, Model } from "./model.ts";
import { perform, type Slots } from "./perform.ts";
import { compareWithReload, contextOf } from "./reload.ts";

/** What a history reached: a test of histories must not pass by never getting anywhere. */
export interface Reached {
  readonly flushes: number;
  readonly performed: number;
  readonly leavesMost: number;
  readonly dataPagesMost: number;
}

/** A file to begin with, and what it holds. */
export interface Start {
  readonly bytes: Uint8Array;
  readonly contents: Contents;
}

const stepsPerCheck = 11;
/** Steps from one look through a store opened for reading to the next. */
const stepsPerSnapshot = 37;

class HistoryRun {
  readonly #options: StoreOptions;
  readonly #model = new Model();
  readonly #slots: Slots = new Map();
  #file = new MemoryFile();
  #store: Store;
  /** Flushes of this session. */
  #flushes = 0;
  #reached = { flushes: 0, performed: 0, leavesMost: 0, dataPagesMost: 0 };

  constructor(options: StoreOptions, start: Start | undefined) {
    this.#options = options;
    if (start === undefined) {
      this.#store = Store.create(this.#file, options);
      return;
    }
    this.#file = new MemoryFile("start", start.bytes);
    this.#store = Store.open(this.#file, options);
    this.#model.recover(start.contents);
    for (const id of start.contents.keys()) this.#slots.set(slotAtStart(id), id);
  }

  run(steps: readonly Step[]): Reached {
    this.#judge();
    steps.forEach((step, i) => {
      this.#step(step);
      this.#compareNow();
      if (i % stepsPerCheck === 0) this.#store.check();
      if (i % stepsPerSnapshot === 0 && this.#model.depth === 0) this.#compareSnapshot();
    });
    while (this.#model.scope !== undefined)
      this.#step({ do: this.#model.scope === "batch" ? "endBatch" : "commit" });
    this.#step({ do: "reopen" });
    return this.#reached;
  }

  #step(step: Step): void {
    if (step.do === "reopen" || step.do === "kill") {
      if (this.#model.depth === 0) this.#reopen(step.do);
      return;
    }
    if (perform(step, this.#store, this.#model, this.#slots)) this.#reached.performed++;
    const { flushes, leafPages, dataPages } = this.#store.stats();
    if (flushes === this.#flushes) return;
    if (step.do !== "flush") this.#model.flush();
    this.#reached.flushes += flushes - this.#flushes;
    this.#reached.leavesMost = Math.max(this.#reached.leavesMost, leafPages);
    this.#reached.dataPagesMost = Math.max(this.#reached.dataPagesMost, dataPages);
    this.#flushes = flushes;
    this.#judge();
  }

  /** The next session finds a copy, so that one that died cannot disturb it. */
  #reopen(how: "reopen" | "kill"): void {
    if (how === "reopen") this.#store.close();
    this.#file = this.#file.clone();
    this.#store = Store.open(this.#file, this.#options);
    this.#model.reopen();
    this.#flushes = this.#store.stats().flushes;
    this.#judge();
  }

  #judge(): void {
    this.#store.check();
    compareWithReload(contextOf(this.#store));
    compareContents(this.#store, this.#model.committed);
  }

  #compareNow(): void {
    for (const id of new Set([...this.#slots.values(), ...this.#model.now.keys()])) {
      assert.equal(this.#store.exists(id), this.#model.exists(id), `existence of allocation ${id} as of now`);
      if (this.#model.exists(id))
        assert.equal(this.#store.size(id), this.#model.size(id), `size of allocation ${id} as of now`);
    }
  }

  #compareSnapshot(): void {
    const snapshot = Store.openReadOnly(this.#file.clone());
    compareContents(snapshot, this.#model.now);
    snapshot.close();
  }
}

/** The replay oracle: every byte of every allocation, and no allocation more. */
export function compareContents(
  store: Pick<Store, "ids" | "committedSize" | "read">,
  contents: Contents,
): void {
  assert.deepEqual(
    [...store.ids()],
    [...contents.keys()].sort((a, b) => a - b),
    "ids",
  );
  for (const [id, bytes] of contents) {
    assert.equal(store.committedSize(id), bytes.length, `size of allocation ${id}`);
    const found = store.read(id, 0, bytes.length);
    if (Buffer.compare(found, bytes) === 0) continue;
    const at = found.findIndex((byte, i) => byte !== bytes[i]);
    assert.fail(`byte ${at} of allocation ${id} is ${found[at]}, must be ${bytes[at]}`);
  }
}

/** Throws when an oracle disagrees. */
export const runHistory = (steps: readonly Step[], options: StoreOptions, start?: Start): Reached =>
  new HistoryRun(options, start).run(steps);

/**
 * Draws the history of `seed` and runs it, on a new file or on `start`; the error of one that fails has a small history
 * that fails as well.
 */
export function runSeed(
  seed: number,
  history: HistoryOptions,
  options: StoreOptions,
  start?: Start,
): Reached {
  const steps = drawHistory(seed, history, start?.contents);
  try {
    return runHistory(steps, options, start);
  } catch (cause) {
    const small = minimised(steps, (part) => failureOf(part, options, start) !== undefined);
    const lines = small.map((step) => JSON.stringify(step)).join("\n");
    const failure = failureOf(small, options, start) ?? cause;
    throw new Error(`history of seed ${seed} fails: ${String(failure)}\nthese steps suffice:\n${lines}`, {
      cause: failure,
    });
  }
}

/** What is wrong with the history of `seed`, not made smaller; undefined if nothing is. */
export const failureOfSeed = (seed: number, history: HistoryOptions, options: StoreOptions): unknown =>
  failureOf(drawHistory(seed, history), options);

function failureOf(steps: readonly Step[], options: StoreOptions, start?: Start): unknown {
  try {
    runHistory(steps, options, start);
    return undefined;
  } catch (cause) {
    return cause;
  }
}

/** Runs tried at most to make a history smaller. */
const attemptsMax = 600;

/** Leaves out ever shorter stretches as long as what is left still fails. */
export function minimised<T>(steps: readonly T[], fails: (part: readonly T[]) => boolean): readonly T[] {
  let small = steps;
  let attempts = 0;
  for (
    let length = Math.ceil(steps.length / 2);
    length >= 1;
    length = length === 1 ? 0 : Math.ceil(length / 2)
  ) {
    for (let from = 0; from < small.length && attempts < attemptsMax; ) {
      const part = [...small.slice(0, from), ...small.slice(from + length)];
      attempts++;
      if (fails(part)) small = part;
      else from += length;
    }
  }
  return small;
}
