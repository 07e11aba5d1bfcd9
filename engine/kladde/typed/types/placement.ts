/**
 * Which encoding each place holds, carried down from the root: rule 6 of the descriptor rules.
 *
 *  (1) A place inherits the encoding of the value around it.
 *  (2) What a pointer points to starts slotted, or packed under a packed wrapper; what is forced slotted is slotted; a
 *      small value's content and spilled form are packed.
 *  (3) The root, and each parameter of an opaque type, is slotted if it has a slot.
 *
 * Each descriptor is looked at once per encoding, so cycles end.
 */

import type { Descriptor } from "./descriptor.ts";
import { targetsOf } from "./graph.ts";
import { packedOnly, slotBytes } from "./slots.ts";

/** A broken rule. */
export interface Fault {
  readonly at: Descriptor;
  readonly message: string;
}

/** A type without a slot in a place that is slotted. */
export function placementFault(root: Descriptor, slots: Map<Descriptor, number>): Fault | undefined {
  const startsSlotted = (type: Descriptor): boolean => slotBytes(type, slots) !== packedOnly;
  const seen = { slotted: new Set<Descriptor>(), packed: new Set<Descriptor>() };
  const stack: [Descriptor, boolean][] = [[root, startsSlotted(root)]];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [type, slotted] = next;
    const met = slotted ? seen.slotted : seen.packed;
    if (met.has(type)) continue;
    met.add(type);
    if (slotted && type.kind === "small")
      return { at: type, message: "a small value has no slot; it stands only inside packed values" };
    for (const target of targetsOf(type))
      stack.push([target, type.kind === "opaque" ? startsSlotted(target) : isSlottedIn(type, slotted)]);
  }
  return undefined;
}

/** Whether the places in `type` are slotted, if its own is `slotted`; a packed wrapper decides for what it wraps. */
function isSlottedIn(type: Descriptor, slotted: boolean): boolean {
  switch (type.kind) {
    case "packed":
    case "small":
      return false;
    case "pointer":
    case "slotted":
      return true;
    default:
      return slotted;
  }
}
