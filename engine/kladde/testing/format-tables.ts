/**
 * The tables of the page about the file format, made of the code that reads and writes the bytes.
 *
 *  (1) Offsets, sizes, tags, bounds, names and the order of fields come from `engine/kladde/format`: layouts are asked,
 *      records and statements are encoded and looked at. Only what a field means is said here.
 *  (2) A field that has no meaning yet, or one that is gone, is an error.
 *
 * `pnpm format-tables` puts them into the page; the tests fail when the page has others.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { writeLeb } from "../../codec/leb128.ts";
import {
  contentCapacity,
  contentOffset,
  crcBytes,
  type Field,
  formatVersion,
  frameLayout,
  headerContentCapacity,
  headerLayout,
  inlineBytesMax,
  log2PageBytes,
  magic,
  pageBytes,
  pageKindData,
  pageKindTable,
  readerVersion,
  streamBytesPerPage,
  trailerLayout,
  u32Max,
} from "../format/layout.ts";
import {
  encodeRecordHead,
  type RecordColumns,
  recordCopy,
  recordFree,
  recordMove,
  recordPayloadBytes,
  recordResize,
  recordSplice,
  recordWrite,
} from "../format/record.ts";
import {
  statementNames,
  tagGrow,
  tagInline,
  tagRef,
  tagShrink,
  tagTombstone,
  tagZero,
  writeStatement,
} from "../format/statement.ts";

type Row = readonly string[];

const hex = (bytes: Uint8Array | readonly number[]): string =>
  [...bytes].map((byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
const code = (text: string): string => `\`${text}\``;
const table = (titles: Row, rows: readonly Row[]): string =>
  [titles, titles.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

/** As the page writes names: `log2PageSize` is `log2_page_size`. */
const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const fieldTitles = ["offset", "bytes", "field", "value"];

/** A row a field, moved by `by`. */
function fieldRows(
  fields: Readonly<Record<string, Field>>,
  meanings: Readonly<Record<string, string>>,
  by = 0,
): Row[] {
  const unknown = Object.keys(meanings).filter((name) => fields[name] === undefined);
  if (unknown.length > 0) throw new Error(`no field ${unknown.join()}`);
  return Object.entries(fields).map(([name, { offset, bytes }]) => {
    const meaning = meanings[name];
    if (meaning === undefined) throw new Error(`nothing is said of field ${name}`);
    return [String(offset + by), String(bytes), code(snake(name)), meaning];
  });
}

const frame = (): string =>
  table(fieldTitles, [
    ...fieldRows(frameLayout.fields, {
      kind: `${code(hex([pageKindTable]))} address table, ${code(hex([pageKindData]))} data`,
      epoch: "of the flush that wrote the page",
      contentSize: `n, at most ${contentCapacity}`,
    }),
    [String(contentOffset), "n", code("content"), "by kind"],
    [
      `${contentOffset} + n`,
      String(crcBytes),
      code("crc"),
      `CRC of bytes 0 to ${frameLayout.fields.contentSize.offset - 1} and the content`,
    ],
    [`${contentOffset + crcBytes} + n`, "rest", "padding", "not covered; a writer should write zeros"],
  ]);

const header = (): string =>
  table(fieldTitles, [
    ...fieldRows(headerLayout.fields, {
      magic: code(hex(magic)),
      log2PageSize: `${log2PageBytes}; 13 to 16 are reserved`,
      formatVersion: String(formatVersion),
      minReaderVersion: String(readerVersion),
      rootAllocation: "id of the root value, or 0",
      schemaTable: "id of the table of types, or 0",
      consolidatorState: "id of an allocation with private state of the writer, or 0",
      rootFingerprint: "identifies the type of the root, opaque here",
      journalPointer: "first page of the journal segment of the next epoch",
    }),
    ...fieldRows(
      frameLayout.fields,
      {
        kind: code(hex([pageKindTable])),
        epoch: "of the flush that wrote the header",
        contentSize: `n, at most ${headerContentCapacity}`,
      },
      headerLayout.bytes,
    ),
  ]);

const journal = (): string =>
  table(fieldTitles, [
    ["0", String(streamBytesPerPage), "stream", "part of the byte stream, which may break anywhere"],
    ...fieldRows(
      trailerLayout.fields,
      { next: "page on which the stream continues", trailerCrc: `the chain's value after ${code("next")}` },
      streamBytesPerPage,
    ),
  ]);

/** Values of columns or arguments that tell each other apart when they are found in bytes. */
const marks = [11, 12, 13, 14, 15] as const;

/** A record with a mark in every column, as it is encoded: tag, then the marks in their order. */
function encodedRecord(tag: number): { readonly fields: number[]; readonly hasPayload: boolean } {
  const [a, b, c, d, e] = marks;
  const one = (value: number): Uint32Array => Uint32Array.of(value);
  const columns: RecordColumns = {
    tag: Uint8Array.of(tag),
    a: one(a),
    b: one(b),
    c: one(c),
    d: one(d),
    e: one(e),
    payload: Float64Array.of(0),
    push: () => {},
  };
  const bytes = new Uint8Array(marks.length + 1);
  const end = encodeRecordHead(columns, 0, bytes, 0);
  return { fields: [...bytes.subarray(1, end)], hasPayload: recordPayloadBytes(columns, 0) > 0 };
}

/** What the columns of each record hold, in the order of the columns. */
const recordColumns: Readonly<Record<number, readonly [string, ...(string | undefined)[]]>> = {
  [recordFree]: ["Free", "id"],
  [recordResize]: ["Resize", "id", "size"],
  [recordWrite]: ["Write", "id", "offset", undefined, "len"],
  [recordSplice]: ["Splice", "id", "offset", "old_len", "len"],
  [recordCopy]: ["Copy", "src", "src_offset", "dst", "len", "dst_offset"],
  [recordMove]: ["Move", "src", "src_offset", "dst", "len", "dst_offset"],
};

const records = (): string =>
  table(
    ["tag", "record", "fields after the tag"],
    Object.entries(recordColumns).map(([tag, [name, ...columns]]) => {
      const { fields, hasPayload } = encodedRecord(Number(tag));
      const named = fields.map((mark) => {
        const field = columns[marks.indexOf(mark as (typeof marks)[number])];
        if (field === undefined) throw new Error(`record ${name} has a field without a name`);
        return field;
      });
      return [tag, code(name), `${code(named.join(" "))}${hasPayload ? ", then the bytes" : ""}`];
    }),
  );

/** Arguments of each statement, and how it is written on the page. */
const statementForms: readonly string[] = [
  "Ref(id, o, n, a)",
  "Zero(id, o, n)",
  "Shrink(id, n)",
  "Grow(id, n)",
  "Tombstone(id)",
  `Inline(id, o, payload)`,
];

/** The fields behind the tag, found in the bytes of a statement with a mark in each argument. */
function statementFields(kind: number): string {
  const [id, offset, size, address] = marks;
  const bytes = new Uint8Array(marks.length + 1);
  const end = writeStatement(bytes, 0, kind, id, offset, size, address, 0, 0);
  const names = new Map<number, string>([
    [offset, "offset_delta"],
    [size, "size"],
    [address, "address"],
  ]);
  const fields = [...bytes.subarray(2, end)].map((mark) => names.get(mark) ?? "?");
  if (kind === tagInline) fields.push("payload");
  return fields.length === 0 ? "nothing" : code(fields.join(" "));
}

const statements = (): string =>
  table(
    ["tag", "statement", "after the tag"],
    [tagRef, tagZero, tagShrink, tagGrow, tagTombstone, tagInline].map((kind) => {
      const form = statementForms[kind]!;
      if (!form.startsWith(`${statementNames[kind]}(`)) throw new Error(`statement ${kind} is not ${form}`);
      const isInline = kind === tagInline;
      const lastTag = tagTombstone + inlineBytesMax;
      const tag = isInline ? `${kind} … ${lastTag}` : String(kind);
      const length = isInline ? ` of tag − ${tagTombstone} = 1 … ${inlineBytesMax} bytes` : "";
      return [tag, `${code(form)}${length}`, statementFields(kind)];
    }),
  );

const varints = (): string =>
  table(
    ["value", "bytes"],
    [0, 127, 128, 300, 16384, u32Max].map((value) => {
      const bytes = new Uint8Array(5);
      return [String(value), code(hex(bytes.subarray(0, writeLeb(bytes, 0, value))))];
    }),
  );

const bounds = (): string =>
  table(
    ["quantity", "bound"],
    [
      ["allocation id", `1 … ${u32Max}`],
      ["size, offset, and their sums", `at most ${u32Max}`],
      ["page number", `at most ${u32Max}`],
      [
        `address: page · ${pageBytes} + offset in the page`,
        `below $2^{${Math.log2((u32Max + 1) * pageBytes)}}$`,
      ],
      [
        "epoch",
        `at most $2^{${Math.log2(Number.MAX_SAFE_INTEGER + 1)}}-1$ here; ${frameLayout.fields.epoch.bytes * 8} bits in the file`,
      ],
      ["record bytes of one transaction", `at most ${u32Max}; a larger one fails, it is never split`],
    ],
  );

/** By the name that the page gives them. */
export const formatTables = (): Readonly<Record<string, string>> => ({
  varints: varints(),
  bounds: bounds(),
  frame: frame(),
  header: header(),
  statements: statements(),
  journal: journal(),
  records: records(),
});

/** The page with the tables as they are. Throws if it has no place for one. */
export function withFormatTables(source: string): string {
  let page = source;
  for (const [name, rows] of Object.entries(formatTables())) {
    const place = new RegExp(`(<div data-layout="${name}">\\n\\n)[\\s\\S]*?(\\n\\n</div>)`);
    if (!place.test(page)) throw new Error(`the page has no place for the table ${name}`);
    page = page.replace(place, (_, begin: string, end: string) => `${begin}${rows}${end}`);
  }
  return page;
}

if (import.meta.main) {
  const page = fileURLToPath(new URL("../../../content/format/kladde.mdx", import.meta.url));
  writeFileSync(page, withFormatTables(readFileSync(page, "utf8")));
}
