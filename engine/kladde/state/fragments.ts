/**
 * The fragment map: an ordered map from (id, offset) to what an allocation holds from that offset on. It ends at the
 * next key of the id, or at the id's size.
 *
 * A B+tree in shared columns. Leaf L owns slots [64·L, 64·L + fill[L]) of every column; the levels above are
 * `FragmentIndex`. An entry is named by its position, an index into the columns.
 *
 *  (1) Keys ascend strictly along the linked leaves. No leaf is empty.
 *  (2) Positions, and column fields read earlier, are void after `replaceRun`, `replaceBehind`, `insert`, `remove` and
 *      a bulk load. Kind, reference and place of an entry may be written through its position, its key only by
 *      `moveKey`. `floorNear` takes a void position.
 *  (3) Two neighbouring leaves that fit into three quarters of one are merged when one of them shrinks. Nothing else
 *      is rebalanced.
 *
 * Cost: a lookup is one descent, none where the last one ended; `next` reads a link every 64 entries. A change moves
 * at most one leaf's entries. 19 bytes an entry, no objects; freed leaves form a list through `nextLeaf`.
 */

import { assert } from "../../errors.ts";
import { grown } from "./columns.ts";
import { FragmentIndex } from "./fragment-index.ts";
import { FragmentBuilder, growEntries, StagedFragments } from "./fragment-rows.ts";

export {
  type FragmentBuilder,
  kindBytes,
  kindPending,
  kindZero,
  kindZeroByDefault,
  StagedFragments,
} from "./fragment-rows.ts";

const leafShift = 6;
const leafSlots = 1 << leafShift;
/** Less than a leaf holds, or the next insertion would split what was merged. */
const mergeSlotsMax = 48;
/** From this many rows on, a full leaf is cut where they go in, and they are appended to its front. */
const longRunRows = 16;
/** Positions stay below 2^31. */
const leavesMax = 2 ** 25;

export class FragmentMap {
  count = 0;
  /** Changes with every entry that comes, goes or moves: positions taken at one version hold while it lasts. */
  version = 0;
  keyId: Uint32Array = new Uint32Array(2 * leafSlots);
  keyOffset: Uint32Array = new Uint32Array(2 * leafSlots);
  kind: Uint8Array = new Uint8Array(2 * leafSlots);
  ref: Uint32Array = new Uint32Array(2 * leafSlots);
  page: Uint32Array = new Uint32Array(2 * leafSlots);
  pageOffset: Uint16Array = new Uint16Array(2 * leafSlots);
  #fill = new Uint8Array(2);
  #nextLeaf = new Uint32Array(2);
  #previousLeaf = new Uint32Array(2);
  /** Leaves ever used, leaf 0 (never used) included; those given back hang on `#freeLeaf`. */
  #leaves = 1;
  #freeLeaf = 0;
  #firstLeaf = 0;
  readonly #index = new FragmentIndex();

  /** Position of the entry with the greatest key that is not above `(id, offset)`; −1 if there is none. */
  floor(id: number, offset: number): number {
    const leaf = this.#index.find(id, offset);
    if (leaf === 0) return -1;
    const slot = this.#floorSlot(leaf, id, offset);
    return slot < 0 ? -1 : (leaf << leafShift) + slot;
  }

  /** The same as `floor`, for a key whose entry has been seen at position `seen`: dear only if it has gone elsewhere. */
  floorNear(seen: number, id: number, offset: number): number {
    const leaf = seen >>> leafShift;
    const last = (leaf << leafShift) + this.#fill[leaf]! - 1;
    if (seen <= last && this.keyId[seen] === id && this.keyOffset[seen] === offset) return seen;
    const first = leaf << leafShift;
    if (first > last || !this.#isUpTo(first, id, offset) || this.#isBelow(last, id, offset))
      return this.floor(id, offset);
    return first + this.#floorSlot(leaf, id, offset);
  }

  /** Position of the first entry whose key is not below `(id, offset)`; −1 if there is none. */
  seek(id: number, offset: number): number {
    const at = this.floor(id, offset);
    if (at < 0) return this.first();
    return this.keyId[at] === id && this.keyOffset[at] === offset ? at : this.next(at);
  }

  first(): number {
    return this.#firstLeaf === 0 ? -1 : this.#firstLeaf << leafShift;
  }

  /** Position of the entry behind the one at `at`; −1 if that is the last. */
  next(at: number): number {
    const leaf = at >>> leafShift;
    if ((at & (leafSlots - 1)) + 1 < this.#fill[leaf]!) return at + 1;
    const following = this.#nextLeaf[leaf]!;
    return following === 0 ? -1 : following << leafShift;
  }

  /** Position of the entry before the one at `at`; −1 if that is the first. */
  previous(at: number): number {
    if ((at & (leafSlots - 1)) !== 0) return at - 1;
    const preceding = this.#previousLeaf[at >>> leafShift]!;
    return preceding === 0 ? -1 : (preceding << leafShift) + this.#fill[preceding]! - 1;
  }

  /** Adds an entry; its key must be new. */
  insert(id: number, offset: number, kind: number, ref: number, page: number, pageOffset: number): void {
    this.version++;
    let leaf = this.#index.find(id, offset);
    if (leaf === 0) leaf = this.#startFirstLeaf();
    let slot = this.#floorSlot(leaf, id, offset) + 1;
    this.#requireNew(leaf, slot, id, offset);
    if (this.#fill[leaf] === leafSlots) {
      if (slot === leafSlots) {
        leaf = this.#addLeafAfter(leaf, id, offset);
        slot = 0;
      } else {
        const right = this.#splitLeaf(leaf, leafSlots / 2);
        if (slot > leafSlots / 2) {
          leaf = right;
          slot -= leafSlots / 2;
        }
      }
    }
    this.#openSlots(leaf, slot, 0, 1);
    this.#put((leaf << leafShift) + slot, id, offset, kind, ref, page, pageOffset);
    if (slot === 0) this.#index.setFirst(leaf, id, offset);
  }

  remove(at: number): void {
    this.replaceRun(at, 1, nothing);
  }

  /**
   * Puts the staged rows in the place of the `remove` entries from position `at` on. Their keys must ascend and lie
   * between those of the entries before and behind.
   */
  replaceRun(at: number, remove: number, staged: StagedFragments): void {
    this.#replace(at >>> leafShift, at & (leafSlots - 1), remove, staged);
  }

  /** The same for the `remove` entries behind position `at`, the last of all as well. */
  replaceBehind(at: number, remove: number, staged: StagedFragments): void {
    this.#replace(at >>> leafShift, (at & (leafSlots - 1)) + 1, remove, staged);
  }

  /** Lets the entry at `at` begin at `offset`, which must lie before the next one's. */
  moveKey(at: number, offset: number): void {
    this.version++;
    this.keyOffset[at] = offset;
    if ((at & (leafSlots - 1)) === 0) this.#indexFirst(at >>> leafShift);
  }

  #replace(leaf: number, slot: number, remove: number, staged: StagedFragments): void {
    this.version++;
    const at = (leaf << leafShift) + slot;
    const fill = this.#fill[leaf]!;
    const added = staged.count;
    const filled = fill - remove + added;
    if (slot + remove > fill || filled > leafSlots || filled === 0) {
      this.#replaceAcross(leaf, slot, remove, staged);
      return;
    }
    this.#openSlots(leaf, slot, remove, added);
    for (let row = 0; row < added; row++) this.#putStaged(at + row, staged, row);
    if (slot === 0) this.#indexFirst(leaf);
    if (added < remove) this.#mergeAround(leaf);
  }

  /** Fills the empty map from rows in key order. */
  bulkLoad(): FragmentBuilder {
    assert(this.count === 0 && this.#firstLeaf === 0, "a bulk load needs an empty fragment map");
    return new FragmentBuilder(
      (from, staged) => this.#appendLeaf(from, staged),
      () => this.#finishLoad(),
    );
  }

  /** Checks links, order, fills, index and free lists; for tests and checkers. */
  verify(): void {
    const leaves: number[] = [];
    let count = 0;
    let preceding = 0;
    for (let leaf = this.#firstLeaf; leaf !== 0; leaf = this.#nextLeaf[leaf]!) {
      assert(leaves.length < this.#leaves, "the leaves are linked in a circle");
      assert(this.#previousLeaf[leaf] === preceding, `leaf ${leaf} has a wrong link back`);
      assert(this.#fill[leaf]! > 0 && this.#fill[leaf]! <= leafSlots, `leaf ${leaf} has a bad fill`);
      count += this.#fill[leaf]!;
      leaves.push(leaf);
      preceding = leaf;
    }
    assert(count === this.count, `the leaves hold ${count} entries, not ${this.count}`);
    let at = this.first();
    for (let next = at < 0 ? -1 : this.next(at); next >= 0; at = next, next = this.next(at)) {
      assert(this.#isBelow(at, this.keyId[next]!, this.keyOffset[next]!), `the keys at ${at} do not ascend`);
      assert(this.previous(next) === at, `position ${next} has another predecessor`);
    }
    let free = 0;
    for (let leaf = this.#freeLeaf; leaf !== 0; leaf = this.#nextLeaf[leaf]!) free++;
    assert(leaves.length + free + 1 === this.#leaves, `${free} leaves are free, ${leaves.length} linked`);
    this.#index.verify(leaves, this.keyId, this.keyOffset);
  }

  #isUpTo(at: number, id: number, offset: number): boolean {
    const there = this.keyId[at]!;
    return there < id || (there === id && this.keyOffset[at]! <= offset);
  }

  #isBelow(at: number, id: number, offset: number): boolean {
    const there = this.keyId[at]!;
    return there < id || (there === id && this.keyOffset[at]! < offset);
  }

  #requireNew(leaf: number, slot: number, id: number, offset: number): void {
    if (slot === 0) return;
    const before = (leaf << leafShift) + slot - 1;
    // The message is made only when it is needed: insertion is hot.
    if (this.keyId[before] === id && this.keyOffset[before] === offset)
      assert(false, `the fragment map has (${id}, ${offset}) already`);
  }

  /** Slot of the leaf's greatest key that is not above the given one; −1 if all are above. */
  #floorSlot(leaf: number, id: number, offset: number): number {
    const ids = this.keyId;
    const offsets = this.keyOffset;
    const base = leaf << leafShift;
    let low = base;
    // What is left is halved, so that all numbers stay small integers to the compiler.
    for (let left = this.#fill[leaf]!; left > 0; ) {
      const half = (left + 1) >> 1;
      const probe = low + half - 1;
      const there = ids[probe]!;
      if (there < id || (there === id && offsets[probe]! <= offset)) low += half;
      left -= half;
    }
    return low - base - 1;
  }

  /** `replaceRun` where the run goes beyond its leaf, or the rows do, or nothing would be left of the leaf. */
  #replaceAcross(leaf: number, slot: number, remove: number, staged: StagedFragments): void {
    this.#removeRun(leaf, slot, remove);
    this.#insertRows(leaf, slot, staged);
    if (this.#fill[leaf] === 0) this.#releaseLeaf(leaf);
    else {
      if (slot === 0) this.#indexFirst(leaf);
      if (staged.count < remove) this.#mergeAround(leaf);
    }
  }

  /** Removes entries; later leaves that lose all of theirs go, the first one stays even when empty. */
  #removeRun(leaf: number, slot: number, remove: number): void {
    const here = Math.min(remove, this.#fill[leaf]! - slot);
    this.#openSlots(leaf, slot, here, 0);
    let rest = remove - here;
    while (rest > 0) {
      const following = this.#nextLeaf[leaf]!;
      assert(following !== 0, "a run reaches past the last fragment");
      const fill = this.#fill[following]!;
      if (fill <= rest) {
        this.count -= fill;
        this.#releaseLeaf(following);
        rest -= fill;
      } else {
        this.#openSlots(following, 0, rest, 0);
        this.#indexFirst(following);
        rest = 0;
      }
    }
  }

  /** Inserts all staged rows from `slot` of `leaf` on, which may be empty. */
  #insertRows(leaf: number, slot: number, staged: StagedFragments): void {
    let target = leaf;
    let to = slot;
    for (let row = 0; row < staged.count; row++, to++) {
      if (this.#fill[target] === leafSlots) {
        const cut = staged.count - row >= longRunRows || to === leafSlots ? to : leafSlots / 2;
        if (cut === leafSlots) {
          target = this.#addLeafAfter(target, staged.keyId[row]!, staged.keyOffset[row]!);
          to = 0;
        } else {
          const right = this.#splitLeaf(target, cut);
          if (to > cut) {
            target = right;
            to -= cut;
          }
        }
      }
      this.#openSlots(target, to, 0, 1);
      this.#putStaged((target << leafShift) + to, staged, row);
    }
  }

  /** Makes room for `added` entries where `removed` ones are. */
  #openSlots(leaf: number, slot: number, removed: number, added: number): void {
    if (removed === added) return;
    const fill = this.#fill[leaf]!;
    const from = (leaf << leafShift) + slot + removed;
    this.#move(from, from - removed + added, fill - slot - removed);
    this.#fill[leaf] = fill - removed + added;
    this.count += added - removed;
  }

  /** Entry by entry: for a leaf's worth, six calls of `copyWithin` cost twice as much and more. */
  #move(from: number, to: number, count: number): void {
    const { keyId, keyOffset, kind, ref, page, pageOffset } = this;
    const step = from < to ? -1 : 1;
    const start = from < to ? count - 1 : 0;
    for (let i = 0, source = from + start, target = to + start; i < count; i++) {
      keyId[target] = keyId[source]!;
      keyOffset[target] = keyOffset[source]!;
      kind[target] = kind[source]!;
      ref[target] = ref[source]!;
      page[target] = page[source]!;
      pageOffset[target] = pageOffset[source]!;
      source += step;
      target += step;
    }
  }

  #put(
    at: number,
    id: number,
    offset: number,
    kind: number,
    ref: number,
    page: number,
    pageOffset: number,
  ): void {
    this.keyId[at] = id;
    this.keyOffset[at] = offset;
    this.kind[at] = kind;
    this.ref[at] = ref;
    this.page[at] = page;
    this.pageOffset[at] = pageOffset;
  }

  #putStaged(at: number, staged: StagedFragments, row: number): void {
    this.keyId[at] = staged.keyId[row]!;
    this.keyOffset[at] = staged.keyOffset[row]!;
    this.kind[at] = staged.kind[row]!;
    this.ref[at] = staged.ref[row]!;
    this.page[at] = staged.page[row]!;
    this.pageOffset[at] = staged.pageOffset[row]!;
  }

  #indexFirst(leaf: number): void {
    this.#index.setFirst(leaf, this.keyId[leaf << leafShift]!, this.keyOffset[leaf << leafShift]!);
  }

  #startFirstLeaf(): number {
    const leaf = this.#allocateLeaf();
    this.#link(leaf, 0, 0);
    this.#index.start(leaf);
    return leaf;
  }

  /** An empty leaf behind `leaf`, for entries from the given key on. */
  #addLeafAfter(leaf: number, id: number, offset: number): number {
    const added = this.#allocateLeaf();
    this.#link(added, leaf, this.#nextLeaf[leaf]!);
    const base = leaf << leafShift;
    this.#index.addAfter(leaf, this.keyId[base]!, this.keyOffset[base]!, added, id, offset);
    return added;
  }

  /** Moves the entries of a full leaf from slot `cut` on to a new one behind it. */
  #splitLeaf(leaf: number, cut: number): number {
    const from = (leaf << leafShift) + cut;
    const right = this.#addLeafAfter(leaf, this.keyId[from]!, this.keyOffset[from]!);
    this.#move(from, right << leafShift, leafSlots - cut);
    this.#fill[right] = leafSlots - cut;
    this.#fill[leaf] = cut;
    return right;
  }

  #mergeAround(leaf: number): void {
    const fill = this.#fill[leaf]!;
    const right = this.#nextLeaf[leaf]!;
    const left = this.#previousLeaf[leaf]!;
    if (right !== 0 && fill + this.#fill[right]! <= mergeSlotsMax) this.#absorb(leaf, right);
    else if (left !== 0 && fill + this.#fill[left]! <= mergeSlotsMax) this.#absorb(left, leaf);
  }

  /** Moves all entries of `right` to the end of `left`, its neighbour. */
  #absorb(left: number, right: number): void {
    const fill = this.#fill[left]!;
    this.#move(right << leafShift, (left << leafShift) + fill, this.#fill[right]!);
    this.#fill[left] = fill + this.#fill[right]!;
    this.#releaseLeaf(right);
  }

  #link(leaf: number, left: number, right: number): void {
    this.#previousLeaf[leaf] = left;
    this.#nextLeaf[leaf] = right;
    if (left !== 0) this.#nextLeaf[left] = leaf;
    else this.#firstLeaf = leaf;
    if (right !== 0) this.#previousLeaf[right] = leaf;
  }

  #allocateLeaf(): number {
    let leaf = this.#freeLeaf;
    if (leaf !== 0) this.#freeLeaf = this.#nextLeaf[leaf]!;
    else {
      leaf = this.#leaves++;
      if (leaf === this.#fill.length) this.#growLeaves();
    }
    this.#fill[leaf] = 0;
    return leaf;
  }

  /** The leaf must still be in the index. Without entries nobody takes it for where a key was seen. */
  #releaseLeaf(leaf: number): void {
    this.#fill[leaf] = 0;
    const left = this.#previousLeaf[leaf]!;
    const right = this.#nextLeaf[leaf]!;
    if (left !== 0) this.#nextLeaf[left] = right;
    else this.#firstLeaf = right;
    if (right !== 0) this.#previousLeaf[right] = left;
    this.#index.remove(leaf);
    this.#nextLeaf[leaf] = this.#freeLeaf;
    this.#freeLeaf = leaf;
  }

  #growLeaves(): void {
    assert(this.#leaves <= leavesMax, "too many fragments");
    this.#fill = grown(this.#fill, this.#leaves);
    this.#nextLeaf = grown(this.#nextLeaf, this.#fill.length);
    this.#previousLeaf = grown(this.#previousLeaf, this.#fill.length);
    this.#index.ensureLeaves(this.#fill.length);
    growEntries(this, this.#fill.length << leafShift);
  }

  /** Puts the staged rows, at most a leaf of them, into a new leaf behind `last`; 0 starts. The index waits. */
  #appendLeaf(last: number, staged: StagedFragments): number {
    const leaf = this.#allocateLeaf();
    this.#link(leaf, last, 0);
    const base = leaf << leafShift;
    const { count } = staged;
    this.keyId.set(staged.keyId.subarray(0, count), base);
    this.keyOffset.set(staged.keyOffset.subarray(0, count), base);
    this.kind.set(staged.kind.subarray(0, count), base);
    this.ref.set(staged.ref.subarray(0, count), base);
    this.page.set(staged.page.subarray(0, count), base);
    this.pageOffset.set(staged.pageOffset.subarray(0, count), base);
    this.#fill[leaf] = count;
    this.count += count;
    return leaf;
  }

  #finishLoad(): void {
    const leaves: number[] = [];
    for (let leaf = this.#firstLeaf; leaf !== 0; leaf = this.#nextLeaf[leaf]!) leaves.push(leaf);
    this.#index.build(leaves, this.keyId, this.keyOffset);
  }
}

const nothing = new StagedFragments();
