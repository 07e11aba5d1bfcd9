/**
 * Whether two descriptor graphs are one layout: what decides when fingerprints differ, since those depend on how a graph
 * shares its descriptors.
 *
 *  (1) Names of structs and enums do not matter; those of fields and variants do, and so does their order.
 *  (2) Pairs are assumed equal until something contradicts. Equality is transitive, so classes are kept instead of pairs
 *      and two graphs of m and n descriptors take at most m + n − 1 steps, also if they are made to be compared.
 */

import type { Descriptor, EnumDescriptor, FieldDescriptor, OpaqueDescriptor } from "./descriptor.ts";
import { targetsOf } from "./graph.ts";

/** Descriptors that are assumed equal, in classes. */
class AssumedEqual {
  private readonly towards = new Map<Descriptor, Descriptor>();

  /** Joins the classes of both; false if they were one already. */
  join(a: Descriptor, b: Descriptor): boolean {
    const from = this.representative(a);
    const to = this.representative(b);
    if (from === to) return false;
    this.towards.set(from, to);
    return true;
  }

  private representative(type: Descriptor): Descriptor {
    let at = type;
    for (;;) {
      const next = this.towards.get(at);
      if (next === undefined) return at;
      const after = this.towards.get(next);
      // Halving the way as it is walked keeps it short.
      if (after !== undefined) this.towards.set(at, after);
      at = next;
    }
  }
}

/** Whether values of `a` and `b` have the same bytes and the same names. */
export function sameLayout(a: Descriptor, b: Descriptor): boolean {
  const assumed = new AssumedEqual();
  const stack: [Descriptor, Descriptor][] = [[a, b]];
  for (let pair = stack.pop(); pair !== undefined; pair = stack.pop()) {
    const [left, right] = pair;
    if (!assumed.join(left, right)) continue;
    if (!sameSelf(left, right)) return false;
    const targets = targetsOf(right);
    targetsOf(left).forEach((target, i) => {
      stack.push([target, targets[i]!]);
    });
  }
  return true;
}

/** Whether `a` and `b` are alike as far as they do not refer to other types. */
function sameSelf(a: Descriptor, b: Descriptor): boolean {
  switch (a.kind) {
    case "primitive":
      return b.kind === "primitive" && a.code === b.code;
    case "struct":
      return b.kind === "struct" && sameNames(a.fields, b.fields);
    case "enum":
      return b.kind === "enum" && a.width === b.width && sameVariants(a, b);
    case "opaque":
      return b.kind === "opaque" && sameOpaque(a, b);
    default:
      return a.kind === b.kind;
  }
}

const sameNames = (a: readonly FieldDescriptor[], b: readonly FieldDescriptor[]): boolean =>
  a.length === b.length && a.every(({ name }, i) => name === b[i]!.name);

function sameVariants(a: EnumDescriptor, b: EnumDescriptor): boolean {
  return (
    a.variants.length === b.variants.length &&
    a.variants.every(({ discriminant, name, fields }, i) => {
      const other = b.variants[i]!;
      return discriminant === other.discriminant && name === other.name && sameNames(fields, other.fields);
    })
  );
}

const sameOpaque = (a: OpaqueDescriptor, b: OpaqueDescriptor): boolean =>
  a.library === b.library &&
  a.type === b.type &&
  sameVersion(a.version, b.version) &&
  a.inlineBytes === b.inlineBytes &&
  a.parameters.length === b.parameters.length;

/** Compatible versions: of one major number, or below 1 of one minor number. */
export function sameVersion(a: OpaqueDescriptor["version"], b: OpaqueDescriptor["version"]): boolean {
  return a[0] === b[0] && (a[0] > 0 || a[1] === b[1]);
}
