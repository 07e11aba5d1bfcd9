/**
 * A run of the workload `typed`: one document in a file of its own, one row for each thousand operations.
 *
 *  (1) Operations are drawn, and the model is changed, while no clock runs.
 *  (2) What follows the last row is applied and has no row.
 *  (3) At the end the file is opened again with default options and every string compared with the model.
 *
 *  (4) A run whose journal takes more than 1.12 bytes for a byte fails, and there is a warning from 1.105 on: the records
 *      asked for take 1.096, so more of them are written than have to be.
 *
 * The model knows how many allocations there must be, and bounds for their bytes: a map may keep slots of keys that are
 * gone for keys to come, but never more than were once taken.
 */

import { nodeClock } from "../../storage/node.ts";
import type { Clock } from "../../storage/storage.ts";
import { Books } from "../books.ts";
import { Breath } from "../breath.ts";
import type { Run } from "../runs.ts";
import type { Row, Standing } from "../table.ts";
import { applyTyped, type BenchDocument, type Documents } from "./document.ts";
import { TypedModel } from "./model.ts";
import { drawTyped, type TypedDrawing, type TypedMark } from "./workload.ts";

export interface TypedRunOptions {
  /** Check the store after every flush. */
  readonly check: boolean;
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (standing: Standing) => void;
}

/** The file has this name; the caller deletes it. */
export async function measureTyped(
  documents: Documents,
  run: Run,
  name: string,
  options: TypedRunOptions,
): Promise<Row[]> {
  // What was measured is nobody's by the time the file is opened again: two documents would be in memory otherwise.
  const { rows, model } = await measureRows(documents, run, name, options);
  compareReopened(documents, name, model, options.check);
  judgeJournal(rows.at(-1));
  return rows;
}

async function measureRows(
  documents: Documents,
  run: Run,
  name: string,
  { check, clock = nodeClock, signal, onProgress }: TypedRunOptions,
): Promise<{ rows: Row[]; model: TypedModel }> {
  const { drawing, marks } = drawTyped(run.sizeBytes);
  const measured = new MeasuredDocument(documents, run, name, drawing, clock);
  const rows: Row[] = [];
  const breath = new Breath(signal);
  try {
    for (const mark of marks) {
      const row = measured.go(mark, rows.at(-1));
      if (check) measured.document.check();
      if (row !== undefined) {
        rows.push(row);
        onProgress?.(row);
      }
      if (breath.isDue) await breath.take();
    }
  } finally {
    measured.document.close();
  }
  return { rows, model: measured.model };
}

const journalPerByteMost = 1.12;
const journalPerByteUsual = 1.105;

function judgeJournal(last: Row | undefined): void {
  if (last === undefined) return;
  const perByte = last.journal_bytes / last.app_bytes;
  const says = `the journal took ${perByte.toFixed(3)} bytes for a byte`;
  if (perByte > journalPerByteMost) throw new Error(`${says}, more than ${journalPerByteMost}`);
  if (perByte > journalPerByteUsual) process.emitWarning(`${says}, more than ${journalPerByteUsual}`);
}

/** A document under measurement, with the model of what it must hold and the books of what it did. */
class MeasuredDocument {
  readonly document: BenchDocument;
  readonly model = new TypedModel();
  readonly #documents: Documents;
  readonly #books: Books;
  readonly #drawing: TypedDrawing;
  readonly #clock: Clock;

  constructor(documents: Documents, run: Run, name: string, drawing: TypedDrawing, clock: Clock) {
    this.document = documents.create(name, run.options);
    this.#documents = documents;
    this.#books = new Books(run);
    this.#drawing = drawing;
    this.#clock = clock;
  }

  /** Applies the interval and flushes where the mark says so; a row for the mark `row`. */
  go(mark: TypedMark, previous: Row | undefined): Row | undefined {
    const { interval } = this.#drawing;
    this.model.apply(interval);
    const { document } = this;
    const start = this.#clock.nowMicros();
    applyTyped(document.texts, interval);
    const applied = this.#clock.nowMicros();
    if (mark === "fill" || mark === "end") return undefined;
    document.flush();
    const flushed = this.#clock.nowMicros();
    if (mark === "row") return this.#row(previous, flushed - applied, applied - start);
    this.#books.begin(document.stats());
    return undefined;
  }

  #row(previous: Row | undefined, flushMicros: number, opsMicros: number): Row {
    const { operations, appBytes } = this.#drawing;
    const { entries, entriesMost, textBytes } = this.model;
    const { fixedBytes, fixedAllocations, slotBytes } = this.#documents;
    const expected = {
      allocations: fixedAllocations + entries,
      bytesLeast: fixedBytes + textBytes + entries * slotBytes,
      bytesMost: fixedBytes + textBytes + entriesMost * slotBytes,
    };
    const stats = this.document.stats();
    return this.#books.row({ stats, operations, appBytes, flushMicros, opsMicros, expected }, previous);
  }
}

function compareReopened(documents: Documents, name: string, model: TypedModel, check: boolean): void {
  const document = documents.open(name);
  try {
    if (check) document.check();
    const { texts } = document;
    if (texts.size !== model.entries) {
      throw new Error(`reopened: ${texts.size} keys, the model has ${model.entries}`);
    }
    for (const [key, text] of texts) {
      if (text !== model.get(key))
        throw new Error(`reopened: the string of key ${key} differs from the model`);
    }
    for (const [key, text] of model) {
      if (texts.get(key) !== text) throw new Error(`reopened: key ${key} is not found`);
    }
  } finally {
    document.close();
  }
}
