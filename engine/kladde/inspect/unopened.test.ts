/** What is told of a file without opening it is what opening it tells. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Arena, Log } from "../journal/log.ts";
import { recoverJournal } from "../journal/recover.ts";
import { readGoverning } from "../open/load.ts";
import { StatementMerge } from "../open/merge.ts";
import { loadTree } from "../open/tree.ts";
import { StoreState } from "../state/state.ts";
import { Store } from "../store.ts";
import { drawFuzzSeed, fuzzSeeds } from "../testing/fuzz-seeds.ts";
import { fileOf, headerPage, journalPages, pageBytes, record, tableContent } from "../testing/pages.ts";
import { ReadingFile } from "../testing/reading-file.ts";
import { readUnopened, type Unopened } from "./unopened.ts";

function unopened(bytes: Uint8Array): Unopened {
  const file = new ReadingFile("file", bytes);
  const header = readGoverning(file);
  const state = new StoreState();
  const merge = new StatementMerge(state, loadTree(state, file, header), file.name);
  const log = new Log();
  const { journalPointer } = header.fields;
  recoverJournal(file, header.epoch + 1, journalPointer, state.pages.filePages, log, new Arena());
  return readUnopened(merge, file, header, log);
}

function assertSame(bytes: Uint8Array, what: string): void {
  const store = Store.openReadOnly(new ReadingFile("file", bytes));
  const found = unopened(bytes);
  assert.equal(found.allocations, [...store.ids()].length, what);
  assert.equal(found.holdsConsolidatorState, store.holdsConsolidatorState, what);
  for (const id of [store.root, store.schemaTable])
    if (id !== 0) assert.equal(found.exists(id), store.exists(id), what);
}

test("files with journals, kept states and roots", () => {
  for (let seed = 0; seed < fuzzSeeds; seed++) assertSame(drawFuzzSeed(seed), `file ${seed}`);
});

test("a journal makes, ends and copies, and names what is the store's own", () => {
  const statements = [1, 2, 3, 4].map((id) => ["inline", id, 0, [id]] as const);
  const transactions = [
    record.free(2),
    record.resize(9, 5),
    record.copy(77, 0, 3, 10, 0),
    record.free(50),
    record.write(3, 0, [1]),
    record.move(4, 0, 1, 1, 0),
  ];
  for (const consolidatorState of [0, 3, 4, 77, 80])
    for (const root of [0, 2, 3, 10, 77])
      for (let count = 0; count <= transactions.length; count++) {
        const header = headerPage(0, tableContent([], statements), { consolidatorState, root });
        const { pages } = journalPages({ epoch: 1, pages: [2], transactions: transactions.slice(0, count) });
        const bytes = fileOf(new Map([[0, header], [1, new Uint8Array(pageBytes)], ...pages]));
        assertSame(bytes, `state ${consolidatorState}, root ${root}, ${count} transactions`);
      }
});

test("a splice that makes an allocation too large", () => {
  const header = headerPage(0, tableContent([], [["grow", 1, 2 ** 32 - 1]]));
  const { pages } = journalPages({ epoch: 1, pages: [2], transactions: [record.splice(1, 0, 0, [1])] });
  const bytes = fileOf(new Map([[0, header], [1, new Uint8Array(pageBytes)], ...pages]));
  assert.throws(() => unopened(bytes), { code: "corrupt", rule: "J8" });
});
