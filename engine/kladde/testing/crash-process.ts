/**
 * A process that works on a real file until it is killed, and what must be in the file then.
 *
 *  (1) `crash-child.ts` performs a history and reports every call that returned, one byte each, on its output.
 *  (2) Performing the same history on a copy of the file in memory gives the same ids: the engine asks nobody else.
 *      So the parent knows what was acknowledged, and what may have been under way.
 *  (3) Histories are long; a child never comes to the end of one.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { fileURLToPath } from "node:url";
import { assert, StoreError } from "../../errors.ts";
import { MemoryFile } from "../../storage/memory.ts";
import { openNodeFile } from "../../storage/node.ts";
import { SplitMix32 } from "../../storage/random.ts";
import type { StorageFile } from "../../storage/storage.ts";
import { Store } from "../index.ts";
import type { StoreOptions } from "../options.ts";
import { contentsOf, digestOf } from "./crash-recovery.ts";
import { drawHistory, type HistoryOptions, plainHistory, type Step } from "./history.ts";
import { Model } from "./model.ts";
import { perform, type Slots } from "./perform.ts";

const workload: HistoryOptions = { ...plainHistory, steps: 5000, reopenOneIn: 40 };

/** Few pages of journal, so that flushes also come by themselves. */
const options: StoreOptions = { journalBudgetPages: 3, truncateTail: 4 };

/** Performs a history step by step on a store in `file` and on its model. */
export class Session {
  readonly model = new Model({ keepBoundaries: true });
  readonly #file: StorageFile;
  readonly #steps: readonly Step[];
  readonly #slots: Slots = new Map();
  #store: Store;
  #flushes = 0;
  #next = -1;

  /** `file` may hold what an earlier session left; the first step frees all of it. */
  constructor(file: StorageFile, seed: number) {
    this.#file = file;
    this.#steps = drawHistory(seed, workload);
    this.#store = Store.open(file, options);
    this.model.recover(contentsOf(this.#store));
  }

  /** False once the history is over. */
  step(reopen: (file: StorageFile) => StorageFile): boolean {
    const step = this.#steps[this.#next++];
    if (this.#next === 0) this.#freeAll();
    else if (step === undefined) return false;
    else if (step.do !== "reopen" && step.do !== "kill") this.#perform(step);
    else if (this.model.depth === 0) {
      this.#store.close();
      this.#store = Store.open(reopen(this.#file), options);
      this.#flushes = 0;
      this.model.reopen();
    }
    return true;
  }

  #freeAll(): void {
    this.#store.begin();
    this.model.begin();
    for (const id of [...this.model.now.keys()]) {
      this.#store.free(id);
      this.model.free(id);
    }
    this.#store.commit();
    this.model.commit();
    this.#noticeFlush();
  }

  #perform(step: Step): void {
    perform(step, this.#store, this.model, this.#slots);
    this.#noticeFlush();
  }

  #noticeFlush(): void {
    const { flushes } = this.#store.stats();
    if (flushes !== this.#flushes) this.model.flush();
    this.#flushes = flushes;
  }
}

export interface Killing {
  /** Steps that the child reported. */
  readonly acknowledged: number;
  /** Which of the boundaries from the acknowledged one on was found. */
  readonly ahead: number;
}

export class KilledProcesses {
  readonly #path: string;
  readonly #random: SplitMix32;
  #round = 0;

  /** Makes the file at `path`. */
  constructor(path: string, seed: number) {
    this.#path = path;
    this.#random = new SplitMix32(seed);
    Store.create(openNodeFile(path, "create"), options).close();
  }

  /** Lets a child work on the file, kills it after some steps, and looks at what it left. Throws if that is wrong. */
  async round(): Promise<Killing> {
    const before = new MemoryFile("copy", fs.readFileSync(this.#path));
    const seed = this.#random.next();
    const acknowledged = await this.#killChild(seed, this.#random.below(300));
    const session = new Session(before, seed);
    for (let i = 0; i < acknowledged; i++) session.step((file) => file);
    const { model } = session;
    const floor = model.acknowledgedBoundary;
    session.step((file) => file);
    const found = this.#find();
    for (let i = model.boundaries.length - 1; i >= floor; i--)
      if (digestOf(model.boundaries[i]!) === found) return { acknowledged, ahead: i - floor };
    throw new Error(
      `after ${acknowledged} steps of seed ${seed} the file holds\n  ${found}\nacknowledged was\n  ` +
        digestOf(model.boundaries[floor]!),
    );
  }

  /** Every second time the child's journal is left for the next child to recover. */
  #find(): string {
    if (this.#round++ % 2 === 1) {
      const reader = Store.openReadOnly(openNodeFile(this.#path, "read"));
      reader.check();
      const digest = digestOf(contentsOf(reader));
      reader.close();
      return digest;
    }
    const store = Store.open(openNodeFile(this.#path, "write"), options);
    store.check();
    const digest = digestOf(contentsOf(store));
    store.close();
    return digest;
  }

  /** Kills a child once it has reported `steps` steps, and returns how many it reported in all. */
  async #killChild(seed: number, steps: number): Promise<number> {
    const script = fileURLToPath(new URL("crash-child.ts", import.meta.url));
    const child = spawn(process.execPath, [script, this.#path, String(seed)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let reported = 0;
    let isDue = false;
    const delayMillis = this.#random.below(8) / 2;
    child.stdout.on("data", (bytes: Buffer) => {
      if (reported === 0) this.#requireLocked();
      reported += bytes.length;
      if (reported < steps || isDue) return;
      isDue = true;
      setTimeout(() => child.kill("SIGKILL"), delayMillis);
    });
    const [[, signal]] = await Promise.all([once(child, "exit"), once(child.stdout, "close")]);
    assert(signal === "SIGKILL", "the child ended by itself");
    return reported;
  }

  #requireLocked(): void {
    try {
      Store.open(openNodeFile(this.#path, "write")).close();
    } catch (error) {
      assert(error instanceof StoreError && error.code === "locked", `${String(error)}, not locked`);
      return;
    }
    assert(false, "a second writer was let in");
  }
}
