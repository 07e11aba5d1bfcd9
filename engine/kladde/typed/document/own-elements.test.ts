/** What an application may do with the elements that a list has: keep some, in another order. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../../../storage/memory.ts";
import { Kladde } from "./in-files.ts";
import * as k from "./k.ts";

const Card = k.struct({ title: k.string() }, { name: "Card" });
const Board = k.struct({ cards: k.vec(Card), marks: k.vec(k.option(Card)) }, { name: "Board" });

const long = "x".repeat(500);
const titles = ["a", "b", "c", "d"];

function board(): { file: MemoryFile; doc: ReturnType<typeof open> } {
  const file = new MemoryFile("board");
  const doc = open(file);
  doc.cards.assign(titles.map((title) => ({ title: title + long })));
  return { file, doc };
}

const open = (file: MemoryFile) => Kladde.open(file, Board);

const reopened = (file: MemoryFile) => k.toJS(open(file.clone()));

test("a list may be assigned some of its own elements, in any order, beside new ones", () => {
  const { file, doc } = board();
  const [a, , c, d] = doc.cards;
  const before = doc.stats().journalBytes;
  doc.cards.assign([d!, { title: "new" }, a!]);
  assert.deepEqual([doc.cards.at(0), doc.cards.at(2)], [d, a]);
  assert.equal(c!.title, `c${long}`);
  assert.throws(() => Kladde.of(c), TypeError);
  d!.title = "still in the file";
  assert.ok(doc.stats().journalBytes - before < 200, "contents were written again");
  doc.cards.assign(doc.cards.filter(({ title }) => title !== "new"));
  doc.cards.assign(doc.cards.toSorted((x, y) => x.title.localeCompare(y.title)));
  assert.deepEqual([...doc.cards], [a, d]);
  assert.deepEqual(reopened(file), k.toJS(doc));
  assert.equal(doc.stats().leaked, 0);
  assert.equal(Kladde.open(file.clone(), Board).stats().leaked, 0);
});

test("an assignment that is refused leaves the list, inside a file and outside", () => {
  const { file, doc } = board();
  const outside = new Board({ cards: titles.map((title) => ({ title })) });
  const bytes = file.bytes();
  for (const { cards } of [doc, outside]) {
    const former = [...cards];
    const [a, b] = former;
    assert.throws(
      () => cards.assign([b!, { title: 5 as never }]),
      /^TypeError: cards\[1\]\.title: expected a string/,
    );
    assert.throws(() => cards.assign([a!, a!]), { code: "owned" });
    assert.deepEqual([...cards], former);
    assert.ok([...cards].every((card, at) => card === former[at]));
    a!.title += "";
  }
  assert.deepEqual(file.bytes(), bytes);
  outside.cards.assign([outside.cards.at(3)!]);
  assert.deepEqual(k.toJS(outside.cards), [{ title: "d" }]);
});

test("inside a transaction that throws, elements and their order come back", () => {
  const { file, doc } = board();
  const former = [...doc.cards];
  const body = () => {
    doc.cards.assign([former[2]!]);
    doc.marks.push(former[0]!);
    throw new Error("back");
  };
  assert.throws(() => doc.transaction(body), /back/);
  assert.ok([...doc.cards].every((card, at) => card === former[at]));
  assert.equal(doc.cards.length, 4);
  assert.deepEqual(reopened(file), k.toJS(doc));
});
