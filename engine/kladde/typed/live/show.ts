/**
 * How live values look where a runtime prints them, as `console.log` does: their value behind the name of their class.
 *
 *  (1) What lies below is printed by its own class, as far as the printer goes down.
 */

import type { Node } from "./node.ts";

/** The name under which Node and others look for the method; a symbol of all realms. */
export const inspectKey = Symbol.for("nodejs.util.inspect.custom");

type Inspect = (value: unknown, options?: object) => string;

interface Shown {
  /** The value one level deep; what lies below stays live. */
  readonly plain: unknown;
  readonly name: string;
}

/** Classes that printers name: nothing but a name. */
const namedClasses = new Map<string, { readonly prototype: object }>();

function prototypeNamed(name: string, over: object): object {
  const known = namedClasses.get(name);
  if (known !== undefined) return known.prototype;
  const made = { [name]: class {} }[name]!;
  Object.setPrototypeOf(made.prototype, over);
  namedClasses.set(name, made);
  return made.prototype;
}

/** The printed form of a value whose class is called `name`. */
export function show({ plain, name }: Shown, options: object, inspect: Inspect | undefined): unknown {
  if (typeof plain !== "object" || plain === null) {
    const text = inspect === undefined ? JSON.stringify(plain) : inspect(plain, options);
    return `[${name}: ${text}]`;
  }
  return Object.setPrototypeOf(plain, prototypeNamed(name, Object.getPrototypeOf(plain) as object));
}

/** The method for classes of live values, to be put under `inspectKey`. */
export function inspectNode(this: Node, _depth: number, options: object, inspect?: Inspect): unknown {
  return show(this.$shown(), options, inspect);
}
