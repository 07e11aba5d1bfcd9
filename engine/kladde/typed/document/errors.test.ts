/** What every refusal carries besides its message: a code, and where the value is. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../../../errors.ts";
import { MemoryFile } from "../../../storage/memory.ts";
import { Store } from "../../store.ts";
import * as k from "./k.ts";
import { kladdeOn } from "./kladde.ts";

const Kladde = kladdeOn();

const Note = k.struct({ title: k.string(), done: k.bool() }, { name: "Note" });
const Notes = k.struct({ notes: k.vec(Note), byName: k.map(k.string(), Note) }, { name: "Notes" });

const init = () => ({
  notes: [
    { title: "a", done: false },
    { title: "b", done: true },
  ],
  byName: new Map([["key", { title: "c", done: false }]]),
});

const open = () => Kladde.open(new MemoryFile("notes"), Notes, { init });

const caught = (step: () => unknown): unknown => {
  try {
    step();
  } catch (cause) {
    return cause;
  }
  return undefined;
};

test("a caller's mistakes have codes, and those with values their path", () => {
  const doc = open();
  const note = doc.notes.at(0)!;
  const other = new Note({ title: "x", done: false });
  const handle = Kladde.of(doc);
  const cases: readonly (readonly [() => unknown, string, string])[] = [
    [() => doc.notes.push({ title: 5 as never, done: false }), "type", "notes[2].title"],
    [() => doc.byName.set("key", { title: "\ud800", done: true } as never), "type", 'byName["key"].title'],
    [() => doc.notes.set(7, other), "range", "notes"],
    [() => doc.notes.push(note), "owned", "notes[2]"],
    [() => doc.transaction(async () => {}), "type", ""],
    [() => doc.batch(async () => {}), "type", ""],
    [() => doc.transaction(() => handle.close()), "type", ""],
    [() => Kladde.of(other), "type", ""],
    [() => k.clone({}), "type", ""],
    [() => k.patch(note, { titel: "x" } as never), "type", "notes[0].titel"],
  ];
  for (const [step, code, at] of cases) {
    const error = caught(step) as { code?: string; at?: string };
    assert.ok(error instanceof (code === "range" ? RangeError : TypeError), `${step}: ${error}`);
    assert.deepEqual([error.code, error.at ?? ""], [code, at], String(error));
  }
  assert.deepEqual(k.toJS(doc), init());
});

test("a broken schema has a code, and where it breaks", () => {
  const Broken = k.struct({ list: k.vec(k.smallString()) }, { name: "Broken" });
  const error = caught(() => Kladde.open(new MemoryFile("x"), Broken)) as { code?: string };
  assert.ok(error instanceof TypeError);
  assert.equal(error.code, "schema");
  assert.match(String(error), /list/);
});

/** Overwrites the byte of the allocation with `content` at `offset`, and opens the document. */
function openDamaged(content: readonly number[], offset: number, byte: number): unknown {
  const file = new MemoryFile("notes");
  Kladde.open(file, Notes, { init }).close();
  const store = Store.open(file);
  const id = [...store.ids()].find(
    (known) =>
      store.size(known) === content.length &&
      [...store.read(known, 0, content.length)].every((got, at) => content[at]! < 0 || got === content[at]),
  );
  assert.notEqual(id, undefined);
  store.write(id!, offset, Uint8Array.of(byte));
  store.close();
  const damaged = new MemoryFile("notes", file.bytes());
  const error = caught(() => Kladde.open(damaged, Notes));
  // The store gives back the free end of a file when it opens it.
  const left = damaged.bytes();
  assert.ok(Buffer.compare(left, file.bytes().subarray(0, left.length)) === 0);
  return error;
}

const anything = [-1, -1, -1, -1];

test("content that contradicts its schema is corrupt, with file, allocation and path of the value", () => {
  const cases: readonly (readonly [readonly number[], number, number, string, RegExp])[] = [
    [[...anything, 0, ...anything, 1], 9, 2, "notes[1].done", /a boolean is 2/],
    [[98], 0, 0xff, "notes[1].title", /not valid UTF-8/],
    [[99], 0, 0xff, 'byName["key"].title', /not valid UTF-8/],
    [[1, ...anything, ...anything, 0], 0, 7, "byName", /slot 0 is neither live nor dead but 7/],
    [[1, ...anything, ...anything, 0], 3, 9, "byName[slot 0]", /does not exist/],
  ];
  for (const [content, offset, byte, at, says] of cases) {
    const error = openDamaged(content, offset, byte);
    assert.ok(error instanceof StoreError, String(error));
    assert.equal(error.code, "corrupt");
    assert.match(error.message, says);
    assert.equal(error.at, at);
    assert.equal(error.file, "notes");
    assert.ok(error.id! > 0);
  }
});

test("a first value that comes later, or is none, is refused, and no document is made", () => {
  const All = k.struct({ notes: k.vec(k.u32()), other: k.map(k.u8(), k.u8()) });
  const inits: readonly (readonly [unknown, RegExp])[] = [
    [async () => ({ notes: [1] }), /init must not be async/],
    [() => Promise.resolve({ notes: [1] }), /init must not be async/],
    [
      function* () {
        yield { notes: [1] };
      },
      /init must not be a generator/,
    ],
    [() => [{ notes: [1] }].values(), /expected an object/],
    [() => new Map([["notes", [1]]]), /expected an object/],
  ];
  for (const [init, message] of inits) {
    const file = new MemoryFile("later");
    assert.throws(() => Kladde.open(file, All, { init: init as never }), { name: "TypeError", message });
    const doc = Kladde.open(file, All, { init: () => ({ notes: [1] }) });
    assert.deepEqual(k.toJS(doc), { notes: [1], other: new Map() });
  }
  const Row = k.struct({ all: k.vec(All) });
  const doc = Kladde.open(new MemoryFile("rows"), Row);
  for (const value of [Promise.resolve(), new Set([1]), [1].values(), new Date(0)])
    assert.throws(() => doc.all.push(value as never), { code: "type", message: /expected an object/ });
  doc.all.push({});
  assert.deepEqual(k.toJS(doc), { all: [{ notes: [], other: new Map() }] });
});
