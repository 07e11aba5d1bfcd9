/**
 * Elements in a row behind one pointer: what vectors of every kind are made of.
 *
 *  (1) `$values`, `$ids`, `$lengths` are columns; the latter two are filled for texts only.
 *  (2) Slotted elements lie at multiples of the stride; packed ones where `$prefix` says, which has an entry more.
 *  (3) Whatever changes is one record over the range concerned.
 */

import { assert } from "../../../errors.ts";
import { publishPointer, shiftPlace } from "./assign.ts";
import { ContentNode } from "./content-node.ts";
import type { Encoder } from "./encoder.ts";
import type { Ledger, Undo } from "./ledger.ts";
import type { Loader } from "./loader.ts";
import { typeMistake } from "./mistakes.ts";
import {
  admitClaims,
  claimMark,
  dropClaims,
  keepClaims,
  Node,
  place,
  refuseCycle,
  undoOutside,
} from "./node.ts";
import { Malformed, type Reader } from "./reader.ts";
import type { Type } from "./type.ts";

/** What a range of elements is in memory. */
export interface Elements {
  readonly values: unknown[];
  readonly ids: number[];
  readonly lengths: number[];
  /** Bytes of each, if they are packed. */
  readonly sizes: number[];
}

const noElements = (): Elements => ({ values: [], ids: [], lengths: [], sizes: [] });

/** Arguments that a call can take at once. */
const spreadMax = 8192;

export function spliceArray<T>(array: T[], start: number, removed: number, items: readonly T[]): T[] {
  if (items.length <= spreadMax) return array.splice(start, removed, ...items);
  const tail = array.splice(start);
  for (const item of items) array.push(item);
  for (let at = removed; at < tail.length; at++) array.push(tail[at]!);
  return tail.slice(0, removed);
}

export abstract class ListNode extends ContentNode {
  readonly $values: unknown[] = [];
  readonly $ids: number[] = [];
  readonly $lengths: number[] = [];
  /** Null for slotted elements. */
  $prefix: number[] | null;
  readonly $element: Type;

  constructor(type: Type, element: Type, isPacked: boolean) {
    super(type);
    this.$element = element;
    this.$prefix = isPacked ? [0] : null;
  }

  override $isEmpty(): boolean {
    return this.$values.length === 0;
  }

  override $valueAt(index: number): unknown {
    return this.$values[index];
  }

  override $typeAt(_index: number): Type {
    return this.$element;
  }

  override $offsetAt(index: number): number {
    return this.$prefix === null ? index * this.$element.slotBytes : this.$prefix[index]!;
  }

  override $isPacked(): boolean {
    return this.$prefix !== null;
  }

  override $stepAt(index: number): string {
    return `[${index}]`;
  }

  override $storeAt(index: number, value: unknown, id: number, bytes: number): void {
    this.$values[index] = value;
    if (this.$element.holding !== "text") return;
    this.$ids[index] = id;
    this.$lengths[index] = bytes;
  }

  override $idAt(index: number): number {
    return this.$ids[index] ?? 0;
  }

  override $bytesAt(index: number): number {
    return this.$lengths[index]!;
  }

  override $shiftAt(index: number, delta: number): void {
    const prefix = this.$prefix!;
    for (let at = index + 1; at < prefix.length; at++) prefix[at]! += delta;
  }

  override $attachContent(ledger: Ledger, out: Encoder): void {
    const { $values: values, $element: element } = this;
    const packed = this.$isPacked();
    const isText = element.holding === "text";
    if (packed) this.$prefix = [0];
    for (let at = 0; at < values.length; at++) {
      const from = out.at;
      const id = element.attach(ledger, out, packed, values[at], this.$idAt(at));
      if (isText && this.$ids[at] === 0) {
        this.$ids[at] = id;
        this.$lengths[at] = ledger.textBytes;
      }
      if (packed) this.$prefix!.push(this.$prefix![at]! + (out.at - from));
    }
  }

  override $remeasure(encoder: Encoder): void {
    if (!this.$isPacked()) return;
    const prefix = [0];
    encoder.clear();
    for (let at = 0; at < this.$values.length; at++) {
      this.$element.encode(encoder, true, this.$values[at], this.$idAt(at));
      prefix.push(encoder.at);
    }
    this.$prefix = prefix;
  }

  override $load(loader: Loader): void {
    loader.at(this.$parent as Node, this.$index);
    const reader = loader.open(this.$id, this);
    const { slotBytes } = this.$element;
    if (!this.$isPacked() && reader.end % slotBytes !== 0)
      throw new Malformed(`${reader.end} bytes are no multiple of the element's ${slotBytes}`);
    this.$decodeElements(reader, loader, true);
  }

  /** Fills a new list from everything that `reader` has, or, if the loader may hold it, as far as the slice goes. */
  $decodeElements(reader: Reader, loader: Loader, mayHold: boolean): void {
    const { $element: element, $values: values } = this;
    const packed = this.$isPacked();
    const from = reader.at - (this.$prefix?.at(-1) ?? 0);
    for (let at = values.length; reader.at < reader.end; at++) {
      if (mayHold && loader.isSliceOver()) {
        loader.hold(this, reader);
        return;
      }
      loader.at(this, at);
      values.push(element.decode(reader, packed, loader, this, at));
      if (packed) this.$prefix!.push(reader.at - from);
      if (element.holding !== "text") continue;
      this.$ids.push(loader.textId);
      this.$lengths.push(loader.textBytes);
    }
  }

  override $collectIds(into: number[]): void {
    super.$collectIds(into);
    for (const id of this.$ids) into.push(id);
  }

  override $clearIds(): void {
    super.$clearIds();
    this.$ids.fill(0);
  }

  override $restoreIds(from: readonly number[], start: number): number {
    const next = super.$restoreIds(from, start);
    for (let at = 0; at < this.$ids.length; at++) this.$ids[at] = from[next + at]!;
    return next + this.$ids.length;
  }

  override $pushChildren(stack: Node[]): void {
    if (this.$element.holding !== "node") return;
    for (const value of this.$values) if (value instanceof Node) stack.push(value);
  }

  override $toPlain(toPlain: (value: unknown) => unknown): unknown[] {
    return this.$values.map((value) => toPlain(this.$element.read(value)));
  }

  /** Stored forms of `inputs`. `blameAt` puts the step before a mistake's path. */
  $make(
    inputs: readonly unknown[],
    mark: number,
    blameAt: (cause: unknown, at: number) => unknown,
  ): unknown[] {
    const stored: unknown[] = [];
    const ledger = this.$doc;
    if (ledger !== null) ledger.making++;
    let at = 0;
    try {
      for (; at < inputs.length; at++) {
        const value = this.$element.make(inputs[at]);
        refuseCycle(this, value);
        admitClaims(mark, this);
        // Parents are set at once: the same object twice is refused.
        if (value instanceof Node) place(value, this, at);
        stored.push(value);
      }
    } catch (cause) {
      dropClaims(mark);
      throw blameAt(cause, at);
    } finally {
      if (ledger !== null) ledger.making--;
    }
    return stored;
  }

  /** Replaces `removed` elements from `start` by `stored`; returns what was removed, as the application sees it. */
  $splice(start: number, removed: number, stored: readonly unknown[], mark = claimMark()): unknown[] {
    if (removed === 0 && stored.length === 0) return [];
    if (start + removed > this.$values.length) {
      dropClaims(mark);
      throw typeMistake("the list was changed while a value for it was read");
    }
    const out = this.$values.slice(start, start + removed).map((value) => this.$element.read(value));
    if (this.$doc === null) this.#spliceOutside(start, removed, stored, mark);
    else this.#spliceLive(this.$doc, start, removed, stored, mark);
    return out;
  }

  #spliceOutside(start: number, removed: number, stored: readonly unknown[], mark: number): void {
    const undo = undoOutside(this);
    const elements = { ...noElements(), values: [...stored] };
    if (this.$element.holding === "text") {
      elements.ids.push(...new Array(stored.length).fill(0));
      elements.lengths.push(...new Array(stored.length).fill(0));
    }
    const old = this.#replace(start, removed, elements);
    for (const value of old.values) if (value instanceof Node) value.$parent = null;
    undo?.push(() => this.#replace(start, stored.length, old));
    keepClaims(mark, undo);
  }

  #spliceLive(
    ledger: Ledger,
    start: number,
    removed: number,
    stored: readonly unknown[],
    mark: number,
  ): void {
    const elements = noElements();
    let id = this.$id;
    let delta = 0;
    ledger.record(mark, () => {
      this.#attachElements(ledger, stored, elements);
      ledger.drain();
      ({ id, delta } = this.$recordSplice(ledger, start, removed));
      for (let at = start; at < start + removed; at++)
        ledger.retire(this.$element, this.$values[at], this.$idAt(at));
    });
    this.#applySplice(ledger, start, removed, elements, id, delta);
    keepClaims(mark, ledger.undo);
    ledger.settle();
  }

  #attachElements(ledger: Ledger, stored: readonly unknown[], into: Elements): void {
    const { $element: element } = this;
    const { out } = ledger;
    const packed = this.$isPacked();
    for (const value of stored) {
      const from = out.at;
      const id = element.attach(ledger, out, packed, value, 0);
      into.values.push(value);
      if (packed) into.sizes.push(out.at - from);
      if (element.holding !== "text") continue;
      into.ids.push(id);
      into.lengths.push(ledger.textBytes);
    }
  }

  /**
   * One record for the range, which becomes what `ledger.out` holds. Returns the allocation, which it makes if there is
   * none, and how much longer the list's own place has become.
   */
  $recordSplice(
    ledger: Ledger,
    start: number,
    removed: number,
  ): { readonly id: number; readonly delta: number } {
    const { store } = ledger;
    const bytes = ledger.out.view();
    if (this.$id === 0) {
      const id = store.newId();
      store.write(id, 0, bytes);
      return { id, delta: publishPointer(ledger, this, id) };
    }
    const offset = this.$offsetAt(start);
    const end = this.$offsetAt(start + removed);
    const isTail = start + removed === this.$values.length;
    this.$patchContent(ledger, { offset, removed: end - offset, bytes }, isTail ? end : -1);
    return { id: this.$id, delta: 0 };
  }

  #applySplice(
    ledger: Ledger,
    start: number,
    removed: number,
    elements: Elements,
    id: number,
    delta: number,
  ): void {
    const { undo } = ledger;
    const before = this.$id;
    const old = this.#replace(start, removed, elements);
    this.$id = id;
    shiftPlace(this, delta);
    undo?.push(() => {
      shiftPlace(this, -delta);
      this.$id = before;
      this.#replace(start, elements.values.length, old);
    });
  }

  /** Replaces a range of the columns and returns what was there. */
  #replace(start: number, removed: number, elements: Elements): Elements {
    const sizes = this.#replaceSizes(start, removed, elements.sizes);
    const values = spliceArray(this.$values, start, removed, elements.values);
    let ids: number[] = [];
    let lengths: number[] = [];
    if (this.$element.holding === "text") {
      ids = spliceArray(this.$ids, start, removed, elements.ids);
      lengths = spliceArray(this.$lengths, start, removed, elements.lengths);
    } else if (this.$element.holding === "node") {
      const end = removed === elements.values.length ? start + removed : this.$values.length;
      for (let at = start; at < end; at++) this.#own(at);
    }
    return { values, ids, lengths, sizes };
  }

  #own(at: number): void {
    const value = this.$values[at];
    if (value instanceof Node) place(value, this, at);
  }

  #replaceSizes(start: number, removed: number, sizes: readonly number[]): number[] {
    const prefix = this.$prefix;
    // Outside a file sizes do not matter; they are taken when the list becomes part of one.
    if (prefix === null || this.$doc === null) return [];
    const old: number[] = [];
    for (let at = start; at < start + removed; at++) old.push(prefix[at + 1]! - prefix[at]!);
    const behind: number[] = [];
    for (let at = start + removed; at + 1 < prefix.length; at++) behind.push(prefix[at + 1]! - prefix[at]!);
    prefix.length = start + 1;
    for (const size of sizes) prefix.push(prefix.at(-1)! + size);
    for (const size of behind) prefix.push(prefix.at(-1)! + size);
    return old;
  }

  /** Puts the elements `[start, start + order.length)` into another order: position `i` gets what was at `order[i]`. */
  $permute(start: number, order: readonly number[]): void {
    const isSame = order.every((from, at) => from === start + at);
    if (isSame) return;
    const ledger = this.$doc;
    const undo: Undo[] | null = ledger === null ? undoOutside(this) : ledger.undo;
    const elements = this.#pick(order);
    if (ledger !== null) {
      ledger.record(claimMark(), () => {
        const packed = this.$isPacked();
        for (const from of order)
          this.$element.encode(ledger.out, packed, this.$values[from], this.$idAt(from));
        ledger.store.write(this.$allocationAt(start), this.$offsetAt(start), ledger.out.view());
      });
    }
    const old = this.#replace(start, order.length, elements);
    undo?.push(() => this.#replace(start, order.length, old));
    ledger?.settle();
  }

  #pick(order: readonly number[]): Elements {
    const picked = noElements();
    const prefix = this.$prefix;
    for (const from of order) {
      picked.values.push(this.$values[from]);
      if (prefix !== null && prefix.length > from + 1) picked.sizes.push(prefix[from + 1]! - prefix[from]!);
      if (this.$element.holding !== "text") continue;
      picked.ids.push(this.$ids[from]!);
      picked.lengths.push(this.$lengths[from]!);
    }
    assert(picked.values.length === order.length, "an order names every element once");
    return picked;
  }
}
