/**
 * Random operations with reclamation for as long as one likes, on a real file and a live set of one size: neither the
 * file nor the memory may grow with the time.
 *
 *  (1) Memory is what the process has in use after a collection, without the bytes that the model holds.
 *  (2) The first sixth of the time is for warming up: memory is compared with what it was at the end of that.
 *  (3) Once a minute every byte is compared and every invariant recomputed. What fails ends the run.
 */

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import v8 from "node:v8";
import vm from "node:vm";
import { openNodeFile } from "../../../storage/node.ts";
import { SoakingStore } from "../soak.ts";
import type { Course } from "./course.ts";
import type { Bound, LongRun } from "./summary.ts";

export interface SoakPlan {
  readonly seed: number;
  readonly hours: number;
  readonly live: number;
  readonly words: string;
}

const warmingShare = 1 / 6;
const samplesMin = 30;
const secondsPerSample = 60;
/** Bytes of file for a byte alive, and the part by which memory may change. */
const fileShareMost = 2;
const memoryShareMost = 0.1;

v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc") as () => void;

export class SoakTest {
  readonly #plan: SoakPlan;
  readonly #course: Course;
  #fileBytesMost = 0;
  /** At the end of warming up, and how far from it later. */
  #memoryBytes = 0;
  #memoryChange = 0;
  #judged = 0;
  #faults = 0;

  constructor(plan: SoakPlan, course: Course) {
    this.#plan = plan;
    this.#course = course;
  }

  async run(): Promise<LongRun> {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "kladde-soak-"));
    const name = path.join(folder, "file.kladde");
    const { seed, live } = this.#plan;
    const store = new SoakingStore(() => openNodeFile(name, "create"), seed, live * 2 ** 20);
    try {
      await this.#soak(store);
      store.close();
    } catch (error) {
      this.#faults++;
      this.#course.say(`fault, seed ${seed}: ${error instanceof Error ? error.stack : String(error)}`);
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
    return this.#result(store);
  }

  async #soak(store: SoakingStore): Promise<void> {
    const seconds = this.#plan.hours * 3600;
    const step = Math.min(secondsPerSample, seconds / samplesMin);
    let next = step;
    while (await this.#course.goesOn(this.#plan.seed)) {
      store.work();
      if (this.#course.seconds >= seconds * warmingShare)
        this.#fileBytesMost = Math.max(this.#fileBytesMost, store.fileBytes);
      if (this.#course.seconds < next) continue;
      next += step;
      this.#sample(store);
      const { operations, flushes, fileBytes } = store;
      const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
      this.#course.show(
        `${operations} operations, ${flushes} flushes, file ${mebibytes(fileBytes)} MiB, memory ${mebibytes(
          this.#memoryBytes,
        )} MiB at most ${mebibytes(this.#memoryChange)} MiB off`,
      );
    }
    this.#sample(store);
  }

  #sample(store: SoakingStore): void {
    store.judge();
    this.#judged++;
    // What the first collection lets go of, the second one has.
    collect();
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    const bytes = heapUsed + arrayBuffers - store.liveBytes;
    if (this.#course.seconds < this.#plan.hours * 3600 * warmingShare || this.#memoryBytes === 0)
      this.#memoryBytes = bytes;
    else this.#memoryChange = Math.max(this.#memoryChange, Math.abs(bytes - this.#memoryBytes));
  }

  #result(store: SoakingStore): LongRun {
    const counts = {
      operations: { says: "operations", value: store.operations },
      flushes: { says: "flushes", value: store.flushes },
      sessions: { says: "times the file was closed and opened again", value: store.sessions },
      judged: { says: "times every byte was compared and every invariant recomputed", value: this.#judged },
      live: { says: "bytes alive at most", value: store.liveBytesMost, unit: "bytes" },
      file: {
        says: "bytes of the file at most, after warming up",
        value: this.#fileBytesMost,
        unit: "bytes",
      },
      memory: {
        says: "bytes in use after a collection, when it had warmed up",
        value: this.#memoryBytes,
        unit: "bytes",
      },
      change: { says: "by how much that changed at most", value: this.#memoryChange, unit: "bytes" },
      faults: { says: "differences from the model, and broken invariants", value: this.#faults },
      time: { says: "how long the run took", value: Math.round(this.#course.seconds * 1e6), unit: "micros" },
    } as const;
    const bounds: Record<string, Bound> = {
      file: {
        says: "the file did not grow with the time",
        left: this.#fileBytesMost,
        right: fileShareMost * store.liveBytesMost,
      },
      memory: {
        says: "memory stayed as it was",
        left: this.#memoryChange,
        right: Math.round(memoryShareMost * this.#memoryBytes),
      },
    };
    const { seed, words } = this.#plan;
    return { command: "soak", words, seed, counts, faults: this.#faults, bounds };
  }
}
