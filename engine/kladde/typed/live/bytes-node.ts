/**
 * `Bytes`: bytes that are edited in place.
 *
 *  (1) The buffer is never handed out: a write to it could not be seen. What reads gives copies.
 *  (2) Each edit is one record.
 */

import type { Bytes } from "../schema/containers.ts";
import { publishPointer, shiftPlace } from "./assign.ts";
import type { Encoder } from "./encoder.ts";
import { LeafNode } from "./leaf-node.ts";
import type { Ledger } from "./ledger.ts";
import type { Loader } from "./loader.ts";
import { blame, describe, rangeMistake, typeMistake } from "./mistakes.ts";
import { claimMark, type Node, pathOf, undoOutside } from "./node.ts";
import { jsonOf } from "./plain.ts";

/** A copy of bytes that an application gives. Throws `TypeError`. */
export function bytesOf(input: unknown): Uint8Array {
  if (input instanceof BytesNode) return input.slice();
  if (!(input instanceof Uint8Array)) throw typeMistake(`expected a Uint8Array, not ${describe(input)}`);
  // Subclasses may not copy: `slice` of Node's Buffer shares its bytes.
  return new Uint8Array(input);
}

export class BytesNode extends LeafNode implements Bytes {
  #bytes = new Uint8Array(0);
  #length = 0;

  /** Fills a new object; `bytes` belongs to it from then on. */
  $fill(bytes: Uint8Array): void {
    this.#bytes = bytes as Uint8Array<ArrayBuffer>;
    this.#length = bytes.length;
  }

  get length(): number {
    return this.#length;
  }

  get [Symbol.toStringTag](): string {
    return "Bytes";
  }

  at(index: number): number | undefined {
    const whole = Math.trunc(Number(index)) || 0;
    const from = whole < 0 ? this.#length + whole : whole;
    return from >= 0 && from < this.#length ? this.#bytes[from] : undefined;
  }

  set(index: number, bytes: number | Uint8Array): this {
    const given = this.#given(bytes);
    const from = this.#inside("index", index, this.#length - given.length);
    this.#replace(from, given.length, given);
    return this;
  }

  splice(start: number, deleteCount: number, bytes?: Uint8Array): this {
    const from = this.#inside("start", start, this.#length);
    const removed = this.#inside("deleteCount", deleteCount, this.#length - from);
    this.#replace(from, removed, bytes === undefined ? new Uint8Array(0) : this.#given(bytes));
    return this;
  }

  append(bytes: Uint8Array): this {
    this.#replace(this.#length, 0, this.#given(bytes));
    return this;
  }

  assign(bytes: Uint8Array | Bytes): this {
    this.#replace(0, this.#length, this.#given(bytes));
    return this;
  }

  slice(start?: number, end?: number): Uint8Array {
    return this.#bytes.subarray(0, this.#length).slice(start, end);
  }

  copyTo(target: Uint8Array, targetStart = 0, start = 0, end = this.#length): number {
    if (!(target instanceof Uint8Array))
      throw typeMistake(`the target must be a Uint8Array, not ${describe(target)}`);
    const bytes = this.#bytes.subarray(0, this.#length).subarray(start, end);
    const fitting = bytes.subarray(0, Math.max(0, target.length - targetStart));
    target.set(fitting, targetStart);
    return fitting.length;
  }

  *[Symbol.iterator](): IterableIterator<number> {
    for (let at = 0; at < this.#length; at++) yield this.#bytes[at]!;
  }

  toJSON(): unknown {
    return jsonOf(this);
  }

  #given(bytes: unknown): Uint8Array {
    try {
      return typeof bytes === "number" ? Uint8Array.of(oneByte(bytes)) : bytesOf(bytes);
    } catch (cause) {
      throw blame(cause, pathOf(this));
    }
  }

  #inside(name: string, index: number, high: number): number {
    if (Number.isInteger(index) && index >= 0 && index <= high) return index;
    const mistake =
      typeof index === "number"
        ? rangeMistake(`${name} ${index} is outside; there are ${this.#length} bytes`)
        : typeMistake(`${name} must be a number, not ${describe(index)}`);
    throw blame(mistake, pathOf(this));
  }

  #replace(from: number, removed: number, inserted: Uint8Array): void {
    if (removed === 0 && inserted.length === 0) return;
    const ledger = this.$doc;
    const undo = ledger === null ? undoOutside(this) : ledger.undo;
    const before = this.$id;
    let id = before;
    let delta = 0;
    ledger?.record(claimMark(), () => {
      id = this.#record(ledger, from, removed, inserted);
      if (before === 0) delta = publishPointer(ledger, this, id);
    });
    const old = this.#bytes.slice(from, from + removed);
    this.#change(from, removed, inserted);
    this.$id = id;
    shiftPlace(this, delta);
    undo?.push(() => {
      shiftPlace(this, -delta);
      this.$id = before;
      this.#change(from, inserted.length, old);
    });
    ledger?.settle();
  }

  #record({ store }: Ledger, from: number, removed: number, inserted: Uint8Array): number {
    const id = this.$id === 0 ? store.newId() : this.$id;
    const isTail = from + removed === this.#length;
    if (inserted.length === 0 && isTail && this.$id !== 0) store.resize(id, from);
    else if (inserted.length === removed || (isTail && inserted.length > removed))
      store.write(id, from, inserted);
    else store.splice(id, from, removed, inserted);
    return id;
  }

  #change(from: number, removed: number, inserted: Uint8Array): void {
    const length = this.#length - removed + inserted.length;
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.copyWithin(from + inserted.length, from + removed, this.#length);
    this.#bytes.set(inserted, from);
    this.#length = length;
  }

  override $isEmpty(): boolean {
    return this.#length === 0;
  }

  override $attachContent(_ledger: Ledger, out: Encoder): void {
    out.raw(this.#bytes.subarray(0, this.#length));
  }

  override $load(loader: Loader): void {
    loader.at(this.$parent as Node, this.$index);
    this.$fill(loader.readLeaf(this.$id).slice());
  }

  override $toPlain(): Uint8Array {
    return this.slice();
  }
}

function oneByte(value: number): number {
  if (!Number.isInteger(value) || value < 0 || value > 255)
    throw rangeMistake(`${value} is no byte, a whole number from 0 to 255`);
  return value;
}
