/**
 * A map that iterates in the order of its keys.
 *
 *  (1) The order exists in memory only: the file holds an ordinary map.
 *  (2) Numbers and bigints by value, strings by code unit, false before true.
 *
 * Cost: the first iteration after an entry came or went sorts.
 */

import { KladdeMap } from "./map.ts";
import { dead } from "./map-node.ts";

type Key = number | bigint | string | boolean;

const ascending = (a: Key, b: Key): number => (a < b ? -1 : a > b ? 1 : 0);

export class SortedMap extends KladdeMap {
  #sorted: number[] = [];
  #sortedVersion = -1;

  override *$order(): Generator<number, void, undefined> {
    let version = this.$version;
    let last: Key | undefined;
    for (let at = 0; ; at++) {
      const slots = this.#sort();
      // Entries have come or gone since the last step: go on behind its key.
      if (version !== this.$version && last !== undefined) at = this.#firstAfter(slots, last);
      version = this.$version;
      const slot = slots[at];
      if (slot === undefined) return;
      last = this.$keys[slot] as Key;
      yield slot;
    }
  }

  override *entries(): MapIterator<[unknown, unknown]> {
    for (const slot of this.$order()) yield [this.$keys[slot], this.$value.read(this.$values[slot])];
  }

  override *keys(): MapIterator<unknown> {
    for (const slot of this.$order()) yield this.$keys[slot];
  }

  override *values(): MapIterator<unknown> {
    for (const slot of this.$order()) yield this.$value.read(this.$values[slot]);
  }

  #sort(): readonly number[] {
    if (this.#sortedVersion === this.$version) return this.#sorted;
    const slots = this.$keys.flatMap((key, slot) => (key === dead ? [] : [slot]));
    this.#sorted = slots.sort((a, b) => ascending(this.$keys[a] as Key, this.$keys[b] as Key));
    this.#sortedVersion = this.$version;
    return this.#sorted;
  }

  #firstAfter(slots: readonly number[], key: Key): number {
    let low = 0;
    let high = slots.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ascending(this.$keys[slots[middle]!] as Key, key) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
