/**
 * What a store knows in memory: the resolved content of every allocation and what each page is needed for.
 *
 *  (1) The fragments of an existing id cover `[0, size)` without gap or overlap; an id of size 0 has none.
 *  (2) Outside a flush no fragment is pending, and every one but `ZeroByDefault` names its statement.
 *  (3) Content bytes are charged to the page that holds them, framing to its statement's page while that is pinned.
 *  (4) What takes a place is charged before what leaves it is released, so a page's coverage never touches 0 by
 *      having its bytes restated.
 *
 * Cost: a change of content is one descent plus the fragments it meets.
 */

import { assert } from "../../errors.ts";
import { addressPage } from "../format/layout.ts";
import { AllocationTable } from "./allocations.ts";
import { DirtyRanges } from "./dirty.ts";
import {
  FragmentMap,
  kindBytes,
  kindPending,
  kindZero,
  kindZeroByDefault,
  StagedFragments,
} from "./fragments.ts";
import { noReclaim, type ReclaimHooks } from "./hooks.ts";
import { IdPool } from "./ids.ts";
import { PageTable } from "./pages.ts";
import { PendingTable, placeData } from "./pending.ts";
import { existedBefore, IdRecords } from "./records.ts";
import { StatementSlab } from "./slab.ts";

export class StoreState {
  readonly fragments = new FragmentMap();
  readonly slab = new StatementSlab();
  readonly allocations = new AllocationTable();
  readonly ids = new IdPool();
  readonly pages = new PageTable();
  hooks: ReclaimHooks = noReclaim;

  /** Epoch of the governing header, and its slot: a page that is resident like a leaf. */
  epoch = 0;
  headerPage = 0;
  /** Children of the header. */
  rootChildren: number[] = [];

  // Scratch of the flush in progress; empty outside one.
  readonly pending = new PendingTable();
  readonly dirty = new DirtyRanges();
  readonly records = new IdRecords();
  /** Table pages this flush drops. */
  readonly rewritten = new Set<number>();
  /** Pages whose coverage reached 0, some perhaps charged again since. */
  emptied: number[] = [];

  readonly #staged = new StagedFragments();

  pin(statement: number): void {
    this.slab.pins[statement]!++;
  }

  unpin(statement: number): void {
    const { slab } = this;
    if (--slab.pins[statement]! !== 0) return;
    this.uncover(slab.page[statement]!, slab.framing[statement]!);
    const row = this.allocations.row(slab.id[statement]!);
    this.allocations.statementBytes[row]! -= slab.framing[statement]!;
    slab.release(statement);
  }

  cover(page: number, bytes: number): void {
    this.pages.coverage[page]! += bytes;
    this.hooks.coverageChanged(page);
  }

  uncover(page: number, bytes: number): void {
    const left = this.pages.coverage[page]! - bytes;
    this.pages.coverage[page] = left;
    if (left < 0) assert(false, `page ${page} gave back more bytes than were charged to it`);
    if (left === 0) this.emptied.push(page);
    this.hooks.coverageChanged(page);
  }

  /** Where the fragment at position `at` of an id of `size` bytes ends. */
  fragmentEnd(at: number, id: number, size: number): number {
    const next = this.fragments.next(at);
    return next >= 0 && this.fragments.keyId[next] === id ? this.fragments.keyOffset[next]! : size;
  }

  /** Position of the fragment of `id` that holds `offset`, which must lie below its size. */
  fragmentAt(id: number, offset: number): number {
    const at = this.fragments.floor(id, offset);
    // The message is built only when it is needed: this is the hottest look-up there is.
    if (at < 0 || this.fragments.keyId[at] !== id)
      assert(false, `allocation ${id} has no fragment at ${offset}`);
    return at;
  }

  /** As `fragmentAt`, where a fragment at `offset` has been seen at position `seen`. */
  fragmentNear(seen: number, id: number, offset: number): number {
    const at = this.fragments.floorNear(seen, id, offset);
    if (at < 0 || this.fragments.keyId[at] !== id)
      assert(false, `allocation ${id} has no fragment at ${offset}`);
    return at;
  }

  /**
   * Replaces whatever lies in `[from, to)`, below the size, by one fragment, and returns where that was put, as a hint.
   * What the first fragment has before it stays where it is, and so does what the last one has behind it.
   */
  overwrite(
    id: number,
    row: number,
    from: number,
    to: number,
    kind: number,
    ref: number,
    page: number,
    pageOffset: number,
  ): number {
    const { fragments } = this;
    const first = this.fragmentAt(id, from);
    const size = this.allocations.size[row]!;
    this.#charge(kind, ref, page, to - from);
    const staged = this.#staged;
    staged.clear();
    staged.push(id, from, kind, ref, page, pageOffset);
    const keepsFront = fragments.keyOffset[first]! < from;
    let removed = 0;
    for (let old = first, start = fragments.keyOffset[first]!; start < to; ) {
      const next = fragments.next(old);
      const end = next >= 0 && fragments.keyId[next] === id ? fragments.keyOffset[next]! : size;
      const parts = (start < from ? 1 : 0) + (end > to ? 1 : 0);
      this.#release(old, Math.min(end, to) - Math.max(start, from), parts);
      if (parts === 0) removed++;
      else if (parts === 2) this.#stageRest(old, to);
      else if (end > to) this.#trim(old, to);
      old = next;
      start = end;
    }
    this.allocations.fragments[row]! += staged.count - removed;
    if (keepsFront) fragments.replaceBehind(first, removed, staged);
    else fragments.replaceRun(first, removed, staged);
    return keepsFront ? first + 1 : first;
  }

  /** Makes a fragment boundary at `offset`, which lies inside the id. */
  split(id: number, row: number, offset: number): void {
    const { fragments } = this;
    const at = this.fragmentAt(id, offset);
    const start = fragments.keyOffset[at]!;
    if (start === offset) return;
    const staged = this.#staged;
    staged.clear();
    this.#stageRest(at, start);
    this.#stageRest(at, offset);
    this.#release(at, 0, 2);
    this.allocations.fragments[row]!++;
    fragments.replaceRun(at, 1, staged);
  }

  /** Removes all fragments at or past `offset`, where a boundary must be. */
  dropFrom(id: number, row: number, offset: number): void {
    const { fragments } = this;
    const size = this.allocations.size[row]!;
    const first = this.fragmentAt(id, offset);
    assert(fragments.keyOffset[first] === offset, `allocation ${id} has no boundary at ${offset}`);
    let removed = 0;
    for (let at = first, start = offset; start < size; removed++) {
      const end = this.fragmentEnd(at, id, size);
      this.#release(at, end - start, 0);
      at = fragments.next(at);
      start = end;
    }
    this.allocations.fragments[row]! -= removed;
    this.#staged.clear();
    fragments.replaceRun(first, removed, this.#staged);
  }

  /** Adds `[from, size)` behind the last fragment, or lets that one reach further if it is the same. */
  append(id: number, row: number, from: number, kind: number, ref: number): void {
    const { fragments } = this;
    if (from > 0 && kind !== kindPending) {
      const last = this.fragmentAt(id, from - 1);
      if (fragments.kind[last] === kind && fragments.ref[last] === ref) return;
    }
    if (kind === kindZero) this.pin(ref);
    this.allocations.fragments[row]!++;
    fragments.insert(id, from, kind, ref, 0, 0);
  }

  /** Turns the whole fragment at `at` into pending row `pendingRow`, charged to its page already if it has one. */
  makePending(at: number, pendingRow: number): void {
    const { fragments } = this;
    const statement = fragments.ref[at]!;
    fragments.kind[at] = kindPending;
    fragments.ref[at] = pendingRow;
    fragments.page[at] = 0;
    fragments.pageOffset[at] = 0;
    this.unpin(statement);
  }

  /** Replaces `count` pending fragments from `at` on by one that resolves through `statement`, and pins that. */
  bindRun(
    at: number,
    count: number,
    row: number,
    kind: number,
    statement: number,
    page: number,
    pageOffset: number,
  ): void {
    const { fragments } = this;
    this.pin(statement);
    if (count === 1) {
      fragments.kind[at] = kind;
      fragments.ref[at] = statement;
      fragments.page[at] = page;
      fragments.pageOffset[at] = pageOffset;
      return;
    }
    const staged = this.#staged;
    staged.clear();
    staged.push(fragments.keyId[at]!, fragments.keyOffset[at]!, kind, statement, page, pageOffset);
    this.allocations.fragments[row]! -= count - 1;
    fragments.replaceRun(at, count, staged);
  }

  /** The flush's record of `id`, made on the first contact with the size and existence it then has. */
  touch(id: number): number {
    const row = this.allocations.ensureRow(id);
    const known = this.allocations.record[row]!;
    if (known !== 0) return known;
    const exists = this.allocations.exists(id);
    const record = this.records.add(id, exists ? this.allocations.size[row]! : 0, exists ? existedBefore : 0);
    this.allocations.record[row] = record;
    return record;
  }

  /**
   * Sets flags of the record of `id`, made if need be. In two steps: making it may replace the columns, and a column
   * that was read before would take the flags with it.
   */
  mark(id: number, flags: number): void {
    const record = this.touch(id);
    this.records.flags[record]! |= flags;
  }

  /** Forgets the scratch of a flush that has committed. */
  endFlush(): void {
    for (let record = 1; record < this.records.end; record++)
      this.allocations.record[this.allocations.row(this.records.id[record]!)] = 0;
    this.records.clear();
    this.pending.clear();
    this.dirty.clear();
    this.rewritten.clear();
  }

  #charge(kind: number, ref: number, page: number, bytes: number): void {
    if (kind === kindPending) {
      if (this.pending.place[ref] === placeData) this.cover(addressPage(this.pending.address[ref]!), bytes);
      return;
    }
    if (kind === kindZeroByDefault) return;
    this.pin(ref);
    if (kind === kindBytes) this.cover(page, bytes);
  }

  /** Releases `bytes` of the fragment at `at`, of which `rest` pieces stay. */
  #release(at: number, bytes: number, rest: number): void {
    const kind = this.fragments.kind[at]!;
    const ref = this.fragments.ref[at]!;
    if (kind === kindPending) {
      if (this.pending.place[ref] === placeData) this.uncover(addressPage(this.pending.address[ref]!), bytes);
      return;
    }
    if (kind === kindZeroByDefault) return;
    if (kind === kindBytes && bytes > 0) this.uncover(this.fragments.page[at]!, bytes);
    if (rest === 0) this.unpin(ref);
    else if (rest === 2) this.pin(ref);
  }

  /** Lets the fragment at `at` begin at `offset`, inside it. */
  #trim(at: number, offset: number): void {
    const { fragments } = this;
    const skipped = offset - fragments.keyOffset[at]!;
    const kind = fragments.kind[at]!;
    if (kind === kindPending) fragments.ref[at] = this.pending.advance(fragments.ref[at]!, skipped);
    else if (kind === kindBytes) fragments.pageOffset[at]! += skipped;
    fragments.moveKey(at, offset);
  }

  /** Stages what the fragment at `at` holds from `offset` on. */
  #stageRest(at: number, offset: number): void {
    const { fragments } = this;
    const kind = fragments.kind[at]!;
    const skipped = offset - fragments.keyOffset[at]!;
    const ref =
      kind === kindPending && skipped > 0
        ? this.pending.advance(fragments.ref[at]!, skipped)
        : fragments.ref[at]!;
    const pageOffset = kind === kindBytes ? fragments.pageOffset[at]! + skipped : 0;
    this.#staged.push(fragments.keyId[at]!, offset, kind, ref, fragments.page[at]!, pageOffset);
  }
}
