/** The page about the file format says what the code does: its tables and worked bytes against `engine/kladde/format`. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { crc32c } from "../../engine/codec/crc32c.ts";
import {
  contentOffset,
  headerContentOffset,
  pageBytes,
  pageKindTable,
} from "../../engine/kladde/format/layout.ts";
import { StatementReader, statementNames } from "../../engine/kladde/format/statement.ts";
import { formatTables, withFormatTables } from "../../engine/kladde/testing/format-tables.ts";
import { projectFolder } from "./build.ts";
import { codeBlocks, hexBytes, layoutTable, pageSource } from "./mdx.ts";

const source = pageSource("format/kladde.mdx");

test("its tables are those that the code makes", () => {
  const message = "the page has other tables than the code makes: pnpm format-tables";
  assert.equal(withFormatTables(source), source, message);
  assert.deepEqual(Object.keys(formatTables()), [
    "varints",
    "bounds",
    "frame",
    "header",
    "statements",
    "journal",
    "records",
  ]);
});

test("a table that says something else is noticed, and one that is missing", () => {
  for (const name of Object.keys(formatTables())) {
    const [first = []] = layoutTable(source, name).filter((row) => /\d/.test(row.join("")));
    const begin = source.indexOf(`<div data-layout="${name}">`);
    const digit = begin + source.slice(begin).search(/\| \d/) + 2;
    const changed = `${source.slice(0, digit)}9${source.slice(digit)}`;
    assert.ok(first.length > 0 && withFormatTables(changed) === source, name);
    assert.throws(() => withFormatTables(source.replace(`data-layout="${name}"`, "")), /no place/);
  }
});

/** Rules that the engine's sources name, and where they are not named because nothing is to be done or said. */
const silentRules = ["H4", "H13", "S10", "S13", "D7", "D8", "J1", "J2", "J3", "J4", "J5", "J9", "I1", "I2"];

test("its rules are those that the engine names", () => {
  const named = new Set<string>();
  const folder = join(projectFolder, "engine/kladde");
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    if (/^(?!testing|typed).*(?<!\.test)\.ts$/.test(file))
      for (const [, rule] of readFileSync(join(folder, file), "utf8").matchAll(/"([HTSDJI]\d+)"/g))
        named.add(rule!);
  const rows = layoutTable(source, "rules");
  const said = rows.map(([rule]) => rule!);
  assert.deepEqual(new Set(said).size, said.length);
  assert.deepEqual([...named, ...silentRules].sort(), [...said].sort());
});

const worked = (meta: string): Uint8Array => {
  const block = codeBlocks(source).find((candidate) => candidate.meta === meta);
  assert.ok(block, `no block ${meta}`);
  return hexBytes(block.code);
};
const stored = (bytes: Uint8Array): number =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(bytes.length - 4, true);

test("the worked data page has the CRC it says", () => {
  const bytes = worked("data-page");
  const content = bytes.subarray(contentOffset, -4);
  assert.equal(new TextDecoder().decode(content), "hello");
  assert.equal(crc32c(content, crc32c(bytes.subarray(0, 9))), stored(bytes));
});

test("the worked table page decodes to the statements it says", () => {
  const content = worked("table-page");
  const reader = new StatementReader();
  const page = new Uint8Array(pageBytes);
  page.set(content, contentOffset);
  reader.open(page, contentOffset, contentOffset + content.length, "page", 2);
  assert.deepEqual(reader.children(), [4, 9]);
  const lines: string[] = [];
  while (reader.next()) lines.push(`${statementNames[reader.kind]}(${reader.id}`);
  const said = [...source.matchAll(/^[0-9A-F ]{5,} {2,}((?:Ref|Zero|Shrink|Grow|Tombstone|Inline)\(\d+)/gm)];
  assert.deepEqual(
    lines,
    said.map(([, statement]) => statement),
  );
  const framed = Uint8Array.of(pageKindTable, 4, 0, 0, 0, 0, 0, 0, 0);
  assert.equal(crc32c(content, crc32c(framed)).toString(16).toUpperCase(), "CA920F9D");
});

test("the worked new file and its journal have the checksums they say", () => {
  const header = worked("new-file");
  assert.equal(header.length, headerContentOffset + 1 + 4);
  const content = header.subarray(headerContentOffset, -4);
  assert.equal(crc32c(content, crc32c(header.subarray(0, headerContentOffset - 2))), stored(header));

  const journal = worked("journal");
  const first = journal.subarray(0, 13);
  const second = journal.subarray(17, 25);
  const chain = crc32c(first, crc32c(Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0)));
  assert.equal(chain, stored(journal.subarray(0, 17)));
  assert.equal(crc32c(second, chain), stored(journal));
});
