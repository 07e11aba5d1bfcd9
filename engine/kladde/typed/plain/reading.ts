/**
 * What a walk may read, has read, and found wrong.
 *
 *  (1) An allocation is read once; a second pointer to it is a fault.
 *  (2) Strict, a bound that is passed throws `too-large`; lenient, it makes the result incomplete, which it says.
 */

import { StoreError } from "../../../errors.ts";
import type { Descriptor } from "../types/descriptor.ts";
import { type Access, Range } from "./access.ts";
import type { ValueRule } from "./scalars.ts";
import type { Lost } from "./sink.ts";

/** Bounds; absent ones are the defaults below. */
export interface WalkOptions {
  /** Whether the first fault throws. */
  readonly isStrict: boolean;
  /** The allocation with the types, which no pointer may name. */
  readonly schemaId?: number | undefined;
  /** Shows vectors of slots as such instead of as maps. */
  readonly isRaw?: boolean | undefined;
  /** Vectors to be shown as such although they look like maps. */
  readonly vectors?: ReadonlySet<Descriptor> | undefined;
  /** Bytes read of one allocation. */
  readonly allocationBytesMax?: number | undefined;
  /** Bytes read altogether. */
  readonly bytesMax?: number | undefined;
  /** Values and slots looked at; strict, every byte of text and bytes is one. */
  readonly stepsMax?: number | undefined;
  readonly findingsMax?: number | undefined;
  /** Shown in errors. */
  readonly file?: string | undefined;
}

export const walkDefaults = {
  /** Half of what a string can hold. */
  allocationBytesMax: 2 ** 28,
  bytesMax: 2 ** 30,
  stepsMax: 2 ** 28,
  findingsMax: 1000,
} as const;

/** One thing that is wrong. */
export interface ValueFinding {
  readonly rule: ValueRule;
  /** Of the value; empty for the root. */
  readonly path: string;
  /** Allocation that the bytes lie in, or that is pointed to. */
  readonly id: number;
  readonly message: string;
  /** Why the allocation's bytes cannot be had. */
  readonly cause?: StoreError | undefined;
}

export interface WalkResult {
  readonly findings: readonly ValueFinding[];
  /** Findings that there was no room for. */
  readonly findingsLeftOut: number;
  /** Allocations reached, root and types included. */
  readonly reached: ReadonlySet<number>;
  /** Whether everything was looked at: no bound was passed and nothing was broken. */
  readonly isComplete: boolean;
  readonly bytesRead: number;
}

export class Reading {
  readonly #access: Access;
  readonly #options: WalkOptions;
  readonly #path: () => string;
  readonly #reached = new Set<number>();
  readonly #findings: ValueFinding[] = [];
  readonly #stepsMax: number;
  #leftOut = 0;
  #isComplete = true;
  #isOver = false;
  #bytesRead = 0;
  #steps = 0;
  #lost: Lost | undefined;

  constructor(access: Access, options: WalkOptions, path: () => string) {
    this.#access = access;
    this.#options = options;
    this.#path = path;
    this.#stepsMax = options.stepsMax ?? walkDefaults.stepsMax;
    if (options.schemaId !== undefined && options.schemaId !== 0) this.#reached.add(options.schemaId);
  }

  /** What was to be entered last, if its bytes could not be read. */
  get lost(): Lost | undefined {
    return this.#lost;
  }

  /** Whether the walk has to end: its steps are used up. */
  get isOver(): boolean {
    return this.#isOver;
  }

  step(): void {
    this.#steps++;
    if (this.#steps <= this.#stepsMax || this.#isOver) return;
    this.#isOver = true;
    this.#bound(`more than ${this.#stepsMax} values`, 0);
  }

  /** Text or bytes: as many values as there are bytes, to whoever takes them apart, and one to whoever shows them. */
  stepOver(bytes: number): void {
    if (this.#options.isStrict) this.#steps += bytes;
    this.step();
  }

  fault(rule: ValueRule, message: string, id: number, cause?: StoreError): void {
    const { isStrict, file, findingsMax = walkDefaults.findingsMax } = this.#options;
    const path = this.#path();
    if (isStrict) throw new StoreError("corrupt", at(path, message), { file, id: id === 0 ? undefined : id });
    if (rule !== "bool" && rule !== "padding" && rule !== "equal-keys") this.#isComplete = false;
    if (this.#findings.length < findingsMax) this.#findings.push({ rule, path, id, message, cause });
    else this.#leftOut++;
  }

  size(id: number): number {
    return this.#access.size(id);
  }

  /** The bytes of the allocation that a pointer names; nothing if there are none to be had, which was said then. */
  enter(id: number): Range | undefined {
    this.#lost = undefined;
    const size = id === 0 ? -1 : this.#access.size(id);
    if (size < 0) return this.#refuse("dangling", "points to an allocation that does not exist", id);
    if (this.#reached.has(id))
      return this.#refuse("second-owner", "points to an allocation that has an owner already", id);
    this.#reached.add(id);
    const { allocationBytesMax = walkDefaults.allocationBytesMax, bytesMax = walkDefaults.bytesMax } =
      this.#options;
    const length = Math.min(size, allocationBytesMax);
    if (length < size) this.#bound(`an allocation of ${size} bytes, more than ${allocationBytesMax}`, id);
    if (this.#bytesRead + length > bytesMax) {
      this.#bound(`more than ${bytesMax} bytes altogether`, id);
      return undefined;
    }
    this.#bytesRead += length;
    return this.#read(id, length, size);
  }

  result(): WalkResult {
    return {
      findings: this.#findings,
      findingsLeftOut: this.#leftOut,
      reached: this.#reached,
      isComplete: this.#isComplete,
      bytesRead: this.#bytesRead,
    };
  }

  #read(id: number, length: number, size: number): Range | undefined {
    const bytes = new Uint8Array(length);
    try {
      this.#access.read(id, bytes);
    } catch (cause) {
      if (this.#options.isStrict || !(cause instanceof StoreError)) throw cause;
      this.#lost = { id, bytes: size, cause };
      this.fault("unreadable", cause.message, id, cause);
      return undefined;
    }
    return new Range(id, bytes, 0, length, length < size);
  }

  #refuse(rule: ValueRule, message: string, id: number): undefined {
    this.fault(rule, message, id);
    return undefined;
  }

  /** What was not looked at is not wrong, only unknown. */
  #bound(what: string, id: number): void {
    this.#isComplete = false;
    const { isStrict, file } = this.#options;
    if (isStrict)
      throw new StoreError(
        "too-large",
        at(this.#path(), `the value has ${what}; a larger limit may let it pass`),
        {
          file,
          id: id === 0 ? undefined : id,
        },
      );
  }
}

const at = (path: string, message: string): string => (path === "" ? message : `${path}: ${message}`);
