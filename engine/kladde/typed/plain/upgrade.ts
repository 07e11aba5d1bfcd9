/**
 * Reads a stored value by a plan into plain data that the schema's constructors take.
 *
 *  (1) Everything stored is checked as at any other reading, what is dropped included.
 *  (2) No recursion: the data may be as deep as the file. A value that the schema cannot hold is refused with its path.
 *  (3) The data is fresh: nothing in it is shared, but for initial values that the schema gives.
 *
 * Cost: one object a value, and what the walk costs.
 */

import type { StructModel } from "../schema/model.ts";
import type { Descriptor, VariantDescriptor } from "../types/descriptor.ts";
import { quoted } from "../types/path.ts";
import type { Access } from "./access.ts";
import type { SchemaDifference } from "./mismatch.ts";
import { type Cell, type FieldStep, type FieldsPlan, type Step, skip } from "./plan.ts";
import type { WalkOptions } from "./reading.ts";
import type { Resolution } from "./resolve.ts";
import type { Scalar } from "./scalars.ts";
import type { Composite, ValueSink } from "./sink.ts";
import { ValueWalk } from "./walk.ts";

/** A stored value that has no counterpart in the schema. */
export class ValueRefused extends Error {
  override readonly name = "ValueRefused";
  readonly difference: SchemaDifference;

  constructor(at: string, message: string) {
    super(`${at}: ${message}`);
    this.difference = { at, message, bridge: "none" };
  }
}

export interface UpgradeReading extends Omit<WalkOptions, "isStrict" | "vectors" | "isRaw"> {
  /** Makes a struct of its properties, parts first; without it, the properties are what is given. */
  readonly construct?: ((model: StructModel, properties: object) => unknown) | undefined;
}

/**
 * The value in allocation `root` as plain data for the schema that `resolution` was made for. The caller has seen that it is
 * upgradable. Throws `ValueRefused`; `StoreError` as a strict walk does.
 */
export function readUpgraded(
  resolution: Resolution,
  access: Access,
  root: number,
  options: UpgradeReading = {},
): unknown {
  let path = (): string => "";
  const builder = new PlainBuilder(resolution.plan, options, () => path());
  const walk = new ValueWalk(access, builder, { ...options, isStrict: true, vectors: resolution.vectors });
  path = () => walk.path;
  walk.run(resolution.writer, root);
  return builder.result;
}

interface FieldsFrame {
  readonly kind: "fields";
  readonly fields: readonly FieldStep[];
  /** Takes the properties; nothing if all are dropped. */
  readonly target: Record<string, unknown> | undefined;
  readonly out: unknown;
  /** Of a struct. */
  readonly model: StructModel | undefined;
  begun: number;
}

interface ListFrame {
  readonly kind: "list";
  readonly step: Extract<Step, { readonly op: "list" }>;
  readonly out: unknown[];
}

interface MapFrame {
  readonly kind: "map";
  readonly step: Extract<Step, { readonly op: "map" }>;
  readonly out: Map<unknown, unknown>;
  key: unknown;
  isValue: boolean;
}

/** Its value is what is put into it. */
interface SingleFrame {
  readonly kind: "single";
  readonly content: Cell;
  out: unknown;
}

/** Nothing of it is kept. */
interface SkipFrame {
  readonly kind: "skip";
}

type Frame = FieldsFrame | ListFrame | MapFrame | SingleFrame | SkipFrame;

const skipFrame: SkipFrame = { kind: "skip" };

function fieldsFrame(
  { fields, missing }: FieldsPlan,
  target: Record<string, unknown> | undefined,
  out: unknown,
  model?: StructModel,
): FieldsFrame {
  if (target !== undefined) for (const [property, make] of missing) target[property] = make();
  return { kind: "fields", fields, target, out, model, begun: 0 };
}

class PlainBuilder implements ValueSink {
  readonly #root: SingleFrame;
  readonly #frames: Frame[];
  readonly #options: UpgradeReading;
  readonly #path: () => string;

  constructor(plan: Cell, options: UpgradeReading, path: () => string) {
    this.#root = { kind: "single", content: plan, out: undefined };
    this.#frames = [this.#root];
    this.#options = options;
    this.#path = path;
  }

  get result(): unknown {
    return this.#root.out;
  }

  scalar(_type: Descriptor, value: Scalar): void {
    const step = this.#next();
    this.#put(step.op === "scalar" ? this.#converted(step, value) : undefined);
  }

  text(_type: Descriptor, value: string): void {
    const step = this.#next();
    if (step.op !== "list") this.#put(undefined);
    else if (step.to === "text") this.#put(value);
    else if (step.to === "json") this.#put(this.#parsed(value));
    else this.#put(Array.from(value, (char) => this.#converted(step.element.step, char)));
  }

  bytes(_type: Descriptor, value: Uint8Array): void {
    const step = this.#next();
    if (step.op !== "list") this.#put(undefined);
    else if (step.to === "bytes") this.#put(value);
    else this.#put(Array.from(value, (byte) => this.#converted(step.element.step, byte)));
  }

  opaque(_type: Descriptor, value: Uint8Array): void {
    const step = this.#next();
    this.#put(step.op === "opaque" ? step.codec.decode(value) : undefined);
  }

  none(): void {
    this.#next();
    this.#put(null);
  }

  enter(_kind: Composite, _type: Descriptor, _id: number, _bytes: number, variant?: VariantDescriptor): void {
    this.#frames.push(this.#frameOf(this.#next(), variant));
  }

  leave(): void {
    const frame = this.#frames.pop()!;
    if (frame.kind === "skip") this.#put(undefined);
    else if (frame.kind === "list") this.#put(this.#finished(frame));
    else if (frame.kind === "map") this.#put(frame.step.to === "map" ? frame.out : [...frame.out.keys()]);
    else if (frame.kind === "fields") this.#put(this.#constructed(frame));
    else this.#put(frame.out);
  }

  broken(): void {}

  cut(): void {}

  #frameOf(step: Step, variant: VariantDescriptor | undefined): Frame {
    switch (step.op) {
      case "fields": {
        const out = step.to === "nothing" ? undefined : step.to === "array" ? [] : {};
        const model = typeof step.to === "object" ? step.to : undefined;
        return fieldsFrame(step.fields, out as Record<string, unknown> | undefined, out, model);
      }
      case "list":
        return { kind: "list", step, out: [] };
      case "map":
        return { kind: "map", step, out: new Map(), key: undefined, isValue: false };
      case "single":
        return { kind: "single", content: step.content, out: undefined };
      case "enum":
        return this.#variantFrame(step, variant!);
      default:
        return skipFrame;
    }
  }

  #variantFrame(step: Extract<Step, { readonly op: "enum" }>, variant: VariantDescriptor): Frame {
    const plan = step.variants.get(variant);
    if (plan === undefined) {
      const hint = step.hints.get(variant) ?? "";
      throw this.#refused(`the schema has no variant ${quoted(variant.name)}${hint}`);
    }
    if (plan.to === "null") return { kind: "single", content: skip, out: null };
    if (plan.to === "content") return { kind: "single", content: plan.cell, out: undefined };
    if (plan.to === "name") return fieldsFrame(plan.fields, undefined, plan.name);
    const out = { [plan.tag]: plan.name };
    return fieldsFrame(plan.fields, out, out);
  }

  /** How the value that comes now is read. */
  #next(): Step {
    const frame = this.#frames.at(-1)!;
    switch (frame.kind) {
      case "fields":
        return frame.fields[frame.begun]!.cell.step;
      case "list":
        return frame.step.element.step;
      case "map":
        return (frame.isValue ? frame.step.value : frame.step.key).step;
      case "single":
        return frame.content.step;
      case "skip":
        return skip.step;
    }
  }

  /** Gives a finished value to what it is part of. */
  #put(value: unknown): void {
    const frame = this.#frames.at(-1)!;
    if (frame.kind === "fields") {
      const { property } = frame.fields[frame.begun++]!;
      if (property !== undefined && frame.target !== undefined) frame.target[property] = value;
    } else if (frame.kind === "list") frame.out.push(value);
    else if (frame.kind === "map") this.#putInMap(frame, value);
    else if (frame.kind === "single") frame.out = value;
  }

  #putInMap(frame: MapFrame, value: unknown): void {
    if (frame.isValue) frame.out.set(frame.key, value);
    else if (frame.out.has(value)) throw this.#refused("two keys of the file become one");
    else frame.key = value;
    frame.isValue = !frame.isValue;
  }

  #finished({ step, out }: ListFrame): unknown {
    if (step.to === "array") return out;
    if (step.to === "bytes") return Uint8Array.from(out as number[]);
    const text = out.join("");
    return step.to === "json" ? this.#parsed(text) : text;
  }

  #constructed({ model, out }: FieldsFrame): unknown {
    const { construct } = this.#options;
    return model === undefined || construct === undefined ? out : construct(model, out as object);
  }

  #converted(step: Step, value: Scalar): unknown {
    if (step.op !== "scalar") return undefined;
    const converted = step.convert(value);
    if (converted === undefined)
      throw this.#refused(`${value} is beyond 2^53 − 1, and the schema reads a number`);
    return converted;
  }

  #parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      // To the file it is a string like any other: only the schema asks for more.
      throw this.#refused("the text is not JSON");
    }
  }

  #refused(message: string): ValueRefused {
    const path = this.#path();
    return new ValueRefused(path === "" ? "value" : path, message);
  }
}
