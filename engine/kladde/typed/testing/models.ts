/**
 * What containers should hold, in plain JavaScript: the model that live values are compared with.
 *
 *  (1) Values are as applications see them: structs and variants are objects, tuples and lists arrays, texts strings.
 *  (2) Maps and sets keep their slots, because their order is that of the slots.
 */

export class ModelMap {
  /** A hole where an entry was removed. */
  readonly slots: (readonly [unknown, unknown] | undefined)[] = [];
  readonly isSorted: boolean;

  constructor(isSorted: boolean, entries: Iterable<readonly [unknown, unknown]> = []) {
    this.isSorted = isSorted;
    for (const [key, value] of entries) this.set(key, value);
  }

  #slotOf(key: unknown): number {
    return this.slots.findIndex((entry) => entry !== undefined && Object.is(entry[0], key));
  }

  get size(): number {
    return this.slots.filter((entry) => entry !== undefined).length;
  }

  has(key: unknown): boolean {
    return this.#slotOf(key) >= 0;
  }

  get(key: unknown): unknown {
    return this.slots[this.#slotOf(key)]?.[1];
  }

  set(key: unknown, value: unknown): void {
    const known = this.#slotOf(key);
    const hole = this.slots.indexOf(undefined);
    this.slots[known >= 0 ? known : hole >= 0 ? hole : this.slots.length] = [key, value];
  }

  delete(key: unknown): boolean {
    const slot = this.#slotOf(key);
    if (slot < 0) return false;
    this.slots[slot] = undefined;
    while (this.slots.length > 0 && this.slots.at(-1) === undefined) this.slots.pop();
    return true;
  }

  clear(): void {
    this.slots.length = 0;
  }

  entries(): (readonly [unknown, unknown])[] {
    const live = this.slots.filter((entry) => entry !== undefined);
    return this.isSorted ? live.sort(([a], [b]) => ((a as number) < (b as number) ? -1 : 1)) : live;
  }

  keys(): unknown[] {
    return this.entries().map(([key]) => key);
  }
}

/** A copy that changes of the original do not reach. */
export function copyModel(model: unknown): unknown {
  if (Array.isArray(model)) return model.map(copyModel);
  if (model instanceof Uint8Array) return model.slice();
  if (model instanceof ModelMap) {
    const copy = new ModelMap(model.isSorted);
    for (const entry of model.slots)
      copy.slots.push(entry === undefined ? undefined : [entry[0], copyModel(entry[1])]);
    return copy;
  }
  if (typeof model !== "object" || model === null || Object.isFrozen(model)) return model;
  return Object.fromEntries(Object.entries(model).map(([name, value]) => [name, copyModel(value)]));
}

/** The form that models and what is read from documents are compared in; maps and sets keep their order. */
export function normal(model: unknown): unknown {
  if (Array.isArray(model)) return model.map(normal);
  if (model instanceof ModelMap)
    return { entries: model.entries().map(([key, value]) => [key, normal(value)]) };
  if (typeof model !== "object" || model === null || model instanceof Uint8Array) return model;
  return Object.fromEntries(Object.entries(model).map(([name, value]) => [name, normal(value)]));
}
