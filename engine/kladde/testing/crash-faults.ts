/**
 * Performs a history on a disk of which one call fails, or which is full, and compares what becomes of the store with
 * what was promised.
 *
 *  (1) The call that meets the failure throws a `StoreError` with the disk's code. Nothing else fails.
 *  (2) A failed sync and a failed flush poison the store: every call but `close` throws `poisoned`.
 *  (3) A disk without room for the journal costs the records of that append and nothing else: the session goes on, and
 *      what it says of sizes is right at once.
 *  (4) Opening the file again finds everything acknowledged, whatever failed; a power cut leaves at least the last
 *      flush that returned.
 *  (5) What could not be opened, created or closed is not locked; a failed open that changed nothing else left every
 *      byte as it was.
 *
 * Cost: one run of the history per failure.
 */

import { assert, StoreError, type StoreErrorCode } from "../../errors.ts";
import { type CallKind, CrashingFile, type CrashPlan } from "../../storage/crashing.ts";
import { u32Max } from "../format/layout.ts";
import { Store } from "../index.ts";
import { type Image, imagesAt } from "./crash-disk.ts";
import type { CrashHistory } from "./crash-history.ts";
import { digestOf, Recoveries, requireContents, within } from "./crash-recovery.ts";
import type { Step } from "./history.ts";
import { Model } from "./model.ts";
import { perform, type Slots } from "./perform.ts";

export interface Fault {
  readonly name: string;
  readonly call: CallKind;
  readonly code: StoreErrorCode;
  readonly plan: CrashPlan;
  /** After so many failures the disk is well again. */
  readonly failures: number;
}

/** How often a store went on, was poisoned, or could not be opened, closed or made. */
export interface FaultCounts {
  faults: number;
  wentOn: number;
  poisoned: number;
  notOpened: number;
  notClosed: number;
  notCreated: number;
}

type Mutation = Exclude<Step, { do: "reopen" | "kill" }>;

const isMutation = (step: Step): step is Mutation => step.do !== "reopen" && step.do !== "kill";

const toSteps = (history: CrashHistory): Step[] =>
  history.steps.flatMap((step): Step[] => {
    if (step.do === "setRoots") return [];
    return step.do === "cut" ? [{ do: "kill" }] : [step];
  });

/** Every failure that the calls of the history can meet. Throws if one of them breaks the promise. */
export function runFaultHistory(history: CrashHistory): FaultCounts {
  const counts = { faults: 0, wentOn: 0, poisoned: 0, notOpened: 0, notClosed: 0, notCreated: 0 };
  const recoveries = new Recoveries(history.store);
  const rehearsal = new FaultRun(history, recoveries, undefined, counts);
  rehearsal.run();
  for (const fault of faultsOf(rehearsal.disk, rehearsal.pagesMax)) {
    counts.faults++;
    within(fault.name, () => new FaultRun(history, recoveries, fault, counts).run());
  }
  return counts;
}

function faultsOf(disk: CrashingFile, pagesMax: number): Fault[] {
  const faults: Fault[] = [];
  const add = (call: CallKind, code: StoreErrorCode): void => {
    for (let at = 0; at < disk.calls[call]; at++)
      faults.push({
        name: `${call} ${at} ${code}`,
        call,
        code,
        plan: { failures: [{ call, at, code }] },
        failures: 1,
      });
  };
  for (const call of ["read", "write", "truncate", "sync"] as const) add(call, "io-failed");
  for (const call of ["write", "truncate"] as const) add(call, "disk-full");
  for (const at of ["write", "truncate"] as const)
    for (let pages = 1; pages < pagesMax; pages++)
      for (const failures of [1, 3])
        faults.push({
          name: `full after ${pages} pages at ${at}, ${failures} times`,
          call: at,
          code: "disk-full",
          plan: { full: { pages, at } },
          failures,
        });
  return faults;
}

/** What a failed append takes the model back to. */
interface Appended {
  readonly boundary: number;
  readonly reserved: ReadonlySet<number>;
}

class FaultRun {
  readonly disk: CrashingFile;
  pagesMax = 0;
  readonly #history: CrashHistory;
  readonly #fault: Fault | undefined;
  readonly #counts: FaultCounts;
  readonly #recoveries: Recoveries;
  readonly #model = new Model({ keepBoundaries: true });
  readonly #slots: Slots = new Map();
  #failures = 0;
  #store: Store;
  #flushes = 0;
  #transactions = 0;
  #appended: Appended = { boundary: 0, reserved: new Set() };
  #reservedAtBegin: ReadonlySet<number> = new Set();

  constructor(history: CrashHistory, recoveries: Recoveries, fault: Fault | undefined, counts: FaultCounts) {
    this.#history = history;
    this.#fault = fault;
    this.#counts = counts;
    this.#recoveries = recoveries;
    this.disk = new CrashingFile(undefined, fault?.plan);
    this.#store = this.#create();
  }

  run(): void {
    for (const [index, step] of toSteps(this.#history).entries()) {
      const goesOn = within(`step ${index}, ${JSON.stringify(step)}`, () => this.#step(step));
      if (!goesOn) return;
      this.pagesMax = Math.max(this.pagesMax, this.disk.size() / 4096);
    }
    while (this.#model.depth > 0) {
      const how = this.#model.scope === "batch" ? "endBatch" : "commit";
      if (!within("at the end", () => this.#step({ do: how }))) return;
    }
    within("the last session", () => this.#reopen(true));
    // What can fail has failed, or never does.
    this.disk.plan = {};
    this.#store.close();
    assert(this.#fault === undefined || this.#failures > 0 || !this.#mustMeet(), "the failure was not met");
  }

  /** Numbered failures are drawn from the calls of the rehearsal; a disk may be large enough. */
  #mustMeet(): boolean {
    return this.#fault?.plan.failures !== undefined;
  }

  /** False if the run ends here. */
  #step(step: Step): boolean {
    if (isMutation(step)) return this.#try(step);
    if (this.#model.depth === 0) this.#reopen(step.do === "reopen");
    return true;
  }

  #try(step: Mutation): boolean {
    try {
      this.#mutate(step);
      return true;
    } catch (error) {
      this.#noteFailure(error);
      if (this.#store.poisoned) {
        this.#endPoisoned(step);
        return false;
      }
      this.#goOn(step);
      return true;
    }
  }

  #mutate(step: Mutation): void {
    const model = this.#model;
    if (step.do === "begin" && !model.inTransaction) this.#reservedAtBegin = new Set(model.reserved);
    perform(step, this.#store, model, this.#slots);
    const { flushes, transactions } = this.#store.stats();
    const flushed = flushes > this.#flushes;
    if (flushed && step.do !== "flush") model.flush();
    if (model.depth === 0 || transactions > this.#transactions || flushed)
      this.#appended = {
        boundary: model.boundaries.length - 1,
        reserved: model.inTransaction ? this.#reservedAtBegin : new Set(model.reserved),
      };
    this.#transactions = transactions;
    this.#flushes = flushes;
    // Reads meet failures too.
    if (flushed) requireContents(this.#store, model.committed, "after a flush");
  }

  #noteFailure(error: unknown): void {
    const fault = this.#fault;
    if (fault === undefined || !(error instanceof StoreError)) throw error;
    // Of a flush that nobody asked for, the call after it tells.
    const isToldLater = error.code === "poisoned" && error.cause instanceof StoreError;
    const { code } = isToldLater ? (error.cause as StoreError) : error;
    assert(code === fault.code, `failed with ${error.code}: ${error.message}`);
    assert(error.file === this.disk.name, "the error names no file");
    this.#failures++;
    assert(this.#failures <= fault.failures, "more failed than the disk did");
    if (this.#failures === fault.failures) this.disk.plan = {};
  }

  /** The store must be opened again; what is found is one of the boundaries it may be. */
  #endPoisoned(step: Mutation): void {
    this.#counts.poisoned++;
    const { call, plan } = this.#fault!;
    const isFlush = step.do === "flush" || (this.#history.store.journalBudgetPages ?? 256) < 10;
    assert(isFlush || call === "write", `a failed ${call} poisons an append`);
    assert(isFlush || plan.full === undefined, "a full disk poisons an append");
    this.#requirePoisoned();
    this.disk.plan = {};
    this.#store.close();
    const { flushedBoundary, acknowledgedBoundary } = this.#model;
    const images = imagesAt(this.disk, { call: "none", number: this.#failures }, this.#history.seed, 1);
    this.#assumeDone(step, images.find(({ choice }) => choice === "kept")!);
    for (const image of images) {
      const floor = image.isDeath ? acknowledgedBoundary : flushedBoundary;
      within(`the file afterwards, ${image.choice}`, () => this.#requireBoundary(image, floor));
    }
    Store.open(this.disk, this.#history.store).close();
  }

  /** Tells the model that the failed step was done after all, which is one of the boundaries there may be. */
  #assumeDone(step: Mutation, kept: Image): void {
    const { contents } = this.#recoveries.recover(kept);
    const id = [...contents.keys()].find((one) => !this.#model.exists(one)) ?? u32Max;
    const done = new Proxy({} as Store, { get: () => () => id });
    perform(step, done, this.#model, this.#slots);
  }

  #requireBoundary(image: Image, floor: number): void {
    const { digest } = this.#recoveries.recover(image);
    const { boundaries } = this.#model;
    for (let i = floor; i < boundaries.length; i++) if (digestOf(boundaries[i]!) === digest) return;
    assert(false, `is none of boundaries ${floor} to ${boundaries.length - 1}: ${digest}`);
  }

  #requirePoisoned(): void {
    const store = this.#store;
    const calls = {
      alloc: () => store.alloc(1),
      newId: () => store.newId(),
      begin: () => store.begin(),
      beginBatch: () => store.beginBatch(),
      flush: () => store.flush(),
      stats: () => store.stats(),
      exists: () => store.exists(1),
      ids: () => [...store.ids()],
      check: () => store.check(),
      root: () => store.root,
    };
    for (const [name, call] of Object.entries(calls)) requireCode(name, "poisoned", call);
  }

  /** The failed step's records are gone, and those that no append has reached. */
  #goOn(step: Mutation): void {
    this.#counts.wentOn++;
    const model = this.#model;
    const { call } = this.#fault!;
    assert(call !== "sync" && call !== "read", `a failed ${call} does not poison the store`);
    assert(step.do !== "flush" || model.depth > 0, "a failed flush does not poison the store");
    const wasInTransaction = model.inTransaction;
    if (step.do === "commit" || step.do === "endBatch") model[step.do]();
    // Inside a transaction only a batch around it was appended: nothing is lost.
    if (!(wasInTransaction && model.inTransaction))
      model.takeBack(this.#appended.boundary, this.#appended.reserved);
    this.#requireSizes();
  }

  #requireSizes(): void {
    const model = this.#model;
    for (const id of new Set([...this.#slots.values(), ...model.now.keys()])) {
      const expected = model.exists(id) ? model.size(id) : -1;
      const found = this.#store.exists(id) ? this.#store.size(id) : -1;
      assert(found === expected, `allocation ${id} has ${found} bytes, not ${expected}`);
    }
  }

  #create(): Store {
    try {
      return Store.create(this.disk, this.#history.store);
    } catch (error) {
      this.#noteFailure(error);
      this.#counts.notCreated++;
      this.disk.plan = {};
      return Store.create(this.disk, { ...this.#history.store, overwrite: true });
    }
  }

  #reopen(closes: boolean): void {
    try {
      if (closes) this.#store.close();
      else this.disk.close();
    } catch (error) {
      this.#noteFailure(error);
      this.#counts.notClosed++;
      requireCode("a call on the store", "closed", () => this.#store.stats());
      this.#store.close();
    }
    this.#model.reopen();
    this.#appended = { boundary: this.#model.boundaries.length - 1, reserved: new Set() };
    this.#begin();
    try {
      requireContents(this.#store, this.#model.now, "the next session");
    } catch (error) {
      this.#noteFailure(error);
      this.#counts.poisoned++;
      this.#requirePoisoned();
      this.#store.close();
      this.#begin();
      requireContents(this.#store, this.#model.now, "the session after the failed read");
    }
  }

  #begin(): void {
    this.#store = this.#open();
    const { flushes, transactions } = this.#store.stats();
    this.#flushes = flushes;
    this.#transactions = transactions;
  }

  #open(): Store {
    for (;;) {
      const bytes = this.disk.bytes();
      const { mutations } = this.disk;
      try {
        return Store.open(this.disk, this.#history.store);
      } catch (error) {
        this.#noteFailure(error);
        this.#counts.notOpened++;
        const failed = this.#fault!.call === "read" ? 0 : 1;
        if (this.disk.mutations - mutations === failed && this.#fault!.call !== "write")
          assert(Buffer.compare(bytes, this.disk.bytes()) === 0, "a failed open changed the file");
      }
    }
  }
}

function requireCode(name: string, code: StoreErrorCode, call: () => unknown): void {
  try {
    call();
  } catch (error) {
    assert(
      error instanceof StoreError && error.code === code,
      `${name} throws ${String(error)}, not ${code}`,
    );
    return;
  }
  assert(false, `${name} does not throw ${code}`);
}
