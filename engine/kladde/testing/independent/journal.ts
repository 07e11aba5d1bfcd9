/** The journal of a file, decoded and replayed from the format alone. */

import { crc32c } from "../../../codec/crc32c.ts";
import { bytesContent, type Content, joined, lengthOf, range, replaced, zeros } from "./content.ts";
import { Cursor, littleEndian, pageOf, Refused } from "./tables.ts";

const streamBytes = 4088;
const pageBytes = 4096;
const u32Max = 2 ** 32 - 1;

export interface ReadJournal {
  /** Record bytes of every complete transaction. */
  readonly transactions: readonly Uint8Array[];
  /** From the first page to the one that holds the end of the last complete transaction. */
  readonly pages: readonly number[];
}

/** The stream of a segment, byte by byte, with its chain of checksums. */
class Stream {
  readonly pages: number[];
  chain: number;
  #position = 0;
  readonly #file: Uint8Array;

  constructor(file: Uint8Array, epoch: number, first: number) {
    this.#file = file;
    this.pages = [first];
    const seed = new Uint8Array(8);
    new DataView(seed.buffer).setBigUint64(0, BigInt(epoch), true);
    this.chain = crc32c(seed);
  }

  /** The next `length` bytes, or undefined where the stream ends. */
  take(length: number, isFed: boolean): Uint8Array | undefined {
    const parts: Uint8Array[] = [];
    for (let left = length; left > 0; ) {
      if (this.#position === streamBytes && !this.#follow()) return undefined;
      const page = pageOf(this.#file, this.pages.at(-1)!);
      const part = page.subarray(this.#position, Math.min(streamBytes, this.#position + left));
      if (isFed) this.chain = crc32c(part, this.chain);
      parts.push(part);
      this.#position += part.length;
      left -= part.length;
    }
    return new Uint8Array(Buffer.concat(parts));
  }

  #follow(): boolean {
    const page = pageOf(this.#file, this.pages.at(-1)!);
    const chain = crc32c(page.subarray(streamBytes, streamBytes + 4), this.chain);
    const next = Number(littleEndian(page, streamBytes, 4));
    if (chain !== Number(littleEndian(page, streamBytes + 4, 4))) return false;
    if (next < 2 || next >= Math.floor(this.#file.length / pageBytes) || this.pages.includes(next))
      return false;
    this.chain = chain;
    this.pages.push(next);
    this.#position = 0;
    return true;
  }
}

/** The complete transactions of segment `epoch`. */
export function readJournal(file: Uint8Array, epoch: number, first: number): ReadJournal {
  const transactions: Uint8Array[] = [];
  if (first >= Math.floor(file.length / pageBytes)) return { transactions, pages: [] };
  const stream = new Stream(file, epoch, first);
  let pages = 1;
  for (;;) {
    const length = lengthOfTransaction(stream);
    const body = length === undefined ? undefined : stream.take(length, true);
    const chain = stream.chain;
    const crc = body === undefined ? undefined : stream.take(4, false);
    // A link inside the checksum feeds the chain; the checksum is that before it.
    if (body === undefined || crc === undefined || Number(littleEndian(crc, 0, 4)) !== chain)
      return { transactions, pages: stream.pages.slice(0, pages) };
    transactions.push(body);
    pages = stream.pages.length;
  }
}

function lengthOfTransaction(stream: Stream): number | undefined {
  let value = 0n;
  for (let i = 0n; i < 5n; i++) {
    const byte = stream.take(1, true)?.[0];
    if (byte === undefined) return undefined;
    value |= BigInt(byte & 127) << (7n * i);
    if (byte < 128) return value > BigInt(u32Max) ? undefined : Number(value);
  }
  return undefined;
}

/** Applies the records of a transaction, in order. */
export function replay(records: Uint8Array, contents: Map<number, Content>): void {
  const cursor = new Cursor(records, "J6");
  while (!cursor.isAtEnd) {
    const tag = cursor.byte();
    if (tag < 1 || tag > 6) throw new Refused("J6", `record of tag ${tag}`);
    const record = new Replay(cursor, contents);
    record.run(tag);
  }
}

class Replay {
  readonly #cursor: Cursor;
  readonly #contents: Map<number, Content>;

  constructor(cursor: Cursor, contents: Map<number, Content>) {
    this.#cursor = cursor;
    this.#contents = contents;
  }

  run(tag: number): void {
    if (tag === 1) this.#contents.delete(this.#id());
    else if (tag === 2) {
      const id = this.#id();
      this.#set(id, range(this.#contents.get(id) ?? [], 0, this.#bounded(this.#cursor.varint())));
    } else if (tag === 3) {
      const [id, offset, length] = [this.#id(), this.#cursor.varint(), this.#cursor.varint()];
      this.#bounded(offset + length);
      const bytes = bytesContent(this.#cursor.bytes(length, "J6"));
      this.#set(id, replaced(this.#reaching(id, offset + length), offset, bytes));
    } else if (tag === 4) this.#splice();
    else this.#transfer(tag === 6);
  }

  #splice(): void {
    const [id, offset] = [this.#id(), this.#cursor.varint()];
    const [oldLength, length] = [this.#cursor.varint(), this.#cursor.varint()];
    this.#bounded(offset + oldLength);
    this.#bounded(offset + length);
    const bytes = bytesContent(this.#cursor.bytes(length, "J6"));
    const old = this.#reaching(id, offset + oldLength);
    const rest = range(old, offset + oldLength, lengthOf(old));
    this.#set(id, joined(range(old, 0, offset), bytes, rest));
  }

  #transfer(isMove: boolean): void {
    const [source, from, length] = [this.#id(), this.#cursor.varint(), this.#cursor.varint()];
    const [target, to] = [this.#id(), this.#cursor.varint()];
    this.#bounded(from + length);
    this.#bounded(to + length);
    const bytes = range(this.#contents.get(source) ?? [], from, from + length);
    const content = this.#contents.get(source);
    if (isMove && content !== undefined) {
      const end = Math.min(from + length, lengthOf(content));
      if (from < end) this.#set(source, replaced(content, from, zeros(end - from)));
    }
    this.#set(target, replaced(this.#reaching(target, to + length), to, bytes));
  }

  #id(): number {
    const id = this.#cursor.varint();
    if (id < 1 || id > u32Max) throw new Refused("J7", `id ${id}`);
    return id;
  }

  #bounded(value: number): number {
    if (value > u32Max) throw new Refused("J7", `a sum of ${value}`);
    return value;
  }

  /** The content of a target, which comes into existence, with zeros up to `end` at least. */
  #reaching(id: number, end: number): Content {
    const content = this.#contents.get(id) ?? [];
    return range(content, 0, Math.max(end, lengthOf(content)));
  }

  #set(id: number, content: Content): void {
    if (lengthOf(content) > u32Max) throw new Refused("J8", `${lengthOf(content)} bytes`);
    this.#contents.set(id, content);
  }
}
