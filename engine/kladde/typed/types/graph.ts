/**
 * Walking descriptor graphs, which may be deep, wide and cyclic: nothing here recurses.
 *
 *  (1) `nodesOf` is in the order in which a depth-first walk from the root first meets the descriptors; it is also the
 *      numbering of the canonical table.
 *  (2) Descriptors are told apart as objects, never by content.
 *
 * Cost: linear in descriptors and references.
 */

import type { Descriptor, FieldDescriptor } from "./descriptor.ts";

const none: readonly Descriptor[] = [];
const typeOf = (field: FieldDescriptor): Descriptor => field.type;

/** What `descriptor` refers to, in the order of its bytes. */
export function targetsOf(descriptor: Descriptor): readonly Descriptor[] {
  switch (descriptor.kind) {
    case "primitive":
      return none;
    case "struct":
      return descriptor.fields.map(typeOf);
    case "enum":
      return descriptor.variants.flatMap(({ fields }) => fields.map(typeOf));
    case "opaque":
      return descriptor.parameters;
    case "small":
      return [descriptor.content, descriptor.spilled];
    default:
      return [descriptor.target];
  }
}

/** What lies inside a value of `descriptor` as a part of fixed place: fields, and what is forced slotted. */
export function inlineTargetsOf(descriptor: Descriptor): readonly Descriptor[] {
  const { kind } = descriptor;
  return kind === "struct" || kind === "enum" || kind === "slotted" ? targetsOf(descriptor) : none;
}

/** `root` and everything it reaches. */
export function nodesOf(root: Descriptor): Descriptor[] {
  const found = new Set<Descriptor>();
  const stack = [root];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    const targets = targetsOf(next);
    for (let i = targets.length - 1; i >= 0; i--) if (!found.has(targets[i]!)) stack.push(targets[i]!);
  }
  return [...found];
}

interface Frame {
  readonly node: Descriptor;
  readonly targets: readonly Descriptor[];
  next: number;
}

/**
 * Computes a number for `root` and everything inline in it, parts first. `undefined` from `memo` means not yet known;
 * results are kept there. Returns the descriptor that contains itself inline, if there is one, else nothing.
 */
export function foldInline(
  root: Descriptor,
  memo: Map<Descriptor, number>,
  combine: (node: Descriptor, known: (part: Descriptor) => number) => number,
): Descriptor | undefined {
  if (memo.has(root)) return undefined;
  const open = new Set([root]);
  const known = (part: Descriptor): number => memo.get(part)!;
  const stack: Frame[] = [{ node: root, targets: inlineTargetsOf(root), next: 0 }];
  while (stack.length > 0) {
    const frame = stack[stack.length - 1]!;
    const target = frame.targets[frame.next++];
    if (target === undefined) {
      memo.set(frame.node, combine(frame.node, known));
      open.delete(frame.node);
      stack.pop();
    } else if (open.has(target)) {
      return target;
    } else if (!memo.has(target)) {
      open.add(target);
      stack.push({ node: target, targets: inlineTargetsOf(target), next: 0 });
    }
  }
  return undefined;
}
