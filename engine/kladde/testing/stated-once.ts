/**
 * Each byte is stated once per epoch: two statements of one epoch that claim the same byte could not be told apart.
 *
 *  (1) The table is read from the file, page by page from the header down, and decoded here from the format alone:
 *      what memory holds, and the engine's reader, could share a mistake.
 *
 * Cost: the table's bytes, and a sort of its statements.
 */

import { assert } from "../../errors.ts";
import type { FlushContext } from "../flush/context.ts";

const pageBytes = 4096;
/** Where content begins; before it lie its length, two bytes, and the epoch, eight. */
const headerStart = 59;
const pageStart = 11;

/** Kinds by tag; from 5 on the tag is an inline length and 4 more. */
const tags = { ref: 0, zero: 1, shrink: 2, grow: 3, tombstone: 4 } as const;

interface Stated {
  readonly page: number;
  readonly epoch: bigint;
  readonly id: number;
  readonly from: number;
  readonly to: number;
}

/** What the statements in the pages reached from the header state, existence aside. */
export function statedBytes(context: FlushContext): Stated[] {
  const { file, state } = context;
  const stated: Stated[] = [];
  const visit = (page: number): void => {
    const bytes = new Uint8Array(pageBytes);
    file.read(bytes, page * pageBytes);
    for (const child of decodeTable(page, bytes, page === state.headerPage, stated)) visit(child);
  };
  visit(state.headerPage);
  return stated;
}

/** Throws if two statements of one epoch state the same byte. What was there when the store was opened is another's. */
export function requireStatedOnce(context: FlushContext): void {
  const openedAt = BigInt(context.state.epoch - context.counters.flushes);
  const stated = statedBytes(context).filter(({ epoch }) => epoch > openedAt);
  stated.sort((a, b) => Number(a.epoch - b.epoch) || a.id - b.id || a.from - b.from);
  stated.forEach((one, i) => {
    const before = stated[i - 1];
    if (before === undefined || before.epoch !== one.epoch || before.id !== one.id) return;
    if (before.to > one.from)
      assert(
        false,
        `pages ${before.page} and ${one.page} of epoch ${one.epoch} both state byte ${one.from} of allocation ${one.id}`,
      );
  });
}

/** Adds the content statements of a page to `into`, and returns its children. */
function decodeTable(page: number, bytes: Uint8Array, isHeader: boolean, into: Stated[]): number[] {
  const view = new DataView(bytes.buffer);
  const start = isHeader ? headerStart : pageStart;
  const end = start + view.getUint16(start - 2, true);
  const epoch = view.getBigUint64(start - 10, true);
  let at = start;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  const children: number[] = [];
  for (let delta = varint(); delta !== 0; delta = varint()) children.push((children.at(-1) ?? 0) + delta);
  for (let id = 0, cursor = 0; at < end; ) {
    const idDelta = varint();
    if (idDelta !== 0) cursor = 0;
    id += idDelta;
    const tag = bytes[at++]!;
    if (tag === tags.tombstone) {
      cursor = 0;
      continue;
    }
    const from = cursor + varint();
    cursor = from;
    if (tag === tags.shrink || tag === tags.grow) continue;
    const size = tag > tags.tombstone ? tag - tags.tombstone : varint();
    cursor += size;
    if (tag > tags.tombstone) at += size;
    else if (tag === tags.ref) varint();
    into.push({ page, epoch, id, from, to: from + size });
  }
  return children;
}
