/**
 * Slots without an entry, the lowest first.
 *
 *  (1) An entry may be out of date: its slot is in use again, or gone. Such ones are dropped when they come up.
 *
 * Cost: O(log n) a slot.
 */

export class SlotHeap {
  readonly #slots: number[] = [];

  push(slot: number): void {
    const slots = this.#slots;
    let at = slots.length;
    slots.push(slot);
    while (at > 0) {
      const above = (at - 1) >>> 1;
      if (slots[above]! <= slot) break;
      slots[at] = slots[above]!;
      at = above;
    }
    slots[at] = slot;
  }

  /** The lowest slot whose key is `dead`; −1 if there is none. */
  peek(keys: readonly unknown[], dead: unknown): number {
    for (let slot = this.#slots[0]; slot !== undefined; slot = this.#slots[0]) {
      if (slot < keys.length && keys[slot] === dead) return slot;
      this.#pop();
    }
    return -1;
  }

  #pop(): void {
    const slots = this.#slots;
    const last = slots.pop()!;
    if (slots.length === 0) return;
    let at = 0;
    for (let below = 1; below < slots.length; below = 2 * at + 1) {
      if (below + 1 < slots.length && slots[below + 1]! < slots[below]!) below++;
      if (slots[below]! >= last) break;
      slots[at] = slots[below]!;
      at = below;
    }
    slots[at] = last;
  }
}
