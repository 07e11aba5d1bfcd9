/**
 * Performs a history on a disk that loses power at every write, truncate and sync, and compares what recovery finds
 * with what was promised.
 *
 *  (1) After a power cut: a boundary (`model.ts`) no older than the last flush that returned, and not newer than the
 *      call under way allows. Never part of a transaction, never part of a flush.
 *  (2) After the death of the process: a boundary no older than the last call that returned.
 *  (3) Header fields are those of the last flush that returned, or of one under way together with all it folds.
 *  (4) A history goes on after a crash: `kill` ends the process, `cut` the power, with one of the images there were
 *      by then. What the lost session left on the disk stays there.
 *
 * Cost: one run of the history, and one recovery per distinct image.
 */

import { assert } from "../../errors.ts";
import { CrashingFile } from "../../storage/crashing.ts";
import { Store } from "../index.ts";
import { type Image, imagesAt, type Moment, ObservedFile } from "./crash-disk.ts";
import type { CrashHistory, CrashStep } from "./crash-history.ts";
import { contentsOf, digestOf, fieldsOf, type Recovered, Recoveries, within } from "./crash-recovery.ts";
import { Model } from "./model.ts";
import { perform, type Slots } from "./perform.ts";

export interface CrashCounts {
  /** Writes, truncates and syncs during which the power was cut. */
  readonly cuts: number;
  /** Moments at which the images were all that whole sectors can make. */
  readonly exhausted: number;
  readonly images: number;
  readonly distinct: number;
  /** Images of cuts during a recovery. */
  readonly innerImages: number;
  readonly innerDistinct: number;
}

/** Throws if a crash anywhere in the history breaks the promise. */
export function runCrashHistory(history: CrashHistory): CrashCounts {
  return new CrashRun(history).run();
}

/** What a crash may not go back behind. */
interface Promised {
  readonly flushed: number;
  readonly acknowledged: number;
  readonly fields: string;
}

/** Ids that no allocation of a history has: the store refuses to name its own allocation. */
const rootsFrom = 100_000;

class CrashRun {
  readonly #history: CrashHistory;
  readonly #recoveries: Recoveries;
  readonly #model = new Model({ keepBoundaries: true });
  /** Digests of the model's boundaries, as far as they were needed. */
  readonly #digests: string[] = [];
  readonly #slots: Slots = new Map();
  #disk = new CrashingFile();
  #store: Store;
  /** Flushes of the session so far. */
  #flushes = 0;
  /** Header fields of the last flush that returned. */
  #flushedFields: string;
  /** What crashes since the last step began could leave. */
  #images: Image[] = [];
  #cuts = 0;
  /** Moments at which every choice of sectors was tried. */
  #exhausted = 0;

  constructor(history: CrashHistory) {
    this.#history = history;
    this.#recoveries = new Recoveries(history.store);
    Store.create(this.#disk, history.store).close();
    this.#store = this.#open();
    this.#flushedFields = fieldsOf(this.#store);
  }

  run(): CrashCounts {
    this.#history.steps.forEach((step, index) => {
      const name = `step ${index}, ${JSON.stringify(step)}`;
      if (step.do === "cut") within(name, () => this.#cutPower(step.pick));
      this.#images = [];
      const before = this.#promised();
      const fields = fieldsOf(this.#store);
      within(name, () => this.#step(step));
      this.#judge(name, before, fields);
      this.#images = this.#imagesAt({ call: "none", number: this.#disk.mutations });
      const after = this.#promised();
      this.#judge(`after ${name}`, after, after.fields);
    });
    return { cuts: this.#cuts, exhausted: this.#exhausted, ...this.#recoveries.counts };
  }

  #promised(): Promised {
    const { flushedBoundary, acknowledgedBoundary } = this.#model;
    return { flushed: flushedBoundary, acknowledged: acknowledgedBoundary, fields: this.#flushedFields };
  }

  #step(step: CrashStep): void {
    const model = this.#model;
    if (step.do === "setRoots") {
      const root = rootsFrom + step.root;
      this.#store.setRoots(root, root + 1, new Uint8Array(16).fill(step.root));
    } else if (step.do === "cut") this.#begin();
    else if (step.do !== "reopen" && step.do !== "kill") {
      perform(step, this.#store, model, this.#slots);
      this.#noticeFlush(step.do === "flush");
    } else if (model.depth === 0) {
      if (step.do === "reopen") {
        const fields = fieldsOf(this.#store);
        this.#store.close();
        this.#flushedFields = fields;
      } else this.#disk.close();
      model.reopen();
      this.#begin();
    }
  }

  /** The disk is what one of the images holds; the model follows. */
  #cutPower(pick: number): void {
    const images = this.#images.length > 0 ? this.#images : this.#imagesAt({ call: "none", number: 0 });
    const image = images[pick % images.length]!;
    const { contents, fields } = this.#recoveries.recover(image);
    this.#disk = new CrashingFile(image.bytes);
    this.#model.recover(contents);
    this.#flushedFields = fields;
  }

  /** Another session on the disk; it finds what the model says. */
  #begin(): void {
    this.#store = this.#open();
    this.#compare();
  }

  #open(): Store {
    const file = new ObservedFile(this.#disk, (moment) => {
      this.#images.push(...this.#imagesAt(moment));
      this.#cuts++;
    });
    const store = Store.open(file, this.#history.store);
    this.#flushes = store.stats().flushes;
    return store;
  }

  #noticeFlush(wasAskedFor: boolean): void {
    const { flushes } = this.#store.stats();
    if (flushes === this.#flushes) return;
    this.#flushes = flushes;
    if (!wasAskedFor) this.#model.flush();
    this.#flushedFields = fieldsOf(this.#store);
    this.#compare();
  }

  #compare(): void {
    this.#store.check();
    const found = digestOf(contentsOf(this.#store));
    const expected = digestOf(this.#model.committed);
    assert(found === expected, `the store holds\n  ${found}\ninstead of\n  ${expected}`);
    const fields = fieldsOf(this.#store);
    assert(
      fields === this.#flushedFields,
      `the header fields are ${fields}, they were flushed as ${this.#flushedFields}`,
    );
  }

  #imagesAt(moment: Moment): Image[] {
    const { seed, scattered, exhaustive = 0 } = this.#history;
    const images = imagesAt(this.#disk, moment, seed, scattered);
    const every = this.#disk.everyImage(exhaustive);
    if (every === undefined) return images;
    this.#exhausted++;
    return [
      ...images,
      ...every.map((bytes, i) => ({ moment, choice: `whole sectors ${i}`, bytes, isDeath: false })),
    ];
  }

  /** Recovers every image; `fields` are those that a flush under way may have written. */
  #judge(name: string, promised: Promised, fields: string): void {
    for (const image of this.#images) {
      const { call, number } = image.moment;
      within(`${name}: crash in ${call} ${number}, ${image.choice}`, () => {
        const recovered = this.#recoveries.recover(image);
        const floor = image.isDeath ? promised.acknowledged : promised.flushed;
        const boundary = this.#boundaryOf(recovered, floor);
        if (recovered.fields === promised.fields) return;
        assert(
          recovered.fields === fields && boundary === this.#model.boundaries.length - 1,
          `recovery finds boundary ${boundary} and header fields ${recovered.fields}; flushed were ${promised.fields}`,
        );
      });
    }
  }

  /** The newest boundary with the recovered contents, if it is not older than `floor`. */
  #boundaryOf({ digest }: Recovered, floor: number): number {
    const { boundaries } = this.#model;
    const last = boundaries.length - 1;
    for (let i = last; i >= floor; i--) if (this.#digest(i) === digest) return i;
    const older = boundaries.findIndex((_, i) => this.#digest(i) === digest);
    const what = older < 0 ? "no boundary at all" : `boundary ${older}`;
    throw new Error(
      `recovery finds ${what}, promised was one of ${floor} to ${last}:\n  ${digest}\nthe last one is\n  ${this.#digest(last)}`,
    );
  }

  #digest(boundary: number): string {
    this.#digests[boundary] ??= digestOf(this.#model.boundaries[boundary]!);
    return this.#digests[boundary];
  }
}
