/**
 * Looking through a file for everything that is wrong with it, where opening it stops at the first fault.
 *
 *  (1) Nothing is written, synced or locked.
 *  (2) What depends on something damaged is left out: bytes that a broken table might name prove nothing.
 *  (3) The structures of an opened store are checked too; a fault there is one of this program. A file is not opened
 *      that says so much in so few bytes that they would be many times as large as it.
 *
 * Cost: the table in memory, one read and one CRC for each page in use, and what opening the file costs.
 */

import { AssertionError } from "../../errors.ts";
import type { StorageFile } from "../../storage/storage.ts";
import { chooseHeader, type Governing, isNewerFormat, slotFault } from "../format/header.ts";
import { contentOffset, headerContentOffset, pageBytes, streamBytesPerPage } from "../format/layout.ts";
import { pageContentBytes, pageEpoch } from "../format/page.ts";
import { StatementReader } from "../format/statement.ts";
import { Arena, Log } from "../journal/log.ts";
import { type RecoveredJournal, recoverJournal } from "../journal/recover.ts";
import { readSlots } from "../open/load.ts";
import { StatementMerge } from "../open/merge.ts";
import { Sweep } from "../open/sweep.ts";
import { loadTree } from "../open/tree.ts";
import { ReadOnlyStore } from "../readonly.ts";
import { StoreState } from "../state/state.ts";
import { DataPages } from "./data.ts";
import { type Finding, Findings } from "./findings.ts";
import { checkRules } from "./rules.ts";
import { isTooDense, readUnopened, type Unopened } from "./unopened.ts";

export interface Inspection {
  readonly findings: readonly Finding[];
  readonly faults: number;
  readonly filePages: number;
  /** Of the governing header. */
  readonly epoch: number;
  /** Without the headers. */
  readonly tablePages: number;
  /** Undefined if the table is damaged. */
  readonly dataPages: number | undefined;
  readonly journalPages: number;
  /** Complete transactions in the journal. */
  readonly transactions: number;
  /** Undefined if the file cannot be opened. */
  readonly allocations: number | undefined;
}

/** Inspects `file`, and leaves it open. Throws `not-kladde`, `unsupported-format`, `corrupt` if no header governs. */
export function inspectFile(file: StorageFile): Inspection {
  const findings = new Findings(file.name);
  const slots = readSlots(file);
  const header = chooseHeader(slots, file.name, file.crc32c);
  noteFrame(file, slots, header, findings);
  const state = new StoreState();
  const tablePages = loadTree(state, file, header, findings.refused);
  const density = { statements: 0, idRanges: 0 };
  for (const page of tablePages) findings.attempt(() => decodeAll(state, page, file.name, density));
  const data = findings.faults === 0 ? checkTable(state, tablePages, file, findings) : undefined;
  const log = new Log();
  const journal = findings.attempt(() => readJournal(state, file, header, log, findings));
  for (const page of journal?.pages ?? [header.fields.journalPointer])
    if (state.pages.resident.has(page) || data?.pages.uses(page) === true)
      findings.fault("the journal names a page that is in use", { page, rule: "H12" });
  const isSound = findings.faults === 0;
  const allocations = !isSound
    ? undefined
    : isTooDense(file, density)
      ? checkUnopened(new StatementMerge(state, tablePages, file.name), file, header, log, findings)
      : checkStore(file, findings);
  return {
    findings: findings.all,
    faults: findings.faults,
    filePages: state.pages.filePages,
    epoch: header.epoch,
    tablePages: state.pages.resident.size - 1,
    dataPages: data?.count,
    journalPages: journal?.pages.length ?? 0,
    transactions: journal?.transactions ?? 0,
    allocations,
  };
}

/** The other slot, the version, the end of the file. */
function noteFrame(
  file: StorageFile,
  slots: readonly Uint8Array[],
  header: Governing,
  findings: Findings,
): void {
  const other = 1 - header.slot;
  const page = slots[other];
  if (page === undefined) findings.note("the file ends before header slot 1", { page: other });
  else if (page.every((byte) => byte === 0)) findings.note("header slot was never written", { page: other });
  else {
    const fault = slotFault(page, other, file.crc32c);
    if (fault === undefined)
      findings.note(`header slot holds epoch ${pageEpoch(page, true)}, an older one`, { page: other });
    else findings.note(`header slot does not count: ${fault}`, { page: other, rule: "H3" });
  }
  if (isNewerFormat(header.fields))
    findings.note(`format version ${header.fields.formatVersion}: can be opened for reading only`, {
      page: header.slot,
      rule: "H9",
    });
  const rest = file.size() % pageBytes;
  if (rest !== 0) findings.note(`the last ${rest} bytes are no whole page, and ignored`, { rule: "H2" });
}

const reader = new StatementReader();

/** Adds to the counts. */
function decodeAll(
  state: StoreState,
  page: number,
  file: string,
  counts: { statements: number; idRanges: number },
): void {
  const bytes = state.pages.resident.get(page)!;
  const isHeader = page === state.headerPage;
  const start = isHeader ? headerContentOffset : contentOffset;
  reader.open(bytes, start, start + pageContentBytes(bytes, isHeader), file, page);
  reader.children();
  let range = -1;
  while (reader.next()) {
    counts.statements++;
    if (reader.id >>> 15 === range) continue;
    range = reader.id >>> 15;
    counts.idRanges++;
  }
}

/** Statements and what they name, in a table whose pages are all sound. */
function checkTable(
  state: StoreState,
  tablePages: readonly number[],
  file: StorageFile,
  findings: Findings,
): { readonly pages: DataPages; readonly count: number } {
  const refused = checkRules(new StatementMerge(state, tablePages, file.name), findings);
  const pages = new DataPages(state, findings);
  new Sweep(new StatementMerge(state, tablePages, file.name), pages, file.name).run((conflict) => {
    if (conflict.id === undefined || !refused.has(conflict.id)) findings.refused(conflict);
  });
  return { pages, count: pages.check(file) };
}

function readJournal(
  state: StoreState,
  file: StorageFile,
  header: Governing,
  log: Log,
  findings: Findings,
): RecoveredJournal {
  const first = header.fields.journalPointer;
  const { filePages } = state.pages;
  const journal = recoverJournal(file, header.epoch + 1, first, filePages, log, new Arena());
  noteTail(file, journal, findings);
  return journal;
}

/** What lies behind the last complete transaction; a writer that was not interrupted leaves zeros there. */
function noteTail(
  file: StorageFile,
  { pages, bytes, transactions }: RecoveredJournal,
  findings: Findings,
): void {
  const page = pages.at(-1);
  if (page === undefined) return;
  const end = bytes - (pages.length - 1) * streamBytesPerPage;
  const rest = new Uint8Array(pageBytes - end);
  file.read(rest, page * pageBytes + end);
  if (rest.every((byte) => byte === 0)) return;
  const count = `${transactions} complete ${transactions === 1 ? "transaction" : "transactions"}`;
  findings.note(
    `behind the journal's ${count} lies a broken one, or what the page held before; it does not count`,
    { page, offset: end },
  );
}

/** What is left to be wrong with a file whose pages are sound. Returns the number of allocations. */
function checkStore(file: StorageFile, findings: Findings): number | undefined {
  const store = findings.attempt(() => ReadOnlyStore.open(lent(file)));
  if (store === undefined) return undefined;
  try {
    store.check();
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error;
    findings.fault(`a structure in memory is wrong, a fault of this program: ${error.message}`);
  }
  checkRoots(store.header, store, findings);
  let count = 0;
  for (const _ of store.ids()) count++;
  return count;
}

/** The same as far as it can be told without. */
function checkUnopened(
  merge: StatementMerge,
  file: StorageFile,
  header: Governing,
  log: Log,
  findings: Findings,
): number | undefined {
  const unopened = findings.attempt(() => readUnopened(merge, file, header, log));
  if (unopened === undefined) return undefined;
  checkRoots(header, unopened, findings);
  const message =
    "not opened, and its structures in memory not checked: they would be many times as large as the file";
  findings.note(message);
  return unopened.allocations;
}

function checkRoots(
  { fields, slot }: Pick<Governing, "fields" | "slot">,
  store: Pick<Unopened, "exists" | "holdsConsolidatorState">,
  findings: Findings,
): void {
  const named = [
    [fields.rootAllocation, "root allocation"],
    [fields.schemaTable, "schema table"],
  ] as const;
  for (const [id, name] of named)
    if (id !== 0 && !store.exists(id))
      findings.fault(`the header names a ${name} that does not exist`, { page: slot, id, rule: "H14" });
  const { consolidatorState } = fields;
  if (consolidatorState !== 0 && !store.holdsConsolidatorState)
    findings.note("the header names a consolidator state that does not exist; it counts as none", {
      page: slot,
      id: consolidatorState,
      rule: "H15",
    });
}

/** The same file for a reader that closes what it gets when it fails. */
export function lent(file: StorageFile): StorageFile {
  return {
    name: file.name,
    crc32c: file.crc32c,
    size: () => file.size(),
    read: (into, at) => file.read(into, at),
    write: () => refuseWrite(),
    truncate: () => refuseWrite(),
    sync: () => refuseWrite(),
    lock: () => refuseWrite(),
    close: () => {},
  };
}

function refuseWrite(): never {
  throw new AssertionError("an inspection must not write");
}
