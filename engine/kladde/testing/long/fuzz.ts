/**
 * Damaged files for as long as one likes.
 *
 *  (1) File number i follows from seed + i. What it starts from changes every few thousand files.
 *  (2) All are opened for reading, checked and compared; one in three is inspected; with one in three that opens a
 *      session goes on.
 */

import { SplitMix32 } from "../../../storage/random.ts";
import { judge } from "../fuzz.ts";
import { damaged } from "../fuzz-mutate.ts";
import { drawFuzzSeed, fuzzSeeds } from "../fuzz-seeds.ts";
import type { Course } from "./course.ts";
import type { LongRun } from "./summary.ts";

export interface FuzzPlan {
  readonly seed: number;
  readonly files: number;
  readonly words: string;
}

const filesPerSource = 64;
/** The event loop turns after so many. */
const filesPerTurn = 16;
const faultsShown = 20;

export class FuzzTest {
  readonly #plan: FuzzPlan;
  readonly #course: Course;
  readonly #outcomes = { refused: 0, opened: 0, choice: 0 };
  readonly #sources = new Map<number, Uint8Array>();
  #files = 0;
  #bytes = 0;
  #inspected = 0;
  #faults = 0;

  constructor(plan: FuzzPlan, course: Course) {
    this.#plan = plan;
    this.#course = course;
  }

  async run(): Promise<LongRun> {
    const { seed, files } = this.#plan;
    for (let i = 0; i < files; i++) {
      if (i % filesPerTurn === 0 && !(await this.#course.goesOn(seed + i))) break;
      this.#file(seed + i);
      this.#course.show(
        `${this.#files} files, ${this.#outcomes.refused} refused, ${this.#outcomes.opened} opened, ${this.#faults} faults`,
      );
    }
    return this.#result();
  }

  #file(seed: number): void {
    const number = Math.floor(seed / (filesPerSource * fuzzSeeds)) * fuzzSeeds + (seed % fuzzSeeds);
    const { bytes, what } = damaged(this.#source(number), new SplitMix32(seed));
    this.#files++;
    this.#bytes += bytes.length;
    const inspects = seed % 3 === 0;
    if (inspects) this.#inspected++;
    try {
      this.#outcomes[judge(bytes, { inspects, goesOn: seed % 3 === 1 })]++;
    } catch (cause) {
      if (++this.#faults > faultsShown) return;
      const again = `pnpm fuzz --seed ${seed} --files 1`;
      const stack = cause instanceof Error ? cause.stack : String(cause);
      this.#course.say(`fault ${this.#faults}, seed ${seed}, again by ${again}: ${what}\n${stack}`);
    }
  }

  #source(number: number): Uint8Array {
    let source = this.#sources.get(number);
    if (source === undefined) {
      if (this.#sources.size >= fuzzSeeds) this.#sources.clear();
      source = drawFuzzSeed(number);
      this.#sources.set(number, source);
    }
    return source;
  }

  #result(): LongRun {
    const { refused, opened, choice } = this.#outcomes;
    const counts = {
      files: { says: "damaged files", value: this.#files },
      bytes: { says: "bytes in them", value: this.#bytes, unit: "bytes" },
      refused: { says: "refused, with file and place", value: refused },
      opened: { says: "opened, with the contents that the format defines", value: opened },
      choice: { says: "where the format leaves readers the choice", value: choice },
      inspected: { says: "inspected as well", value: this.#inspected },
      faults: { says: "anything else", value: this.#faults },
      time: { says: "how long the run took", value: Math.round(this.#course.seconds * 1e6), unit: "micros" },
    } as const;
    const { seed, words } = this.#plan;
    return { command: "fuzz", words, seed, counts, faults: this.#faults };
  }
}
