/**
 * What differs between the type that is expected and the one found in a file, as sentences at value paths.
 *
 *  (1) There is a difference exactly if `sameLayout` says no.
 *  (2) Fields and variants are matched by name; what is matched is compared further. A pair of types that occurs at
 *      several paths is reported at the one with the fewest steps.
 *  (3) At most `differencesMax` are listed, and one more that says so.
 */

import { AssumedEqual, sameSelf, sameVersion } from "./compare.ts";
import type { Descriptor, EnumDescriptor, FieldDescriptor, OpaqueDescriptor } from "./descriptor.ts";
import { targetsOf } from "./graph.ts";
import { typeName } from "./name.ts";
import { clip, pathOf, quoted, stepOf, type Way } from "./path.ts";
import { containerOf } from "./shapes.ts";

export const differencesMax = 100;

export interface Difference {
  /** Path of the values concerned, such as `notes[].title`; `value` for the root. */
  readonly at: string;
  readonly message: string;
}

interface Pair {
  readonly expected: Descriptor;
  readonly found: Descriptor;
  readonly way: Way | undefined;
}

/** What in `found` is not as in `expected`. */
export function differences(expected: Descriptor, found: Descriptor): Difference[] {
  const assumed = new AssumedEqual();
  const list: Difference[] = [];
  const queue: Pair[] = [{ expected, found, way: undefined }];
  for (const pair of queue) {
    if (!assumed.join(pair.expected, pair.found)) continue;
    const messages = messagesOf(pair.expected, pair.found);
    const at = messages.length > 0 ? pathOf(pair.way) : "";
    for (const message of messages) {
      if (list.length === differencesMax)
        return [...list, { at: "value", message: `there are more than ${differencesMax} differences` }];
      list.push({ at, message });
    }
    if (containerOf(pair.expected) === containerOf(pair.found)) queue.push(...matched(pair));
  }
  return list;
}

function messagesOf(expected: Descriptor, found: Descriptor): string[] {
  if (containerOf(expected) !== containerOf(found))
    return [`expected ${typeName(expected)}, found ${typeName(found)}`];
  if (sameSelf(expected, found)) return [];
  if (expected.kind === "struct" && found.kind === "struct")
    return fieldMessages(expected.fields, found.fields, "");
  if (expected.kind === "enum" && found.kind === "enum") return enumMessages(expected, found);
  if (expected.kind === "opaque" && found.kind === "opaque") return opaqueMessages(expected, found);
  return [`expected ${typeName(expected)}, found ${typeName(found)}`];
}

const typed = (field: FieldDescriptor): string => `${quoted(field.name)} (${typeName(field.type)})`;

/** `of` is empty, or names the variant. */
function fieldMessages(
  expected: readonly FieldDescriptor[],
  found: readonly FieldDescriptor[],
  of: string,
): string[] {
  const expectedNames = new Set(expected.map(({ name }) => name));
  const foundNames = new Set(found.map(({ name }) => name));
  const missing = expected.filter(({ name }) => !foundNames.has(name));
  const extra = found.filter(({ name }) => !expectedNames.has(name));
  const messages = [
    ...missing.map((field) => `the field ${typed(field)}${of} is missing in the file`),
    ...extra.map((field) => `the file has a field ${typed(field)}${of} that is not expected`),
  ];
  const order = (fields: readonly FieldDescriptor[], names: Set<string>): string[] =>
    fields.map(({ name }) => name).filter((name) => names.has(name));
  const wanted = order(expected, foundNames);
  const stored = order(found, expectedNames);
  if (wanted.some((name, i) => name !== stored[i]))
    messages.push(`fields${of} are in another order: ${listed(wanted)} expected, ${listed(stored)} found`);
  return messages;
}

const listed = (names: readonly string[]): string => clip(names.join(", "));

function enumMessages(expected: EnumDescriptor, found: EnumDescriptor): string[] {
  const messages: string[] = [];
  if (expected.width !== found.width)
    messages.push(`discriminants take ${expected.width} bytes as expected, ${found.width} in the file`);
  const stored = new Map(found.variants.map((variant) => [variant.name, variant]));
  for (const { name, discriminant, fields } of expected.variants) {
    const other = stored.get(name);
    if (other === undefined) {
      messages.push(`the variant ${quoted(name)} is missing in the file`);
      continue;
    }
    stored.delete(name);
    if (discriminant !== other.discriminant)
      messages.push(
        `the variant ${quoted(name)} has the discriminant ${discriminant} as expected, ${other.discriminant} in the file`,
      );
    messages.push(...fieldMessages(fields, other.fields, ` of the variant ${quoted(name)}`));
  }
  for (const name of stored.keys())
    messages.push(`the file has a variant ${quoted(name)} that is not expected`);
  return messages;
}

function opaqueMessages(expected: OpaqueDescriptor, found: OpaqueDescriptor): string[] {
  const messages: string[] = [];
  const name = (type: OpaqueDescriptor): string => `${clip(type.library)}/${clip(type.type)}`;
  if (expected.library !== found.library || expected.type !== found.type)
    messages.push(`expected the opaque type ${name(expected)}, found ${name(found)}`);
  if (!sameVersion(expected.version, found.version))
    messages.push(`expected version ${expected.version.join(".")}, found ${found.version.join(".")}`);
  if (expected.inlineBytes !== found.inlineBytes)
    messages.push(`expected ${expected.inlineBytes} bytes, found ${found.inlineBytes}`);
  if (expected.parameters.length !== found.parameters.length)
    messages.push(`expected ${expected.parameters.length} parameters, found ${found.parameters.length}`);
  return messages;
}

/** Pairs of what `expected` and `found` both refer to: by name, or by position. */
function matched({ expected, found, way }: Pair): Pair[] {
  const pairs: Pair[] = [];
  const byKey = keyed(found);
  for (const [key, { type, edge }] of keyed(expected)) {
    const other = byKey.get(key);
    if (other !== undefined)
      pairs.push({ expected: type, found: other.type, way: { step: stepOf(expected, edge), before: way } });
  }
  return pairs;
}

/** What `type` refers to, under keys by which it is found in another type. */
function keyed(type: Descriptor): Map<string, { readonly type: Descriptor; readonly edge: number }> {
  const keys =
    type.kind === "struct"
      ? type.fields.map(({ name }) => name)
      : type.kind === "enum"
        ? type.variants.flatMap((variant) =>
            variant.fields.map((field) => JSON.stringify([variant.name, field.name])),
          )
        : targetsOf(type).map((_, i) => String(i));
  return new Map(targetsOf(type).map((target, edge) => [keys[edge]!, { type: target, edge }]));
}
