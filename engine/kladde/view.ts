/**
 * What can be read of a store: the contents as of the last flush.
 *
 *  (1) Returned bytes are copies.
 *  (2) The consolidator's private allocation is hidden.
 */

import {
  dangling,
  requireBytes,
  requireFunction,
  requireId,
  requireRange,
  requireWhole,
} from "./arguments.ts";
import { checkState } from "./check.ts";
import type { FlushContext } from "./flush/context.ts";
import type { HeaderFields } from "./format/header.ts";
import { u32Max } from "./format/layout.ts";
import { contentCrc, readCommitted } from "./read.ts";
import { kindBytes } from "./state/fragments.ts";
import { pageData } from "./state/pages.ts";

export abstract class StoreView {
  protected readonly context: FlushContext;

  protected constructor(context: FlushContext) {
    this.context = context;
  }

  /** Throws unless the store can answer. */
  protected abstract requireUsable(): void;
  /** Runs a read; a failure of the file must not go unnoticed by later calls. */
  protected abstract guard<T>(step: () => T): T;

  /** Id of the allocation that holds the root value; 0: none. */
  get root(): number {
    return this.fields().rootAllocation;
  }

  /** Id of the allocation that holds the type descriptors; 0: none. */
  get schemaTable(): number {
    return this.fields().schemaTable;
  }

  /** 16 bytes that identify the root's type; a copy. */
  get fingerprint(): Uint8Array {
    return this.fields().rootFingerprint.slice();
  }

  /** Size in bytes as of the last flush. Throws `RangeError` for an id that did not exist then. */
  committedSize(id: number): number {
    this.requireUsable();
    requireId("id", id);
    if (!this.isVisible(id)) throw dangling("allocation", id);
    return this.context.state.allocations.sizeOf(id);
  }

  /** A copy of `length` bytes from `offset`, as of the last flush. Throws `RangeError` past the end. */
  read(id: number, offset: number, length: number): Uint8Array {
    const size = this.committedSize(id);
    requireRange("offset", offset, "length", length);
    if (offset + length > size)
      throw new RangeError(
        `bytes ${offset} to ${offset + length} of allocation ${id} pass its end at ${size}`,
      );
    const out = new Uint8Array(length);
    this.guard(() => readCommitted(this.context, id, offset, out));
    return out;
  }

  /** Fills the front of `out` from `offset` and returns how many bytes there were; 0 at or past the end. */
  readInto(id: number, offset: number, out: Uint8Array): number {
    const size = this.committedSize(id);
    requireWhole("offset", offset, 0, u32Max);
    requireBytes("out", out);
    const length = Math.max(0, Math.min(out.length, size - offset));
    this.guard(() => readCommitted(this.context, id, offset, out.subarray(0, length)));
    return length;
  }

  /**
   * Page of the first bytes of an allocation as of the last flush; 0 if no page holds them. Whoever reads many reads
   * each page once in the order of pages.
   */
  pageOf(id: number): number {
    if (this.committedSize(id) === 0) return 0;
    const { state } = this.context;
    const at = state.fragmentAt(id, 0);
    return state.fragments.kind[at] === kindBytes ? state.fragments.page[at]! : 0;
  }

  /** CRC-32C of the content as of the last flush; runs of zeros are computed, not read. */
  crc32c(id: number): number {
    this.committedSize(id);
    return this.guard(() => contentCrc(this.context, id));
  }

  /** Ids that existed at the last flush, ascending. */
  ids(): Generator<number, void, undefined> {
    this.requireUsable();
    return this.visibleIds();
  }

  /** Calls `visit` for every run of bytes in a data page, in order of allocation and offset. */
  visitDataFragments(visit: (page: number, id: number, bytes: number) => void): void {
    this.requireUsable();
    requireFunction("visit", visit);
    const { state } = this.context;
    const { fragments, pages, allocations } = state;
    for (let at = fragments.first(); at >= 0; at = fragments.next(at)) {
      if (fragments.kind[at] !== kindBytes || pages.state[fragments.page[at]!] !== pageData) continue;
      const id = fragments.keyId[at]!;
      const end = state.fragmentEnd(at, id, allocations.sizeOf(id));
      visit(fragments.page[at]!, id, end - fragments.keyOffset[at]!);
    }
  }

  /** Recomputes every counter and invariant in memory. Throws `AssertionError` naming the first that is broken. */
  check(): void {
    this.requireUsable();
    checkState(this.context);
  }

  /** A generator's body runs only when it is asked for its first value. */
  protected *visibleIds(): Generator<number, void, undefined> {
    const { existing } = this.context.state.allocations;
    for (let id = existing.next(1); id >= 0; id = existing.next(id + 1)) if (this.isVisible(id)) yield id;
  }

  protected fields(): HeaderFields {
    this.requireUsable();
    return this.context.fields;
  }

  protected isVisible(id: number): boolean {
    return id !== this.context.fields.consolidatorState && this.context.state.allocations.exists(id);
  }
}
