/**
 * From a file to the structures in memory: header, tree, sweep, fragment map, data pages.
 *
 *  (1) Nothing is written and nothing is synced; a file that breaks a rule is refused as a whole.
 *  (2) What a statement that wins nothing points to is never looked at: its page may hold anything by now.
 *  (3) A page is `ready` unless the header's world needs it; the journal's pages are claimed by whoever replays it.
 *
 * Cost: table bytes, O(m log p) for the sweep, one read and one CRC a live data page when verifying eagerly.
 */

import { StoreError } from "../../errors.ts";
import type { StorageFile } from "../../storage/storage.ts";
import { chooseHeader, type Governing } from "../format/header.ts";
import { addressPage, contentOffset, firstOrdinaryPage, pageBytes, pageKindData } from "../format/layout.ts";
import { isPageSound, pageContentBytes, pageEpoch, pageKind } from "../format/page.ts";
import { StatementReader, tagInline, tagRef, tagTombstone } from "../format/statement.ts";
import { idExisting, idRecyclable, idUnknown } from "../state/allocations.ts";
import { type FragmentBuilder, kindBytes, kindZero, kindZeroByDefault } from "../state/fragments.ts";
import { pageData, pageHeader, pageInterior, pageReady } from "../state/pages.ts";
import { StoreState } from "../state/state.ts";
import { readResident } from "../state/taking.ts";
import { StatementMerge } from "./merge.ts";
import { Sweep, type SweepTarget, type SweptId, type SweptStatement } from "./sweep.ts";
import { loadTree } from "./tree.ts";

export interface Loaded {
  readonly state: StoreState;
  readonly header: Governing;
  /** Existing ids of size 0 that only statements of length 0 prove; the first flush must state them properly. */
  readonly unproven: readonly number[];
  /** Table pages that hold both children and statements, as another writer may make them. */
  readonly mixedPages: readonly number[];
}

/** The header slots that the file has. */
export function readSlots(file: StorageFile): Uint8Array[] {
  const slots: Uint8Array[] = [];
  for (let slot = 0; slot < Math.min(2, Math.floor(file.size() / pageBytes)); slot++) {
    const page = new Uint8Array(pageBytes);
    file.read(page, slot * pageBytes);
    slots.push(page);
  }
  return slots;
}

/** The governing header of `file`. Throws `not-kladde`, `unsupported-format`, `corrupt`, `io-failed`. */
export const readGoverning = (file: StorageFile): Governing =>
  chooseHeader(readSlots(file), file.name, file.crc32c);

/** Loads the committed state under `header`; with `verify`, every data page it needs is checked. */
export function loadState(file: StorageFile, header: Governing, verify: boolean): Loaded {
  const state = new StoreState();
  const tablePages = loadTree(state, file, header);
  const loader = new Loader(state, file);
  new Sweep(new StatementMerge(state, tablePages, file.name), loader, file.name).run();
  loader.finishBuild();
  if (verify) loader.verifyDataPages();
  markReady(state);
  recycleGaps(state);
  noteEmptied(state, tablePages);
  const mixedPages = tablePages.filter(
    (page) => state.pages.state[page] === pageInterior && holdsStatements(state, page),
  );
  return { state, header, unproven: loader.unproven, mixedPages };
}

/** Above this many ids per existing one, and a million, the unknown ids of a foreign file are left alone. */
const gapsPerIdMax = 16;
const gapsMax = 2 ** 20;

/** An id below the highest that no statement names is free; its last tombstone has gone with the last statement. */
function recycleGaps({ allocations, ids }: StoreState): void {
  if (ids.nextFresh > gapsPerIdMax * allocations.existing.count + gapsMax) return;
  for (let id = 1; id < ids.nextFresh; id++) {
    const row = allocations.row(id);
    if (row < 0 || allocations.state[row] === idUnknown) ids.recycle(id, false);
  }
}

/** Leaves that nothing relies on; the first flush unlinks them. */
function noteEmptied(state: StoreState, tablePages: readonly number[]): void {
  for (const page of tablePages) if (state.pages.coverage[page] === 0) state.emptied.push(page);
}

function holdsStatements(state: StoreState, page: number): boolean {
  readResident(state, page, reader);
  return reader.next();
}

const reader = new StatementReader();

function markReady(state: StoreState): void {
  const { pages } = state;
  for (let page = firstOrdinaryPage; page < pages.filePages; page++)
    if (pages.state[page] === pageReady) pages.makeReady(page);
}

class Loader implements SweepTarget {
  readonly unproven: number[] = [];
  readonly #state: StoreState;
  readonly #file: StorageFile;
  readonly #builder: FragmentBuilder;
  /** Behind the last byte needed of each data page. */
  #needed: Uint16Array;

  constructor(state: StoreState, file: StorageFile) {
    this.#state = state;
    this.#file = file;
    this.#builder = state.fragments.bulkLoad();
    this.#needed = new Uint16Array(state.pages.filePages);
  }

  fragment(id: number, from: number, to: number, winner: SweptStatement | undefined): void {
    const state = this.#state;
    const row = state.allocations.ensureRow(id);
    state.allocations.fragments[row]!++;
    if (winner === undefined) {
      this.#builder.push(id, from, kindZeroByDefault, 0, 0, 0);
      return;
    }
    const slot = this.#slot(id, winner);
    state.pin(slot);
    if (winner.kind === tagRef) this.#data(id, from, to, winner, slot);
    else if (winner.kind === tagInline) {
      this.#builder.push(id, from, kindBytes, slot, winner.page, winner.payloadAt + (from - winner.offset));
      state.cover(winner.page, to - from);
    } else this.#builder.push(id, from, kindZero, slot, 0, 0);
    this.#noteEpoch(row, winner.epoch);
  }

  finish(swept: SweptId): void {
    const { allocations, ids } = this.#state;
    const { id, exists, size, provenSize, anchor, grow } = swept;
    const row = allocations.ensureRow(id);
    allocations.mentions[row] = swept.mentions;
    ids.noteUsed(id);
    if (!exists) {
      allocations.setState(id, row, idRecyclable);
      const denies = anchor !== undefined && swept.mentions > 1;
      if (denies) this.#setAnchor(row, id, anchor);
      ids.recycle(id, denies);
      return;
    }
    allocations.setState(id, row, idExisting);
    allocations.setSize(row, size);
    if (anchor !== undefined) this.#setAnchor(row, id, anchor);
    const olderTombstone =
      anchor === undefined ||
      (anchor.kind === tagTombstone && grow !== undefined && anchor.epoch < grow.epoch);
    if (grow !== undefined && (grow.end > provenSize || (size === 0 && olderTombstone))) {
      const slot = this.#slot(id, grow);
      this.#state.pin(slot);
      allocations.grow[row] = slot;
      allocations.growBound[row] = grow.end;
      this.#noteEpoch(row, grow.epoch);
    } else if (size === 0 && (anchor === undefined || anchor.kind === tagTombstone)) this.unproven.push(id);
  }

  finishBuild(): void {
    this.#builder.finish();
  }

  /** Checks every data page that a winning fragment names (D2 … D4, D6). */
  verifyDataPages(): void {
    const { pages } = this.#state;
    const buffer = new Uint8Array(pageBytes);
    for (let page = firstOrdinaryPage; page < pages.filePages; page++) {
      if (pages.state[page] !== pageData) continue;
      this.#file.read(buffer, page * pageBytes);
      checkDataPage(this.#state, buffer, page, this.#file);
      const end = contentOffset + pageContentBytes(buffer, false);
      if (this.#needed[page]! > end)
        throw dataFault(
          this.#file.name,
          page,
          `bytes up to ${this.#needed[page]} are named, its content ends at ${end}`,
          "D6",
        );
      pages.epoch[page] = pageEpoch(buffer, false);
      pages.written[page] = pageContentBytes(buffer, false);
    }
  }

  #setAnchor(row: number, id: number, anchor: SweptStatement): void {
    const { allocations } = this.#state;
    const slot = this.#slot(id, anchor);
    this.#state.pin(slot);
    allocations.anchor[row] = slot;
    allocations.anchorBound[row] = anchor.kind === tagTombstone ? 0 : anchor.offset;
  }

  /** The statement's slot; the first time it is asked for, its framing is charged. */
  #slot(id: number, statement: SweptStatement): number {
    if (statement.slot !== 0) return statement.slot;
    const state = this.#state;
    statement.slot = state.slab.alloc(statement.page, statement.framing, id, statement.kind);
    state.cover(statement.page, statement.framing);
    const row = state.allocations.ensureRow(id);
    state.allocations.statementBytes[row]! += statement.framing;
    return statement.slot;
  }

  #data(id: number, from: number, to: number, winner: SweptStatement, slot: number): void {
    const { pages } = this.#state;
    const page = addressPage(winner.address);
    const offset = winner.address - page * pageBytes + (from - winner.offset);
    const refuse = (what: string, rule: string): StoreError =>
      dataFault(this.#file.name, page, what, rule, id);
    if (page < firstOrdinaryPage || page >= pages.filePages)
      throw refuse(`data page of ${pages.filePages} in the file is out of range`, "D1");
    if (pages.state[page] === pageHeader || pages.resident.has(page))
      throw refuse("page holds statements, not data", "D3");
    if (offset < contentOffset) throw refuse(`data at offset ${offset} lies in the frame of the page`, "D6");
    pages.state[page] = pageData;
    // No statement is older than what it names; the page itself tells, if it is read.
    const known = pages.epoch[page]!;
    if (known === 0 || winner.epoch < known) pages.epoch[page] = winner.epoch;
    this.#needed[page] = Math.max(this.#needed[page]!, offset + (to - from));
    this.#builder.push(id, from, kindBytes, slot, page, offset);
    this.#state.cover(page, to - from);
  }

  /** Without a kept state, an id counts as written when the youngest of its statements was. */
  #noteEpoch(row: number, epoch: number): void {
    const { lastWritten } = this.#state.allocations;
    if (epoch > lastWritten[row]!) lastWritten[row] = epoch;
  }
}

const dataFault = (file: string, page: number, what: string, rule: string, id?: number): StoreError =>
  new StoreError("corrupt", `${what}; restore the file from a copy`, { file, page, id, rule });

/** Frame, kind and epoch of a data page that a winning fragment names (D2 … D4). */
export function checkDataPage(state: StoreState, bytes: Uint8Array, page: number, file: StorageFile): void {
  if (!isPageSound(bytes, false, file.crc32c))
    throw dataFault(file.name, page, "data page has a wrong checksum", "D2");
  if (pageKind(bytes, false) !== pageKindData)
    throw dataFault(file.name, page, "page named as a data page is of another kind", "D3");
  const epoch = pageEpoch(bytes, false);
  if (!(epoch <= state.epoch))
    throw dataFault(file.name, page, `data page has epoch ${epoch}, the header ${state.epoch}`, "D4");
}
