/**
 * Performs the steps of a history (`history.ts`) on a store and on the model at once.
 */

import { SplitMix32 } from "../../storage/random.ts";
import type { Store } from "../store.ts";
import type { Step } from "./history.ts";
import type { Model } from "./model.ts";
import { contextOf } from "./reload.ts";

/** The bytes of a write; zeros are rare, so that a zero that should not be there shows. */
export function bytesOf(seed: number, length: number): Uint8Array {
  const random = new SplitMix32(seed);
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = random.next() & 0xff;
  return bytes;
}

/** Ids of the slots of a history while it is performed. */
export type Slots = Map<number, number>;

/**
 * Performs one step, neither `reopen` nor `kill`, on store and model; false if it was skipped. Flushes that the store
 * makes by itself are the caller's to notice (`stats().flushes`) and to tell the model.
 */
export function perform(step: Step, store: Store, model: Model, slots: Slots): boolean {
  switch (step.do) {
    case "reopen":
    case "kill":
      return false;
    case "flush":
      store.flush();
      model.flush();
      return true;
    case "begin":
    case "beginBatch":
      store[step.do]();
      model[step.do]();
      return true;
    case "commit":
    case "abort":
    case "endBatch":
      return endScope(step.do, store, model);
    case "alloc":
      return make(step.slot, slots, store.alloc(step.size), (id) => model.alloc(id, step.size));
    case "newId":
      return make(step.slot, slots, store.newId(), (id) => model.newId(id));
    default:
      return change(step, store, model, slots);
  }
}

function make(slot: number, slots: Slots, id: number, tell: (id: number) => void): true {
  tell(id);
  slots.set(slot, id);
  return true;
}

function endScope(how: "commit" | "abort" | "endBatch", store: Store, model: Model): boolean {
  if (model.scope !== (how === "endBatch" ? "batch" : "transaction")) return false;
  store[how]();
  model[how]();
  return true;
}

type Transfer = Extract<Step, { do: "copy" | "move" }>;
type Change = Extract<Step, { do: "free" | "resize" | "write" | "splice" | "copy" | "move" }>;

function change(step: Change, store: Store, model: Model, slots: Slots): boolean {
  const id = aliveId(step.slot, model, slots);
  if (id === undefined) return false;
  if (step.do === "free") {
    store.free(id);
    model.free(id);
    slots.delete(step.slot);
  } else if (step.do === "resize") {
    store.resize(id, step.size);
    model.resize(id, step.size);
  } else if (step.do === "write") {
    const bytes = bytesOf(step.seed, step.length);
    store.write(id, step.offset, bytes);
    model.write(id, step.offset, bytes);
  } else if (step.do === "splice") {
    const bytes = bytesOf(step.seed, step.length);
    store.splice(id, step.offset, step.oldLength, bytes);
    model.splice(id, step.offset, step.oldLength, bytes);
  } else {
    const to = aliveId(step.to, model, slots);
    if (to === undefined) return false;
    return transfer(step, step.source ?? id, to, store, model);
  }
  return true;
}

/** False if the source is the store's own allocation, which is refused. */
function transfer(step: Transfer, source: number, to: number, store: Store, model: Model): boolean {
  const { offset, length, toOffset } = step;
  try {
    store[step.do](source, offset, length, to, toOffset);
  } catch (error) {
    if (error instanceof RangeError && source === contextOf(store).fields.consolidatorState) return false;
    throw error;
  }
  model[step.do](source, offset, length, to, toOffset);
  return true;
}

/**
 * The id of a slot that is alive. A transaction that was taken back may have ended it, or brought a freed one back,
 * which then stays without a slot; and its id may be another slot's by now.
 */
function aliveId(slot: number, model: Model, slots: Slots): number | undefined {
  const id = slots.get(slot);
  if (id === undefined || !model.exists(id)) return undefined;
  for (const [other, otherId] of slots) if (otherId === id && other > slot) return undefined;
  return id;
}
