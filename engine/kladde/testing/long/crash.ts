/**
 * Crashes for as long as one likes: power cuts at every moment of random histories, failures of every call, and
 * processes that are killed.
 *
 *  (1) Piece number i works on seed + i: the history of that seed is cut everywhere; for one in eight also every one of
 *      its calls fails, and disks of every size run full.
 *  (2) Processes are killed between the histories, so many in all.
 *  (3) What fails is explained by the shortest history that fails, counted, and the run goes on.
 */

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { CrashCounts } from "../crash.ts";
import { runCrashHistory } from "../crash.ts";
import { explain } from "../crash-explain.ts";
import { runFaultHistory } from "../crash-faults.ts";
import type { CrashHistory } from "../crash-history.ts";
import { KilledProcesses } from "../crash-process.ts";
import { drawRandomCrashHistory } from "../crash-random.ts";
import type { Course } from "./course.ts";
import type { LongRun } from "./summary.ts";

export interface CrashPlan {
  readonly seed: number;
  readonly histories: number;
  readonly kills: number;
  /** Steps of a history, as a multiple of those in the test. */
  readonly scale: number;
  readonly words: string;
}

const failuresEvery = 8;
const historiesPerKill = 2;

export class CrashTest {
  readonly #plan: CrashPlan;
  readonly #course: Course;
  readonly #cut = { cuts: 0, exhausted: 0, images: 0, distinct: 0, innerImages: 0, innerDistinct: 0 };
  #histories = 0;
  #calls = 0;
  #kills = 0;
  #faults = 0;

  constructor(plan: CrashPlan, course: Course) {
    this.#plan = plan;
    this.#course = course;
  }

  async run(): Promise<LongRun> {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "kladde-crash-"));
    const { seed, histories, kills } = this.#plan;
    try {
      const processes = new KilledProcesses(path.join(folder, "file.kladde"), seed);
      for (let i = 0; i < histories && (await this.#course.goesOn(seed + i)); i++) {
        this.#history(seed + i);
        if (this.#kills < kills && i % historiesPerKill === 0) await this.#kill(processes);
        this.#course.show(this.line);
      }
      while (this.#kills < kills && (await this.#course.goesOn(seed))) {
        await this.#kill(processes);
        this.#course.show(this.line);
      }
    } finally {
      fs.rmSync(folder, { recursive: true });
    }
    return this.#result();
  }

  get line(): string {
    const { cuts, distinct, innerDistinct } = this.#cut;
    return (
      `${this.#histories} histories, ${cuts} cuts, ${distinct + innerDistinct} distinct images recovered, ` +
      `${this.#calls} failing calls, ${this.#kills} kills, ${this.#faults} faults`
    );
  }

  #history(seed: number): void {
    const { scale } = this.#plan;
    const history = drawRandomCrashHistory(seed, scale);
    const again = `pnpm crash --seed ${seed} --histories 1 --scale ${scale}`;
    this.#try(history, again, (one) => this.#add(runCrashHistory(one)), runCrashHistory);
    if (seed % failuresEvery === failuresEvery - 1)
      this.#try(
        history,
        again,
        (one) => {
          this.#calls += runFaultHistory(one).faults;
        },
        runFaultHistory,
      );
    this.#histories++;
  }

  #add(counts: CrashCounts): void {
    for (const key of Object.keys(this.#cut) as (keyof CrashCounts)[]) this.#cut[key] += counts[key];
  }

  #try(
    history: CrashHistory,
    again: string,
    work: (history: CrashHistory) => void,
    run: (history: CrashHistory) => unknown,
  ): void {
    try {
      work(history);
    } catch (cause) {
      this.#faults++;
      this.#course.say(`fault ${this.#faults}: ${explain(history, cause, again, run)}`);
    }
  }

  async #kill(processes: KilledProcesses): Promise<void> {
    try {
      await processes.round();
    } catch (cause) {
      this.#faults++;
      this.#course.say(`fault ${this.#faults}: a killed process, seed ${this.#plan.seed}: ${String(cause)}`);
    }
    this.#kills++;
  }

  #result(): LongRun {
    const { cuts, exhausted, images, distinct, innerImages, innerDistinct } = this.#cut;
    const counts = {
      histories: { says: "histories", value: this.#histories },
      cuts: { says: "writes, truncates and syncs during which the power was cut", value: cuts },
      exhausted: { says: "moments at which every choice of whole sectors was tried", value: exhausted },
      images: { says: "disks that a crash could have left", value: images },
      distinct: { says: "distinct ones among them, each recovered", value: distinct },
      innerImages: { says: "disks that a crash during a recovery could have left", value: innerImages },
      innerDistinct: { says: "distinct ones among them, each recovered", value: innerDistinct },
      calls: { says: "failing calls and full disks", value: this.#calls },
      kills: { says: "processes killed", value: this.#kills },
      faults: { says: "broken promises found", value: this.#faults },
      time: { says: "how long the run took", value: Math.round(this.#course.seconds * 1e6), unit: "micros" },
    } as const;
    const { seed, words } = this.#plan;
    return { command: "crash", words, seed, counts, faults: this.#faults };
  }
}
