/**
 * Every byte of a small file changed in three ways, and the file cut off at every length. What must come of it is
 * known exactly: an older state where a header or the journal says so, nothing where nobody looks, else a refusal.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreError } from "../../errors.ts";
import { inspectFile } from "../inspect/inspect.ts";
import { Store } from "../store.ts";
import {
  dataPage,
  fileOf,
  headerPage,
  journalPages,
  pageBytes,
  record,
  tableContent,
  tablePage,
} from "../testing/pages.ts";
import { ReadingFile } from "../testing/reading-file.ts";
import {
  assertHolds,
  assertRefused,
  type Contents,
  caught,
  contentsOf,
  fileName,
} from "../testing/refusal.ts";

const oldContent = tableContent([], [["inline", 9, 0, [9]]]);
const newContent = tableContent(
  [2],
  [
    ["inline", 9, 0, [7]],
    ["grow", 10, 4],
  ],
);
const interiorContent = tableContent([3], []);
const leafContent = tableContent(
  [],
  [
    ["inline", 1, 0, [1, 2, 3]],
    ["ref", 2, 0, 40, 4 * pageBytes + 11],
  ],
);
const data = Array.from({ length: 40 }, (_, i) => 255 - i);
/** Without bytes to keep: then opening is cheap enough to do it for every byte. */
const journal = journalPages({
  epoch: 6,
  pages: [5],
  transactions: [record.resize(9, 2), [...record.resize(11, 2), ...record.free(10)], record.resize(2, 2)],
});

/** Page 6 is free, and full of something. */
const sound = fileOf([
  headerPage(4, oldContent, { journalPointer: 1000 }),
  headerPage(5, newContent, { journalPointer: 5, root: 9 }),
  tablePage(5, interiorContent),
  tablePage(3, leafContent),
  dataPage(2, data),
  journal.pages.get(5),
  new Uint8Array(pageBytes).fill(0x5a),
]);

const older: Contents = { 9: "09" };
const flushed = { 1: "010203", 2: Buffer.from(data).toString("hex"), 9: "07", 10: "00000000" };
/** After 0, 1, 2 and 3 transactions. */
const states: Contents[] = [
  flushed,
  { ...flushed, 9: "0700" },
  { 1: "010203", 2: flushed[2], 9: "0700", 11: "0000" },
  { 1: "010203", 2: "fffe", 9: "0700", 11: "0000" },
];
const latest = states[3]!;

type Outcome = { readonly contents: Contents } | { readonly rule: string; readonly page: number };

/** Bytes that count, from the start of the page: its frame, content and CRC. */
const coveredEnd = [59 + oldContent.length + 4, 59 + newContent.length + 4].concat(
  [interiorContent, leafContent, data].map(({ length }) => 11 + length + 4),
);

/** What must come of a changed byte. */
function outcomeOf(at: number): Outcome {
  const page = Math.floor(at / pageBytes);
  const offset = at % pageBytes;
  if (page === 5) return { contents: states[journal.ends.filter((end) => end <= offset).length]! };
  if (page === 0 || offset >= (coveredEnd[page] ?? 0)) return { contents: latest };
  if (page === 1) return { contents: older };
  return { rule: page === 4 ? "D2" : "T5", page };
}

const bytes = sound.slice();
const file = new ReadingFile(fileName, bytes);

/** Opens the shared file, and compares what comes of it. */
function assertOutcome(expected: Outcome, what: string): void {
  const opened = caught(() => assertContents(expected));
  if (opened === undefined) return;
  assert.ok(opened instanceof StoreError && "rule" in expected, `${what}: ${String(opened)}`);
  assert.deepEqual([opened.code, opened.rule, opened.page], ["corrupt", expected.rule, expected.page], what);
  assert.equal(opened.file, fileName);
}

function assertContents(expected: Outcome): void {
  const store = Store.openReadOnly(file);
  assert.ok("contents" in expected, "opened");
  assert.deepEqual(contentsOf(store), expected.contents);
}

test("the file as it is", () => {
  assertHolds(sound, latest);
  const {
    tablePages,
    dataPages,
    journalPages: pages,
    transactions,
  } = inspectFile(new ReadingFile(fileName, sound));
  assert.deepEqual([tablePages, dataPages, pages, transactions], [2, 1, 1, 3]);
});

test("every byte changed in three ways, opened for reading", () => {
  for (let at = 0; at < bytes.length; at++) {
    const expected = outcomeOf(at);
    for (const flip of [0xff, 1 << (at % 8), 0x80 >> (at % 7)]) {
      bytes[at]! ^= flip;
      assertOutcome(expected, `byte ${at} changed by ${flip}`);
      bytes[at]! ^= flip;
    }
  }
  assert.deepEqual(bytes, sound);
});

test("bytes that count changed, opened for writing and inspected", () => {
  for (let at = 0; at < sound.length; at += at % pageBytes < 200 ? 3 : 389) {
    const changed = sound.slice();
    changed[at]! ^= 1 << (at % 8);
    const expected = outcomeOf(at);
    if ("contents" in expected) assertHolds(changed, expected.contents);
    else assertRefused(changed, { code: "corrupt", ...expected });
  }
});

/** What must come of a file of this length: the first page that is missing is named. */
function refusalOf(
  length: number,
): { code: "not-kladde" | "corrupt"; rule: string; page?: number } | undefined {
  const pages = Math.floor(length / pageBytes);
  if (pages === 0) return { code: "not-kladde", rule: "H1" };
  if (pages === 2 || pages === 3) return { code: "corrupt", rule: "T3", page: pages };
  return pages === 4 ? { code: "corrupt", rule: "D1", page: 4 } : undefined;
}

test("cut off at every length", () => {
  for (let length = 0; length < sound.length; length++) {
    const cut = sound.subarray(0, length);
    const refusal = refusalOf(length);
    const wholeOpen = length % 53 === 0 || length % pageBytes < 2 || length % pageBytes === pageBytes - 1;
    if (refusal !== undefined) {
      if (wholeOpen) assertRefused(cut, refusal);
      const error = caught(() => Store.openReadOnly(new ReadingFile(fileName, cut)));
      assert.ok(error instanceof StoreError, `${length} bytes: ${String(error)}`);
      assert.deepEqual([error.code, error.rule, error.page], [refusal.code, refusal.rule, refusal.page]);
      continue;
    }
    const contents = length < 2 * pageBytes ? older : length < 6 * pageBytes ? flushed : latest;
    assert.deepEqual(
      contentsOf(Store.openReadOnly(new ReadingFile(fileName, cut))),
      contents,
      `${length} bytes`,
    );
    if (wholeOpen) assertHolds(cut, contents);
  }
});
