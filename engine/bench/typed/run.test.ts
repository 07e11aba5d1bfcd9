/** The harness of typed runs, on documents that are plain maps in memory. */

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import type { StoreStats } from "../../kladde/index.ts";
import { FakeStore, FakeStores } from "../fake-store.ts";
import { fingerprintOf, fingerprints } from "../fingerprints.ts";
import { type RunTableOptions, runOnce } from "../run.ts";
import { type Run, seedOf } from "../runs.ts";
import type { BenchDocument, Documents } from "./document.ts";

const fixedBytes = 43;
const fixedAllocations = 3;
const slotBytes = 13;

class PlainDocument implements BenchDocument {
  readonly texts: Map<number, string>;
  checks = 0;
  isClosed = false;
  #flushes = 0;

  constructor(texts: Map<number, string>) {
    this.texts = texts;
  }

  flush(): void {
    this.#flushes++;
  }

  close(): void {
    this.isClosed = true;
  }

  check(): void {
    this.checks++;
  }

  stats(): StoreStats {
    const texts = [...this.texts.values()].reduce((sum, text) => sum + text.length, 0);
    return {
      ...new FakeStore(new Map()).stats(),
      flushes: this.#flushes,
      headersWritten: this.#flushes,
      allocations: fixedAllocations + this.texts.size,
      allocationBytes: fixedBytes + texts + slotBytes * this.texts.size,
    };
  }
}

/** Remembers what is under a name; `reopened` may change it. */
class PlainDocuments implements Documents {
  readonly fixedBytes = fixedBytes;
  readonly fixedAllocations = fixedAllocations;
  readonly slotBytes = slotBytes;
  readonly made: PlainDocument[] = [];
  readonly #files = new Map<string, Map<number, string>>();
  readonly #make: (texts: Map<number, string>) => PlainDocument;
  readonly #reopened: (texts: Map<number, string>) => void;

  constructor(
    make = (texts: Map<number, string>) => new PlainDocument(texts),
    reopened: (texts: Map<number, string>) => void = () => {},
  ) {
    this.#make = make;
    this.#reopened = reopened;
  }

  create(name: string): PlainDocument {
    this.#files.set(name, new Map());
    return this.#document(name);
  }

  open(name: string): PlainDocument {
    this.#reopened(this.#files.get(name)!);
    return this.#document(name);
  }

  #document(name: string): PlainDocument {
    const document = this.#make(this.#files.get(name)!);
    this.made.push(document);
    return document;
  }
}

const storesWith = (documents: Documents) => Object.assign(new FakeStores(), { documents });

/** A microsecond passes with every look. */
const tickingClock = () => {
  let now = 0;
  return { nowMicros: () => now++ };
};

describe("the harness of typed runs", () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), "daybook-typed-"));
  });
  after(() => rmSync(directory, { recursive: true }));

  const run = (sizeMiB: number): Run => ({
    table: "typed",
    scenario: "typed",
    variant: "on",
    options: {},
    sizeBytes: sizeMiB * 1024 * 1024,
    seed: seedOf("typed", sizeMiB * 1024 * 1024),
    quick: true,
    estimatedSeconds: 1,
  });
  const options = (more: Partial<RunTableOptions> = {}): RunTableOptions => ({
    directory,
    quick: true,
    clock: tickingClock(),
    ...more,
  });

  it("makes a row for every thousand operations and none at the end", async () => {
    const documents = new PlainDocuments();
    const seen: unknown[] = [];
    const rows = await runOnce(
      storesWith(documents),
      run(1),
      options({ onProgress: (_run, count, standing) => seen.push(standing?.flush ?? `end ${count}`) }),
    );
    const published = fingerprints.find(({ scenario, sizeMiB }) => scenario === "typed" && sizeMiB === 1)!;
    assert.equal(rows.length, published.rows);
    assert.deepEqual(
      rows.map(({ ops, flush, headers_written }) => [ops, flush, headers_written]),
      Array.from({ length: 47 }, (_, i) => [1000 * (i + 1), i + 1, i + 1]),
    );
    assert.ok(rows.at(-1)!.app_bytes < published.appBytes);
    assert.deepEqual(
      [rows[0]!.scenario, rows[0]!.size, rows[0]!.flush_us, rows[0]!.ops_us],
      ["typed", 1024 * 1024, 1, 1],
    );
    assert.deepEqual(seen, [...rows.map(({ flush }) => flush), "end 47"]);
    const [written, reopened] = documents.made;
    // Four times in the fill, after every row and at the end.
    assert.deepEqual([written!.checks, reopened!.checks], [52, 1]);
    assert.ok(written!.isClosed && reopened!.isClosed);
    assert.deepEqual(readdirSync(directory), []);
  });

  it("applies what follows the last row", async () => {
    const documents = new PlainDocuments();
    await runOnce(storesWith(documents), run(1 / 16), options());
    const texts = [...documents.made[1]!.texts.values()];
    const { keys, live } = fingerprintOf("typed", 1 / 16).facts;
    assert.equal(texts.length, keys);
    assert.equal(
      texts.reduce((sum, text) => sum + text.length, 0),
      live,
    );
  });

  const wrong: [string, PlainDocuments, RegExp][] = [
    [
      "a string that changed",
      new PlainDocuments(undefined, (texts) => texts.set(3, `${texts.get(3)}x`)),
      /typed on 0.0625 MiB, after 2 rows: reopened: the string of key 3 differs from the model/,
    ],
    [
      "a key that is lost",
      new PlainDocuments(undefined, (texts) => texts.delete(3)),
      /after 2 rows: reopened: 516 keys, the model has 517/,
    ],
    [
      "a key that became another",
      new PlainDocuments(undefined, (texts) => {
        texts.set(1e6, texts.get(3)!);
        texts.delete(3);
      }),
      /reopened: the string of key 1000000 differs/,
    ],
    [
      "a map that finds less than it lists",
      new PlainDocuments((texts) => new PlainDocument(texts.size === 0 ? texts : new Forgetful(texts))),
      /reopened: key \d+ is not found/,
    ],
    [
      "an allocation too many",
      new PlainDocuments((texts) => new Leaking(texts)),
      /after 0 rows: row 1: allocations is \d+, the model has \d+/,
    ],
    [
      "slots that were never taken",
      new PlainDocuments((texts) => new Wasteful(texts)),
      /after 0 rows: row 1: alloc_bytes is \d+, the model has \d+ to \d+/,
    ],
  ];
  for (const [what, documents, message] of wrong) {
    it(`refuses ${what}`, async () => {
      await assert.rejects(runOnce(storesWith(documents), run(1 / 16), options()), message);
      assert.ok(documents.made.every(({ isClosed }) => isClosed));
      assert.deepEqual(readdirSync(directory), []);
    });
  }

  const heavy = (perByte: number): PlainDocuments =>
    new PlainDocuments((texts) => new Journaling(texts, perByte));

  it("refuses a journal that is far larger than the data, and warns of one that is larger than usual", async () => {
    const warnings: string[] = [];
    const listen = ({ message }: Error) => warnings.push(message);
    process.on("warning", listen);
    try {
      await assert.rejects(
        runOnce(storesWith(heavy(1.13)), run(1 / 16), options()),
        /after 2 rows: the journal took 1\.130 bytes for a byte, more than 1\.12/,
      );
      await runOnce(storesWith(heavy(1.1)), run(1 / 16), options());
      await runOnce(storesWith(heavy(1.11)), run(1 / 16), options());
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off("warning", listen);
    }
    assert.deepEqual(warnings, ["the journal took 1.110 bytes for a byte, more than 1.105"]);
  });

  it("needs documents", async () => {
    await assert.rejects(runOnce(new FakeStores(), run(1), options()), /these stores have no documents/);
  });

  it("can be stopped", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const onProgress = () => {
      const until = performance.now() + 60;
      while (performance.now() < until);
      controller.abort(reason);
    };
    const documents = new PlainDocuments();
    const { signal } = controller;
    await assert.rejects(runOnce(storesWith(documents), run(1 / 8), options({ onProgress, signal })), reason);
    assert.ok(documents.made[0]!.isClosed);
  });
});

class Forgetful extends Map<number, string> {
  override get(): undefined {
    return undefined;
  }
}

/** A journal of so many bytes for each byte of the operations after the fill. */
class Journaling extends PlainDocument {
  readonly #perByte: number;
  #bytes = 0;

  constructor(texts: Map<number, string>, perByte: number) {
    super(texts);
    this.#perByte = perByte;
    const set = texts.set.bind(texts);
    texts.set = (key, text) => {
      const old = texts.get(key);
      this.#bytes += old !== undefined && text.startsWith(old) ? text.length - old.length : text.length;
      return set(key, text);
    };
  }

  override stats(): StoreStats {
    return { ...super.stats(), journalBytes: this.#bytes * this.#perByte };
  }
}

class Leaking extends PlainDocument {
  override stats(): StoreStats {
    const stats = super.stats();
    return { ...stats, allocations: stats.allocations + 1 };
  }
}

class Wasteful extends PlainDocument {
  override stats(): StoreStats {
    const stats = super.stats();
    return { ...stats, allocationBytes: stats.allocationBytes + 100 * slotBytes };
  }
}
