/**
 * What values are read from: allocations by id, of an open store, a survey of a damaged file, or a test.
 *
 *  (1) A size is a claim: nothing of that size is built before it has been held against the bounds.
 *  (2) Every allocation is read at most once, as one piece.
 */

import { StoreError } from "../../../errors.ts";

export interface Access {
  /** Bytes of the allocation as claimed; −1 if there is none of this id. */
  size(id: number): number;
  /** Fills `into` with the bytes from the allocation's beginning; throws `StoreError` if they cannot be read. */
  read(id: number, into: Uint8Array): void;
}

/** Part of an allocation's bytes that are read one after the other. */
export class Range {
  readonly id: number;
  readonly bytes: Uint8Array;
  at: number;
  end: number;
  /** Whether the allocation goes on behind `end`, and was not read there. */
  readonly isCut: boolean;

  constructor(id: number, bytes: Uint8Array, at: number, end: number, isCut: boolean) {
    this.id = id;
    this.bytes = bytes;
    this.at = at;
    this.end = end;
    this.isCut = isCut;
  }
}

/** The part of a store that is needed here. */
interface Readable {
  readonly size: (id: number) => number;
  exists(id: number): boolean;
  readInto(id: number, offset: number, out: Uint8Array): number;
}

/** A store, whose content is that of its last flush. */
export function accessOf(store: Readable & { committedSize(id: number): number }): Access {
  return {
    size: (id) => (store.exists(id) ? store.committedSize(id) : -1),
    read: (id, into) => {
      const got = store.readInto(id, 0, into);
      if (got !== into.length)
        throw new StoreError("corrupt", `only ${got} of ${into.length} bytes can be read`, { id });
    },
  };
}
