/**
 * The upper levels of the fragment map: from a key to the leaf that holds it.
 *
 * Inner nodes live in shared columns: node N owns slots [64·N, 64·N + fill[N]) of `separatorId`, `separatorOffset`
 * and `child`. Nodes of level 1 have leaves as children, those above have nodes.
 *
 *  (1) A separator is the first key of its child, in slot 0 too. So the leaf that a key leads to holds the greatest
 *      key not above it, and only the first leaf can lack one.
 *  (2) Every node but the root knows its parent; the root's parent is 0. Node 0 and leaf 0 are never used.
 *  (3) No node is empty, and the root has at least two children.
 *  (4) A search begins where the last one ended and goes forward in that node of level 1, however it has changed since:
 *      between two of its separators the leaf is certain. It begins at the root only where they do not tell.
 *
 * Cost: `find` is six comparisons a level, or four in all for the leaf of the last search or the next one. Changes are
 * one node's shift, and one split or merge in about thirty. No objects: freed nodes form a list through `parent`.
 */

import { assert } from "../../errors.ts";
import { grown } from "./columns.ts";

const nodeShift = 6;
const nodeSlots = 1 << nodeShift;
/** Two neighbours become one when this many suffice: less than a node holds, or the next change splits it again. */
const mergeSlotsMax = 48;
/** A bulk load leaves room, so that the first insertions split nothing. */
const bulkSlots = 56;

export class FragmentIndex {
  #root = 0;
  /** Levels above the leaves. */
  #height = 0;
  #separatorId = new Uint32Array(2 * nodeSlots);
  #separatorOffset = new Uint32Array(2 * nodeSlots);
  #child = new Uint32Array(2 * nodeSlots);
  #fill = new Uint8Array(2);
  #level = new Uint8Array(2);
  #parent = new Uint32Array(2);
  #leafParent = new Uint32Array(2);
  /** Nodes ever used, node 0 included; those given back hang on `#free`. */
  #nodes = 1;
  #free = 0;
  /** Slot of level 1 that the last search ended in; 0 if that node is gone. */
  #found = 0;

  /** The leaf to which a key belongs; 0 if there are none. */
  find(id: number, offset: number): number {
    const found = this.#found;
    const last = (found & -nodeSlots) + this.#fill[found >>> nodeShift]! - 1;
    if (found < last && this.#reaches(found, id, offset) && !this.#reaches(last, id, offset)) {
      const near = this.#gallop(found, last, id, offset);
      this.#found = near;
      return this.#child[near]!;
    }
    let node = this.#root;
    for (let level = this.#height; level > 0; level--) {
      const first = node << nodeShift;
      const slot = this.#search(first, first + this.#fill[node]!, id, offset);
      if (level === 1) this.#found = slot;
      node = this.#child[slot]!;
    }
    return node;
  }

  /** Whether a key lies at or behind the separator in `slot`. */
  #reaches(slot: number, id: number, offset: number): boolean {
    const there = this.#separatorId[slot]!;
    return there < id || (there === id && this.#separatorOffset[slot]! <= offset);
  }

  /** The last slot in `[low, end)` that a key reaches; it reaches `low`, unless it lies before the whole map. */
  #search(low: number, end: number, id: number, offset: number): number {
    let slot = low;
    let above = end;
    while (above - slot > 1) {
      const middle = (slot + above) >>> 1;
      if (this.#reaches(middle, id, offset)) slot = middle;
      else above = middle;
    }
    return slot;
  }

  /** As `#search` in `[low, last)`, for a key that does not reach `last`, in steps that double. */
  #gallop(low: number, last: number, id: number, offset: number): number {
    let slot = low;
    let step = 1;
    while (slot + step < last && this.#reaches(slot + step, id, offset)) {
      slot += step;
      step *= 2;
    }
    return this.#search(slot, Math.min(slot + step, last), id, offset);
  }

  /** Room for leaves with numbers below `count`. */
  ensureLeaves(count: number): void {
    if (count > this.#leafParent.length) this.#leafParent = grown(this.#leafParent, count);
  }

  /** The first leaf of an empty map. */
  start(leaf: number): void {
    assert(this.#root === 0, "the fragment index has leaves already");
    this.#root = leaf;
    this.#leafParent[leaf] = 0;
  }

  /** Puts leaf `added`, with first key `(id, offset)`, behind `leaf`, whose own first key is given too. */
  addAfter(
    leaf: number,
    leafId: number,
    leafOffset: number,
    added: number,
    id: number,
    offset: number,
  ): void {
    const node = this.#leafParent[leaf]!;
    if (node === 0) this.#makeRoot(1, leaf, leafId, leafOffset, added, id, offset);
    else this.#insertChild(node, this.#slotOf(node, leaf) + 1, added, id, offset);
  }

  /** Says that `leaf` now begins with `(id, offset)`. */
  setFirst(leaf: number, id: number, offset: number): void {
    this.#propagateFirst(this.#leafParent[leaf]!, leaf, id, offset);
  }

  remove(leaf: number): void {
    const node = this.#leafParent[leaf]!;
    if (node !== 0) this.#removeChild(node, this.#slotOf(node, leaf));
    else this.#root = 0;
  }

  /** Builds all levels over `leaves`, given in key order; the first keys are those at slot 64·leaf of the columns. */
  build(leaves: number[], keyId: Uint32Array, keyOffset: Uint32Array): void {
    assert(this.#root === 0, "the fragment index has leaves already");
    let below = leaves;
    let ids = keyId;
    let offsets = keyOffset;
    for (this.#height = 0; below.length > 1; this.#height++) {
      const nodes: number[] = [];
      for (let i = 0; i < below.length; i += bulkSlots) {
        const node = this.#allocate(this.#height + 1);
        const end = Math.min(below.length, i + bulkSlots);
        for (let j = i; j < end; j++) {
          const child = below[j]!;
          this.#put(node, j - i, child, ids[child * nodeSlots]!, offsets[child * nodeSlots]!);
        }
        this.#fill[node] = end - i;
        nodes.push(node);
      }
      below = nodes;
      ids = this.#separatorId;
      offsets = this.#separatorOffset;
    }
    this.#root = below[0] ?? 0;
    if (this.#height === 0) this.#leafParent[this.#root] = 0;
    else this.#parent[this.#root] = 0;
  }

  /** Checks every node, and that the leaves, in order, are `leaves` with the first keys of the columns. */
  verify(leaves: number[], keyId: Uint32Array, keyOffset: Uint32Array): void {
    let used = 0;
    let below: number[] = this.#root === 0 ? [] : [this.#root];
    if (this.#height > 0) {
      assert(this.#fill[this.#root]! >= 2, "the root has fewer than two children");
      assert(this.#parent[this.#root] === 0, "the root has a parent");
    } else if (this.#root !== 0) assert(this.#leafParent[this.#root] === 0, "the only leaf has a parent");
    for (let level = this.#height; level > 0; level--) {
      used += below.length;
      below = below.flatMap((node) => this.#verifyNode(node, level, keyId, keyOffset));
    }
    assert(below.length === leaves.length, `${leaves.length} leaves are linked, ${below.length} are indexed`);
    for (let i = 0; i < leaves.length; i++) assert(below[i] === leaves[i], `leaf ${i} is another one`);
    let free = 0;
    for (let node = this.#free; node !== 0; node = this.#parent[node]!) free++;
    assert(used + free + 1 === this.#nodes, `${this.#nodes} nodes, of which ${used} used and ${free} free`);
  }

  #verifyNode(node: number, level: number, keyId: Uint32Array, keyOffset: Uint32Array): number[] {
    const at = node * nodeSlots;
    assert(this.#level[node] === level, `node ${node} has the wrong level`);
    assert(this.#fill[node]! > 0 && this.#fill[node]! <= nodeSlots, `node ${node} has a bad fill`);
    const children = [...this.#child.subarray(at, at + this.#fill[node]!)];
    const [ids, offsets, parents] =
      level === 1
        ? [keyId, keyOffset, this.#leafParent]
        : [this.#separatorId, this.#separatorOffset, this.#parent];
    children.forEach((child, i) => {
      assert(parents[child] === node, `child ${child} of node ${node} has another parent`);
      const isFirst =
        this.#separatorId[at + i] === ids[child * nodeSlots] &&
        this.#separatorOffset[at + i] === offsets[child * nodeSlots];
      assert(isFirst, `separator ${i} of node ${node} is not the first key of its child`);
    });
    return children;
  }

  #makeRoot(
    level: number,
    left: number,
    leftId: number,
    leftOffset: number,
    right: number,
    rightId: number,
    rightOffset: number,
  ): void {
    const node = this.#allocate(level);
    this.#put(node, 0, left, leftId, leftOffset);
    this.#put(node, 1, right, rightId, rightOffset);
    this.#fill[node] = 2;
    this.#parent[node] = 0;
    this.#root = node;
    this.#height = level;
  }

  /** `slot` is never 0: a new child always follows another. */
  #insertChild(node: number, slot: number, child: number, id: number, offset: number): void {
    const fill = this.#fill[node]!;
    if (fill < nodeSlots) {
      this.#moveSlots(node * nodeSlots + slot, node * nodeSlots + slot + 1, fill - slot);
      this.#put(node, slot, child, id, offset);
      this.#fill[node] = fill + 1;
      return;
    }
    const right = this.#allocate(this.#level[node]!);
    if (slot === nodeSlots) {
      // Insertion in key order: full nodes stay full.
      this.#put(right, 0, child, id, offset);
      this.#fill[right] = 1;
      this.#attachAfter(node, right);
      return;
    }
    const half = nodeSlots / 2;
    this.#giveChildren(node, half, right, 0, half);
    this.#fill[node] = half;
    this.#fill[right] = half;
    this.#attachAfter(node, right);
    if (slot <= half) this.#insertChild(node, slot, child, id, offset);
    else this.#insertChild(right, slot - half, child, id, offset);
  }

  #attachAfter(node: number, right: number): void {
    const at = node * nodeSlots;
    const rightAt = right * nodeSlots;
    const id = this.#separatorId[rightAt]!;
    const offset = this.#separatorOffset[rightAt]!;
    const parent = this.#parent[node]!;
    if (parent !== 0) this.#insertChild(parent, this.#slotOf(parent, node) + 1, right, id, offset);
    else {
      const level = this.#level[node]! + 1;
      this.#makeRoot(level, node, this.#separatorId[at]!, this.#separatorOffset[at]!, right, id, offset);
    }
  }

  #removeChild(node: number, slot: number): void {
    const at = node * nodeSlots;
    const fill = this.#fill[node]! - 1;
    const parent = this.#parent[node]!;
    this.#moveSlots(at + slot + 1, at + slot, fill - slot);
    this.#fill[node] = fill;
    if (fill === 0) {
      this.#removeChild(parent, this.#slotOf(parent, node));
      this.#release(node);
    } else if (parent === 0) {
      if (fill === 1) this.#lowerRoot();
    } else {
      if (slot === 0) this.#propagateFirst(parent, node, this.#separatorId[at]!, this.#separatorOffset[at]!);
      if (fill <= mergeSlotsMax / 2) this.#mergeAround(node, parent);
    }
  }

  #lowerRoot(): void {
    while (this.#height > 0 && this.#fill[this.#root] === 1) {
      const old = this.#root;
      this.#root = this.#child[old * nodeSlots]!;
      this.#height--;
      if (this.#height === 0) this.#leafParent[this.#root] = 0;
      else this.#parent[this.#root] = 0;
      this.#release(old);
    }
  }

  #mergeAround(node: number, parent: number): void {
    const at = parent * nodeSlots;
    const slot = this.#slotOf(parent, node);
    const fill = this.#fill[node]!;
    const right = slot + 1 < this.#fill[parent]! ? this.#child[at + slot + 1]! : 0;
    const left = slot > 0 ? this.#child[at + slot - 1]! : 0;
    if (right !== 0 && fill + this.#fill[right]! <= mergeSlotsMax)
      this.#absorb(node, right, parent, slot + 1);
    else if (left !== 0 && fill + this.#fill[left]! <= mergeSlotsMax) this.#absorb(left, node, parent, slot);
  }

  /** Moves all of `right`, child `slot` of `parent`, to the end of `left`. */
  #absorb(left: number, right: number, parent: number, slot: number): void {
    const fill = this.#fill[left]!;
    this.#giveChildren(right, 0, left, fill, this.#fill[right]!);
    this.#fill[left] = fill + this.#fill[right]!;
    this.#release(right);
    this.#removeChild(parent, slot);
  }

  /** Copies `count` children from slot `from` of `node` to slot `to` of `heir`, their parent from now on. */
  #giveChildren(node: number, from: number, heir: number, to: number, count: number): void {
    const source = node * nodeSlots + from;
    for (let i = 0; i < count; i++) {
      const id = this.#separatorId[source + i]!;
      this.#put(heir, to + i, this.#child[source + i]!, id, this.#separatorOffset[source + i]!);
    }
  }

  #put(node: number, slot: number, child: number, id: number, offset: number): void {
    const at = node * nodeSlots + slot;
    this.#child[at] = child;
    this.#separatorId[at] = id;
    this.#separatorOffset[at] = offset;
    if (this.#level[node] === 1) this.#leafParent[child] = node;
    else this.#parent[child] = node;
  }

  /** `(id, offset)` is the first key of `child`, and of every ancestor in which that is the first of all. */
  #propagateFirst(node: number, child: number, id: number, offset: number): void {
    let below = child;
    for (let above = node; above !== 0; above = this.#parent[above]!) {
      const slot = this.#slotOf(above, below);
      this.#separatorId[above * nodeSlots + slot] = id;
      this.#separatorOffset[above * nodeSlots + slot] = offset;
      if (slot !== 0) return;
      below = above;
    }
  }

  #slotOf(node: number, child: number): number {
    const at = node * nodeSlots;
    const fill = this.#fill[node]!;
    for (let slot = 0; slot < fill; slot++) if (this.#child[at + slot] === child) return slot;
    assert(false, `node ${node} has no child ${child}`);
  }

  #moveSlots(from: number, to: number, count: number): void {
    if (count === 0) return;
    this.#separatorId.copyWithin(to, from, from + count);
    this.#separatorOffset.copyWithin(to, from, from + count);
    this.#child.copyWithin(to, from, from + count);
  }

  #allocate(level: number): number {
    let node = this.#free;
    if (node !== 0) this.#free = this.#parent[node]!;
    else {
      node = this.#nodes++;
      if (node === this.#fill.length) this.#grow();
    }
    this.#level[node] = level;
    this.#fill[node] = 0;
    return node;
  }

  #release(node: number): void {
    if (this.#found >>> nodeShift === node) this.#found = 0;
    this.#parent[node] = this.#free;
    this.#free = node;
  }

  #grow(): void {
    const nodes = this.#nodes;
    this.#fill = grown(this.#fill, nodes);
    this.#level = grown(this.#level, nodes);
    this.#parent = grown(this.#parent, nodes);
    this.#separatorId = grown(this.#separatorId, this.#fill.length * nodeSlots);
    this.#separatorOffset = grown(this.#separatorOffset, this.#fill.length * nodeSlots);
    this.#child = grown(this.#child, this.#fill.length * nodeSlots);
  }
}
