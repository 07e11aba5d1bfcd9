/**
 * The pages of a file and the statements in them, decoded from the format alone. Nothing is shared with the engine but
 * the CRC, so that a mistake there does not hide itself here. Made for being right, not for being fast.
 */

import { crc32c } from "../../../codec/crc32c.ts";

const pageBytes = 4096;
const u32Max = 2 ** 32 - 1;
const safeMax = 2n ** 53n - 1n;

/** The file breaks a rule that every reader must refuse it for. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly rule: string;

  constructor(rule: string, what: string) {
    super(`${rule}: ${what}`);
    this.rule = rule;
  }
}

export type StatementKind = "ref" | "zero" | "shrink" | "grow" | "tombstone" | "inline";

export interface TableStatement {
  readonly kind: StatementKind;
  readonly id: number;
  /** The bound of a Shrink or Grow. */
  readonly offset: number;
  readonly size: number;
  readonly address: number;
  readonly payload: Uint8Array;
  readonly page: number;
  readonly epoch: number;
}

export interface TablePage {
  readonly page: number;
  readonly epoch: number;
  readonly parentEpoch: number;
  readonly children: readonly number[];
  readonly statements: readonly TableStatement[];
}

export interface Header {
  readonly slot: number;
  readonly epoch: number;
  readonly formatVersion: number;
  readonly root: number;
  readonly schemaTable: number;
  readonly consolidatorState: number;
  readonly journalPointer: number;
}

export const isContentKind = (kind: StatementKind): boolean =>
  kind === "ref" || kind === "zero" || kind === "inline";

export function littleEndian(bytes: Uint8Array, at: number, width: number): bigint {
  let value = 0n;
  for (let i = width - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[at + i]!);
  return value;
}

const u32 = (bytes: Uint8Array, at: number): number => Number(littleEndian(bytes, at, 4));

export const pageOf = (file: Uint8Array, page: number): Uint8Array =>
  file.subarray(page * pageBytes, (page + 1) * pageBytes);

export interface Frame {
  readonly kind: number;
  readonly epoch: bigint;
  readonly start: number;
  readonly end: number;
}

/** The frame of a page, if its checksum is right. */
export function frameOf(page: Uint8Array, isHeader: boolean): Frame | undefined {
  const front = isHeader ? 48 : 0;
  const start = front + 11;
  const end = start + Number(littleEndian(page, front + 9, 2));
  if (end + 4 > pageBytes) return undefined;
  const covered = new Uint8Array([...page.subarray(0, front + 9), ...page.subarray(start, end)]);
  if (crc32c(covered) !== u32(page, end)) return undefined;
  return { kind: page[front]!, epoch: littleEndian(page, front + 1, 8), start, end };
}

const magic = [0x8b, 0x4b, 0x4c, 0x41, 0x44, 0x44, 0x45, 0x0d, 0x0a, 0x1a, 0x0a];
const hasMagic = (page: Uint8Array): boolean => magic.every((byte, i) => page[i] === byte);

function slotFrame(file: Uint8Array, slot: number): Frame | undefined {
  const page = pageOf(file, slot);
  if (page.length < pageBytes) return undefined;
  const frame = frameOf(page, true);
  if (frame === undefined || !hasMagic(page) || page[11] !== 12 || frame.kind !== 1) return undefined;
  return frame.epoch % 2n === BigInt(slot) ? frame : undefined;
}

/** The header that governs. */
export function headerOf(file: Uint8Array): Header {
  if (file.length < pageBytes) throw new Refused("H1", "shorter than a page");
  const frames = [slotFrame(file, 0), slotFrame(file, 1)];
  if (frames[0] === undefined && frames[1] === undefined) throw new Refused("H5-H7", "no slot is valid");
  const slot = (frames[0]?.epoch ?? -1n) > (frames[1]?.epoch ?? -1n) ? 0 : 1;
  const page = pageOf(file, slot);
  const { epoch } = frames[slot]!;
  if (littleEndian(page, 14, 2) > 0n) throw new Refused("H8", "made for newer readers");
  if (epoch > safeMax) throw new Refused("H10", "epoch too large");
  const journalPointer = u32(page, 44);
  if (journalPointer < 2) throw new Refused("H11", "the journal lies in a header slot");
  return {
    slot,
    epoch: Number(epoch),
    formatVersion: Number(littleEndian(page, 12, 2)),
    root: u32(page, 16),
    schemaTable: u32(page, 20),
    consolidatorState: u32(page, 24),
    journalPointer,
  };
}

/** Every table page that the header reaches, itself first. */
export function tablePages(file: Uint8Array, header: Header): TablePage[] {
  const found: TablePage[] = [];
  const seen = new Set<number>();
  const visit = (page: number, parentEpoch: number): void => {
    const isHeader = page === header.slot && seen.size === 0;
    const bytes = pageOf(file, page);
    if (!isHeader && (page < 2 || page > u32Max)) throw new Refused("T2", `child ${page}`);
    if (bytes.length < pageBytes) throw new Refused("T3", `child ${page} is past the end`);
    if (seen.has(page)) throw new Refused("T4", `page ${page} is reached twice`);
    seen.add(page);
    const frame = frameOf(bytes, isHeader);
    if (frame === undefined) throw new Refused("T5", `page ${page} has a wrong checksum`);
    if (frame.kind !== 1) throw new Refused("T6", `page ${page} is no table page`);
    if (frame.epoch > BigInt(header.epoch)) throw new Refused("T7", `page ${page} is newer than the header`);
    const epoch = Number(frame.epoch);
    const decoded = decodeTable(bytes.subarray(frame.start, frame.end), page, epoch);
    found.push({ page, epoch, parentEpoch, ...decoded });
    for (const child of decoded.children) visit(child, epoch);
  };
  visit(header.slot, header.epoch);
  return found;
}

export class Cursor {
  at = 0;
  readonly #bytes: Uint8Array;
  readonly #rule: string;

  constructor(bytes: Uint8Array, rule: string) {
    this.#bytes = bytes;
    this.#rule = rule;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  byte(): number {
    if (this.isAtEnd) throw new Refused(this.#rule, "runs past the content");
    return this.#bytes[this.at++]!;
  }

  varint(): number {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 127) << shift;
      if (value > safeMax) throw new Refused(this.#rule, "number too large");
      if (byte < 128) return Number(value);
    }
  }

  bytes(length: number, rule: string): Uint8Array {
    if (this.at + length > this.#bytes.length) throw new Refused(rule, "runs past the content");
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }
}

/** The content of a table page. */
export function decodeTable(
  content: Uint8Array,
  page: number,
  epoch: number,
): Pick<TablePage, "children" | "statements"> {
  const cursor = new Cursor(content, "S1");
  const children: number[] = [];
  const statements: TableStatement[] = [];
  for (let child = 0; ; ) {
    const delta = cursor.varint();
    if (delta === 0) break;
    child += delta;
    if (child < 2 || child > u32Max) throw new Refused("T2", `child ${child}`);
    children.push(child);
  }
  let id = 0;
  let offset = 0;
  while (!cursor.isAtEnd) {
    const delta = cursor.varint();
    id += delta;
    if (delta !== 0) offset = 0;
    if (id < 1 || id > u32Max) throw new Refused("S2", `id ${id}`);
    const statement = decodeStatement(cursor, id, offset, page, epoch);
    statements.push(statement);
    if (statement.kind !== "tombstone") offset = statement.offset + statement.size;
  }
  return { children, statements };
}

const kinds: readonly StatementKind[] = ["ref", "zero", "shrink", "grow", "tombstone"];

function decodeStatement(
  cursor: Cursor,
  id: number,
  from: number,
  page: number,
  epoch: number,
): TableStatement {
  const tag = cursor.byte();
  const kind = kinds[tag] ?? ("inline" as const);
  const base = { kind, id, page, epoch, address: 0, payload: new Uint8Array(0) };
  if (kind === "tombstone") return { ...base, offset: 0, size: 0 };
  const offset = from + cursor.varint();
  const size = kind === "inline" ? tag - 4 : kind === "ref" || kind === "zero" ? cursor.varint() : 0;
  const address = kind === "ref" ? cursor.varint() : 0;
  if (offset + size > u32Max) throw new Refused("S3", `${kind} of ${id} ends at ${offset + size}`);
  const payload = kind === "inline" ? cursor.bytes(size, "S4") : base.payload;
  if (kind === "ref" && ((address % pageBytes) + size > pageBytes || address >= 2 ** 44))
    throw new Refused("S5", `address ${address}, ${size} bytes`);
  return { ...base, offset, size, address, payload };
}
