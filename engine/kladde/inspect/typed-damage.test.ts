/** Values of files with damaged data pages: those of other pages are shown, the lost ones are marked. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryFile } from "../../storage/memory.ts";
import { contentOffset, pageBytes } from "../format/layout.ts";
import { pageContentBytes } from "../format/page.ts";
import { ReadOnlyStore } from "../readonly.ts";
import { map, string, struct, vec } from "../typed/types/testing/build.ts";
import { surveyHtml } from "./render-html.ts";
import { surveyText } from "./render-text.ts";
import { surveyFile } from "./survey.ts";
import { allocationsOf, typedStore } from "./testing.ts";
import { readTyped } from "./typed.ts";
import type { TypedDocument } from "./typed-document.ts";
import { typedText } from "./typed-text.ts";

const textCount = 300;
const texts = Array.from({ length: textCount }, (_, i) => `${i}: ${"äx€😀".repeat(10 + (i % 40))}`);

/** A struct with a list of texts; with `inJournal`, the first text was changed since the last flush. */
function makeFile(inJournal: boolean, count = textCount): { bytes: Uint8Array; changed: string } {
  const type = struct("Notes", { texts: vec(string()) });
  const list = { list: Array.from({ length: count }, (_, i) => ({ pointsTo: texts[i % textCount]! })) };
  const { store, file } = typedStore(type, allocationsOf(type, { list: [{ pointsTo: list }] }));
  store.flush();
  const [first] = pointers(store.read(2, 0, 4 * textCount));
  if (inJournal) store.splice(first!, 0, 1, new TextEncoder().encode("changed "));
  const bytes = file.bytes().slice();
  store.close();
  return { bytes, changed: inJournal ? `changed ${texts[0]!.slice(1)}` : texts[0]! };
}

function pointers(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(4 * i, true));
}

/** By data page, the allocations with bytes in it. */
function usersOf(bytes: Uint8Array): Map<number, Set<number>> {
  const store = ReadOnlyStore.open(new MemoryFile("whole", bytes));
  const users = new Map<number, Set<number>>();
  store.visitDataFragments((page, id) => {
    users.set(page, (users.get(page) ?? new Set()).add(id));
  });
  return users;
}

/** With one bit of the page's content changed. What lies behind the content is not part of it. */
function flipped(bytes: Uint8Array, page: number, bit: number): Uint8Array {
  const damaged = bytes.slice();
  const content = pageContentBytes(damaged.subarray(page * pageBytes, (page + 1) * pageBytes), false);
  damaged[page * pageBytes + contentOffset + ((bit >> 3) % content)]! ^= 1 << (bit & 7);
  return damaged;
}

/** Every text is right or marked, and marked are those with bytes in `page` alone. */
function assertRead(
  document: TypedDocument,
  page: number,
  lost: Set<number>,
  ids: number[],
  first: string,
): void {
  const { values, findings, faults } = document;
  const rows = values!.rows.filter(({ depth }) => depth === 2);
  assert.equal(rows.length, textCount);
  for (const [i, { kind, value, id, fault }] of rows.entries()) {
    assert.equal(id, ids[i]);
    if (lost.has(ids[i]!))
      assert.deepEqual(
        [kind, value, fault],
        ["broken", null, `page ${page}, D2: data page has a wrong checksum`],
      );
    else assert.deepEqual([kind, value, fault], ["text", i === 0 ? first : texts[i], null]);
  }
  const lostIds = ids.filter((id) => lost.has(id));
  assert.ok(lostIds.length > 0 && lostIds.length < textCount / 4);
  assert.deepEqual(
    findings.map(({ severity, rule, id, page: at }) => [severity, rule, id, at]),
    lostIds.map((id) => ["fault", "D2", id, page]),
  );
  assert.match(findings[0]!.message, /: texts\[\d+\] cannot be read: data page has a wrong checksum$/);
  assert.equal(faults, lostIds.length);
  assert.equal(values!.complete, false);
  // What is lost counts with its size.
  assert.equal(values!.rows[0]!.treeBytes, values!.bytes);
}

for (const inJournal of [false, true])
  test(`a bit of a data page changed: no other page's values are lost${inJournal ? "; with a journal" : ""}`, () => {
    const { bytes, changed } = makeFile(inJournal);
    const ids = pointers(ReadOnlyStore.open(new MemoryFile("whole", bytes)).read(2, 0, 4 * textCount));
    let seen = 0;
    for (const [page, lost] of usersOf(bytes)) {
      const damaged = flipped(bytes, page, page * 997);
      const file = new MemoryFile("damaged", damaged);
      const document = readTyped(file);
      // The page with the pointers, and that with the types: nothing is made up.
      if (document.types === null) assert.match(document.unknown!, /rule D2: data page has a wrong checksum/);
      else if (lost.has(2))
        assert.deepEqual({ ...(document.values!.value as object) }, { texts: lostList(page) });
      else {
        assertRead(document, page, lost, ids, changed);
        seen++;
      }
      assert.deepEqual(file.bytes(), damaged);
    }
    assert.ok(seen >= 5, `${seen} pages`);
  });

const lostList = (page: number) => ({
  broken: "vec(string)",
  fault: `page ${page}, D2: data page has a wrong checksum`,
});

test("leaks of a damaged file are only possible, and every form says what is lost", () => {
  const { bytes } = makeFile(false);
  const [page] = [...usersOf(bytes)].find(([, ids]) => !ids.has(2) && !ids.has(1))!;
  const file = new MemoryFile("damaged", flipped(bytes, page, 5000));
  const text = [...typedText(readTyped(file), { all: true, only: "values" })].join("\n");
  assert.match(text, new RegExp(`cannot be read: page ${page}, D2: data page has a wrong checksum`));
  const survey = surveyFile(file);
  assert.match([...surveyText(survey, { all: true })].join("\n"), /\[\d+\] .*cannot be read: page/);
  assert.match([...surveyHtml(survey)].join("\n"), /cannot be read: page/);
  assert.equal(survey.isSound(), false);
  assert.equal(readTyped(file).values!.leaks.certain, false);
});

test("a map's key in a damaged page is unknown, its value is shown", () => {
  const type = map(string(), string());
  const keys = ["a", "b", "c"].map((letter) => letter.repeat(3000));
  const list = keys.map((key, i) => ({ list: [true, { pointsTo: key }, { pointsTo: texts[i]! }] }));
  const { store, file } = typedStore(type, allocationsOf(type, { pointsTo: { list } }));
  store.close();
  const sound = readTyped(file).values!;
  assert.deepEqual(
    sound.rows.slice(1).map((row) => row.key),
    keys,
  );
  let lostKeys = 0;
  for (const [page] of usersOf(file.bytes())) {
    const { values } = readTyped(new MemoryFile("damaged", flipped(file.bytes(), page, 77)));
    for (const [i, row] of (values?.rows.slice(1) ?? []).entries()) {
      if (row.key === null) lostKeys++;
      else assert.equal(row.key, sound.rows[i + 1]!.key);
      if (row.fault === null) assert.equal(row.value, sound.rows[i + 1]!.value);
    }
  }
  assert.ok(lostKeys > 0);
});

test("a damaged table leaves out types and values, with the reason, and the file open", () => {
  const { bytes } = makeFile(false, 4 * textCount);
  const survey = surveyFile(new MemoryFile("whole", bytes));
  const leaf = [...survey.pages()].find(({ use }) => use === "leaf");
  const damaged = flipped(bytes, leaf!.page, 5000);
  const file = new MemoryFile("damaged", damaged);
  for (let time = 0; time < 2; time++) {
    const { unknown, types, values } = readTyped(file);
    assert.deepEqual([types, values], [null, null]);
    assert.match(unknown!, new RegExp(`^the file cannot be opened: damaged, page ${leaf!.page}, rule `));
  }
});
