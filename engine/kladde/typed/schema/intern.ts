/**
 * One object per kind and arguments: what makes `vec(Tree)`, written twice, the same type.
 *
 *  (1) Arguments are compared by identity, so what they are made of has been interned before.
 *  (2) Arguments are held weakly: what was made goes with the last of the schemas it was made from.
 *
 * Cost: one lookup per argument.
 */

interface Node<T> {
  readonly made: Map<string, T>;
  readonly next: WeakMap<object, Node<T>>;
}

const newNode = <T>(): Node<T> => ({ made: new Map(), next: new WeakMap() });

export class Interner<T extends object> {
  readonly #root: Node<T> = newNode();

  /** What `make` gave the first time. */
  get<U extends T>(kind: string, parts: readonly object[], make: () => U): U {
    const { made } = this.#nodeOf(parts);
    let value = made.get(kind);
    if (value === undefined) {
      value = make();
      made.set(kind, value);
    }
    return value as U;
  }

  forget(kind: string, parts: readonly object[]): void {
    this.#nodeOf(parts).made.delete(kind);
  }

  #nodeOf(parts: readonly object[]): Node<T> {
    let node = this.#root;
    for (const part of parts) {
      let next = node.next.get(part);
      if (next === undefined) {
        next = newNode();
        node.next.set(part, next);
      }
      node = next;
    }
    return node;
  }
}
