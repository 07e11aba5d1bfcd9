/**
 * What containers promise to an application; the live classes implement these interfaces.
 *
 *  (1) `T` is what reading gives, `In` what writing accepts; every `T` is an `In`. `KVec<T>` is the case where both are one.
 *  (2) What the protocols of `Map`, `Set` and `Array` leave open is said here; what they say is not repeated.
 */

/** Elements in a row, without holes. Indices outside are refused by what writes, and give `undefined` from `at`. */
export interface KVecOf<T, In> extends Iterable<T> {
  /** May be set, but only to shrink. */
  length: number;
  readonly [Symbol.toStringTag]: string;

  set(index: number, value: In): this;
  push(...values: In[]): number;
  pop(): T | undefined;
  shift(): T | undefined;
  unshift(...values: In[]): number;
  splice(start: number, deleteCount?: number, ...values: In[]): T[];
  insert(index: number, ...values: In[]): this;
  removeAt(index: number): T | undefined;
  clear(): void;
  fill(value: In, start?: number, end?: number): this;
  sort(compare?: (a: T, b: T) => number): this;
  reverse(): this;
  swap(a: number, b: number): void;
  /** Replaces all elements. */
  assign(values: Iterable<In>): this;

  at(index: number): T | undefined;
  concat(...others: readonly (T | Iterable<T>)[]): T[];
  entries(): IterableIterator<[number, T]>;
  every(test: (value: T, index: number) => unknown): boolean;
  filter<U extends T>(test: (value: T, index: number) => value is U): U[];
  filter(test: (value: T, index: number) => unknown): T[];
  find<U extends T>(test: (value: T, index: number) => value is U): U | undefined;
  find(test: (value: T, index: number) => unknown): T | undefined;
  findIndex(test: (value: T, index: number) => unknown): number;
  findLast<U extends T>(test: (value: T, index: number) => value is U): U | undefined;
  findLast(test: (value: T, index: number) => unknown): T | undefined;
  findLastIndex(test: (value: T, index: number) => unknown): number;
  flatMap<U>(change: (value: T, index: number) => U | readonly U[]): U[];
  forEach(visit: (value: T, index: number) => void): void;
  includes(value: T, from?: number): boolean;
  indexOf(value: T, from?: number): number;
  join(separator?: string): string;
  keys(): IterableIterator<number>;
  lastIndexOf(value: T, from?: number): number;
  map<U>(change: (value: T, index: number) => U): U[];
  reduce(join: (result: T, value: T, index: number) => T): T;
  reduce<U>(join: (result: U, value: T, index: number) => U, initial: U): U;
  reduceRight(join: (result: T, value: T, index: number) => T): T;
  reduceRight<U>(join: (result: U, value: T, index: number) => U, initial: U): U;
  slice(start?: number, end?: number): T[];
  some(test: (value: T, index: number) => unknown): boolean;
  toReversed(): T[];
  toSorted(compare?: (a: T, b: T) => number): T[];
  toSpliced(start: number, deleteCount?: number, ...values: T[]): T[];
  values(): IterableIterator<T>;
  with(index: number, value: T): T[];
  /** The same elements behind the whole behaviour of an array, for code that insists on `v[i] = x`; slower. */
  asArray(): T[];
  toJSON(): unknown;
}

export interface KVec<T> extends KVecOf<T, T> {}

/** Entries in the order of their slots: as inserted, except that new keys fill the holes of deleted ones. */
export interface KMapOf<K, V, In> extends Map<K, V> {
  set(key: K, value: In | V): this;
  /** Stores what `change` makes of the value, `undefined` if there is none, and gives what is stored then. */
  update(key: K, change: (old: V | undefined) => In | V): V;
  getOrInsert(key: K, value: In | V): V;
  getOrInsertComputed(key: K, make: (key: K) => In | V): V;
  /** All in one batch. */
  setAll(entries: Iterable<readonly [K, In | V]>): this;
  /** Removes an entry and gives its value. */
  take(key: K): V | undefined;
  /** Replaces all entries. */
  assign(entries: Iterable<readonly [K, In | V]>): this;
  toJSON(): unknown;
}

export interface KMap<K, V> extends KMapOf<K, V, V> {}

/** What the set algebra takes: any `Set` or `Map`, and what looks like one. */
export interface SetLike<T> {
  readonly size: number;
  has(value: T): boolean;
  keys(): Iterator<T>;
}

/** The set algebra gives plain sets. */
export interface KSet<T> extends Set<T> {
  union<U>(other: SetLike<U>): Set<T | U>;
  intersection<U>(other: SetLike<U>): Set<T & U>;
  difference<U>(other: SetLike<U>): Set<T>;
  symmetricDifference<U>(other: SetLike<U>): Set<T | U>;
  isSubsetOf(other: SetLike<unknown>): boolean;
  isSupersetOf(other: SetLike<unknown>): boolean;
  isDisjointFrom(other: SetLike<unknown>): boolean;
  /** Replaces all members. */
  assign(values: Iterable<T>): this;
  toJSON(): unknown;
}

/** A string that is edited in place. Lengths and indices count UTF-16 units; no range may cut a surrogate pair. */
export interface Text extends Iterable<string> {
  readonly length: number;
  readonly [Symbol.toStringTag]: string;
  append(text: string): this;
  insert(index: number, text: string): this;
  delete(start: number, end: number): this;
  replaceRange(start: number, end: number, text: string): this;
  /** Replaces the whole text. */
  assign(text: string | Text): this;
  slice(start?: number, end?: number): string;
  indexOf(text: string, from?: number): number;
  toString(): string;
  valueOf(): string;
  [Symbol.toPrimitive](hint: string): string | number;
  toJSON(): string;
}

/** Bytes that are edited in place; what is handed out is a copy. */
export interface Bytes extends Iterable<number> {
  readonly length: number;
  readonly [Symbol.toStringTag]: string;
  at(index: number): number | undefined;
  /** Overwrites from `index` on; the bytes must end inside. */
  set(index: number, bytes: number | Uint8Array): this;
  splice(start: number, deleteCount: number, bytes?: Uint8Array): this;
  append(bytes: Uint8Array): this;
  assign(bytes: Uint8Array | Bytes): this;
  slice(start?: number, end?: number): Uint8Array;
  /** Copies to `target` from `targetStart` on and gives the number of bytes copied. */
  copyTo(target: Uint8Array, targetStart?: number, start?: number, end?: number): number;
  toJSON(): unknown;
}

/** A fixed number of values, each of its own type, read and written by index. */
export type KTuple<T extends readonly unknown[]> = {
  -readonly [I in Exclude<keyof T, keyof (readonly unknown[])>]: T[I];
} & Iterable<T[number]> & { readonly length: T["length"] };
