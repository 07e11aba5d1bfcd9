/**
 * Which table pages the next header reaches, and how: leaves directly, or through one layer of interior pages.
 *
 *  (1) Up to 600 leaves the header names them itself.
 *  (2) Beyond, interior pages of up to 800 references lie between. The layer is written anew whenever a leaf comes or
 *      goes: one page per 800 leaves and flush. A layer that need not change stays.
 *  (3) A page that is dropped has given up its statements before.
 *
 * Cost: one pass over the child lists.
 */

import { childListBytes } from "../format/statement.ts";
import { pageInterior } from "../state/pages.ts";
import type { StoreState } from "../state/state.ts";

/** Leaves that a header may name without an interior layer. */
const directLeavesMax = 600;
const interiorChildrenMax = 800;
/** Bytes a reference may need: its delta is a page number, at most 2^32. */
const childBytesMax = 5;

export interface Tree {
  /** Interior pages that stay as they are: all or none. */
  readonly kept: readonly number[];
  /** Child lists of the interior pages that must be written. */
  readonly interiors: readonly (readonly number[])[];
  /** Leaves that the header names itself; empty with an interior layer. */
  readonly direct: readonly number[];
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

/** The leaves that this flush does not drop, ascending. */
export function stayingLeaves(state: StoreState): number[] {
  const leaves: number[] = [];
  addStaying(state, state.rootChildren, leaves);
  for (let i = 1; i < leaves.length; i++)
    if (leaves[i]! < leaves[i - 1]!) return leaves.sort((a, b) => a - b);
  return leaves;
}

function addStaying(state: StoreState, children: readonly number[], leaves: number[]): void {
  for (const page of children) {
    const below = state.pages.state[page] === pageInterior ? state.pages.children.get(page) : undefined;
    if (below !== undefined) addStaying(state, below, leaves);
    else if (!state.rewritten.has(page)) leaves.push(page);
  }
}

/** The header's child list with `newLeaves` more leaves, encoded: what it may need before their pages are known. */
export function childListBytesMax(staying: readonly number[], newLeaves: number): number {
  const leaves = staying.length + newLeaves;
  if (leaves <= directLeavesMax) return childListBytes(staying) + newLeaves * childBytesMax;
  return 1 + childBytesMax * Math.ceil(leaves / interiorChildrenMax);
}

/** The tree over the leaves that stay and `newLeaves`. */
export function planTree(state: StoreState, staying: readonly number[], newLeaves: readonly number[]): Tree {
  const leaves = merged(staying, newLeaves);
  if (leaves.length <= directLeavesMax) return { kept: [], interiors: [], direct: leaves };
  const isUnchanged = newLeaves.length === 0 && state.rootChildren.every((page) => staysWhole(state, page));
  if (isUnchanged) return { kept: state.rootChildren, interiors: [], direct: [] };
  const interiors: number[][] = [];
  for (let from = 0; from < leaves.length; from += interiorChildrenMax)
    interiors.push(leaves.slice(from, from + interiorChildrenMax));
  return { kept: [], interiors, direct: [] };
}

/** Whether `page` is an interior page over leaves only, none of which leaves. */
function staysWhole(state: StoreState, page: number): boolean {
  if (state.pages.state[page] !== pageInterior || state.rewritten.has(page)) return false;
  return state.pages.children
    .get(page)!
    .every((child) => !state.rewritten.has(child) && state.pages.state[child] !== pageInterior);
}

/** Two ascending lists as one. */
function merged(a: readonly number[], b: readonly number[]): number[] {
  const all: number[] = [];
  let next = 0;
  for (const value of a) {
    while (next < b.length && b[next]! < value) all.push(b[next++]!);
    all.push(value);
  }
  while (next < b.length) all.push(b[next++]!);
  return all;
}
