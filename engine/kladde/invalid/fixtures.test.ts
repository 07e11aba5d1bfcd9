/**
 * Single bytes changed in files that another implementation wrote, from the folder that KLADDE_FIXTURES names. What
 * must come of it follows from what the page is for.
 */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { StoreError } from "../../errors.ts";
import { SplitMix32 } from "../../storage/random.ts";
import { contentOffset, headerContentOffset, pageBytes, streamBytesPerPage } from "../format/layout.ts";
import { pageContentBytes } from "../format/page.ts";
import { openSnapshot } from "../open/open.ts";
import { isTable, pageData, pageHeader, pageJournal } from "../state/pages.ts";
import { Store } from "../store.ts";
import { ReadingFile } from "../testing/reading-file.ts";
import { assertRefused, caught, contentsOf, fileName } from "../testing/refusal.ts";

const folder = process.env.KLADDE_FIXTURES;
const notSet = "KLADDE_FIXTURES IS NOT SET: no byte of the reference implementation's files is changed.";
const perPage = 3;

/** A plain array: a slice of a `Buffer` is no copy. */
const bytesOf = (name: string): Uint8Array =>
  Uint8Array.from(gunzipSync(readFileSync(path.join(folder!, name))));

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
    torn.fill(0, header.slot * pageBytes, (header.slot + 1) * pageBytes);
    this.#older = outcome(torn);
    this.#lastJournalPage = journal.pages.at(-1);
    this.#journalEnd = journal.bytes - (journal.pages.length - 1) * streamBytesPerPage;
  }

  get pages(): number {
    return this.bytes.length / pageBytes;
  }

  expected(at: number): string {
    const page = Math.floor(at / pageBytes);
    const offset = at % pageBytes;
    const state = this.#states[page]!;
    if (state === pageJournal) return this.#journalOutcome(page, offset);
    if (state === pageHeader ? page !== this.#slot : state !== pageData && !isTable(state))
      return this.#whole;
    const start = state === pageHeader ? headerContentOffset : contentOffset;
    const contentBytes = pageContentBytes(this.bytes.subarray(page * pageBytes), state === pageHeader);
    if (offset >= start + contentBytes + 4) return this.#whole;
    if (state === pageHeader) return this.#older;
    return `corrupt ${state === pageData ? "D2" : "T5"} page ${page}`;
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

test("bytes changed in the reference implementation's files", {
  skip: folder === undefined && notSet,
}, (context) => {
  const random = new SplitMix32(1);
  let tried = 0;
  for (const name of readdirSync(folder!).filter((each) => each.endsWith(".kladde.gz"))) {
    const fixture = new Fixture(bytesOf(name));
    const { bytes } = fixture;
    for (let page = 0; page < fixture.pages; page++)
      for (let i = 0; i < (page < 2 ? 20 * perPage : perPage); i++) {
        // Half of them in the first bytes of the page, where the frame is.
        const at = page * pageBytes + (random.next() % (i % 2 === 0 ? pageBytes : 70));
        const flip = 1 << (random.next() % 8);
        const expected = fixture.expected(at);
        bytes[at]! ^= flip;
        assert.equal(outcome(bytes), expected, `${name}: byte ${at} changed by ${flip}`);
        bytes[at]! ^= flip;
        tried++;
      }
  }
  assert.ok(tried > 0);
  context.diagnostic(`${tried} changed files`);
});

test("a refused file of the reference implementation is left alone", {
  skip: folder === undefined && notSet,
}, () => {
  const name = readdirSync(folder!).find((each) => each.endsWith(".kladde.gz"))!;
  const bytes = bytesOf(name);
  const { state } = openSnapshot(new ReadingFile(fileName, bytes)).context;
  const page = state.pages.state.indexOf(pageData);
  bytes[page * pageBytes + contentOffset]! ^= 1;
  assert.ok(caught(() => Store.openReadOnly(new ReadingFile(fileName, bytes))) instanceof StoreError);
  assertRefused(bytes, { code: "corrupt", rule: "D2", page });
});
