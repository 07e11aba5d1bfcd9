/**
 * What the allocations must contain: plain byte arrays, changed by the same operations as the store.
 *
 *  (1) A slot has content from its `alloc` to its `free`; bytes that were never written are 0.
 *  (2) Behind an allocation's size its buffer is all zeros, so that growth reads as zeros.
 */

import { crc32 } from "node:zlib";
import { type Interval, operationKind } from "./interval.ts";

export class Model {
  allocations = 0;
  allocationBytes = 0;
  /** By slot; a freed slot has none. Longer than the size where an allocation has grown. */
  readonly #buffers: (Uint8Array | undefined)[] = [];
  readonly #sizes: number[] = [];

  apply({ count, kind, slot, offset, length, position, bytes }: Interval): void {
    for (let i = 0; i < count; i++) {
      const at = slot[i]!;
      const size = length[i]!;
      switch (kind[i]) {
        case operationKind.alloc:
          this.#alloc(at, size);
          break;
        case operationKind.write:
          this.#reserve(at, offset[i]! + size);
          this.#live(at).set(bytes.subarray(position[i]!, position[i]! + size), offset[i]!);
          break;
        case operationKind.resize:
          this.#resize(at, size);
          break;
        default:
          this.#free(at);
      }
    }
  }

  /** Undefined for a slot that was freed or never allocated. Valid until the next `apply`. */
  contents(slot: number): Uint8Array | undefined {
    return this.#buffers[slot]?.subarray(0, this.#sizes[slot]);
  }

  /** Live slots, ascending. */
  *slots(): Generator<number, void> {
    for (let slot = 0; slot < this.#buffers.length; slot++) {
      if (this.#buffers[slot] !== undefined) yield slot;
    }
  }

  /** CRC-32 (the common one) over the contents of these slots, one after the other. */
  crc32(slots: Iterable<number>): number {
    let crc = 0;
    for (const slot of slots) crc = crc32(this.contents(slot)!, crc);
    return crc;
  }

  #live(slot: number): Uint8Array {
    const buffer = this.#buffers[slot];
    if (buffer === undefined) throw new RangeError(`slot ${slot} is not allocated`);
    return buffer;
  }

  #alloc(slot: number, size: number): void {
    if (slot !== this.#buffers.length) throw new RangeError(`slot ${slot} is not the next one`);
    this.#buffers.push(new Uint8Array(size));
    this.#sizes.push(size);
    this.allocations++;
    this.allocationBytes += size;
  }

  #free(slot: number): void {
    this.#live(slot);
    this.#buffers[slot] = undefined;
    this.allocations--;
    this.allocationBytes -= this.#sizes[slot]!;
  }

  #resize(slot: number, size: number): void {
    const old = this.#sizes[slot]!;
    if (size > old) {
      this.#reserve(slot, size);
      return;
    }
    this.#live(slot).fill(0, size, old);
    this.#setSize(slot, size);
  }

  /** Makes the size at least `end`. */
  #reserve(slot: number, end: number): void {
    if (end <= this.#sizes[slot]!) return;
    const buffer = this.#live(slot);
    if (end > buffer.length) {
      const larger = new Uint8Array(Math.max(end, 2 * buffer.length));
      larger.set(buffer);
      this.#buffers[slot] = larger;
    }
    this.#setSize(slot, end);
  }

  #setSize(slot: number, size: number): void {
    this.allocationBytes += size - this.#sizes[slot]!;
    this.#sizes[slot] = size;
  }
}
