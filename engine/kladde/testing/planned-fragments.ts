/**
 * Allocations made up fragment by fragment, for tests of what looks at descriptions: fragment map, statements and
 * pending rows are there, pages are not.
 */

import { tagInline, tagRef, tagZero } from "../format/statement.ts";
import { idExisting } from "../state/allocations.ts";
import { kindBytes, kindPending, kindZero, kindZeroByDefault } from "../state/fragments.ts";
import { originArena, placeData, placeInline, placeUnplaced, placeZero } from "../state/pending.ts";
import type { StoreState } from "../state/state.ts";

export type PlannedFragment =
  | {
      /** Bytes or zeros that a statement states. Fragments of one `statement` share it. */
      readonly kind: "ref" | "inline" | "zero";
      readonly bytes: number;
      readonly framing: number;
      readonly statement?: string;
    }
  | { readonly kind: "default"; readonly bytes: number }
  /** Taken by the flush in progress: unplaced, in a data page, inline, zeros. */
  | { readonly kind: "chunk" | "placed" | "inlined" | "zeroed"; readonly bytes: number };

const places = { chunk: placeUnplaced, placed: placeData, inlined: placeInline, zeroed: placeZero } as const;
const tags = { ref: tagRef, inline: tagInline, zero: tagZero } as const;

/** Page of the statements, and of the bytes. */
const somePage = 2;

/** Gives `state` the existing allocation `id`; returns where each fragment begins. */
export function planAllocation(
  state: StoreState,
  id: number,
  fragments: readonly PlannedFragment[],
): number[] {
  const { allocations } = state;
  const row = allocations.ensureRow(id);
  allocations.setState(id, row, idExisting);
  const statements = new Map<string, number>();
  const starts: number[] = [];
  let offset = 0;
  for (const fragment of fragments) {
    insert(state, id, offset, fragment, statements);
    starts.push(offset);
    offset += fragment.bytes;
  }
  allocations.setSize(row, offset);
  allocations.fragments[row] = fragments.length;
  return starts;
}

function insert(
  state: StoreState,
  id: number,
  offset: number,
  fragment: PlannedFragment,
  statements: Map<string, number>,
): void {
  const { fragments, slab, pending } = state;
  if (fragment.kind === "default") fragments.insert(id, offset, kindZeroByDefault, 0, 0, 0);
  else if ("framing" in fragment) {
    const shared = fragment.statement === undefined ? undefined : statements.get(fragment.statement);
    const statement = shared ?? slab.alloc(somePage, fragment.framing, id, tags[fragment.kind]);
    if (fragment.statement !== undefined) statements.set(fragment.statement, statement);
    state.pin(statement);
    if (fragment.kind === "zero") fragments.insert(id, offset, kindZero, statement, 0, 0);
    else fragments.insert(id, offset, kindBytes, statement, somePage, 11);
  } else {
    const row = pending.push(originArena, 0, places[fragment.kind], 0, 0);
    fragments.insert(id, offset, kindPending, row, 0, 0);
  }
}
