/**
 * Journals of another writer, replayed over its files: the records do what the format says, in memory for a store
 * opened for reading, and by a flush for one opened for writing.
 */

import { test } from "node:test";
import { MemoryFile } from "../storage/memory.ts";
import { SplitMix32 } from "../storage/random.ts";
import { Store } from "./index.ts";
import { drawForeignFile } from "./testing/foreign.ts";
import { leafyStore } from "./testing/history.ts";
import type { Contents } from "./testing/model.ts";
import { journalPages, pageBytes } from "./testing/pages.ts";
import { compareWithReload, contextOf } from "./testing/reload.ts";
import { applyRecord, drawRecord, encodeRecord } from "./testing/replay.ts";
import { compareContents } from "./testing/run.ts";

/** Writes `transactions` where the next session looks for them; the chain goes on behind the end of the file. */
function leaveJournal(file: MemoryFile, epoch: number, first: number, transactions: number[][]): void {
  const end = Math.max(Math.ceil(file.size() / pageBytes), first + 1);
  const bytes = transactions.reduce((sum, { length }) => sum + length + 9, 0);
  const more = Array.from({ length: Math.ceil(bytes / 4088) }, (_, i) => end + i);
  const { pages } = journalPages({ epoch, pages: [first, ...more], transactions });
  file.truncate((end + pages.size - 1) * pageBytes);
  for (const [page, content] of pages) file.write(content, page * pageBytes);
}

function replaySeed(seed: number): void {
  const random = new SplitMix32(seed);
  const start = drawForeignFile(seed);
  let contents: Contents = start.contents;
  let file = new MemoryFile("replay", start.bytes);
  for (let session = 0; session < 4; session++) {
    const { epoch, fields } = Store.openReadOnly(file).header;
    const ids = [1, 2, 3, 4, 7, 9, 130];
    const transactions: number[][] = [];
    for (let i = random.below(6); i >= 0; i--) {
      const records: number[] = [];
      for (let j = random.below(8); j >= 0; j--) {
        const one = drawRecord(random, ids, contents);
        contents = applyRecord(contents, one);
        records.push(...encodeRecord(one));
      }
      transactions.push(records);
    }
    leaveJournal(file, epoch + 1, fields.journalPointer, transactions);
    compareContents(Store.openReadOnly(file.clone()), contents);
    const store = Store.open(file, leafyStore);
    compareContents(store, contents);
    compareWithReload(contextOf(store));
    store.check();
    store.flush();
    compareWithReload(contextOf(store));
    store.check();
    // One session ends, the next one dies.
    if (random.below(2) === 0) store.close();
    file = file.clone();
    compareContents(Store.openReadOnly(file), contents);
  }
}

test("random records over random files", () => {
  for (let seed = 0; seed < 60; seed++)
    try {
      replaySeed(seed);
    } catch (cause) {
      throw new Error(`seed ${seed}: ${String(cause)}`, { cause });
    }
});
