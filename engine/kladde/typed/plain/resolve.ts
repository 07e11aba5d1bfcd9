/**
 * Resolution of a schema change: pairs what a file stores with what a schema asks for, once, and compiles how to read it.
 *
 *  (1) Fields and variants are matched by name, or by a name they had; never by position.
 *  (2) A pair of types is resolved once, at the path with the fewest steps, so cycles end; nothing recurses over types.
 *  (3) There are no differences exactly if the layouts are the same.
 *  (4) To guess what was renamed, types are resolved on trial, until the trials have cost `trialsCostMax`.
 *
 * Cost: linear in the pairs of types that occur.
 */

import type { ElementModel, MapModel, TypeModel } from "../schema/model.ts";
import type { Descriptor } from "../types/descriptor.ts";
import { primitiveCodes } from "../types/descriptor.ts";
import { typeName } from "../types/name.ts";
import type { Way } from "../types/path.ts";
import { containerOf, isMapSlot } from "../types/shapes.ts";
import { converterTo, isWidening } from "./convert.ts";
import { DifferenceList } from "./difference-list.ts";
import type { Bridge, SchemaDifference } from "./mismatch.ts";
import { type Nature, natureOf, optionOf, unwrapped } from "./nature.ts";
import type { Cell, Step } from "./plan.ts";
import { enumStep, fieldsStep, opaqueStep, type PairContext } from "./resolve-parts.ts";

export interface Resolution {
  readonly writer: Descriptor;
  readonly reader: TypeModel;
  readonly differences: readonly SchemaDifference[];
  /** How many there are of each kind, also of those that the list has no room for. */
  readonly counts: Readonly<Record<Bridge, number>>;
  /** How the root is read; of use if no difference stands in the way. */
  readonly plan: Cell;
  /** Stored vectors whose elements look like the slots of a map, and are none. */
  readonly vectors: ReadonlySet<Descriptor>;
  /** What to try before data is given up. */
  readonly advice: string | undefined;
}

/** Whether an upgrade has a way, stored values permitting. */
export const isUpgradable = ({ counts }: Resolution, dropFields: boolean): boolean =>
  counts.none === 0 && (dropFields || counts["drop-fields"] === 0);

/** How values of `writer`, a checked type of a file, are read for `reader`. */
export function resolve(writer: Descriptor, reader: TypeModel): Resolution {
  const resolver = new Resolver();
  const plan = resolver.run(writer, reader);
  const { differences, vectors, advice } = resolver;
  return { writer, reader, differences: differences.list, counts: differences.counts, plan, vectors, advice };
}

/** Pairs and differences of all trials; only the last of them may pass it. */
const trialsCostMax = 20_000;
/** Pairs of one trial. */
const trialPairsMax = 1000;

/** A set is a map to these. */
const unit: TypeModel = {
  kind: "unit",
  descriptor: { kind: "struct", name: "Unit", fields: [] },
  slotBytes: 0,
};

interface Pair {
  readonly writer: Descriptor;
  readonly reader: TypeModel;
  readonly way: Way | undefined;
  readonly cell: Cell;
}

class Resolver implements PairContext {
  readonly differences = new DifferenceList();
  readonly vectors = new Set<Descriptor>();
  readonly #cells = new Map<Descriptor, Map<TypeModel, Cell>>();
  readonly #queue: Pair[] = [];
  readonly #maps = new Set<Descriptor>();
  readonly #pairsMax: number;
  #trialsCost = 0;
  #advice: { readonly text: string; readonly isLikely: boolean } | undefined;

  constructor(pairsMax = Number.POSITIVE_INFINITY) {
    this.#pairsMax = pairsMax;
  }

  get advice(): string | undefined {
    return this.#advice?.text;
  }

  advise(text: string, isLikely: boolean): void {
    if (this.#advice === undefined || (isLikely && !this.#advice.isLikely)) this.#advice = { text, isLikely };
  }

  isAlike(writer: Descriptor, reader: TypeModel): boolean {
    const isTrial = this.#pairsMax < Number.POSITIVE_INFINITY;
    if (isTrial || this.#trialsCost > trialsCostMax) return false;
    const trial = new Resolver(trialPairsMax);
    trial.run(writer, reader);
    const { counts } = trial.differences;
    this.#trialsCost += trial.#queue.length + Object.values(counts).reduce((sum, count) => sum + count);
    return counts.none === 0 && counts["drop-fields"] === 0 && counts["if-unused"] === 0;
  }

  run(writer: Descriptor, reader: TypeModel): Cell {
    const root = this.cellOf(writer, reader, undefined);
    for (const pair of this.#queue) pair.cell.step = this.#resolve(pair);
    if (this.#queue.length > this.#pairsMax)
      this.differences.add(undefined, "there are too many types to tell", "none");
    for (const type of this.vectors)
      if (this.#maps.has(type))
        this.differences.add(undefined, `${typeName(type)} is expected as a map and as a vector`, "none");
    return root;
  }

  cellOf(writer: Descriptor, reader: TypeModel, way: Way | undefined): Cell {
    let cells = this.#cells.get(writer);
    if (cells === undefined) {
      cells = new Map();
      this.#cells.set(writer, cells);
    }
    let cell = cells.get(reader);
    if (cell === undefined) {
      cell = { step: { op: "skip" } };
      cells.set(reader, cell);
      if (this.#queue.length <= this.#pairsMax) this.#queue.push({ writer, reader, way, cell });
    }
    return cell;
  }

  #resolve({ writer, reader: declared, way }: Pair): Step {
    const stored = unwrapped(writer);
    const nature = natureOf(stored);
    const note = (message: string, bridge: Bridge): void => this.differences.add(way, message, bridge);
    let reader = declared;
    for (; reader.kind === "slotted" || reader.kind === "option"; reader = reader.element) {
      if (reader.kind === "slotted") continue;
      if (nature.kind === "enum" && optionOf(nature.type) !== undefined) break;
      if (nature.kind === "small") break;
      note(`${typeName(stored)} becomes ${typeName(reader.descriptor)}`, "upgrade");
    }
    const step = this.#step(stored, nature, reader, way, note);
    const isSame =
      depthOf(writer) === depthOf(declared.descriptor) && sameContainer(stored, reader.descriptor);
    const message = `expected ${typeName(reader.descriptor)}, found ${typeName(writer)}`;
    if (step === undefined) note(nature.kind === "odd" ? `${message}: ${nature.message}` : message, "none");
    else if (!isSame) note(message, "upgrade");
    return step ?? { op: "skip" };
  }

  #step(
    stored: Descriptor,
    nature: Nature,
    reader: Exclude<TypeModel, { readonly kind: "slotted" }>,
    way: Way | undefined,
    note: (message: string, bridge: Bridge) => void,
  ): Step | undefined {
    if (nature.kind === "small") return { op: "single", content: this.cellOf(nature.content, reader, way) };
    switch (reader.kind) {
      case "number":
        return nature.kind === "scalar" && isWidening(nature.type.code, primitiveCodes[reader.code])
          ? { op: "scalar", convert: converterTo(reader) }
          : undefined;
      case "bool":
      case "char":
        return isScalar(nature, reader.kind) ? asItIs : undefined;
      case "string":
      case "smallString":
      case "text":
      case "json":
        if (nature.kind !== "list" || !isScalar(natureOf(unwrapped(nature.element)), "char"))
          return undefined;
        return { op: "list", to: reader.kind === "json" ? "json" : "text", element: { step: asItIs } };
      case "bytes":
        if (nature.kind !== "list" || !isScalar(natureOf(unwrapped(nature.element)), "u8")) return undefined;
        return { op: "list", to: "bytes", element: { step: asItIs } };
      case "vec":
      case "packedVec":
      case "smallVec":
        return this.#list(stored, nature, reader.element, way);
      case "set":
      case "map":
      case "sortedMap":
        return this.#map(stored, nature, reader, way);
      case "box":
        return nature.kind === "box"
          ? { op: "single", content: this.cellOf(nature.content, reader.element, way) }
          : undefined;
      case "struct":
      case "tuple":
      case "unit":
        return nature.kind === "struct" ? fieldsStep(this, nature.type, reader, way, note) : undefined;
      case "enum":
      case "oneOf":
      case "option":
        return nature.kind === "enum" ? enumStep(this, nature.type, reader, way, note) : undefined;
      case "opaque":
        return nature.kind === "opaque" ? opaqueStep(nature.type, reader, note) : undefined;
    }
  }

  #list(stored: Descriptor, nature: Nature, element: TypeModel, way: Way | undefined): Step | undefined {
    if (nature.kind === "list")
      return {
        op: "list",
        to: "array",
        element: this.cellOf(nature.element, element, { step: "[]", before: way }),
      };
    if (nature.kind !== "map" || !isMapSlot(unwrapped(element.descriptor))) return undefined;
    this.vectors.add(stored);
    return {
      op: "list",
      to: "array",
      element: this.cellOf(nature.slot, element, { step: "[]", before: way }),
    };
  }

  #map(
    stored: Descriptor,
    nature: Nature,
    reader: ElementModel | MapModel,
    way: Way | undefined,
  ): Step | undefined {
    if (nature.kind !== "map") return undefined;
    this.#maps.add(stored);
    const [keyModel, valueModel] = "element" in reader ? [reader.element, unit] : [reader.key, reader.value];
    const key = this.cellOf(nature.key, keyModel, { step: ".keys()", before: way });
    const value = this.cellOf(nature.value, valueModel, { step: ".values()", before: way });
    return { op: "map", to: reader.kind === "set" ? "set" : "map", key, value };
  }
}

const asItIs: Step = { op: "scalar", convert: (value) => value };

const isScalar = (nature: Nature, name: keyof typeof primitiveCodes): boolean =>
  nature.kind === "scalar" && nature.type.code === primitiveCodes[name];

/** Wrappers that force an encoding. */
function depthOf(type: Descriptor): number {
  let depth = 0;
  for (let inner = type; inner.kind === "slotted"; inner = inner.target) depth++;
  return depth;
}

const sameContainer = (stored: Descriptor, wanted: Descriptor): boolean =>
  containerOf(stored) === containerOf(unwrapped(wanted));
