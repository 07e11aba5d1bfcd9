/** What the parts of a flush share. */

import type { StorageFile } from "../../storage/storage.ts";
import type { HeaderFields } from "../format/header.ts";
import { addressOf, addressPage, pageBytes } from "../format/layout.ts";
import type { Arena } from "../journal/log.ts";
import type { ResolvedOptions } from "../options.ts";
import type { PageCache } from "../state/cache.ts";
import { kindBytes, kindPending } from "../state/fragments.ts";
import { originArena, originNone } from "../state/pending.ts";
import type { StoreState } from "../state/state.ts";
import { ChunkQueue } from "./chunks.ts";
import { DerivedStatements } from "./derive.ts";
import { Staging } from "./staging.ts";

/** Counters of `StoreStats` that flushes move. */
export interface FlushCounters {
  flushes: number;
  dataPagesWritten: number;
  tablePagesWritten: number;
  headersWritten: number;
  growths: number;
  truncations: number;
  freshBytes: number;
  // Of reclamation.
  evacuatedPages: number;
  evacuatedBytes: number;
  freeFilledPages: number;
  budgetPagesUsed: number;
  tableRewrites: number;
  windowRestated: number;
  defragRewrites: number;
  defragBytes: number;
  compactionFlushes: number;
}

export interface FlushContext {
  readonly file: StorageFile;
  readonly state: StoreState;
  readonly cache: PageCache;
  readonly arena: Arena;
  readonly options: ResolvedOptions;
  readonly counters: FlushCounters;
  readonly staging: Staging;
  /** New content that waits for a data page. */
  readonly chunks: ChunkQueue;
  readonly derived: DerivedStatements;
  /** Statements that stand for several fragments, and how they are bound. */
  readonly joins: Join[];
  /** Fields of the next header; the journal pointer is chosen at the commit. */
  fields: HeaderFields;
  /** Whether this session has committed a flush. */
  hasFlushed: boolean;
  /** What the records of an open transaction copy or move from; it need not exist. */
  waitingSources: ReadonlySet<number>;
  /** Table pages of a foreign writer that hold both children and statements; the first flush dissolves them. */
  mixedPages: readonly number[];
  /** Existing ids of size 0 that nothing proves properly; the first flush does. */
  unproven: readonly number[];
}

/** Row `row` of the derived statements has slot `slot` in page `page`; an inline payload begins at `payloadAt`. */
export interface Join {
  readonly row: number;
  readonly idRow: number;
  readonly slot: number;
  readonly page: number;
  readonly payloadAt: number;
}

export const newScratch = (): Pick<FlushContext, "staging" | "chunks" | "derived" | "joins"> => ({
  staging: new Staging(),
  chunks: new ChunkQueue(),
  derived: new DerivedStatements(),
  joins: [],
});

/** Copies `length` bytes of pending row `row`, from `skip` bytes into it, to `into` at `at`. */
export function copyPending(
  flush: Pick<FlushContext, "state" | "arena" | "cache">,
  row: number,
  skip: number,
  length: number,
  into: Uint8Array,
  at: number,
): void {
  const { pending } = flush.state;
  const from = pending.at[row]! + skip;
  if (pending.origin[row] === originArena) flush.arena.copyTo(from, length, into, at);
  else copyStored(flush, from, length, into, at);
}

/** Copies committed bytes at file address `address`, which lie in one page. */
function copyStored(
  flush: Pick<FlushContext, "state" | "cache">,
  address: number,
  length: number,
  into: Uint8Array,
  at: number,
): void {
  const page = addressPage(address);
  const offset = address - page * pageBytes;
  const bytes = flush.state.pages.resident.get(page) ?? flush.cache.get(page, offset + length);
  into.set(bytes.subarray(offset, offset + length), at);
}

/** Whether the fragment at `at` has bytes somewhere; else it is zeros. */
export function hasBytes({ state }: Pick<FlushContext, "state">, at: number): boolean {
  const kind = state.fragments.kind[at];
  if (kind === kindPending) return state.pending.origin[state.fragments.ref[at]!] !== originNone;
  return kind === kindBytes;
}

/** Copies `length` bytes of the fragment at `at`, from `skip` bytes into it, to `into` at position `to`. */
export function copyFragment(
  flush: Pick<FlushContext, "state" | "arena" | "cache">,
  at: number,
  skip: number,
  length: number,
  into: Uint8Array,
  to: number,
): void {
  const { fragments } = flush.state;
  if (fragments.kind[at] === kindPending) copyPending(flush, fragments.ref[at]!, skip, length, into, to);
  else copyStored(flush, addressOf(fragments.page[at]!, fragments.pageOffset[at]! + skip), length, into, to);
}
