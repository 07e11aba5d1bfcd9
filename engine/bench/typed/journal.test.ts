/** What typed operations append to the journal: bytes and transactions, and how much more a known mistake would. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { type Run, seedOf } from "../runs.ts";
import type { Row, Standing } from "../table.ts";
import type { BenchDocument, Documents } from "./document.ts";
import { kladdeDocuments } from "./kladde-documents.ts";
import { measureTyped } from "./run.ts";
import { byteByByte, recordedDocuments } from "./testing.ts";

const sizeBytes = 1024 * 256;
const run: Run = {
  table: "typed",
  scenario: "typed",
  variant: "on",
  options: {},
  sizeBytes,
  seed: seedOf("typed", sizeBytes),
  quick: true,
  estimatedSeconds: 1,
};

const journalPerByte = ({ journal_bytes, app_bytes }: Row): number => journal_bytes / app_bytes;

/** Bytes of varints of these numbers. */
const varints = (...numbers: number[]): number =>
  numbers.reduce((sum, number) => sum + (number < 128 ? 1 : number < 16_384 ? 2 : 3), 0);
const writeBytes = (id: number, offset: number, bytes: number): number =>
  1 + varints(id, offset, bytes) + bytes;
const spliceBytes = (id: number, old: number, bytes: number): number =>
  1 + varints(id, 0, old, bytes) + bytes;
const freeBytes = (id: number): number => 1 + varints(id);
/** One transaction of records that take so many bytes. */
const transactionBytes = (...records: number[]): number => {
  const bytes = records.reduce((sum, one) => sum + one, 0);
  return varints(bytes) + bytes + 4;
};

/** What an operation adds to the journal. */
function added(document: BenchDocument, operation: () => void): { transactions: number; bytes: number } {
  const before = document.stats();
  operation();
  const { transactions, journalBytes } = document.stats();
  return {
    transactions: transactions - before.transactions,
    bytes: journalBytes - before.journalBytes,
  };
}

const one = (...records: number[]) => ({ transactions: 1, bytes: transactionBytes(...records) });

describe("the journal of typed operations", () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), "daybook-typed-journal-"));
  });
  after(() => rmSync(directory, { recursive: true }));

  /** `seen` gets every row, also those of a run that fails. */
  const measure = (documents: Documents, seen: Row[] = []): Promise<Row[]> => {
    const name = path.join(directory, "typed.kladde");
    rmSync(name, { force: true });
    const onProgress = (standing: Standing) => seen.push(standing as Row);
    return measureTyped(documents, run, name, { check: false, onProgress });
  };

  const layers = { "calls of the store": recordedDocuments, "the typed layer": kladdeDocuments };
  for (const [what, documents] of Object.entries(layers)) {
    it(`has one record for each thing that ${what} change`, () => addsOneRecordEach(documents));
  }

  function addsOneRecordEach(documents: Documents): void {
    const document = documents.create(path.join(directory, "records.kladde"), {});
    const { texts } = document;
    texts.set(0, "x".repeat(80));
    // Allocations are the root, the schema, the first string and the slots; so 5 is the next string.
    const [slots, id, slot] = [4, 5, 13];
    assert.deepEqual(
      added(document, () => texts.set(1, "a".repeat(500))),
      one(writeBytes(id, 0, 500), writeBytes(slots, slot, slot)),
    );
    assert.deepEqual(
      added(document, () => texts.set(1, texts.get(1)! + "b".repeat(30))),
      one(writeBytes(id, 500, 30)),
    );
    assert.deepEqual(
      added(document, () => texts.set(1, "c".repeat(530))),
      one(writeBytes(id, 0, 530)),
    );
    assert.deepEqual(
      added(document, () => texts.set(1, "d".repeat(90))),
      one(spliceBytes(id, 530, 90)),
    );
    assert.deepEqual(
      added(document, () => texts.delete(0)),
      one(writeBytes(slots, 0, 1), freeBytes(3)),
    );
    const resizeBytes = 1 + varints(slots, 0);
    assert.deepEqual(
      added(document, () => texts.delete(1)),
      one(resizeBytes, freeBytes(id)),
    );
    assert.deepEqual(added(document, () => texts.set(2, "e".repeat(500))).transactions, 1);
    assert.deepEqual(
      added(document, () => texts.set(2, "e".repeat(500))),
      { transactions: 0, bytes: 0 },
    );
    document.close();
    rmSync(path.join(directory, "records.kladde"));
  }

  it("is the same, and so is the file, whether the typed layer or calls of the store make it", async () => {
    const exact = ({ flush_us: _, ops_us: __, ...row }: Row) => row;
    const [theirs, ours] = [await measure(recordedDocuments), await measure(kladdeDocuments)];
    assert.deepEqual(ours.map(exact), theirs.map(exact));
  });

  it("is a tenth larger than the data; byte by byte it is nearly three times as large, which fails a run", async () => {
    const right = await measure(recordedDocuments);
    assert.equal(journalPerByte(right.at(-1)!).toFixed(4), "1.0895");
    const wrong: Row[] = [];
    const message = /the journal took 2\.784 bytes for a byte, more than 1\.12/;
    await assert.rejects(measure(byteByByte, wrong), message);
    // Nobody who reads the values can tell.
    const statesOf = (rows: readonly Row[]) =>
      rows.map(({ allocations, alloc_bytes }) => [allocations, alloc_bytes]);
    assert.deepEqual(statesOf(wrong), statesOf(right));
  });
});
