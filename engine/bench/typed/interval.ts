/**
 * The typed operations between two flushes, drawn ahead of time so that a clock sees the typed layer and nothing else.
 *
 *  (1) Operations are held by column, in order. All strings are flat: one that is still a concatenation would be
 *      flattened by whoever reads it first, at a cost that is not that reader's.
 *  (2) `append` holds the tail alone; `remove` holds the empty string.
 */

export const typedKind = { replace: 0, append: 1, insert: 2, remove: 3 } as const;
export type TypedKind = (typeof typedKind)[keyof typeof typedKind];

export class TypedInterval {
  readonly kind: TypedKind[] = [];
  readonly key: number[] = [];
  readonly text: string[] = [];

  get count(): number {
    return this.kind.length;
  }

  add(kind: TypedKind, key: number, text: string): void {
    this.kind.push(kind);
    this.key.push(key);
    this.text.push(text);
  }

  clear(): void {
    this.kind.length = 0;
    this.key.length = 0;
    this.text.length = 0;
  }
}
