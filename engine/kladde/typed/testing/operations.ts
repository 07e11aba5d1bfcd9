/**
 * Random changes, made to a document and to its model side by side.
 *
 *  (1) A change is one call of the application; what it returns is compared too.
 *  (2) Nothing here looks at the file.
 */

import assert from "node:assert/strict";
import { copyModel, type ModelMap, normal } from "./models.ts";
import { observe } from "./observe.ts";
import { drawBytes, drawModel, drawText, inputOf, type Spec, type Typed, variantFields } from "./specs.ts";
import type { Tape } from "./tape.ts";

// biome-ignore lint/suspicious/noExplicitAny: live objects of all kinds
export type Live = any;

/** A place in the document and in the model. */
export interface Ref {
  readonly spec: Spec;
  readonly live: () => Live;
  readonly model: () => Live;
  /** Replaces the model's value. */
  readonly put: (model: unknown) => void;
  /** Stores into the document; absent for what is never replaced. */
  readonly assign?: (input: unknown) => void;
}

/** The places directly below. */
export function below(ref: Ref): Ref[] {
  const { spec } = ref;
  const model = ref.model();
  switch (spec.kind) {
    case "struct":
    case "tuple":
      return spec.fields.map((field) => fieldRef(ref, field.property, field.spec));
    case "enum":
      return variantFields(spec, model).map((field) => fieldRef(ref, field.property, field.spec));
    case "option":
    case "box":
      if (model === null) return [];
      return below({ ...ref, spec: spec.element().spec });
    case "vec":
    case "packedVec":
    case "smallVec":
      return (model as unknown[]).map((_, at) => elementRef(ref, at, spec.element().spec));
    case "map":
    case "sortedMap":
      return (model as ModelMap).keys().map((key) => valueRef(ref, key, spec.element().spec));
    default:
      return [];
  }
}

const fieldRef = (ref: Ref, property: string, spec: Spec): Ref => ({
  spec,
  live: () => ref.live()[property],
  model: () => ref.model()[property],
  put: (model) => {
    ref.model()[property] = model;
  },
  assign: (input) => {
    ref.live()[property] = input;
  },
});

const elementRef = (ref: Ref, at: number, spec: Spec): Ref => ({
  spec,
  live: () => ref.live().at(at),
  model: () => ref.model()[at],
  put: (model) => {
    ref.model()[at] = model;
  },
  assign: (input) => void ref.live().set(at, input),
});

const valueRef = (ref: Ref, key: unknown, spec: Spec): Ref => ({
  spec,
  live: () => ref.live().get(key),
  model: () => ref.model().get(key),
  put: (model) => ref.model().set(key, model),
  assign: (input) => void ref.live().set(key, input),
});

/** A place anywhere at or below `top`. */
export function somewhere(top: Ref, tape: Tape): Ref {
  let ref = top;
  for (let depth = 0; depth < 8; depth++) {
    const places = below(ref);
    if (places.length === 0 || tape.oneIn(5)) break;
    ref = tape.pick(places);
  }
  return ref;
}

/** All places at and below `top`, itself first. */
export function* everywhere(top: Ref): Generator<Ref> {
  yield top;
  for (const ref of below(top)) yield* everywhere(ref);
}

/** Makes one change at `ref`, and says which. */
export function change(ref: Ref, tape: Tape): string {
  const { spec } = ref;
  if (ref.assign !== undefined && (isWhole(spec, ref.model()) || tape.oneIn(4))) return replace(ref, tape);
  switch (spec.kind) {
    case "text":
      return changeText(ref, tape);
    case "bytes":
      return changeBytes(ref, tape);
    case "set":
      return changeSet(ref, spec.element(), tape);
    case "map":
    case "sortedMap":
      return changeMap(ref, spec.key, spec.element(), tape);
    case "vec":
    case "packedVec":
    case "smallVec":
      return changeList(ref, spec.element(), tape);
    case "option":
    case "box":
      return ref.model() === null ? "nothing to change" : change({ ...ref, spec: spec.element().spec }, tape);
    default: {
      const places = below(ref);
      return places.length === 0 ? "nothing to change" : change(tape.pick(places), tape);
    }
  }
}

/** Whether the value has no changes of its own. */
const isWhole = (spec: Spec, model: unknown): boolean =>
  spec.kind === "value" || ((spec.kind === "option" || spec.kind === "box") && model === null);

/** Stores another value, as a plain one or as an object that is in no file yet. */
function replace(ref: Ref, tape: Tape): string {
  const { spec } = ref;
  const isEdit = spec.kind === "value" && spec.edit !== undefined && tape.oneIn(2);
  const model = isEdit ? spec.edit!(ref.model(), tape) : drawModel(spec, tape, 3);
  const input = inputOf(spec, model);
  if (spec.kind === "struct" && tape.oneIn(2)) {
    const instance = new spec.make(input as object);
    assert.deepEqual(observe(spec, instance), normal(model));
    ref.assign!(instance);
    assert.equal(ref.live(), instance, "an object that was in no file is the one stored");
  } else ref.assign!(input);
  ref.put(model);
  return `replace ${spec.kind}`;
}

const text = {
  bounds(points: readonly string[], tape: Tape): [number, number, number, number] {
    const from = tape.below(points.length + 1);
    const to = from + tape.below(points.length - from + 1);
    const units = (count: number): number => points.slice(0, count).join("").length;
    return [from, to, units(from), units(to)];
  },
};

function changeText(ref: Ref, tape: Tape): string {
  const live = ref.live();
  const points = [...(ref.model() as string)];
  const [from, to, start, end] = text.bounds(points, tape);
  const inserted = tape.oneIn(5) ? "" : drawText(tape);
  const put = (...parts: (string | string[])[]): void => ref.put(parts.flat().join(""));
  switch (tape.below(5)) {
    case 0:
      live.append(inserted);
      put(points, inserted);
      return "text.append";
    case 1:
      live.insert(start, inserted);
      put(points.slice(0, from), inserted, points.slice(from));
      return "text.insert";
    case 2:
      live.delete(start, end);
      put(points.slice(0, from), points.slice(to));
      return "text.delete";
    case 3:
      live.assign(inserted);
      put(inserted);
      return "text.assign";
    default:
      live.replaceRange(start, end, inserted);
      put(points.slice(0, from), inserted, points.slice(to));
      return "text.replaceRange";
  }
}

function changeBytes(ref: Ref, tape: Tape): string {
  const live = ref.live();
  const old = [...(ref.model() as Uint8Array)];
  const given = drawBytes(tape);
  const from = tape.below(old.length + 1);
  const removed = tape.below(old.length - from + 1);
  switch (tape.below(4)) {
    case 0:
      live.append(given);
      ref.put(Uint8Array.from([...old, ...given]));
      return "bytes.append";
    case 1:
      live.assign(given);
      ref.put(given.slice());
      return "bytes.assign";
    case 2:
      if (given.length > old.length) return "nothing to change";
      live.set(old.length - given.length, given);
      ref.put(Uint8Array.from([...old.slice(0, old.length - given.length), ...given]));
      return "bytes.set";
    default:
      live.splice(from, removed, given);
      old.splice(from, removed, ...given);
      ref.put(Uint8Array.from(old));
      return "bytes.splice";
  }
}

function changeSet(ref: Ref, { spec }: Typed, tape: Tape): string {
  const live = ref.live();
  const model = ref.model() as ModelMap;
  const key = model.size > 0 && tape.oneIn(2) ? tape.pick(model.keys()) : drawModel(spec, tape);
  switch (tape.below(5)) {
    case 0:
    case 1:
      live.add(key);
      model.set(key, undefined);
      return "set.add";
    case 2:
      if (!tape.oneIn(3)) break;
      live.clear();
      model.clear();
      return "set.clear";
    case 3: {
      const keys = [key, drawModel(spec, tape), key];
      live.assign(new Set(keys));
      model.clear();
      for (const one of keys) model.set(one, undefined);
      return "set.assign";
    }
  }
  assert.equal(live.delete(key), model.delete(key));
  return "set.delete";
}

function changeMap(ref: Ref, key: Typed, value: Typed, tape: Tape): string {
  const model = ref.model() as ModelMap;
  const live = ref.live();
  const isKnown = model.size > 0 && tape.oneIn(2);
  const at = isKnown ? tape.pick(model.keys()) : drawModel(key.spec, tape);
  switch (tape.below(8)) {
    case 0:
    case 1:
      return mapSet(ref, at, value, tape, (input) => live.set(at, input));
    case 2:
      return mapSet(ref, at, value, tape, (input) => live.update(at, () => input));
    case 3: {
      const made = drawModel(value.spec, tape, 2);
      const got = live.getOrInsert(at, inputOf(value.spec, made));
      if (!model.has(at)) model.set(at, made);
      assert.deepEqual(observe(value.spec, got), normal(model.get(at)));
      return "map.getOrInsert";
    }
    case 4:
      return mapAll(ref, key, value, tape);
    case 5: {
      const taken = live.take(at);
      if (model.has(at)) assert.deepEqual(observe(value.spec, taken), normal(model.get(at)));
      else assert.equal(taken, undefined);
      model.delete(at);
      return "map.take";
    }
    case 6:
      if (!tape.oneIn(3)) break;
      live.clear();
      model.clear();
      return "map.clear";
  }
  assert.equal(live.delete(at), model.delete(at));
  return "map.delete";
}

function mapSet(ref: Ref, at: unknown, value: Typed, tape: Tape, store: (input: unknown) => void): string {
  const made = drawModel(value.spec, tape, 2);
  store(inputOf(value.spec, made));
  (ref.model() as ModelMap).set(at, made);
  return "map.set";
}

function mapAll(ref: Ref, key: Typed, value: Typed, tape: Tape): string {
  const model = ref.model() as ModelMap;
  const pairs = Array.from(
    { length: tape.below(4) },
    () => [drawModel(key.spec, tape), drawModel(value.spec, tape, 2)] as const,
  );
  const inputs = pairs.map(([k, v]) => [k, inputOf(value.spec, v)] as const);
  const isAssign = tape.oneIn(3);
  if (isAssign) {
    ref.live().assign(new Map(inputs));
    model.clear();
  } else ref.live().setAll(inputs);
  for (const [k, v] of isAssign ? new Map(pairs) : pairs) model.set(k, v);
  return isAssign ? "map.assign" : "map.setAll";
}

function changeList(ref: Ref, element: Typed, tape: Tape): string {
  const model = ref.model() as unknown[];
  const draw = (count: number): unknown[] =>
    Array.from({ length: count }, () => drawModel(element.spec, tape, 2));
  const inputs = (models: readonly unknown[]): unknown[] => models.map((one) => inputOf(element.spec, one));
  const same = (got: Live[], expected: unknown[]): void =>
    assert.deepEqual(
      got.map((one) => observe(element.spec, one)),
      expected.map(normal),
    );
  const operation = tape.pick(model.length === 0 ? fillingList : listOperations);
  operation({ live: ref.live(), model, tape, draw, inputs, same });
  return `list.${operation.name}`;
}

interface ListChange {
  readonly live: Live;
  readonly model: unknown[];
  readonly tape: Tape;
  readonly draw: (count: number) => unknown[];
  readonly inputs: (models: readonly unknown[]) => unknown[];
  readonly same: (got: Live[], expected: unknown[]) => void;
}

function push({ live, model, tape, draw, inputs }: ListChange): void {
  const made = draw(1 + tape.below(3));
  assert.equal(live.push(...inputs(made)), model.push(...made));
}

function unshift({ live, model, tape, draw, inputs }: ListChange): void {
  const made = draw(1 + tape.below(2));
  assert.equal(live.unshift(...inputs(made)), model.unshift(...made));
}

function assignAll({ live, model, tape, draw, inputs }: ListChange): void {
  const made = draw(tape.below(4));
  live.assign(inputs(made).values());
  model.splice(0, model.length, ...made);
}

function pop({ live, model, same }: ListChange): void {
  same([live.pop()], [model.pop()]);
}

function shift({ live, model, same }: ListChange): void {
  same([live.shift()], [model.shift()]);
}

function splice({ live, model, tape, draw, inputs, same }: ListChange): void {
  const made = draw(tape.below(3));
  const start = tape.below(2 * model.length + 1) - model.length;
  const count = tape.below(model.length + 1);
  same(live.splice(start, count, ...inputs(made)), model.splice(start, count, ...made));
}

function insert({ live, model, tape, draw, inputs }: ListChange): void {
  const made = draw(1 + tape.below(2));
  const at = tape.below(model.length + 1);
  live.insert(at, ...inputs(made));
  model.splice(at, 0, ...made);
}

function removeAt({ live, model, tape, same }: ListChange): void {
  const at = tape.below(model.length);
  same([live.removeAt(at)], model.splice(at, 1));
}

function clear({ live, model }: ListChange): void {
  live.clear();
  model.length = 0;
}

function cut({ live, model, tape }: ListChange): void {
  const length = tape.below(model.length + 1);
  live.length = length;
  model.length = length;
}

function fill({ live, model, tape, draw, inputs }: ListChange): void {
  const [made] = draw(1);
  const from = tape.below(model.length);
  live.fill(inputs([made])[0], from);
  // Each place has a value of its own.
  for (let at = from; at < model.length; at++) model[at] = copyModel(made);
}

function reverse({ live, model }: ListChange): void {
  live.reverse();
  model.reverse();
}

function swap({ live, model, tape }: ListChange): void {
  const [a, b] = [tape.below(model.length), tape.below(model.length)];
  live.swap(a, b);
  [model[a], model[b]] = [model[b], model[a]];
}

/** By position, so that equal values tell nothing about the order. */
function sort({ live, model, tape }: ListChange): void {
  const ranks = model.map(() => tape.below(5));
  const lives = [...live];
  const rankOf = new Map(lives.map((one, at) => [one, ranks[at]!]));
  const models = model.map((one, at) => ({ one, rank: rankOf.get(lives[at])! }));
  live.sort((a: unknown, b: unknown) => rankOf.get(a)! - rankOf.get(b)!);
  model.splice(0, model.length, ...models.sort((a, b) => a.rank - b.rank).map(({ one }) => one));
}

const fillingList = [push, insert, splice, unshift, assignAll];
const listOperations = [
  push,
  push,
  pop,
  shift,
  unshift,
  splice,
  splice,
  insert,
  removeAt,
  clear,
  cut,
  fill,
  reverse,
  swap,
  sort,
  assignAll,
];
