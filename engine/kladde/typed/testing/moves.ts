/**
 * Objects that leave a document and come back: taken out of lists, maps, options and boxes, changed outside, stored elsewhere.
 *
 *  (1) An object that is stored again is the same object, not a copy.
 */

import assert from "node:assert/strict";
import { type ModelMap, normal } from "./models.ts";
import { observe } from "./observe.ts";
import { change, everywhere, type Live, type Ref } from "./operations.ts";
import { drawModel, type Spec, type Typed } from "./specs.ts";
import type { Tape } from "./tape.ts";

/** An object that is in no file, and what it should hold. */
interface Held {
  readonly spec: Spec;
  readonly live: Live;
  model: unknown;
}

/** The type of the object that a place of this type holds: options and boxes are not seen. */
const objectSpec = (spec: Spec): Spec =>
  spec.kind === "option" || spec.kind === "box" ? objectSpec(spec.element().spec) : spec;

const elementSpec = ({ spec }: Ref): Spec => objectSpec((spec as { element: () => Typed }).element().spec);

export class Moves {
  held: Held[] = [];

  /** One step of some object's way, and its name. */
  step(root: Ref, tape: Tape): string {
    const at = tape.below(this.held.length);
    const held = this.held[at];
    if (held === undefined || tape.oneIn(3)) return this.#take(root, tape);
    if (tape.oneIn(3)) return this.#changeOutside(held, tape);
    const places = [...everywhere(root)].filter((ref) => canTake(ref, held.spec));
    if (places.length === 0) return "nowhere to put it";
    this.held.splice(at, 1);
    return put(tape.pick(places), held, tape);
  }

  /** What was outside is still sound. */
  verify(): void {
    for (const { spec, live, model } of this.held)
      assert.deepEqual(observe(spec, live), normal(model), "outside");
  }

  /** A rollback put objects back; what others hold now is theirs to say. */
  forget(): void {
    for (const { spec, live } of this.held) observe(spec, live);
    this.held = [];
  }

  #take(root: Ref, tape: Tape): string {
    const sources = [...everywhere(root)].filter(canGive);
    if (sources.length === 0) return "nothing to take";
    const source = tape.pick(sources);
    const taken = takeFrom(source, tape);
    if (typeof taken.live === "object" && taken.live !== null) this.held.push(taken);
    return `take from ${source.spec.kind}`;
  }

  #changeOutside(held: Held, tape: Tape): string {
    const ref: Ref = {
      spec: held.spec,
      live: () => held.live,
      model: () => held.model,
      put: (model) => {
        held.model = model;
      },
    };
    return `outside: ${change(ref, tape)}`;
  }
}

const isObject = (spec: Spec): boolean => spec.kind !== "value";

/** Whether an object can be taken from the place. */
function canGive(ref: Ref): boolean {
  const { spec } = ref;
  const model = ref.model() as { length: number; size: number } | null;
  if (spec.kind === "vec" || spec.kind === "packedVec" || spec.kind === "smallVec")
    return model!.length > 0 && isObject(elementSpec(ref));
  if (spec.kind === "map" || spec.kind === "sortedMap") return model!.size > 0 && isObject(elementSpec(ref));
  return (
    (spec.kind === "option" || spec.kind === "box") &&
    ref.assign !== undefined &&
    model !== null &&
    isObject(objectSpec(spec))
  );
}

function takeFrom(ref: Ref, tape: Tape): Held {
  const { spec } = ref;
  if (spec.kind === "option" || spec.kind === "box") {
    const held = { spec: objectSpec(spec), live: ref.live(), model: ref.model() };
    ref.assign!(null);
    ref.put(null);
    return held;
  }
  if (spec.kind === "map" || spec.kind === "sortedMap") {
    const model = ref.model() as ModelMap;
    const key = tape.pick(model.keys());
    const held = { spec: elementSpec(ref), live: ref.live().take(key), model: model.get(key) };
    model.delete(key);
    return held;
  }
  const model = ref.model() as unknown[];
  const at = tape.below(model.length);
  return { spec: elementSpec(ref), live: ref.live().removeAt(at), model: model.splice(at, 1)[0] };
}

/** Whether an object of type `spec` can be stored in the place, or added to it. */
function canTake(ref: Ref, spec: Spec): boolean {
  if (ref.assign !== undefined && objectSpec(ref.spec) === spec) return true;
  return "element" in ref.spec && ref.spec.kind !== "set" && isAdding(ref.spec) && elementSpec(ref) === spec;
}

const isAdding = ({ kind }: Spec): boolean => kind !== "option" && kind !== "box";

function put(ref: Ref, held: Held, tape: Tape): string {
  if (ref.assign !== undefined && objectSpec(ref.spec) === held.spec) {
    ref.assign(held.live);
    ref.put(held.model);
    assert.equal(ref.live(), held.live);
    return `put into ${ref.spec.kind}`;
  }
  if (ref.spec.kind === "map" || ref.spec.kind === "sortedMap") {
    const key = drawModel(ref.spec.key.spec, tape);
    ref.live().set(key, held.live);
    (ref.model() as ModelMap).set(key, held.model);
    assert.equal(ref.live().get(key), held.live);
    return "put into a map";
  }
  const model = ref.model() as unknown[];
  const at = tape.below(model.length + 1);
  ref.live().insert(at, held.live);
  model.splice(at, 0, held.model);
  assert.equal(ref.live().at(at), held.live);
  return "put into a list";
}
