/**
 * What a session writes and when: transactions in the journal, flushes by itself, calls of the file, and its end.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CrashingFile } from "../storage/crashing.ts";
import { MemoryFile } from "../storage/memory.ts";
import { Store } from "./index.ts";
import type { StoreOptions } from "./options.ts";
import { fileOf, headerPage, type Statement, tableContent, tablePage } from "./testing/pages.ts";
import { compareWithReload, contextOf } from "./testing/reload.ts";

const pageBytes = 4096;
const plain: StoreOptions = { consolidate: false };
const filled = (bytes: number, value: number): Uint8Array => new Uint8Array(bytes).fill(value);

/** Transactions that `step` adds to the journal. */
function added(store: Store, step: () => void): number {
  const before = store.stats().transactions;
  step();
  return store.stats().transactions - before;
}

/** What a process that dies now leaves behind. */
const recovered = (file: MemoryFile) => Store.openReadOnly(file.clone());

function newStore(options: StoreOptions = plain): { file: MemoryFile; store: Store } {
  const file = new MemoryFile();
  return { file, store: Store.create(file, options) };
}

describe("transactions in the journal", () => {
  test("every call outside a scope is one", () => {
    const { store } = newStore();
    assert.equal(
      added(store, () => {
        const id = store.alloc(3);
        store.write(id, 0, filled(3, 1));
        store.splice(id, 0, 1, filled(2, 2));
        store.copy(id, 0, 1, id, 2);
        store.move(id, 0, 1, id, 2);
        store.resize(id, 9);
        store.free(id);
      }),
      7,
    );
    assert.equal(
      added(store, () => store.newId()),
      0,
    );
  });

  test("a transaction is one, with whatever is inside; an empty one is none", () => {
    const { store } = newStore();
    const nested = (depth: number): void => {
      store.transaction(() => {
        store.alloc(1);
        if (depth > 0) store.batch(() => nested(depth - 1));
        store.alloc(2);
      });
    };
    assert.equal(
      added(store, () => nested(3)),
      1,
    );
    assert.equal(
      added(store, () => store.transaction(() => store.transaction(() => {}))),
      0,
    );
    assert.equal(
      added(store, () => store.batch(() => {})),
      0,
    );
  });

  test("a batch holds calls back, and appends them together", () => {
    const { file, store } = newStore();
    assert.equal(
      added(store, () =>
        store.batch(() => {
          store.alloc(1);
          store.batch(() => store.transaction(() => store.alloc(2)));
          assert.equal([...recovered(file).ids()].length, 0);
          store.alloc(3);
        }),
      ),
      1,
    );
    assert.equal([...recovered(file).ids()].length, 3);
  });

  test("a batch appends what has become more than batchBytes, and never part of a transaction", () => {
    const { file, store } = newStore({ ...plain, batchBytes: 1000 });
    const id = store.alloc(0);
    const write = (): void => store.write(id, 0, filled(400, 1));
    // 406 bytes a record: three of them pass 1000.
    for (const [writes, transactions] of [
      [2, 1],
      [3, 1],
      [4, 2],
      [7, 3],
    ] as const)
      assert.equal(
        added(store, () =>
          store.batch(() => {
            for (let i = 0; i < writes; i++) write();
          }),
        ),
        transactions,
        `${writes} writes`,
      );
    store.beginBatch();
    write();
    store.begin();
    for (let i = 0; i < 10; i++) write();
    store.write(id, 1000, filled(1, 7));
    assert.equal(recovered(file).size(id), 400);
    assert.equal(
      added(store, () => store.commit()),
      1,
    );
    assert.equal(recovered(file).size(id), 1001);
    assert.equal(
      added(store, () => store.endBatch()),
      0,
    );
  });

  test("taking back the inner one keeps the outer one", () => {
    const { file, store } = newStore();
    const id = store.alloc(4);
    assert.equal(
      added(store, () =>
        store.transaction(() => {
          store.write(id, 0, filled(1, 1));
          store.begin();
          store.resize(id, 100);
          const inner = store.alloc(5);
          store.abort();
          assert.equal(store.size(id), 4);
          assert.equal(store.exists(inner), false);
          assert.equal(store.alloc(6), inner);
          store.write(id, 3, filled(1, 2));
        }),
      ),
      1,
    );
    const after = recovered(file);
    assert.deepEqual(after.read(id, 0, 4), Uint8Array.of(1, 0, 0, 2));
    assert.deepEqual(
      [...after.ids()].map((each) => after.size(each)),
      [4, 6],
    );
    assert.equal(
      added(store, () => {
        store.begin();
        store.free(id);
        store.abort();
      }),
      0,
    );
    assert.ok(store.exists(id));
  });

  test("a flush inside an open transaction leaves that out, and it can still be taken back or committed", () => {
    for (const ending of ["commit", "abort"] as const) {
      const { file, store } = newStore();
      const id = store.alloc(2);
      store.beginBatch();
      store.write(id, 0, filled(2, 1));
      store.begin();
      store.write(id, 0, filled(1, 9));
      const inner = store.alloc(7);
      store.flush();
      assert.deepEqual(store.read(id, 0, 2), Uint8Array.of(1, 1));
      assert.throws(() => store.committedSize(inner), RangeError);
      assert.equal(store.size(inner), 7);
      store[ending]();
      store.endBatch();
      const expected = ending === "commit" ? Uint8Array.of(9, 1) : Uint8Array.of(1, 1);
      assert.deepEqual(recovered(file).read(id, 0, 2), expected);
      assert.equal(recovered(file).exists(inner), ending === "commit");
      store.flush();
      store.check();
      compareWithReload(contextOf(store));
    }
  });
});

describe("flushes by itself", () => {
  const streamBytes = 4088;
  /** Length prefix, record head and CRC of a write of more than 16383 bytes at offset 0, to an id below 128. */
  const writeOverhead = 3 + 6 + 4;

  test("when the journal has more than 256 pages", () => {
    const { store } = newStore();
    const id = store.newId();
    // Two transactions of 128 pages each fill 256 of them to the last byte.
    const half = 128 * streamBytes - writeOverhead;
    store.write(id, 0, filled(half, 1));
    store.write(id, 0, filled(half, 2));
    assert.equal(store.stats().journalPages, 256);
    assert.equal(store.stats().flushes, 0);
    assert.equal(store.stats().journalBytes, 256 * streamBytes);
    store.resize(id, half);
    assert.equal(store.stats().flushes, 1);
    assert.equal(store.stats().journalPages, 0);
    assert.deepEqual(store.read(id, half - 1, 1), Uint8Array.of(2));
  });

  test("not inside a transaction, but at its end; inside a batch after each append", () => {
    const { store } = newStore({ ...plain, journalBudgetPages: 2, batchBytes: 5000 });
    const id = store.newId();
    store.begin();
    for (let i = 0; i < 10; i++) store.write(id, 0, filled(4000, i));
    assert.equal(store.stats().flushes, 0);
    store.commit();
    assert.equal(store.stats().flushes, 1);
    store.beginBatch();
    for (let i = 0; i < 10; i++) store.write(id, 0, filled(4000, i));
    // Two writes pass 5000 bytes and are appended, 8000 bytes in 2 pages; the next two begin the third page.
    assert.equal(store.stats().flushes, 3);
    store.begin();
    store.write(id, 0, filled(20000, 5));
    store.commit();
    assert.equal(store.stats().flushes, 4);
    store.endBatch();
    assert.equal(store.stats().flushes, 4);
    assert.deepEqual(store.read(id, 19999, 1), Uint8Array.of(5));
  });
});

describe("calls of the file", () => {
  /** Writes, truncates and syncs that `step` costs. */
  function calls(file: CrashingFile, step: () => void): Record<string, number> {
    const before = { ...file.calls };
    step();
    return {
      write: file.calls.write - before.write,
      truncate: file.calls.truncate - before.truncate,
      sync: file.calls.sync - before.sync,
    };
  }

  test("an operation is one write; a small flush is a sync and a write; data pages in a row are one more", () => {
    const file = new CrashingFile();
    const store = Store.create(file, plain);
    let id = 0;
    // The journal's page is added, written as zeros and then whole.
    assert.deepEqual(
      calls(file, () => {
        id = store.alloc(5);
      }),
      { write: 2, truncate: 1, sync: 0 },
    );
    for (let i = 0; i < 3; i++)
      assert.deepEqual(
        calls(file, () => store.write(id, 0, filled(5, 1))),
        { write: 1, truncate: 0, sync: 0 },
      );
    assert.deepEqual(
      calls(file, () => store.flush()),
      { write: 1, truncate: 0, sync: 1 },
    );
    assert.deepEqual(
      calls(file, () => store.flush()),
      { write: 1, truncate: 0, sync: 1 },
    );
    store.write(id, 0, filled(12000, 2));
    assert.deepEqual(
      calls(file, () => store.flush()),
      { write: 2, truncate: 1, sync: 1 },
    );
    const { dataPagesWritten, tablePagesWritten, headersWritten } = store.stats();
    assert.deepEqual(
      { dataPagesWritten, tablePagesWritten, headersWritten },
      {
        dataPagesWritten: 3,
        tablePagesWritten: 0,
        headersWritten: 3,
      },
    );
    // A batch, whatever is in it, is one write.
    store.write(id, 0, filled(1, 3));
    assert.deepEqual(
      calls(file, () =>
        store.batch(() => {
          for (let i = 0; i < 50; i++) store.write(id, i, filled(1, i));
        }),
      ).write,
      1,
    );
    assert.deepEqual(
      calls(file, () => {
        store.read(id, 0, 12000);
        store.size(id);
        store.check();
      }),
      { write: 0, truncate: 0, sync: 0 },
    );
  });
});

describe("the end of the file", () => {
  /** 60 pages of data, freed; what is left lies in front. */
  function withFreeTail(options: StoreOptions): { file: MemoryFile; store: Store; kept: number } {
    const { file, store } = newStore(options);
    const kept = store.alloc(0);
    store.write(kept, 0, filled(3000, 1));
    store.flush();
    const large = store.alloc(0);
    for (let i = 0; i < 60; i++) store.write(large, i * 4081, filled(4081, i));
    store.flush();
    store.free(large);
    return { file, store, kept };
  }

  test("free pages are cut off once there are truncateTail of them and no header needs them", () => {
    const { file, store } = withFreeTail({ ...plain, journalBudgetPages: 1000 });
    const full = file.size() / pageBytes;
    store.flush();
    // The older header still needs them.
    assert.equal(file.size() / pageBytes, full);
    store.flush();
    assert.ok(file.size() / pageBytes < 20, `${file.size() / pageBytes} pages`);
    assert.equal(store.stats().truncations, 1);
    store.check();
    compareWithReload(contextOf(store));
  });

  test("fewer stay, until the file is closed or opened again", () => {
    const { file, store, kept } = withFreeTail({ ...plain, journalBudgetPages: 1000, truncateTail: 2 ** 20 });
    for (let i = 0; i < 3; i++) store.flush();
    assert.ok(file.size() / pageBytes > 60);
    const left = file.clone();
    store.close();
    assert.ok(file.size() / pageBytes <= 6, `${file.size() / pageBytes} pages`);
    assert.deepEqual(Store.openReadOnly(file).read(kept, 0, 3000), filled(3000, 1));
    const again = Store.open(left, plain);
    assert.ok(left.size() / pageBytes <= 6, `${left.size() / pageBytes} pages`);
    again.check();
    assert.deepEqual(again.read(kept, 0, 3000), filled(3000, 1));
  });

  test("a journal that is promised past the end is added when it is needed, and nobody else gets its page", () => {
    const header = headerPage(4, tableContent([], [["inline", 1, 0, [1, 2, 3]]]), { journalPointer: 10 });
    const file = new MemoryFile("promise", fileOf([header, undefined]));
    const store = Store.open(file, plain);
    assert.equal(file.size(), 2 * pageBytes);
    store.check();
    const id = store.alloc(0);
    assert.equal(file.size(), 11 * pageBytes);
    store.check();
    store.write(id, 0, filled(50000, 7));
    store.flush();
    store.check();
    compareWithReload(contextOf(store));
    assert.deepEqual(recovered(file).read(id, 0, 50000), filled(50000, 7));
    store.close();
  });

  test("a flush that needs pages before anything is journaled leaves the promised one alone", () => {
    // Two pages to be taken apart, whose statements do not fit into one header.
    const statements = (first: number): Statement[] =>
      Array.from({ length: 15 }, (_, i) => ["inline", first + i, 0, filled(240, first + i)]);
    const leaf = (id: number): Uint8Array => tablePage(1, tableContent([], [["inline", id, 0, [id]]]));
    const file = new MemoryFile(
      "promise",
      fileOf([
        headerPage(4, tableContent([4, 5], []), { journalPointer: 6 }),
        undefined,
        leaf(200),
        leaf(201),
        tablePage(2, tableContent([2], statements(1))),
        tablePage(2, tableContent([3], statements(20))),
      ]),
    );
    const store = Store.open(file, { ...plain, inlineThreshold: 251 });
    store.flush();
    store.check();
    compareWithReload(contextOf(store));
    assert.equal(store.stats().leafPages, 3);
    store.close();
    const after = Store.openReadOnly(file);
    assert.equal([...after.ids()].length, 32);
    assert.deepEqual(after.read(34, 0, 240), filled(240, 34));
  });

  test("a source that does not exist uses up no ids, in no session that finds it in the journal either", () => {
    const { file, store } = newStore();
    const id = store.alloc(4);
    store.copy(2 ** 32 - 1, 0, 2, id, 0);
    store.move(2, 0, 2, id, 0);
    const next = Store.open(file.clone(), plain);
    for (const one of [store, next]) {
      assert.equal(one.alloc(1), 2);
      one.close();
    }
  });

  test("closing a session that did nothing writes nothing but the cut", () => {
    const { file, store } = newStore();
    store.alloc(3);
    store.close();
    assert.equal(file.size(), 3 * pageBytes);
    const before = file.bytes();
    Store.open(file, plain).close();
    // The page of the folded journal; no header needs it any more.
    assert.equal(file.size(), 2 * pageBytes);
    assert.equal(Buffer.compare(file.bytes(), before.subarray(0, 2 * pageBytes)), 0);
    Store.open(file, plain).close();
    assert.equal(Buffer.compare(file.bytes(), before.subarray(0, 2 * pageBytes)), 0);
  });
});
