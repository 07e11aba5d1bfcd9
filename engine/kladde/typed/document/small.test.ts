/** Small strings and vectors: inline, spilled and back, at every depth, in memory, in the file and after a rollback. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MemoryFile } from "../../../storage/memory.ts";
import { Store } from "../../store.ts";
import { requirePlaces } from "../testing/observe.ts";
import * as k from "./k.ts";
import { kladdeOn } from "./kladde.ts";

const Kladde = kladdeOn();

const Inner = k.struct(
  { name: k.smallString(), links: k.smallVec(k.string()), n: k.u32() },
  { name: "Inner" },
);
const Row = k.struct(
  {
    label: k.smallString(),
    items: k.smallVec(Inner),
    note: k.option(k.smallString()),
    deep: k.smallVec(k.smallVec(k.smallString())),
    fixed: k.u32().slotted(),
    names: k.vec(k.string()),
    few: k.option(k.smallVec(k.u32())),
  },
  { name: "Row" },
);
const Rows = k.struct({ rows: k.packedVec(Row), one: k.box(Row, { packed: true }) }, { name: "Rows" });

type LiveRow = InstanceType<typeof Row>;
type LiveInner = InstanceType<typeof Inner>;

interface PlainInner {
  name: string;
  links: string[];
  n: number;
}

interface PlainRow {
  label: string;
  items: PlainInner[];
  note: string | null;
  deep: string[][];
  fixed: number;
  names: string[];
  few: number[] | null;
}

/** Draws from a list of numbers that the property shrinks. */
class Draw {
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  get isOver(): boolean {
    return this.#at >= this.#numbers.length;
  }

  below(count: number): number {
    const number = this.#numbers[this.#at++] ?? 0;
    return number % count;
  }

  text(): string {
    const sizes = [0, 1, 5, 20, 40, 62, 63, 64, 65, 100, 126, 127, 128, 129, 130, 260];
    const letter = ["a", "b", "é", "😀"][this.below(4)]!;
    return letter.repeat(Math.floor(sizes[this.below(sizes.length)]! / letter.length));
  }

  list<T>(make: () => T, most = 3): T[] {
    return Array.from({ length: this.below(most + 1) }, make);
  }

  inner = (): PlainInner => ({
    name: this.text(),
    links: this.list(() => this.text()),
    n: this.below(100_000),
  });

  row = (): PlainRow => ({
    label: this.text(),
    items: this.list(this.inner, 2),
    note: this.below(2) === 0 ? null : this.text(),
    deep: this.list(() => this.list(() => this.text()), 2),
    fixed: this.below(1000),
    names: this.list(() => this.text(), 2),
    few: this.below(2) === 0 ? null : this.list(() => this.below(1e9), 40),
  });
}

type Change<Live, Model> = (live: Live, model: Model, draw: Draw) => void;

interface LiveList<In> {
  readonly length: number;
  splice(start: number, removed: number, ...values: In[]): unknown;
  set(index: number, value: In): unknown;
  sort(): unknown;
  reverse(): unknown;
  clear(): void;
}

function changeList<In>(live: LiveList<In>, model: In[], draw: Draw, make: () => In): void {
  const at = draw.below(model.length + 1);
  switch (draw.below(6)) {
    case 0:
      live.clear();
      model.length = 0;
      break;
    case 1:
      live.reverse();
      model.reverse();
      break;
    case 2:
      if (at === model.length) break;
      model[at] = make();
      live.set(at, model[at]);
      break;
    default: {
      const removed = draw.below(3);
      const values = draw.list(make);
      live.splice(at, removed, ...values);
      model.splice(at, removed, ...values);
    }
  }
}

const changeInner: Change<LiveInner, PlainInner> = (live, model, draw) => {
  switch (draw.below(4)) {
    case 0:
      live.name = model.name = draw.text();
      break;
    case 1:
      live.n = model.n = draw.below(2 ** 30);
      break;
    case 2:
      if (model.links.length === 0) break;
      model.links[0] += "+";
      live.links.set(0, model.links[0]!);
      break;
    default:
      changeList(live.links, model.links, draw, () => draw.text());
  }
};

const changeRow: Change<LiveRow, PlainRow> = (live, model, draw) => {
  switch (draw.below(10)) {
    case 0:
      live.label = model.label = draw.text();
      break;
    case 1:
      live.note = model.note = draw.below(3) === 0 ? null : draw.text();
      break;
    case 2:
      live.fixed = model.fixed = draw.below(1e9);
      break;
    case 3:
      changeList(live.names, model.names, draw, () => draw.text());
      break;
    case 4:
      if (live.few !== null) changeList(live.few, model.few!, draw, () => draw.below(1e9));
      else {
        model.few = [1, 2, 3];
        k.patch(live, { few: model.few });
      }
      break;
    case 5: {
      const at = draw.below(model.deep.length + 1);
      if (at < model.deep.length) changeList(live.deep.at(at)!, model.deep[at]!, draw, () => draw.text());
      else changeList(live.deep as never, model.deep, draw, () => draw.list(() => draw.text()));
      break;
    }
    case 6:
      changeList(live.items as never, model.items, draw, draw.inner);
      break;
    default: {
      if (model.items.length === 0) break;
      const at = draw.below(model.items.length);
      changeInner(live.items.at(at)!, model.items[at]!, draw);
    }
  }
};

interface Model {
  rows: PlainRow[];
  one: PlainRow | null;
}

type LiveRows = InstanceType<typeof Rows>;

const changeRows: Change<LiveRows, Model> = (live, model, draw) => {
  switch (draw.below(10)) {
    case 0:
      model.one = draw.below(2) === 0 ? null : draw.row();
      k.patch(live, { one: model.one });
      break;
    case 1:
      if (model.one !== null) changeRow(live.one!, model.one, draw);
      break;
    case 2:
      changeList(live.rows as never, model.rows, draw, draw.row);
      break;
    case 3:
      move(live, model, draw);
      break;
    default:
      if (model.rows.length === 0) {
        model.rows.push(draw.row());
        live.rows.push(model.rows[0]!);
      }
      changeRow(live.rows.at(-1)!, model.rows.at(-1)!, draw);
  }
};

/** Takes an element out of one list, may change it outside, and stores it elsewhere. */
function move(live: LiveRows, model: Model, draw: Draw): void {
  if (model.rows.length === 0 || model.rows[0]!.items.length === 0) return;
  const item = live.rows.at(0)!.items.removeAt(0)!;
  const plain = model.rows[0]!.items.shift()!;
  if (draw.below(2) === 0) changeInner(item, plain, draw);
  live.rows.at(-1)!.items.push(item);
  model.rows.at(-1)!.items.push(plain);
}

function verify(file: MemoryFile, doc: LiveRows, model: Model): void {
  assert.deepEqual(k.toJS(doc), { ...model });
  requirePlaces(doc);
  const copy = new MemoryFile("copy", file.bytes());
  const again = Kladde.open(copy, Rows);
  assert.deepEqual(k.toJS(again), { ...model });
  assert.equal(again.stats().leaked, 0);
}

const tapes = fc.array(fc.nat(2 ** 30), { minLength: 150, maxLength: 500, size: "max" });

test("random changes give what the model says, in memory and in the file", () => {
  const property = fc.property(tapes, (numbers) => {
    const draw = new Draw(numbers);
    const file = new MemoryFile("rows");
    const model: Model = { rows: [draw.row()], one: null };
    const doc = Kladde.open(file, Rows, { init: () => structuredClone(model) });
    while (!draw.isOver) {
      changeRows(doc, model, draw);
      verify(file, doc, model);
    }
    doc.close();
    Store.open(new MemoryFile("rows", file.bytes())).check();
  });
  fc.assert(property, { numRuns: 12 });
});

test("random transactions are done or undone, and reopened documents go on", () => {
  const property = fc.property(tapes, (numbers) => {
    const draw = new Draw(numbers);
    let file = new MemoryFile("rows");
    let model: Model = { rows: [draw.row()], one: draw.row() };
    let doc = Kladde.open(file, Rows, { init: () => structuredClone(model) });
    while (!draw.isOver) {
      const before = structuredClone(model);
      const fails = draw.below(2) === 0;
      const body = () => {
        for (let count = 1 + draw.below(4); count > 0; count--) changeRows(doc, model, draw);
        if (fails) throw new RangeError("undo");
      };
      if (fails) {
        assert.throws(() => doc.transaction(body), /undo/);
        model = before;
      } else doc.transaction(body);
      verify(file, doc, model);
      if (draw.below(3) > 0) continue;
      file = new MemoryFile("rows", file.bytes());
      doc = Kladde.open(file, Rows);
    }
  });
  fc.assert(property, { numRuns: 12 });
});

const Few = k.struct({ text: k.smallString(), list: k.smallVec(k.u8()), last: k.u8() }, { name: "Few" });

test("content goes out above 128 bytes and comes back below 64", () => {
  const file = new MemoryFile("few");
  const doc = Kladde.open(file, Few);
  const allocations = () => {
    doc.flush();
    return [...(Kladde.of(doc).store as Store).ids()].length;
  };
  const fixed = allocations();
  const text = (length: number) => {
    doc.text = "x".repeat(length);
    return allocations() - fixed;
  };
  assert.deepEqual([128, 129, 64, 63, 128, 129].map(text), [0, 1, 1, 0, 0, 1]);
  doc.text = "";
  const list = (length: number) => {
    doc.list.assign(new Uint8Array(length));
    return allocations() - fixed;
  };
  assert.deepEqual([128, 129, 64, 63, 128, 129, 0].map(list), [0, 1, 1, 0, 0, 1, 0]);
});

const Nest = k.struct({ lists: k.smallVec(k.smallVec(k.smallString())), last: k.u8() }, { name: "Nest" });
type LiveNest = InstanceType<typeof Nest>;

const nests: Readonly<Record<string, readonly [string[][], (doc: LiveNest) => void]>> = {
  // 128 and 48 bytes, out. The first list goes out, and 50 bytes are left.
  "the inner one out, the outer one in": [
    [["b".repeat(126)], ["c".repeat(46)]],
    (doc) => doc.lists.at(0)!.push("d".repeat(130)),
  ],
  // 2 and 92 bytes, inline. The first list comes back with 62 bytes: too many.
  "the inner one in, the outer one out": [
    [["b".repeat(60), "c".repeat(100)], ["d".repeat(90)]],
    (doc) => doc.lists.at(0)!.removeAt(1),
  ],
};

for (const [name, [lists, change]] of Object.entries(nests))
  test(`of two small lists, one in the other, a change takes ${name}`, () => {
    const file = new MemoryFile("nest");
    const doc = Kladde.open(file, Nest, { init: () => ({ lists, last: 1 }) });
    const verify = () => {
      const again = Kladde.open(new MemoryFile("nest", file.bytes()), Nest);
      assert.deepEqual(k.toJS(again), k.toJS(doc));
      assert.equal(again.stats().leaked, 0);
    };
    const steps = [
      change,
      () => doc.last++,
      () => doc.lists.at(1)!.push("e"),
      () => doc.lists.at(0)!.set(0, "f"),
      () => doc.last++,
    ];
    const fail = () => {
      for (const step of steps) step(doc);
      throw new RangeError("undo");
    };
    assert.throws(() => doc.transaction(fail), /undo/);
    assert.deepEqual(k.toJS(doc), { lists, last: 1 });
    for (const step of [() => doc.last++, ...steps]) {
      step(doc);
      verify();
    }
  });

/** A document whose root was written by somebody else. */
function foreign(root: (newAllocation: (bytes: Uint8Array) => number) => readonly number[]): MemoryFile {
  const file = new MemoryFile("few");
  Kladde.open(file, Few).close();
  const store = Store.open(file);
  const bytes = root((content) => {
    const id = store.newId();
    store.write(id, 0, content);
    return id;
  });
  store.splice(store.root, 0, store.size(store.root), Uint8Array.from(bytes));
  store.close();
  return new MemoryFile("few", file.bytes());
}

const repeated = (byte: number, count: number): number[] => new Array<number>(count).fill(byte);

test("readers take any split, and changes start from it", () => {
  const cases: readonly (readonly [MemoryFile, string, number[]])[] = [
    [
      foreign(() => [254, ...repeated(97, 254), 200, ...repeated(5, 200), 9]),
      "a".repeat(254),
      repeated(5, 200),
    ],
    [foreign(() => [255, 0, 255, 0, 9]), "", []],
    [foreign((put) => [255, put(Uint8Array.of(98)), 255, put(Uint8Array.of(1, 2, 3)), 9]), "b", [1, 2, 3]],
    [foreign((put) => [255, put(new Uint8Array(0)), 0, 9]), "", []],
  ];
  const edits: readonly ((doc: InstanceType<typeof Few>) => void)[] = [
    (doc) => doc.list.push(7),
    (doc) => doc.list.sort(),
    (doc) => doc.list.assign(repeated(1, 150)),
    (doc) => doc.list.clear(),
    (doc) => {
      doc.text += "c";
    },
    (doc) => {
      doc.text = "d".repeat(150);
    },
    (doc) => {
      doc.text = "";
    },
    (doc) => {
      doc.last = 200;
    },
  ];
  for (const [file, text, list] of cases)
    for (const edit of edits) {
      const copy = new MemoryFile("few", file.bytes());
      const doc = Kladde.open(copy, Few);
      const before = k.toJS(doc);
      assert.deepEqual(before, { text, list, last: 9 });
      const fail = () => {
        edit(doc);
        throw new RangeError("undo");
      };
      assert.throws(() => doc.transaction(fail), /undo/);
      assert.deepEqual(k.toJS(doc), before);
      edit(doc);
      const again = Kladde.open(new MemoryFile("few", copy.bytes()), Few);
      assert.deepEqual(k.toJS(again), k.toJS(doc), edit.toString());
      assert.notEqual(JSON.stringify(doc), undefined);
      assert.equal(again.stats().leaked, 0);
      again.last = 3;
      again.list.push(4);
      again.text += "e";
      assert.equal(again.last, 3);
    }
});

test("content that does not end with its last element is refused", () => {
  assert.throws(
    () =>
      Kladde.open(
        foreign(() => [3, 97, 97]),
        Few,
      ),
    { code: "corrupt" },
  );
  const Wide = k.struct({ list: k.smallVec(k.u16()) });
  const file = new MemoryFile("wide");
  Kladde.open(file, Wide).close();
  const store = Store.open(file);
  store.splice(store.root, 0, 1, Uint8Array.of(1, 0x80, 1));
  store.close();
  assert.throws(
    () => Kladde.open(new MemoryFile("wide", file.bytes()), Wide),
    /corrupt|list\[0\]: the content ends inside a varint/,
  );
});
