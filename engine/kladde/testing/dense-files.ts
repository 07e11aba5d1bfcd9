/**
 * Files that say as much as bytes can: table pages full of the shortest statements of one kind. What a reader keeps of
 * them must be a small multiple of what they are.
 *
 *  (1) All are sound but `contradictions` and `lengthless`, in which every statement breaks a rule or is worth a note.
 */

import {
  dataPage,
  fileOf,
  type HeaderOptions,
  headerPage,
  pageBytes,
  type Statement,
  tableContent,
  tablePage,
} from "./pages.ts";

/** Bytes of a leaf's content. */
const capacity = 4081;
const epoch = 3;

/** The `i`-th statement of a file, and which epoch its page has. */
type Drawing = (i: number) => Statement;

const u32Max = 2 ** 32 - 1;
const oneData = 2 * pageBytes + 11;

/** By name: statements in the order of a file. */
const drawings = {
  /** An allocation of 4 GiB in seven bytes. */
  giants: (i) => ["grow", i + 1, u32Max],
  /** Three bytes each. */
  growths: (i) => ["grow", 1, i + 1],
  smallGrowths: (i) => ["grow", i + 1, 1],
  /** Ids far apart, two bytes each. */
  tombstones: (i) => ["tombstone", 127 * (i + 1)],
  sparse: (i) => ["grow", 127 * (i + 1), 1],
  zeros: (i) => ["zero", 1, 2 * i, 1],
  bytes: (i) => ["inline", 1, 2 * i, [7]],
  /** As many holes as runs. */
  references: (i) => ["ref", 1, 2 * i, 1, oneData],
  lengthless: (i) => ["zero", i + 1, 0, 0],
  /** Every other statement says again what the one before said. */
  contradictions: (i) => ["shrink", (i >> 1) + 1, 0],
} as const satisfies Record<string, Drawing>;

export type DenseKind = keyof typeof drawings;
export const denseKinds: readonly DenseKind[] = Object.keys(drawings) as DenseKind[];

/** A file of `pages` leaves, which are nearly all of it. */
export function denseFile(kind: DenseKind, pages: number, options: HeaderOptions = {}): Uint8Array {
  const draw: Drawing = drawings[kind];
  const leaves: Uint8Array[] = [];
  for (let i = 0; leaves.length < pages; ) {
    const statements = fullPage(draw, i);
    i += statements.length;
    leaves.push(tablePage(epoch, tableContent([], statements)));
  }
  const children = leaves.map((_, i) => i + 3);
  const header = headerPage(epoch, tableContent(children, []), {
    ...options,
    journalPointer: leaves.length + 3,
  });
  return fileOf([new Uint8Array(pageBytes), header, dataPage(epoch, [7]), ...leaves]);
}

/** Statements from the `i`-th on, as many as a page holds. */
function fullPage(draw: Drawing, i: number): Statement[] {
  const two = tableContent([], [draw(i), draw(i + 1)]).length;
  const bytes = two - tableContent([], [draw(i)]).length;
  const statements = Array.from({ length: Math.floor(capacity / bytes) }, (_, at) => draw(i + at));
  while (tableContent([], statements).length > capacity) statements.pop();
  return statements;
}
