/**
 * Performs a history under every oracle there is, and makes one that fails smaller.
 *
 *  (1) After every flush, asked for or not, and after every open: `check()`, the reload oracle, and every byte of
 *      every allocation against the model (replay).
 *  (2) After every step: size and existence as of now. Now and then: a store opened for reading beside it, which
 *      must find what is in the journal too.
 *  (3) Every session may have options of its own, and further oracles may be asked where (1) is.
 */

import assert from "node:assert/strict";
import { MemoryFile } from "../../storage/memory.ts";
import { Store, type StoreOptions, type StoreStats } from "../index.ts";
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
  /** What reclamation did in all sessions. */
  readonly reclaimed: Reclaimed;
}

const reclaimCounters = [
  "truncations",
  "evacuatedPages",
  "evacuatedBytes",
  "freeFilledPages",
  "budgetPagesUsed",
  "tableRewrites",
  "windowRestated",
  "defragRewrites",
  "compactionFlushes",
] as const satisfies readonly (keyof StoreStats)[];

export type Reclaimed = Readonly<Record<(typeof reclaimCounters)[number], number>>;

/** The sum of what several sessions or histories did. */
export const sumOfReclaimed = (parts: readonly Reclaimed[]): Reclaimed =>
  Object.fromEntries(
    reclaimCounters.map((name) => [name, parts.reduce((sum, part) => sum + part[name], 0)]),
  ) as Reclaimed;

/** Options of the session with this number; the first one makes the file. */
export type OptionsOfSession = (session: number) => StoreOptions;

/** Asked after every flush and every open. Throws what is wrong. */
export type Oracle = (store: Store) => void;

export interface Setting {
  readonly options: StoreOptions | OptionsOfSession;
  readonly start?: Start | undefined;
  readonly oracle?: Oracle | undefined;
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
  readonly #setting: Setting;
  readonly #model = new Model();
  readonly #slots: Slots = new Map();
  #file = new MemoryFile();
  #store: Store;
  /** Sessions before this one. */
  #session = 0;
  /** Flushes of this session. */
  #flushes = 0;
  #reached = { flushes: 0, performed: 0, leavesMost: 0, dataPagesMost: 0 };
  /** What sessions before this one have reclaimed, and this one up to its last flush. */
  readonly #reclaimed: Reclaimed[] = [];
  #reclaimedNow: Reclaimed = sumOfReclaimed([]);

  constructor(setting: Setting) {
    this.#setting = setting;
    const { start } = setting;
    if (start === undefined) {
      this.#store = Store.create(this.#file, this.#options());
      return;
    }
    this.#file = new MemoryFile("start", start.bytes);
    this.#store = Store.open(this.#file, this.#options());
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
    return { ...this.#reached, reclaimed: sumOfReclaimed([...this.#reclaimed, this.#reclaimedNow]) };
  }

  #options(): StoreOptions {
    const { options } = this.#setting;
    return typeof options === "function" ? options(this.#session) : options;
  }

  #step(step: Step): void {
    if (step.do === "reopen" || step.do === "kill") {
      if (this.#model.depth === 0) this.#reopen(step.do);
      return;
    }
    if (perform(step, this.#store, this.#model, this.#slots)) this.#reached.performed++;
    const stats = this.#store.stats();
    const { flushes, leafPages, dataPages } = stats;
    if (flushes === this.#flushes) return;
    this.#reclaimedNow = stats;
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
    this.#session++;
    this.#reclaimed.push(this.#reclaimedNow);
    this.#store = Store.open(this.#file, this.#options());
    this.#model.reopen();
    const stats = this.#store.stats();
    this.#reclaimedNow = stats;
    this.#flushes = stats.flushes;
    this.#judge();
  }

  #judge(): void {
    this.#store.check();
    compareWithReload(contextOf(this.#store));
    compareContents(this.#store, this.#model.committed);
    this.#setting.oracle?.(this.#store);
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
export const runHistory = (steps: readonly Step[], setting: Setting): Reached =>
  new HistoryRun(setting).run(steps);

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
  return runSetting(seed, history, { options, start });
}

/** As `runSeed`, with more to choose. */
export const runSetting = (seed: number, history: HistoryOptions, setting: Setting): Reached =>
  runSteps(seed, drawHistory(seed, history, setting.start?.contents), setting);

/** As `runSeed`, with the steps that were drawn from the seed. */
export function runSteps(seed: number, steps: readonly Step[], setting: Setting): Reached {
  try {
    return runHistory(steps, setting);
  } catch (cause) {
    const small = minimised(steps, (part) => failureOf(part, setting) !== undefined);
    const lines = small.map((step) => JSON.stringify(step)).join("\n");
    const failure = failureOf(small, setting) ?? cause;
    throw new Error(`history of seed ${seed} fails: ${String(failure)}\nthese steps suffice:\n${lines}`, {
      cause: failure,
    });
  }
}

/** What is wrong with the history of `seed`, not made smaller; undefined if nothing is. */
export const failureOfSeed = (
  seed: number,
  history: HistoryOptions,
  options: StoreOptions | OptionsOfSession,
  oracle?: Oracle,
): unknown => failureOf(drawHistory(seed, history), { options, oracle });

export function failureOf(steps: readonly Step[], setting: Setting): unknown {
  try {
    runHistory(steps, setting);
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
