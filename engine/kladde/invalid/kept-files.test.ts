/**
 * Single bytes changed in kept files: our own golden ones, and those that another implementation wrote, from the
 * folder that KLADDE_FIXTURES names. What must come of it follows from what the page is for.
 */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { StoreError } from "../../errors.ts";
import { SplitMix32 } from "../../storage/random.ts";
import {
  contentOffset,
  headerContentOffset,
  headerLayout,
  pageBytes,
  streamBytesPerPage,
} from "../format/layout.ts";
import { pageContentBytes } from "../format/page.ts";
import { openSnapshot } from "../open/open.ts";
import { isTable, pageData, pageHeader, pageJournal } from "../state/pages.ts";
import { Store } from "../store.ts";
import { ReadingFile } from "../testing/reading-file.ts";
import { assertRefused, contentsOf, fileName } from "../testing/refusal.ts";

const golden = fileURLToPath(new URL("../goldens", import.meta.url));
const folder = process.env.KLADDE_FIXTURES;
const notSet = "KLADDE_FIXTURES IS NOT SET: no byte of the reference implementation's files is changed.";

/** A plain array: a slice of a `Buffer` is no copy. */
const bytesOf = (name: string): Uint8Array => Uint8Array.from(gunzipSync(readFileSync(name)));

const filesIn = (source: string): string[] =>
  readdirSync(source)
    .filter((name) => name.endsWith(".kladde.gz"))
    .map((name) => path.join(source, name));

const log2PageSize = headerLayout.fields.log2PageSize.offset;

/** Contents, or the refusal, as text. */
function outcome(bytes: Uint8Array): string {
  try {
    return JSON.stringify(contentsOf(Store.openReadOnly(new ReadingFile(fileName, bytes))));
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    assert.equal(error.file, fileName);
    return `${error.code} ${error.rule} page ${error.page}`;
  }
}

class Fixture {
  readonly bytes: Uint8Array;
  readonly #whole: string;
  readonly #states: Uint8Array;
  readonly #slot: number;
  /** Without the governing header. */
  readonly #older: string;
  /** The last journal page, and where its last complete transaction ends. */
  readonly #lastJournalPage: number | undefined;
  readonly #journalEnd: number;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#whole = outcome(bytes);
    const { context, header, journal } = openSnapshot(new ReadingFile(fileName, bytes));
    this.#states = context.state.pages.state;
    this.#slot = header.slot;
    const torn = bytes.slice();
    torn[header.slot * pageBytes + headerContentOffset]! ^= 1;
    this.#older = outcome(torn);
    this.#lastJournalPage = journal.pages.at(-1);
    this.#journalEnd = journal.bytes - (journal.pages.length - 1) * streamBytesPerPage;
  }

  get pages(): number {
    return this.bytes.length / pageBytes;
  }

  /** What must come of the byte at `at` having been changed by `flip`. */
  expected(at: number, flip: number): string {
    const page = Math.floor(at / pageBytes);
    const offset = at % pageBytes;
    const state = this.#states[page]!;
    if (state === pageJournal) return this.#journalOutcome(page, offset);
    if (state === pageHeader ? page !== this.#slot : state !== pageData && !isTable(state))
      return this.#whole;
    const start = state === pageHeader ? headerContentOffset : contentOffset;
    const contentBytes = pageContentBytes(this.bytes.subarray(page * pageBytes), state === pageHeader);
    if (offset >= start + contentBytes + 4) return this.#whole;
    if (state === pageHeader) return this.#tornOutcome(offset, this.bytes[at]! ^ flip);
    return `corrupt ${state === pageData ? "D2" : "T5"} page ${page}`;
  }

  /** Without an older header to fall back on, it matters whether the file can still be told to be of ours. */
  #tornOutcome(offset: number, changed: number): string {
    if (!this.#older.startsWith("corrupt H6")) return this.#older;
    if (offset < log2PageSize) return "not-kladde H7 page undefined";
    const isReserved = offset === log2PageSize && changed >= 13 && changed <= 16;
    return isReserved ? "unsupported-format H5 page 0" : this.#older;
  }

  /** A changed byte ends the journal as a missing rest would. */
  #journalOutcome(page: number, offset: number): string {
    const isLast = page === this.#lastJournalPage;
    if (isLast && offset >= this.#journalEnd) return this.#whole;
    const cut = this.bytes.slice();
    for (let i = page * pageBytes + offset; i < (page + 1) * pageBytes; i++) cut[i]! ^= 0xff;
    return outcome(cut);
  }
}

/** Tries with large files cost too much to have many. */
const triesOf = (pages: number): number => (pages > 300 ? 60 : 60 + 2 * pages);

/** Returns the number of changed files that were opened. */
function changeBytes(name: string, random: SplitMix32): number {
  const fixture = new Fixture(bytesOf(name));
  const { bytes, pages } = fixture;
  const tries = triesOf(pages);
  for (let i = 0; i < tries; i++) {
    // A third of them in the header slots; half of them in the first bytes of the page, where the frame is.
    const page = i % 3 === 0 ? random.next() % 2 : random.next() % pages;
    const at = page * pageBytes + (random.next() % (i % 2 === 0 ? pageBytes : 70));
    const flip = 1 << (random.next() % 8);
    const expected = fixture.expected(at, flip);
    bytes[at]! ^= flip;
    assert.equal(outcome(bytes), expected, `${name}: byte ${at} changed by ${flip}`);
    bytes[at]! ^= flip;
  }
  return tries;
}

function changeFolder(context: TestContext, source: string): void {
  const random = new SplitMix32(1);
  let tried = 0;
  for (const name of filesIn(source)) tried += changeBytes(name, random);
  assert.ok(tried > 100);
  context.diagnostic(`${tried} changed files`);
}

test("bytes changed in the golden files", (context) => changeFolder(context, golden));

test(
  "bytes changed in the reference implementation's files",
  { skip: folder === undefined && notSet },
  (context) => changeFolder(context, folder!),
);

test("a refused file is left alone", () => {
  for (const source of folder === undefined ? [golden] : [golden, folder])
    for (const name of filesIn(source)) {
      const bytes = bytesOf(name);
      const { state } = openSnapshot(new ReadingFile(fileName, bytes)).context;
      const page = state.pages.state.indexOf(pageData);
      if (page < 0) continue;
      bytes[page * pageBytes + contentOffset]! ^= 1;
      assertRefused(bytes, { code: "corrupt", rule: "D2", page });
    }
});
