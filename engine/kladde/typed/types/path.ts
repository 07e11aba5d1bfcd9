/**
 * Value paths through types: where in a value of the root something of a type stands, such as `notes[].title`.
 *
 * Pointers and wrappers are invisible; an element is `[]`, a map's key `.keys()` and its value `.values()`, a variant's
 * field `.Circle.radius`.
 */

import type { Descriptor, EnumDescriptor } from "./descriptor.ts";
import { isMapSlot, isOption, isTuple } from "./shapes.ts";

/** Longer paths and names are shown without their middle. */
const shownCharactersMax = 160;

const identifier = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

/** The path's step from `from` to its target number `edge`, in the order of `targetsOf`. */
export function stepOf(from: Descriptor, edge: number): string {
  switch (from.kind) {
    case "struct":
      if (isMapSlot(from) && edge > 0) return edge === 1 ? ".keys()" : ".values()";
      return isTuple(from) ? `[${edge}]` : named(from.fields[edge]!.name);
    case "enum":
      return isOption(from) ? "" : variantStep(from, edge);
    case "opaque":
      return `<${edge}>`;
    case "sequence":
      return isMapSlot(from.target) ? "" : "[]";
    default:
      return "";
  }
}

function variantStep(from: EnumDescriptor, edge: number): string {
  let before = 0;
  for (const { name, fields } of from.variants) {
    const field = fields[edge - before];
    if (field !== undefined) return named(name) + named(field.name);
    before += fields.length;
  }
  return "";
}

const named = (name: string): string => (identifier.test(name) ? `.${clip(name)}` : `[${quoted(name)}]`);

/** A name as it stands in a sentence. */
export const quoted = (name: string): string => JSON.stringify(clip(name));

/** Without its middle if it is long. */
export function clip(text: string): string {
  if (text.length <= shownCharactersMax) return text;
  const half = shownCharactersMax / 2;
  return `${text.slice(0, half).toWellFormed()} … ${text.slice(-half).toWellFormed()}`;
}

/** A step and the way to it. */
export interface Way {
  readonly step: string;
  readonly before: Way | undefined;
}

/** The steps of `way` in one text; the root's is `value`. */
export function pathOf(way: Way | undefined): string {
  const steps: string[] = [];
  for (let at = way; at !== undefined; at = at.before) if (at.step !== "") steps.push(at.step);
  const path = steps.reverse().join("");
  return path === "" ? "value" : clip(path.startsWith(".") ? path.slice(1) : path);
}
