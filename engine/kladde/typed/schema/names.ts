/** Which names fields and variants may have, in JavaScript and in the file. */

import type { Placement, Shape } from "./definition.ts";
import { SchemaError } from "./error.ts";

/** What instances have by themselves. */
const taken: ReadonlySet<string> = new Set(["constructor", "toJSON", "__proto__"]);

/** The properties of a shape in their order, which is the layout's. */
export function propertiesOf(shape: Shape, at: string): readonly string[] {
  if (Object.getOwnPropertySymbols(shape).length > 0)
    throw new SchemaError("a symbol cannot be the name of a field", at);
  const properties = Object.keys(shape);
  for (const property of properties) requireProperty(property, at);
  return properties;
}

function requireProperty(property: string, at: string): void {
  const name = JSON.stringify(property);
  if (/^(?:0|[1-9]\d*)$/.test(property))
    throw new SchemaError(
      `the name ${name} is a whole number, which JavaScript puts before all other names whatever the order ` +
        "they are written in; use k.tuple, or another name and .named()",
      at,
    );
  if (property.startsWith("$"))
    throw new SchemaError(`the name ${name} begins with $, as what objects keep for themselves does`, at);
  if (taken.has(property))
    throw new SchemaError(`every object has its own ${name}; use another property and .named(${name})`, at);
  requireNameText(property, at);
}

export function requireNameText(name: string, at: string): void {
  if (!name.isWellFormed())
    throw new SchemaError(`the name ${JSON.stringify(name)} has half a surrogate pair`, at);
}

interface Named {
  readonly property: string;
  readonly placement: Placement;
}

/** No two fields may have, or have had, one name in the file. */
export function requireDistinct(fields: readonly Named[], at: string): void {
  const owners = new Map<string, string>();
  const claim = (name: string, property: string): void => {
    requireNameText(name, at);
    const owner = owners.get(name);
    if (owner !== undefined)
      throw new SchemaError(
        owner === property
          ? `${property} says the name ${JSON.stringify(name)} twice`
          : `${owner} and ${property} both have the name ${JSON.stringify(name)} in files`,
        at,
      );
    owners.set(name, property);
  };
  for (const { property, placement } of fields) claim(placement.persisted ?? property, property);
  for (const { property, placement } of fields) {
    for (const name of placement.former ?? []) claim(name, property);
  }
}

export function listOf(words: string | readonly string[] | undefined): readonly string[] {
  if (words === undefined) return [];
  return typeof words === "string" ? [words] : [...words];
}
