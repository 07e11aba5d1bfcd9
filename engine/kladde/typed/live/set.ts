/**
 * `KSet`: a set whose members are in the file, with the members of `Set`. The set algebra gives plain sets.
 *
 *  (1) In the file it is a map to nothing; iteration is in slot order, as a map's.
 */

import type { KSet } from "../schema/containers.ts";
import { MapNode } from "./map-node.ts";
import { blame } from "./mistakes.ts";
import { claimMark, pathOf } from "./node.ts";
import { jsonOf } from "./plain.ts";
import { inputsOf } from "./vec.ts";

type Algebra =
  | "union"
  | "intersection"
  | "difference"
  | "symmetricDifference"
  | "isSubsetOf"
  | "isSupersetOf"
  | "isDisjointFrom";

const algebra: readonly Algebra[] = [
  "union",
  "intersection",
  "difference",
  "symmetricDifference",
  "isSubsetOf",
  "isSupersetOf",
  "isDisjointFrom",
];

export interface KladdeSet extends Pick<KSet<unknown>, Algebra> {}

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the static block defines what the interface names
export class KladdeSet extends MapNode implements KSet<unknown> {
  get size(): number {
    return this.$slots.size;
  }

  get [Symbol.toStringTag](): string {
    return "KSet";
  }

  has(value: unknown): boolean {
    return this.$find(value) >= 0;
  }

  add(value: unknown): this {
    const mark = claimMark();
    let stored: unknown;
    try {
      stored = this.$key.make(value);
    } catch (cause) {
      throw blame(cause, `${pathOf(this)}[member]`);
    }
    if (this.$slotOf(stored) < 0) this.$insert(stored, undefined, mark);
    return this;
  }

  delete(value: unknown): boolean {
    const slot = this.$find(value);
    if (slot < 0) return false;
    this.$delete(slot);
    return true;
  }

  clear(): void {
    this.$clear();
  }

  assign(values: Iterable<unknown>): this {
    const members = inputsOf(values, this);
    this.$refill(() => {
      for (const member of members) this.add(member);
    });
    return this;
  }

  forEach(visit: (value: unknown, same: unknown, set: this) => void, self?: unknown): void {
    for (const value of this.keys()) visit.call(self, value, value, this);
  }

  *keys(): SetIterator<unknown> {
    for (const slot of this.$order()) yield this.$keys[slot];
  }

  values(): SetIterator<unknown> {
    return this.keys();
  }

  *entries(): SetIterator<[unknown, unknown]> {
    for (const value of this.keys()) yield [value, value];
  }

  [Symbol.iterator](): SetIterator<unknown> {
    return this.keys();
  }

  override $toPlain(): Set<unknown> {
    return new Set(this.keys());
  }

  toJSON(): unknown {
    return jsonOf(this);
  }

  static {
    for (const name of algebra)
      Object.defineProperty(KladdeSet.prototype, name, {
        value(this: KladdeSet, other: never): unknown {
          return (new Set(this.keys()) as unknown as KSet<unknown>)[name](other);
        },
        writable: true,
        configurable: true,
      });
  }
}
