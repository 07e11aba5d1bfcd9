/**
 * Kladde files built page by page, sound or broken in one place, with right checksums all the same.
 *
 * Written from the format alone: nothing but the CRC is shared with the engine, so that a mistake there does not
 * hide itself here.
 */

import { crc32c } from "../../codec/crc32c.ts";

export const pageBytes = 4096;

export type Bytes = readonly number[] | Uint8Array;

export type Statement =
  | readonly ["ref", id: number, offset: number, size: number, address: number]
  | readonly ["zero", id: number, offset: number, size: number]
  | readonly ["shrink", id: number, bound: number]
  | readonly ["grow", id: number, bound: number]
  | readonly ["tombstone", id: number]
  | readonly ["inline", id: number, offset: number, payload: Bytes]
  /** Encoded by hand; the cursors stay where they were. */
  | readonly ["raw", bytes: Bytes];

/** Unsigned LEB128; `length` pads it to a longer form. */
export function varint(value: number, length = 1): number[] {
  const bytes: number[] = [];
  let rest = BigInt(value);
  do {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  } while (rest > 0n || bytes.length < length);
  bytes[bytes.length - 1]! &= 127;
  return bytes;
}

export const littleEndian = (value: number | bigint, bytes: number): number[] =>
  Array.from({ length: bytes }, (_, i) => Number((BigInt(value) >> BigInt(8 * i)) & 255n));

/** The content of a table page. `children` and statements must ascend. */
export function tableContent(children: readonly number[], statements: readonly Statement[]): number[] {
  const content = children.flatMap((child, i) => varint(child - (children[i - 1] ?? 0)));
  content.push(0);
  let lastId = 0;
  let cursor = 0;
  for (const statement of statements) {
    if (statement[0] === "raw") {
      content.push(...statement[1]);
      continue;
    }
    const id = statement[1];
    if (id !== lastId) cursor = 0;
    content.push(...varint(id - lastId));
    lastId = id;
    if (statement[0] === "tombstone") {
      content.push(4);
      continue;
    }
    const delta = varint(statement[2] - cursor);
    cursor = statement[2];
    if (statement[0] === "shrink") content.push(2, ...delta);
    else if (statement[0] === "grow") content.push(3, ...delta);
    else if (statement[0] === "inline") {
      content.push(4 + statement[3].length, ...delta, ...statement[3]);
      cursor += statement[3].length;
    } else {
      content.push(statement[0] === "ref" ? 0 : 1, ...delta, ...varint(statement[3]));
      cursor += statement[3];
      if (statement[0] === "ref") content.push(...varint(statement[4]));
    }
  }
  return content;
}

function sealed(front: Bytes, kind: number, epoch: number | bigint, content: Bytes): Uint8Array {
  const prefix = [...front, kind, ...littleEndian(epoch, 8)];
  const crc = crc32c(Uint8Array.from([...prefix, ...content]));
  const page = new Uint8Array(pageBytes);
  page.set([...prefix, ...littleEndian(content.length, 2), ...content, ...littleEndian(crc, 4)]);
  return page;
}

export const tablePage = (epoch: number, content: Bytes): Uint8Array => sealed([], 1, epoch, content);
export const dataPage = (epoch: number, content: Bytes): Uint8Array => sealed([], 2, epoch, content);

export interface HeaderOptions {
  readonly magic?: Bytes;
  readonly log2PageSize?: number;
  readonly formatVersion?: number;
  readonly minReaderVersion?: number;
  readonly root?: number;
  readonly schemaTable?: number;
  readonly consolidatorState?: number;
  readonly journalPointer?: number;
  readonly kind?: number;
}

export const magic = [0x8b, 0x4b, 0x4c, 0x41, 0x44, 0x44, 0x45, 0x0d, 0x0a, 0x1a, 0x0a];

export function headerPage(epoch: number | bigint, content: Bytes, options: HeaderOptions = {}): Uint8Array {
  const front = [
    ...(options.magic ?? magic),
    options.log2PageSize ?? 12,
    ...littleEndian(options.formatVersion ?? 0, 2),
    ...littleEndian(options.minReaderVersion ?? 0, 2),
    ...littleEndian(options.root ?? 0, 4),
    ...littleEndian(options.schemaTable ?? 0, 4),
    ...littleEndian(options.consolidatorState ?? 0, 4),
    ...Array.from({ length: 16 }, () => 0),
    ...littleEndian(options.journalPointer ?? 2, 4),
  ];
  return sealed(front, options.kind ?? 1, epoch, content);
}

/** Journal records. */
export const record = {
  free: (id: number): number[] => [1, ...varint(id)],
  resize: (id: number, size: number): number[] => [2, ...varint(id), ...varint(size)],
  write: (id: number, offset: number, bytes: Bytes): number[] => [
    3,
    ...varint(id),
    ...varint(offset),
    ...varint(bytes.length),
    ...bytes,
  ],
  splice: (id: number, offset: number, oldLength: number, bytes: Bytes): number[] => [
    4,
    ...varint(id),
    ...varint(offset),
    ...varint(oldLength),
    ...varint(bytes.length),
    ...bytes,
  ],
  copy: (...fields: [src: number, at: number, length: number, dst: number, to: number]): number[] => [
    5,
    ...fields.flatMap((field) => varint(field)),
  ],
  move: (...fields: [src: number, at: number, length: number, dst: number, to: number]): number[] => [
    6,
    ...fields.flatMap((field) => varint(field)),
  ],
};

export interface Journal {
  readonly epoch: number;
  /** In the order of the chain; as many are used as the transactions need. */
  readonly pages: readonly number[];
  /** Record bytes, one list for each transaction. */
  readonly transactions: readonly Bytes[];
  /** Replaces the `next` field of the pages by position, the chain going on as if that were right. */
  readonly next?: Readonly<Record<number, number>>;
}

export const streamBytes = 4088;

/** The pages of a journal segment, and where in the stream each transaction ends. */
export function journalPages({ epoch, pages, transactions, next = {} }: Journal): {
  readonly pages: ReadonlyMap<number, Uint8Array>;
  readonly ends: readonly number[];
} {
  let chain = crc32c(Uint8Array.from(littleEndian(epoch, 8)));
  const written = new Map<number, Uint8Array>();
  const ends: number[] = [];
  let page = new Uint8Array(pageBytes);
  let used = 0;
  let position = 0;
  let total = 0;
  written.set(pages[0]!, page);
  const put = (byte: number, feed: boolean): void => {
    if (position === streamBytes) {
      const link = littleEndian(next[used] ?? pages[used + 1]!, 4);
      chain = crc32c(Uint8Array.from(link), chain);
      page.set([...link, ...littleEndian(chain, 4)], streamBytes);
      page = new Uint8Array(pageBytes);
      written.set(pages[++used]!, page);
      position = 0;
    }
    page[position++] = byte;
    total++;
    if (feed) chain = crc32c(Uint8Array.of(byte), chain);
  };
  for (const records of transactions) {
    for (const byte of [...varint(records.length), ...records]) put(byte, true);
    for (const byte of littleEndian(chain, 4)) put(byte, false);
    ends.push(total);
  }
  return { pages: written, ends };
}

/** A file from its pages; what is not given is zeros. */
export function fileOf(
  pages: ReadonlyMap<number, Uint8Array> | readonly (Uint8Array | undefined)[],
): Uint8Array {
  const entries = pages instanceof Map ? [...pages] : [...pages.entries()];
  const count = Math.max(...entries.map(([page]) => page)) + 1;
  const bytes = new Uint8Array(count * pageBytes);
  for (const [page, content] of entries) if (content !== undefined) bytes.set(content, page * pageBytes);
  return bytes;
}
