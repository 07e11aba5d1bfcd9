/**
 * The operations between two flushes, drawn ahead of time so that a clock sees the store and nothing else.
 *
 *  (1) Operations are held by column, in order; `bytes` holds what the writes write, one after the other.
 *  (2) A slot is the workload's own number of an allocation: each `alloc` takes the next one, none is used twice.
 *  (3) Buffers only grow; `clear` keeps them.
 */

export const operationKind = { alloc: 0, write: 1, resize: 2, free: 3 } as const;

export class Interval {
  count = 0;
  byteCount = 0;
  kind = new Uint8Array(1024);
  slot = new Uint32Array(1024);
  /** write: where in the allocation. */
  offset = new Uint32Array(1024);
  /** alloc, resize: the size; write: number of bytes. */
  length = new Uint32Array(1024);
  /** write: where in `bytes`. */
  position = new Uint32Array(1024);
  bytes = new Uint8Array(256 * 1024);

  clear(): void {
    this.count = 0;
    this.byteCount = 0;
  }

  alloc(slot: number, size: number): void {
    this.#add(operationKind.alloc, slot, 0, size);
  }

  resize(slot: number, size: number): void {
    this.#add(operationKind.resize, slot, 0, size);
  }

  free(slot: number): void {
    this.#add(operationKind.free, slot, 0, 0);
  }

  /** Returns the position in `bytes` that the caller must fill with `length` bytes. */
  write(slot: number, offset: number, length: number): number {
    const position = this.byteCount;
    this.byteCount = position + length;
    if (this.byteCount > this.bytes.length) this.bytes = grown(this.bytes, this.byteCount);
    const at = this.#add(operationKind.write, slot, offset, length);
    this.position[at] = position;
    return position;
  }

  #add(kind: number, slot: number, offset: number, length: number): number {
    const at = this.count++;
    if (at === this.kind.length) this.#grow();
    this.kind[at] = kind;
    this.slot[at] = slot;
    this.offset[at] = offset;
    this.length[at] = length;
    return at;
  }

  #grow(): void {
    const needed = this.kind.length + 1;
    this.kind = grown(this.kind, needed);
    this.slot = grown(this.slot, needed);
    this.offset = grown(this.offset, needed);
    this.length = grown(this.length, needed);
    this.position = grown(this.position, needed);
  }
}

/** A copy with at least twice the length and room for `needed`. */
function grown<A extends Uint8Array | Uint32Array>(column: A, needed: number): A {
  const length = Math.max(2 * column.length, needed);
  const copy = column instanceof Uint8Array ? new Uint8Array(length) : new Uint32Array(length);
  copy.set(column);
  return copy as A;
}
