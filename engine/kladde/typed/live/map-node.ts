/**
 * Entries in slots behind one pointer: what maps and sets are made of.
 *
 *   slot:  live (1 byte) | key | value
 *
 *  (1) A slot's number never changes while its entry lives; iteration is in slot order, before and after reopening.
 *  (2) A new key takes the lowest dead slot, else one past the end: there are never more slots than there once were entries.
 *  (3) A dead slot's bytes are garbage but for its first. The last slot is live: removing it cuts the dead ones before it.
 *  (4) Place `2 × slot` is the key, `2 × slot + 1` the value.
 *
 * Cost: an entry is one number in the index and one place in each column.
 */

import { publishPointer, shiftPlace } from "./assign.ts";
import { ContentNode } from "./content-node.ts";
import type { Encoder } from "./encoder.ts";
import type { Ledger } from "./ledger.ts";
import type { Loader } from "./loader.ts";
import { claimMark, keepClaims, Node, place, undoOutside } from "./node.ts";
import { Malformed, type Reader } from "./reader.ts";
import { SlotHeap } from "./slot-heap.ts";
import type { Type } from "./type.ts";

/** Stands in the column of keys for a slot without an entry. */
export const dead = Symbol("dead slot");

const tombstone = new Uint8Array(1);

/** What keys are looked up by: a bigint that is a safe integer is several times slower than its number. */
function lookupOf(key: unknown): unknown {
  if (typeof key !== "bigint") return key;
  const number = Number(key);
  return Number.isSafeInteger(number) ? number : key;
}

/** Everything about one entry. */
interface Entry {
  readonly key: unknown;
  readonly value: unknown;
  readonly keyId: number;
  readonly keyBytes: number;
  readonly valueId: number;
  readonly valueBytes: number;
}

export abstract class MapNode extends ContentNode {
  readonly $slots = new Map<unknown, number>();
  readonly $keys: unknown[] = [];
  readonly $values: unknown[] = [];
  readonly $key: Type;
  readonly $value: Type;
  readonly #keyIds: number[] = [];
  readonly #keyBytes: number[] = [];
  readonly #valueIds: number[] = [];
  readonly #valueBytes: number[] = [];
  readonly #deadSlots = new SlotHeap();
  /** Grows with every entry that comes or goes. */
  $version = 0;
  readonly #slotBytes: number;
  readonly #hasKeyText: boolean;
  readonly #hasValueText: boolean;

  constructor(type: Type, key: Type, value: Type) {
    super(type);
    this.$key = key;
    this.$value = value;
    this.#slotBytes = 1 + key.slotBytes + value.slotBytes;
    this.#hasKeyText = key.holding === "text";
    this.#hasValueText = value.holding === "text";
  }

  /** The slot of whatever an application looks for; −1 if it is no key here. A number is not the bigint of its value. */
  $find(key: unknown): number {
    const slot = this.$slots.get(lookupOf(key));
    return slot === undefined || typeof key !== typeof this.$keys[slot] ? -1 : slot;
  }

  /** The slot of a key in its stored form; −1 if there is none. */
  $slotOf(key: unknown): number {
    return this.$slots.get(lookupOf(key)) ?? -1;
  }

  /** Live slots in the order of iteration, also while entries come and go. */
  *$order(): Generator<number, void, undefined> {
    for (let slot = 0; slot < this.$keys.length; slot++) if (this.$keys[slot] !== dead) yield slot;
  }

  override $isEmpty(): boolean {
    return this.$keys.length === 0;
  }

  override $valueAt(index: number): unknown {
    return index % 2 === 0 ? this.$keys[index >>> 1] : this.$values[index >>> 1];
  }

  override $typeAt(index: number): Type {
    return index % 2 === 0 ? this.$key : this.$value;
  }

  override $offsetAt(index: number): number {
    const base = (index >>> 1) * this.#slotBytes + 1;
    return index % 2 === 0 ? base : base + this.$key.slotBytes;
  }

  override $isPacked(): boolean {
    return false;
  }

  override $stepAt(index: number): string {
    const key = this.$keys[index >>> 1];
    // While it is loaded, a slot may have no key yet.
    if (key === undefined) return `[slot ${index >>> 1}]`;
    const text = typeof key === "string" ? JSON.stringify(key) : String(key);
    return index % 2 === 0 ? `[key ${text}]` : `[${text}]`;
  }

  override $storeAt(index: number, value: unknown, id: number, bytes: number): void {
    const slot = index >>> 1;
    this.$values[slot] = value;
    if (!this.#hasValueText) return;
    this.#valueIds[slot] = id;
    this.#valueBytes[slot] = bytes;
  }

  override $idAt(index: number): number {
    return (index % 2 === 0 ? this.#keyIds : this.#valueIds)[index >>> 1] ?? 0;
  }

  override $bytesAt(index: number): number {
    return (index % 2 === 0 ? this.#keyBytes : this.#valueBytes)[index >>> 1] ?? 0;
  }

  override $shiftAt(): void {}

  /** Puts an entry into a new map that is part of nothing yet. */
  $fill(key: unknown, value: unknown): void {
    const known = this.$slotOf(key);
    const slot = known < 0 ? this.$keys.length : known;
    this.#put(slot, { key, value, keyId: 0, keyBytes: 0, valueId: 0, valueBytes: 0 });
  }

  /** Adds an entry whose key is not there yet; both are in stored form. */
  $insert(key: unknown, value: unknown, mark: number): void {
    const slot = this.#deadSlots.peek(this.$keys, dead);
    const at = slot < 0 ? this.$keys.length : slot;
    const ledger = this.$doc;
    if (ledger === null) {
      const undo = undoOutside(this);
      this.#put(at, { key, value, keyId: 0, keyBytes: 0, valueId: 0, valueBytes: 0 });
      undo?.push(() => this.#remove(at));
      keepClaims(mark, undo);
      return;
    }
    let entry: Entry | null = null;
    let delta = 0;
    let id = this.$id;
    ledger.record(mark, () => {
      entry = this.#attachEntry(ledger, key, value);
      ledger.drain();
      if (id === 0) id = ledger.store.newId();
      ledger.store.write(id, at * this.#slotBytes, ledger.out.view());
      if (this.$id === 0) delta = publishPointer(ledger, this, id);
    });
    const before = this.$id;
    this.#put(at, entry!);
    this.$id = id;
    shiftPlace(this, delta);
    ledger.undo?.push(() => {
      shiftPlace(this, -delta);
      this.$id = before;
      this.#remove(at);
    });
    keepClaims(mark, ledger.undo);
    ledger.settle();
  }

  #attachEntry(ledger: Ledger, key: unknown, value: unknown): Entry {
    const { out } = ledger;
    out.byte(1);
    const keyId = this.$key.attach(ledger, out, false, key, 0);
    const keyBytes = this.#hasKeyText ? ledger.textBytes : 0;
    const valueId = this.$value.attach(ledger, out, false, value, 0);
    return { key, value, keyId, keyBytes, valueId, valueBytes: this.#hasValueText ? ledger.textBytes : 0 };
  }

  /** Removes a live slot's entry. */
  $delete(slot: number): void {
    const ledger = this.$doc;
    const undo = ledger === null ? undoOutside(this) : ledger.undo;
    const entry = this.#entryAt(slot);
    const kept = this.#slotsWithout(slot);
    if (ledger !== null) {
      ledger.record(claimMark(), () => {
        if (kept < this.$keys.length) ledger.store.resize(this.$id, kept * this.#slotBytes);
        else ledger.store.write(this.$id, slot * this.#slotBytes, tombstone);
        ledger.retire(this.$key, entry.key, entry.keyId);
        ledger.retire(this.$value, entry.value, entry.valueId);
      });
    } else if (entry.value instanceof Node) entry.value.$parent = null;
    const slots = this.$keys.length;
    this.#remove(slot);
    undo?.push(() => {
      this.#extend(slots);
      this.#put(slot, entry);
    });
    ledger?.settle();
  }

  /** Slots that are left when `slot` dies. */
  #slotsWithout(slot: number): number {
    let kept = this.$keys.length;
    if (slot !== kept - 1) return kept;
    for (kept = slot; kept > 0 && this.$keys[kept - 1] === dead; ) kept--;
    return kept;
  }

  $clear(): void {
    if (this.$keys.length === 0) return;
    const ledger = this.$doc;
    const undo = ledger === null ? undoOutside(this) : ledger.undo;
    const slots = this.$keys.length;
    const entries: [number, Entry][] = [];
    for (let slot = 0; slot < slots; slot++)
      if (this.$keys[slot] !== dead) entries.push([slot, this.#entryAt(slot)]);
    if (ledger !== null)
      ledger.record(claimMark(), () => {
        ledger.store.resize(this.$id, 0);
        for (const [, { key, value, keyId, valueId }] of entries) {
          ledger.retire(this.$key, key, keyId);
          ledger.retire(this.$value, value, valueId);
        }
      });
    else for (const [, { value }] of entries) if (value instanceof Node) value.$parent = null;
    this.#cut(0);
    this.$version++;
    this.$slots.clear();
    undo?.push(() => {
      this.#extend(slots);
      for (const [slot, entry] of entries) this.#put(slot, entry);
    });
    ledger?.settle();
  }

  /** Empties the map and has it filled again; if that throws, the entries are what they were. */
  $refill(fill: () => void): void {
    const replace = () => {
      this.$clear();
      fill();
    };
    if (this.$doc !== null) {
      this.$doc.scopes.transaction(replace);
      return;
    }
    const entries = Array.from(this.$order(), (slot) => this.#entryAt(slot));
    try {
      replace();
    } catch (cause) {
      this.$clear();
      for (const { key, value } of entries) this.$insert(key, value, claimMark());
      throw cause;
    }
  }

  #entryAt(slot: number): Entry {
    return {
      key: this.$keys[slot],
      value: this.$values[slot],
      keyId: this.#keyIds[slot] ?? 0,
      keyBytes: this.#keyBytes[slot] ?? 0,
      valueId: this.#valueIds[slot] ?? 0,
      valueBytes: this.#valueBytes[slot] ?? 0,
    };
  }

  #put(slot: number, { key, value, keyId, keyBytes, valueId, valueBytes }: Entry): void {
    this.$version++;
    this.$keys[slot] = key;
    this.$values[slot] = value;
    this.$slots.set(lookupOf(key), slot);
    if (this.#hasKeyText) {
      this.#keyIds[slot] = keyId;
      this.#keyBytes[slot] = keyBytes;
    }
    if (this.#hasValueText) {
      this.#valueIds[slot] = valueId;
      this.#valueBytes[slot] = valueBytes;
    } else if (value instanceof Node) place(value, this, slot * 2 + 1);
  }

  /** Takes an entry out of memory, and with the last one the dead slots before it. */
  #remove(slot: number): void {
    const kept = this.#slotsWithout(slot);
    this.$version++;
    this.$slots.delete(lookupOf(this.$keys[slot]));
    if (kept < this.$keys.length) {
      this.#cut(kept);
      return;
    }
    this.#bury(slot);
    this.#deadSlots.push(slot);
  }

  #bury(slot: number): void {
    this.$keys[slot] = dead;
    this.$values[slot] = undefined;
    if (this.#hasKeyText) this.#keyIds[slot] = 0;
    if (this.#hasValueText) this.#valueIds[slot] = 0;
  }

  #cut(slots: number): void {
    this.$keys.length = slots;
    this.$values.length = slots;
    if (this.#hasKeyText) this.#keyIds.length = this.#keyBytes.length = slots;
    if (this.#hasValueText) this.#valueIds.length = this.#valueBytes.length = slots;
  }

  /** Adds dead slots until there are `slots`. */
  #extend(slots: number): void {
    for (let slot = this.$keys.length; slot < slots; slot++) {
      this.#bury(slot);
      this.#deadSlots.push(slot);
    }
  }

  override $attachContent(ledger: Ledger, out: Encoder): void {
    for (let slot = 0; slot < this.$keys.length; slot++) {
      if (this.$keys[slot] === dead) {
        out.zeros(this.#slotBytes);
        continue;
      }
      out.byte(1);
      const keyId = this.$key.attach(ledger, out, false, this.$keys[slot], this.#keyIds[slot] ?? 0);
      if (this.#hasKeyText) [this.#keyIds[slot], this.#keyBytes[slot]] = [keyId, ledger.textBytes];
      const valueId = this.$value.attach(ledger, out, false, this.$values[slot], this.#valueIds[slot] ?? 0);
      if (this.#hasValueText) [this.#valueIds[slot], this.#valueBytes[slot]] = [valueId, ledger.textBytes];
    }
  }

  override $readsTextsLate(index: number): boolean {
    return index % 2 === 1;
  }

  override $load(loader: Loader): void {
    loader.at(this.$parent as Node, this.$index);
    const reader = loader.open(this.$id, this);
    if (reader.end % this.#slotBytes !== 0)
      throw new Malformed(`${reader.end} bytes are no multiple of the slot's ${this.#slotBytes}`);
    for (let slot = this.$keys.length; reader.at < reader.end; slot++) {
      if (loader.isSliceOver()) {
        loader.hold(this, reader);
        return;
      }
      this.#loadSlot(loader, reader, slot);
    }
  }

  #loadSlot(loader: Loader, reader: Reader, slot: number): void {
    const live = reader.byte();
    if (live > 1) throw new Malformed(`slot ${slot} is neither live nor dead but ${live}`);
    if (live === 0) {
      reader.take(this.#slotBytes - 1);
      this.#bury(slot);
      this.#deadSlots.push(slot);
      return;
    }
    loader.at(this, slot * 2);
    const key = this.$key.decode(reader, false, loader, this, slot * 2);
    this.$keys[slot] = key;
    const isKnown = this.$slots.has(lookupOf(key));
    loader.at(this, slot * 2 + 1);
    if (isKnown) throw new Malformed("the key occurs twice");
    this.$slots.set(lookupOf(key), slot);
    if (this.#hasKeyText) {
      this.#keyIds[slot] = loader.textId;
      this.#keyBytes[slot] = loader.textBytes;
    }
    this.$values[slot] = this.$value.decode(reader, false, loader, this, slot * 2 + 1);
    if (!this.#hasValueText) return;
    this.#valueIds[slot] = loader.textId;
    this.#valueBytes[slot] = loader.textBytes;
  }

  override $collectIds(into: number[]): void {
    super.$collectIds(into);
    for (const id of this.#keyIds) into.push(id);
    for (const id of this.#valueIds) into.push(id);
  }

  override $clearIds(): void {
    super.$clearIds();
    this.#keyIds.fill(0);
    this.#valueIds.fill(0);
  }

  override $restoreIds(from: readonly number[], start: number): number {
    let next = super.$restoreIds(from, start);
    for (let slot = 0; slot < this.#keyIds.length; slot++) this.#keyIds[slot] = from[next++]!;
    for (let slot = 0; slot < this.#valueIds.length; slot++) this.#valueIds[slot] = from[next++]!;
    return next;
  }

  override $pushChildren(stack: Node[]): void {
    if (this.$value.holding !== "node") return;
    for (const value of this.$values) if (value instanceof Node) stack.push(value);
  }

  override $toPlain(toPlain: (value: unknown) => unknown): unknown {
    const plain = new Map<unknown, unknown>();
    for (const slot of this.$order())
      plain.set(this.$keys[slot], toPlain(this.$value.read(this.$values[slot])));
    return plain;
  }
}
