/**
 * Fixed shapes for live structs, and one pre-written accessor pair per field position.
 *
 *  (1) Every slot is an ordinary own property with a fixed name, assigned in order when the object is made: all structs of
 *      a size share a shape, and a read is one load at a fixed place.
 *  (2) The accessors are shared by all structs, so that they are compiled once; closures over a captured name would share
 *      one feedback site and cost ten times as much from the fifth type on.
 *
 * Cost: reading a field is a call that is inlined and a load.
 */

import { assign } from "./assign.ts";
import { StructNode } from "./struct-node.ts";

abstract class Slots2 extends StructNode {
  $0: unknown = undefined;
  $1: unknown = undefined;
}

abstract class Slots4 extends StructNode {
  $0: unknown = undefined;
  $1: unknown = undefined;
  $2: unknown = undefined;
  $3: unknown = undefined;
}

abstract class Slots8 extends StructNode {
  $0: unknown = undefined;
  $1: unknown = undefined;
  $2: unknown = undefined;
  $3: unknown = undefined;
  $4: unknown = undefined;
  $5: unknown = undefined;
  $6: unknown = undefined;
  $7: unknown = undefined;
}

abstract class Slots16 extends StructNode {
  $0: unknown = undefined;
  $1: unknown = undefined;
  $2: unknown = undefined;
  $3: unknown = undefined;
  $4: unknown = undefined;
  $5: unknown = undefined;
  $6: unknown = undefined;
  $7: unknown = undefined;
  $8: unknown = undefined;
  $9: unknown = undefined;
  $10: unknown = undefined;
  $11: unknown = undefined;
  $12: unknown = undefined;
  $13: unknown = undefined;
  $14: unknown = undefined;
  $15: unknown = undefined;
}

abstract class Slots32 extends StructNode {
  $0: unknown = undefined;
  $1: unknown = undefined;
  $2: unknown = undefined;
  $3: unknown = undefined;
  $4: unknown = undefined;
  $5: unknown = undefined;
  $6: unknown = undefined;
  $7: unknown = undefined;
  $8: unknown = undefined;
  $9: unknown = undefined;
  $10: unknown = undefined;
  $11: unknown = undefined;
  $12: unknown = undefined;
  $13: unknown = undefined;
  $14: unknown = undefined;
  $15: unknown = undefined;
  $16: unknown = undefined;
  $17: unknown = undefined;
  $18: unknown = undefined;
  $19: unknown = undefined;
  $20: unknown = undefined;
  $21: unknown = undefined;
  $22: unknown = undefined;
  $23: unknown = undefined;
  $24: unknown = undefined;
  $25: unknown = undefined;
  $26: unknown = undefined;
  $27: unknown = undefined;
  $28: unknown = undefined;
  $29: unknown = undefined;
  $30: unknown = undefined;
  $31: unknown = undefined;
}

/** More than 32 fields: the rest is added one by one. */
abstract class ManySlots extends Slots32 {}

export type SlotsClass = abstract new () => StructNode;

/** The smallest shape with room for `count` fields. */
export function slotsClass(count: number): SlotsClass {
  if (count <= 2) return Slots2;
  if (count <= 4) return Slots4;
  if (count <= 8) return Slots8;
  if (count <= 16) return Slots16;
  return count <= 32 ? Slots32 : ManySlots;
}

interface Accessors {
  get(this: Slots32): unknown;
  set(this: Slots32, value: unknown): void;
}

const pairs: readonly Accessors[] = [
  {
    get() {
      return this.$0;
    },
    set(value) {
      assign(this, 0, value);
    },
  },
  {
    get() {
      return this.$1;
    },
    set(value) {
      assign(this, 1, value);
    },
  },
  {
    get() {
      return this.$2;
    },
    set(value) {
      assign(this, 2, value);
    },
  },
  {
    get() {
      return this.$3;
    },
    set(value) {
      assign(this, 3, value);
    },
  },
  {
    get() {
      return this.$4;
    },
    set(value) {
      assign(this, 4, value);
    },
  },
  {
    get() {
      return this.$5;
    },
    set(value) {
      assign(this, 5, value);
    },
  },
  {
    get() {
      return this.$6;
    },
    set(value) {
      assign(this, 6, value);
    },
  },
  {
    get() {
      return this.$7;
    },
    set(value) {
      assign(this, 7, value);
    },
  },
  {
    get() {
      return this.$8;
    },
    set(value) {
      assign(this, 8, value);
    },
  },
  {
    get() {
      return this.$9;
    },
    set(value) {
      assign(this, 9, value);
    },
  },
  {
    get() {
      return this.$10;
    },
    set(value) {
      assign(this, 10, value);
    },
  },
  {
    get() {
      return this.$11;
    },
    set(value) {
      assign(this, 11, value);
    },
  },
  {
    get() {
      return this.$12;
    },
    set(value) {
      assign(this, 12, value);
    },
  },
  {
    get() {
      return this.$13;
    },
    set(value) {
      assign(this, 13, value);
    },
  },
  {
    get() {
      return this.$14;
    },
    set(value) {
      assign(this, 14, value);
    },
  },
  {
    get() {
      return this.$15;
    },
    set(value) {
      assign(this, 15, value);
    },
  },
  {
    get() {
      return this.$16;
    },
    set(value) {
      assign(this, 16, value);
    },
  },
  {
    get() {
      return this.$17;
    },
    set(value) {
      assign(this, 17, value);
    },
  },
  {
    get() {
      return this.$18;
    },
    set(value) {
      assign(this, 18, value);
    },
  },
  {
    get() {
      return this.$19;
    },
    set(value) {
      assign(this, 19, value);
    },
  },
  {
    get() {
      return this.$20;
    },
    set(value) {
      assign(this, 20, value);
    },
  },
  {
    get() {
      return this.$21;
    },
    set(value) {
      assign(this, 21, value);
    },
  },
  {
    get() {
      return this.$22;
    },
    set(value) {
      assign(this, 22, value);
    },
  },
  {
    get() {
      return this.$23;
    },
    set(value) {
      assign(this, 23, value);
    },
  },
  {
    get() {
      return this.$24;
    },
    set(value) {
      assign(this, 24, value);
    },
  },
  {
    get() {
      return this.$25;
    },
    set(value) {
      assign(this, 25, value);
    },
  },
  {
    get() {
      return this.$26;
    },
    set(value) {
      assign(this, 26, value);
    },
  },
  {
    get() {
      return this.$27;
    },
    set(value) {
      assign(this, 27, value);
    },
  },
  {
    get() {
      return this.$28;
    },
    set(value) {
      assign(this, 28, value);
    },
  },
  {
    get() {
      return this.$29;
    },
    set(value) {
      assign(this, 29, value);
    },
  },
  {
    get() {
      return this.$30;
    },
    set(value) {
      assign(this, 30, value);
    },
  },
  {
    get() {
      return this.$31;
    },
    set(value) {
      assign(this, 31, value);
    },
  },
];

/** Getter and setter of the field at `position`. */
export function accessorsAt(position: number): Accessors {
  const pair = pairs[position];
  if (pair !== undefined) return pair;
  const slot = `$${position}` as "$0";
  return {
    get() {
      return this[slot];
    },
    set(value) {
      assign(this, position, value);
    },
  };
}
