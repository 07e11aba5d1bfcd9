/** The page about the file format says what the code does: its tables and worked bytes against `engine/kladde/format`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32c } from "../../engine/codec/crc32c.ts";
import {
  contentCapacity,
  contentOffset,
  frameLayout,
  headerContentCapacity,
  headerContentOffset,
  headerLayout,
  inlineBytesMax,
  magic,
  pageBytes,
  pageKindData,
  pageKindTable,
  streamBytesPerPage,
  trailerLayout,
} from "../../engine/kladde/format/layout.ts";
import {
  recordCopy,
  recordFree,
  recordMove,
  recordResize,
  recordSplice,
  recordWrite,
} from "../../engine/kladde/format/record.ts";
import { StatementReader, statementNames, tagInline } from "../../engine/kladde/format/statement.ts";
import { codeBlocks, hexBytes, layoutTable, pageSource } from "./mdx.ts";

const source = pageSource("format/kladde.mdx");

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Offset, bytes and name of each field of a layout, moved by `by`. */
const rowsOf = (
  layout: typeof headerLayout | typeof frameLayout | typeof trailerLayout,
  by = 0,
): string[][] =>
  Object.entries(layout.fields).map(([name, field]) => [
    String(field.offset + by),
    String(field.bytes),
    snake(name).replace("log2page_size", "log2_page_size").replace("log2_page_size", "log2_page_size"),
  ]);

const head = (rows: string[][]): string[][] => rows.map((row) => row.slice(0, 3));

test("the frame of a page", () => {
  const rows = layoutTable(source, "frame");
  assert.deepEqual(head(rows.slice(0, 3)), rowsOf(frameLayout));
  assert.equal(rows[3]?.[0], String(contentOffset));
  assert.match(rows[2]?.[3] ?? "", new RegExp(`at most ${contentCapacity}$`));
  assert.match(rows[0]?.[3] ?? "", new RegExp(`0${pageKindTable} address table, 0${pageKindData} data`));
});

test("the fields of a header page", () => {
  const rows = layoutTable(source, "header");
  assert.deepEqual(head(rows), [...rowsOf(headerLayout), ...rowsOf(frameLayout, headerLayout.bytes)]);
  assert.deepEqual(hexBytes(rows[0]?.[3] ?? ""), magic);
  assert.match(rows.at(-1)?.[3] ?? "", new RegExp(`at most ${headerContentCapacity}$`));
});

test("the statements of the address table", () => {
  const rows = layoutTable(source, "statements");
  const names = rows.map((row) => /^\w+/.exec(row[1] ?? "")?.[0]);
  assert.deepEqual(names, [...statementNames]);
  assert.deepEqual(
    rows.slice(0, tagInline).map((row) => row[0]),
    [...Array(tagInline).keys()].map(String),
  );
  assert.equal(rows[tagInline]?.[0], `${tagInline} … ${inlineBytesMax + tagInline - 1}`);
  assert.match(rows[tagInline]?.[1] ?? "", new RegExp(`${inlineBytesMax} bytes`));
});

test("the pages of the journal", () => {
  const rows = layoutTable(source, "journal");
  assert.deepEqual(head(rows), [
    ["0", String(streamBytesPerPage), "stream"],
    ...rowsOf(trailerLayout, streamBytesPerPage),
  ]);
});

test("the records of the journal", () => {
  const tags = {
    Free: recordFree,
    Resize: recordResize,
    Write: recordWrite,
    Splice: recordSplice,
    Copy: recordCopy,
    Move: recordMove,
  };
  assert.deepEqual(
    layoutTable(source, "records").map((row) => [row[1], row[0]]),
    Object.entries(tags).map(([name, tag]) => [name, String(tag)]),
  );
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
