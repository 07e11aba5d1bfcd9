/**
 * `KMap`: a map whose entries are in the file, with the members of `Map`.
 *
 *  (1) Iteration is in slot order: as inserted, except that a new key takes the lowest slot that a deleted one left.
 *  (2) Changing the map while iterating is safe: what is removed is skipped, what is added is seen if its slot lies ahead.
 *  (3) Keys are equal by value.
 */

import type { KMapOf } from "../schema/containers.ts";
import { assign } from "./assign.ts";
import { dead, MapNode } from "./map-node.ts";
import { blame, describe, typeMistake } from "./mistakes.ts";
import { admitClaims, claimMark, dropClaims, type Node, pathOf, refuseCycle } from "./node.ts";
import { jsonOf } from "./plain.ts";
import { inputsOf } from "./vec.ts";

export class KladdeMap extends MapNode implements KMapOf<unknown, unknown, unknown> {
  get size(): number {
    return this.$slots.size;
  }

  get [Symbol.toStringTag](): string {
    return "KMap";
  }

  get(key: unknown): unknown {
    const slot = this.$find(key);
    return slot < 0 ? undefined : this.$value.read(this.$values[slot]);
  }

  has(key: unknown): boolean {
    return this.$find(key) >= 0;
  }

  set(key: unknown, value: unknown): this {
    const stored = this.#keyFor(key);
    const slot = this.$slotOf(stored);
    if (slot >= 0) {
      assign(this, slot * 2 + 1, value);
      return this;
    }
    const mark = claimMark();
    this.$insert(stored, this.#makeValue(stored, value, mark), mark);
    return this;
  }

  delete(key: unknown): boolean {
    const slot = this.$find(key);
    if (slot < 0) return false;
    this.$delete(slot);
    return true;
  }

  clear(): void {
    this.$clear();
  }

  update(key: unknown, change: (old: unknown) => unknown): unknown {
    if (typeof change !== "function")
      throw typeMistake(`the change must be a function, not ${describe(change)}`);
    return this.set(key, change(this.get(key))).get(key);
  }

  getOrInsert(key: unknown, value: unknown): unknown {
    return this.has(key) ? this.get(key) : this.set(key, value).get(key);
  }

  getOrInsertComputed(key: unknown, make: (key: unknown) => unknown): unknown {
    return this.has(key) ? this.get(key) : this.set(key, make(key)).get(key);
  }

  setAll(entries: Iterable<readonly [unknown, unknown]>): this {
    const pairs = pairsOf(entries, this);
    const ledger = this.$doc;
    const setEach = () => {
      for (const [key, value] of pairs) this.set(key, value);
    };
    if (ledger === null) setEach();
    else ledger.scopes.batch(setEach);
    return this;
  }

  take(key: unknown): unknown {
    const value = this.get(key);
    this.delete(key);
    return value;
  }

  assign(entries: Iterable<readonly [unknown, unknown]>): this {
    const pairs = pairsOf(entries, this);
    this.$refill(() => {
      for (const [key, value] of pairs) this.set(key, value);
    });
    return this;
  }

  forEach(visit: (value: unknown, key: unknown, map: this) => void, self?: unknown): void {
    for (const [key, value] of this.entries()) visit.call(self, value, key, this);
  }

  // Each walks the slots itself: a generator inside a generator costs half as much again.
  *entries(): MapIterator<[unknown, unknown]> {
    for (let slot = 0; slot < this.$keys.length; slot++) {
      const key = this.$keys[slot];
      if (key !== dead) yield [key, this.$value.read(this.$values[slot])];
    }
  }

  *keys(): MapIterator<unknown> {
    for (let slot = 0; slot < this.$keys.length; slot++) {
      const key = this.$keys[slot];
      if (key !== dead) yield key;
    }
  }

  *values(): MapIterator<unknown> {
    for (let slot = 0; slot < this.$keys.length; slot++)
      if (this.$keys[slot] !== dead) yield this.$value.read(this.$values[slot]);
  }

  [Symbol.iterator](): MapIterator<[unknown, unknown]> {
    return this.entries();
  }

  toJSON(): unknown {
    return jsonOf(this);
  }

  /** Puts a pair into a new map that is part of nothing yet. */
  $fillPair(key: unknown, value: unknown): void {
    const stored = this.#makeKey(key);
    this.$fill(stored, this.#make(stored, value));
  }

  #keyFor(key: unknown): unknown {
    try {
      return this.#makeKey(key);
    } catch (cause) {
      throw blame(cause, pathOf(this));
    }
  }

  #makeKey(key: unknown): unknown {
    try {
      return this.$key.make(key);
    } catch (cause) {
      throw blame(cause, "[key]");
    }
  }

  #makeValue(key: unknown, input: unknown, mark: number): unknown {
    const ledger = this.$doc;
    if (ledger !== null) ledger.making++;
    try {
      const stored = this.#make(key, input);
      refuseCycle(this, stored);
      admitClaims(mark, this);
      if (this.$slotOf(key) >= 0) throw typeMistake("the map was changed while a value for it was read");
      return stored;
    } catch (cause) {
      dropClaims(mark);
      throw blame(cause, pathOf(this));
    } finally {
      if (ledger !== null) ledger.making--;
    }
  }

  #make(key: unknown, input: unknown): unknown {
    try {
      return this.$value.make(input);
    } catch (cause) {
      throw blame(cause, `[${typeof key === "string" ? JSON.stringify(key) : String(key)}]`);
    }
  }
}

/** Key and value of everything in `entries`. Mistakes are blamed on `target`, if it is there already. */
export function pairsOf(entries: unknown, target?: Node): (readonly [unknown, unknown])[] {
  const refused = (says: string): unknown => blame(typeMistake(says), target ? pathOf(target) : "");
  if (typeof entries === "object" && entries !== null && !(Symbol.iterator in entries))
    throw refused(
      `expected a Map or pairs of a key and a value, not ${describe(entries)}; Object.entries makes pairs of one`,
    );
  return inputsOf(entries, target).map((entry) => {
    if (!Array.isArray(entry) || entry.length !== 2)
      throw refused(`expected pairs of a key and a value, not ${describe(entry)}`);
    return [entry[0], entry[1]] as const;
  });
}
