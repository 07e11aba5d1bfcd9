/**
 * The rules that every descriptor graph keeps, ours and one read from a file, numbered as they are tested:
 *
 *  (1) Codes, discriminant widths, names and numbers are such as a table can hold.
 *  (2) The root is neither a sequence nor a packed wrapper.
 *  (3) A packed wrapper is only a pointer's target; a sequence only a pointer's or a packed wrapper's target, or a small
 *      value's content.
 *  (4) What is forced slotted has a slot.
 *  (5) Nothing contains itself through structs, enums and slotted wrappers alone: it would have no finite size.
 *  (6) A type that has only a packed form stands only where everything around it, up to the nearest pointer, is packed.
 *  (7) Elements of a sequence take bytes; names within one struct, variant or enum differ, as do discriminants, and
 *      discriminants fit their width. Slots fit an allocation, and no value has more than `partsMax` parts inline:
 *      otherwise a hundred bytes of table describe a value whose parts nobody can count through.
 *
 * Cost: linear in the graph.
 */

import { u32Max } from "../../format/layout.ts";
import type { Descriptor, EnumDescriptor, FieldDescriptor } from "./descriptor.ts";
import { foldInline, inlineTargetsOf, nodesOf, targetsOf } from "./graph.ts";
import { pathOf, quoted, stepOf, type Way } from "./path.ts";
import { type Fault, placementFault } from "./placement.ts";
import { packedOnly, slotBytes } from "./slots.ts";

/** Structs, enums and fields that one value may hold without a pointer in between. */
const partsMax = 2 ** 20;

/** Throws `TypeError`, which names the path, unless the graph keeps the rules. */
export function checkDescriptor(root: Descriptor): void {
  const fault = firstFault(root, nodesOf(root));
  if (fault !== undefined) throw new TypeError(`${wayTo(root, fault.at)}: ${fault.message}`);
}

/** The first rule that `nodes` break; they include everything that `root` reaches, and may include more. */
export function firstFault(root: Descriptor, nodes: readonly Descriptor[]): Fault | undefined {
  if (root.kind === "sequence" || root.kind === "packed")
    return { at: root, message: `a ${root.kind} type cannot be the root; it stands only behind a pointer` };
  const slots = new Map<Descriptor, number>();
  return (
    firstOf(nodes, ownFault) ??
    firstOf(nodes, standingFault) ??
    inlineFault(nodes) ??
    firstOf(nodes, (node) => sizeFault(node, slots)) ??
    placementFault(root, slots)
  );
}

function firstOf(
  nodes: readonly Descriptor[],
  message: (node: Descriptor) => string | undefined,
): Fault | undefined {
  for (const at of nodes) {
    const found = message(at);
    if (found !== undefined) return { at, message: found };
  }
  return undefined;
}

/** What is wrong with `type` by itself: rules 1 and 7. */
function ownFault(type: Descriptor): string | undefined {
  switch (type.kind) {
    case "primitive":
      return Number.isInteger(type.code) && type.code >= 0 && type.code <= 11
        ? undefined
        : `${type.code} is no primitive's code`;
    case "struct":
      return textFault(type.name) ?? fieldsFault(type.fields);
    case "enum":
      return textFault(type.name) ?? enumFault(type);
    case "opaque":
      return (
        textFault(type.library) ??
        textFault(type.type) ??
        (type.version.every(isCount) ? undefined : "a version has three whole numbers from 0 to 2^53 − 1") ??
        (isCount(type.inlineBytes) && type.inlineBytes <= u32Max
          ? undefined
          : "an opaque type takes from 0 to 2^32 − 1 bytes")
      );
    default:
      return undefined;
  }
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

const textFault = (name: string): string | undefined =>
  name.isWellFormed() ? undefined : `the name ${quoted(name)} holds a lone surrogate`;

function fieldsFault(fields: readonly FieldDescriptor[]): string | undefined {
  const names = fields.map(({ name }) => name);
  const twice = repeated(names);
  return twice === undefined ? firstText(names) : `two fields are named ${quoted(twice)}`;
}

function enumFault({ width, variants }: EnumDescriptor): string | undefined {
  if (![1, 2, 4, 8].includes(width)) return `a discriminant takes 1, 2, 4 or 8 bytes, not ${width}`;
  const names = variants.map(({ name }) => name);
  const name = repeated(names);
  if (name !== undefined) return `two variants are named ${quoted(name)}`;
  const numbers = variants.map(({ discriminant }) => discriminant);
  const discriminant = repeated(numbers);
  if (discriminant !== undefined) return `two variants have the discriminant ${discriminant}`;
  const bad = numbers.find((number) => !isCount(number) || (width < 8 && number >= 2 ** (8 * width)));
  if (bad !== undefined) return `the discriminant ${bad} does not fit ${width} byte${width === 1 ? "" : "s"}`;
  if (numbers.some((number, i) => i > 0 && number < numbers[i - 1]!))
    return "variants do not ascend by discriminant";
  for (const { fields } of variants) {
    const fault = fieldsFault(fields);
    if (fault !== undefined) return fault;
  }
  return firstText(names);
}

function firstText(names: readonly string[]): string | undefined {
  const bad = names.find((name) => !name.isWellFormed());
  return bad === undefined ? undefined : textFault(bad);
}

function repeated<T>(values: readonly T[]): T | undefined {
  if (new Set(values).size === values.length) return undefined;
  const seen = new Set<T>();
  return values.find((value) => seen.size === seen.add(value).size);
}

/** A sequence or a packed wrapper where none may stand: rule 3. */
function standingFault(type: Descriptor): string | undefined {
  const targets = targetsOf(type);
  const bad = targets.find((target, i) => !mayStand(type, target, i));
  if (bad === undefined) return undefined;
  return bad.kind === "packed"
    ? "a packed wrapper stands only behind a pointer"
    : "a sequence stands only behind a pointer or in a small value";
}

function mayStand(type: Descriptor, target: Descriptor, edge: number): boolean {
  if (target.kind === "packed") return type.kind === "pointer";
  if (target.kind !== "sequence") return true;
  return type.kind === "pointer" || type.kind === "packed" || (type.kind === "small" && edge === 0);
}

/** What contains itself, and what has too many parts: rules 5 and 7. */
function inlineFault(nodes: readonly Descriptor[]): Fault | undefined {
  const parts = new Map<Descriptor, number>();
  for (const node of nodes) {
    const cyclic = foldInline(node, parts, (type, known) =>
      inlineTargetsOf(type).reduce((sum, part) => sum + known(part), 1),
    );
    if (cyclic !== undefined)
      return { at: cyclic, message: "a type contains itself inline; put a box or a vector in between" };
    if (parts.get(node)! > partsMax)
      return { at: node, message: `a value has more than ${partsMax} parts inline` };
  }
  return undefined;
}

/** Rules 4 and 7, as far as they concern sizes; nothing contains itself. */
function sizeFault(type: Descriptor, slots: Map<Descriptor, number>): string | undefined {
  if (slotBytes(type, slots) > u32Max) return "a slot takes more than 2^32 − 1 bytes";
  if (type.kind !== "slotted" && type.kind !== "sequence") return undefined;
  const bytes = slotBytes(type.target, slots);
  if (type.kind === "slotted")
    return bytes === packedOnly ? "a type that has only a packed form cannot be forced slotted" : undefined;
  return bytes === 0 ? "elements that take no bytes cannot be counted in a vector" : undefined;
}

/** The path from `root` to `type`, by the fewest steps. */
function wayTo(root: Descriptor, type: Descriptor): string {
  const ways = new Map<Descriptor, Way | undefined>([[root, undefined]]);
  for (const [node, way] of ways) {
    if (node === type) return pathOf(way);
    targetsOf(node).forEach((target, edge) => {
      if (!ways.has(target)) ways.set(target, { step: stepOf(node, edge), before: way });
    });
  }
  return pathOf(undefined);
}
