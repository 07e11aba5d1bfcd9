/**
 * Values that have begun and not ended, outermost first: the stack of a walk, and the path that it spells.
 *
 *  (1) All frames on one range lie together: the range is given up by dropping them from the top.
 */

import type { Descriptor, FieldDescriptor, StructDescriptor } from "../types/descriptor.ts";
import type { Range } from "./access.ts";

interface Common {
  readonly range: Range;
  /** Parts begun so far. */
  begun: number;
}

/** A struct, or a variant whose slot ends at `slotEnd` (−1: no padding). */
export interface FieldsFrame extends Common {
  readonly kind: "fields";
  readonly fields: readonly FieldDescriptor[];
  readonly isPacked: boolean;
  readonly slotEnd: number;
  /** Whether it is the content of an option, which has no step of its own in a path. */
  readonly isOption: boolean;
}

/** Elements until the range ends. */
export interface ElementsFrame extends Common {
  readonly kind: "elements";
  readonly element: Descriptor;
  readonly isPacked: boolean;
}

/** Slots of a map; `begun` counts keys, then values, of slot `slot`. */
export interface SlotsFrame extends Common {
  readonly kind: "slots";
  readonly type: StructDescriptor;
  readonly stride: number;
  readonly keys: Set<string>;
  slot: number;
  /** The key of the slot's value as a step of a path; empty while the key is read. */
  key: string;
}

/** One value that begins the range; `isSilent` if no `leave` is due. */
export interface SingleFrame extends Common {
  readonly kind: "single";
  readonly type: Descriptor;
  readonly isPacked: boolean;
  readonly isSilent: boolean;
  /** Whether it must also end the range. */
  readonly fillsRange: boolean;
}

export type Frame = FieldsFrame | ElementsFrame | SlotsFrame | SingleFrame;

/** Steps shown at either end of a long path. */
const stepsShown = 16;

/** Path of the value begun last, such as `notes[3].title`; empty for the root. */
export function pathOf(frames: readonly Frame[]): string {
  const steps = frames.length > 4 * stepsShown ? shortened(frames) : frames.map(stepOf);
  const path = steps.join("");
  return path.startsWith(".") ? path.slice(1) : path;
}

function shortened(frames: readonly Frame[]): string[] {
  const head = frames.slice(0, 2 * stepsShown).map(stepOf);
  const tail = frames.slice(-2 * stepsShown).map(stepOf);
  return [...head, `…(${frames.length - 4 * stepsShown} more)…`, ...tail];
}

function stepOf(frame: Frame): string {
  if (frame.begun === 0) return "";
  switch (frame.kind) {
    case "fields":
      return frame.isOption ? "" : fieldStep(frame.fields[frame.begun - 1]?.name ?? "");
    case "elements":
      return `[${frame.begun - 1}]`;
    case "slots":
      return frame.key === "" ? `[key of slot ${frame.slot}]` : `[${frame.key}]`;
    case "single":
      return "";
  }
}

/** Of a struct's field; positions of a tuple as those of an array. */
export const fieldStep = (name: string): string =>
  /^\d+$/.test(name)
    ? `[${name}]`
    : /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name)
      ? `.${name}`
      : `[${JSON.stringify(name)}]`;
