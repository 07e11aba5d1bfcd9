/**
 * Which table pages the next header reaches, and how: leaves directly, or through one layer of interior pages.
 *
 *  (1) Up to 600 leaves the header names them itself.
 *  (2) Beyond, interior pages of up to 800 references lie between. One whose children all stay is kept as it is; the
 *      children of the others, and the new leaves, go into the last one kept that has room, and into new ones.
 *  (3) A page that is dropped has given up its statements before.
 *
 * Cost: one pass over the child lists.
 */

import { assert } from "../../errors.ts";
import { pageInterior } from "../state/pages.ts";
import type { StoreState } from "../state/state.ts";

/** Leaves that a header may name without an interior layer. */
const directLeavesMax = 600;
/** References in an interior page; 5-byte deltas would fit just as well. */
const interiorChildrenMax = 800;

export interface Tree {
  /** Interior pages that stay as they are. */
  readonly kept: readonly number[];
  /** Child lists of interior pages that must be written. */
  readonly interiors: readonly (readonly number[])[];
  /** Leaves that the header names itself; empty with an interior layer. */
  readonly direct: readonly number[];
}

/** The leaves of the table as it stands, ascending within each parent. */
export function allLeaves(state: StoreState): number[] {
  const { pages } = state;
  return state.rootChildren.flatMap((page) => leavesUnder(state, page, pages.state[page] === pageInterior));
}

function leavesUnder(state: StoreState, page: number, interior: boolean): number[] {
  if (!interior) return [page];
  const children = state.pages.children.get(page)!;
  return children.flatMap((child) => leavesUnder(state, child, state.pages.state[child] === pageInterior));
}

/** The interior pages of the table as it stands. */
export function allInteriors(state: StoreState): number[] {
  const found: number[] = [];
  const queue = [...state.rootChildren];
  for (let page = queue.pop(); page !== undefined; page = queue.pop()) {
    if (state.pages.state[page] !== pageInterior) continue;
    found.push(page);
    queue.push(...state.pages.children.get(page)!);
  }
  return found;
}

const ascending = (a: number, b: number): number => a - b;

/** The tree over the leaves that stay (`rewritten` says which do not) and `newLeaves`. */
export function planTree(state: StoreState, newLeaves: readonly number[]): Tree {
  const staying = allLeaves(state).filter((leaf) => !state.rewritten.has(leaf));
  if (staying.length + newLeaves.length <= directLeavesMax)
    return { kept: [], interiors: [], direct: [...staying, ...newLeaves].sort(ascending) };
  const kept = state.rootChildren.filter((page) => staysWhole(state, page));
  const covered = new Set(kept.flatMap((page) => state.pages.children.get(page)!));
  const orphans = [...staying.filter((leaf) => !covered.has(leaf)), ...newLeaves];
  if (orphans.length === 0) return { kept, interiors: [], direct: [] };
  // The last one with room is written again with the newcomers, so that interior pages fill up.
  for (let i = kept.length - 1; i >= 0; i--) {
    const children = state.pages.children.get(kept[i]!)!;
    if (children.length >= interiorChildrenMax) continue;
    kept.splice(i, 1);
    orphans.push(...children);
    break;
  }
  return { kept, interiors: inGroups(orphans.sort(ascending)), direct: [] };
}

/** Whether `page` is an interior page over leaves only, none of which leaves. */
function staysWhole(state: StoreState, page: number): boolean {
  if (state.pages.state[page] !== pageInterior || state.rewritten.has(page)) return false;
  return state.pages.children
    .get(page)!
    .every((child) => !state.rewritten.has(child) && state.pages.state[child] !== pageInterior);
}

function inGroups(children: readonly number[]): number[][] {
  const groups: number[][] = [];
  for (let from = 0; from < children.length; from += interiorChildrenMax)
    groups.push(children.slice(from, from + interiorChildrenMax));
  assert(groups.length > 0, "an interior layer without children");
  return groups;
}
