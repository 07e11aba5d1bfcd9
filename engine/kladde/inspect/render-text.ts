/**
 * A survey as text to read in a terminal.
 *
 *  (1) Lists are cut to `rowsMax` rows, and say so, unless all are asked for.
 *  (2) Columns are as wide as what is printed in them; text is left-aligned, numbers are right-aligned.
 */

import { streamBytesPerPage } from "../format/layout.ts";
import { allocationNumbers } from "./allocation-numbers.ts";
import type {
  AllocationDocument,
  AllocationRow,
  JournalContents,
  PageRow,
  RecordRow,
  SlotRow,
  SurveyHead,
  TreeRow,
} from "./document.ts";
import type { Survey } from "./survey.ts";
import {
  type Cell,
  count,
  cut,
  heading,
  type Lines,
  rowsMax,
  share,
  shown,
  type TextOptions,
  table,
} from "./text-table.ts";
import type { TypedOptions } from "./typed.ts";
import type { OwnerRow } from "./typed-document.ts";
import { typedText } from "./typed-text.ts";

/** Of values, unless all are asked for. */
const valueRowsMax = 32;
const valueDepthMax = 4;
/** Units of a text that are shown. */
const textLength = 60;
const mapColumns = 64;
const mapLinesMax = 32;

export function* surveyText(survey: Survey, options: TextOptions = { all: false }): Lines {
  const { head } = survey;
  const rows = allocationsShown(survey, options);
  const typed = survey.typed({ ...typedOptions(options), owners: rows?.map(({ id }) => id) });
  yield `${head.file}: ${verdict(head.faults, typed.faults)}`;
  yield `${head.fileBytes} bytes, ${count(head.filePages, "page")}; ${head.epoch === null ? "no header governs" : `epoch ${head.epoch}`}`;
  yield* findingLines(head, options);
  yield* slotLines(head.slots);
  yield* spaceLines(head);
  yield* mapLines(survey, options);
  yield* treeLines(survey, options);
  yield* allocationLines(survey, rows, typed.values?.owners ?? []);
  yield* journalLines(head.journal, options);
  yield* typedText(typed, options);
}

/** What is wrong with a file, in pages and in values. */
export function verdict(faults: number, typedFaults: number): string {
  if (faults + typedFaults === 0) return "sound";
  const where = typedFaults === 0 ? "" : `, ${typedFaults} of them in types and values`;
  return `${count(faults + typedFaults, "fault")}${where}`;
}

/** What fits on a screen, or everything. */
const typedOptions = ({ all }: TextOptions): TypedOptions =>
  all ? { length: textLength } : { length: textLength, limit: valueRowsMax, depth: valueDepthMax };

/** Undefined: all of them, which are too many to be held at once. */
function allocationsShown(survey: Survey, { all }: TextOptions): readonly AllocationRow[] | undefined {
  const { allocations } = survey.head.table;
  if (allocations <= rowsMax) return [...survey.allocations()];
  return all ? undefined : survey.largest(rowsMax);
}

function* findingLines({ findings }: SurveyHead, { all }: TextOptions): Lines {
  if (findings.length === 0) return;
  yield* heading("Findings");
  const { first, hasMore } = cut(findings, all);
  for (const { severity, message } of first) yield `  ${severity}: ${message}`;
  if (hasMore) yield `  and ${findings.length - first.length} more (--all)`;
}

function* slotLines(slots: readonly SlotRow[]): Lines {
  yield* heading("Header slots (0: none)");
  yield* table(
    ["slot", "state", "epoch", "root", "schema table", "kept state", "journal page", "content"],
    slots.map((slot) => [
      slot.slot,
      slot.fault === null ? slot.state : `${slot.state}: ${slot.fault}`,
      slot.epoch,
      slot.rootAllocation,
      slot.schemaTable,
      slot.consolidatorState,
      slot.journalPointer,
      slot.contentBytes,
    ]),
  );
}

function* spaceLines({ space, older }: SurveyHead): Lines {
  yield* heading("Space (bytes of content; live is what the state relies on; age in flushes)");
  yield* table(
    ["use", "pages", "content", "live", "live share", "damaged", "youngest", "oldest"],
    space.map(({ use, pages, contentBytes, liveBytes, damaged, youngest, oldest }) => [
      use,
      pages,
      contentBytes,
      liveBytes,
      damaged === 0 && (use === "data" || use === "leaf" || use === "interior" || use === "header")
        ? share(liveBytes, contentBytes)
        : null,
      damaged,
      youngest,
      oldest,
    ]),
  );
  if (older === null) return;
  const { epoch, pages, quarantined, lost } = older;
  const state = lost === 0 ? "all there" : `${lost} written over or damaged: it is gone`;
  yield `  the older header, epoch ${epoch}, needs ${count(pages, "page")}, ${quarantined} of them alone; ${state}`;
}

const legend =
  "H header, I interior, L leaf, 0-9 data by tenths live, J journal, q quarantined, . free, ! damaged, ? unknown";

function symbolOf({ use, fault, liveBytes, contentBytes }: PageRow): string {
  if (fault !== null) return "!";
  if (use === "data")
    return String(Math.min(9, Math.floor((10 * liveBytes) / Math.max(1, contentBytes ?? 0))));
  return { free: ".", header: "H", interior: "I", leaf: "L", journal: "J", quarantined: "q", unknown: "?" }[
    use
  ];
}

function* mapLines(survey: Survey, { all }: TextOptions): Lines {
  yield* heading(`Page map (${legend})`);
  const { filePages } = survey.head;
  const width = String(filePages).length;
  let line = "";
  let lines = 0;
  for (const row of survey.pages()) {
    line += symbolOf(row);
    if (line.length < mapColumns && row.page + 1 < filePages) continue;
    yield `  ${String(row.page + 1 - line.length).padStart(width)}  ${line}`;
    line = "";
    if (!all && ++lines === mapLinesMax && row.page + 1 < filePages) {
      yield `  and ${count(filePages - row.page - 1, "page")} more (--all)`;
      return;
    }
  }
}

function* treeLines(survey: Survey, { all }: TextOptions): Lines {
  const { table: totals } = survey.head;
  yield* heading("Address table");
  yield `  ${count(totals.statements, "statement")}, ${totals.liveStatements} live, in the header and ${count(totals.pages, "page")}, depth ${totals.depth}`;
  yield `  ${totals.framingBytes} bytes of description, ${totals.liveFramingBytes} live`;
  if (!totals.complete) yield "  not all of it can be read: older statements may seem to win";
  const { first, hasMore } = cut(survey.tree(), all);
  for (const row of first) yield treeLine(row);
  if (hasMore) yield "  and more (--all)";
}

function treeLine(row: TreeRow): string {
  const indent = "  ".repeat(Math.min(row.depth, 20) + 1);
  const place = `${indent}page ${row.page}`;
  if (row.contentBytes === null) return `${place}: ${row.fault}`;
  const ids = row.firstId === null ? "" : `, ids ${row.firstId} to ${row.lastId}`;
  const children = row.children === 0 ? "" : `, ${row.children} ${row.children === 1 ? "child" : "children"}`;
  const fault = row.fault === null ? "" : `; ${row.fault}`;
  return `${place}: epoch ${row.epoch}${children}, ${count(row.statements, "statement")}${ids}, ${row.contentBytes} bytes, ${row.liveBytes} live${fault}`;
}

function* allocationLines(
  survey: Survey,
  rows: readonly AllocationRow[] | undefined,
  owners: readonly OwnerRow[],
): Lines {
  const { allocations, allocationBytes } = survey.head.table;
  const which = rows !== undefined && allocations > rowsMax ? `; the ${rowsMax} largest (--all)` : "";
  yield* heading(`Allocations: ${allocations}, of ${allocationBytes} bytes as of the last flush${which}`);
  if (allocations === 0) return;
  if (rows === undefined) yield* wideTable(survey.allocations());
  else if (owners.length === 0) yield* table(allocationTitles, rows.map(allocationCells));
  else {
    const holds = new Map(owners.map((owner) => [owner.id, owner]));
    const cells = (row: AllocationRow): Cell[] => [...allocationCells(row), ownerText(holds.get(row.id))];
    yield* table([...allocationTitles, "holds"], rows.map(cells));
  }
}

/** Path and type of what an allocation holds. */
export const ownerText = (owner: OwnerRow | undefined): string =>
  owner === undefined ? "" : `${owner.path === "" ? "" : `${owner.path}, `}${owner.type}`;

/** Rows that are not all in memory at once: a width for every column, whatever comes. */
function* wideTable(rows: Iterable<AllocationRow>): Lines {
  const line = (cells: readonly Cell[]): string =>
    cells
      .map((cell) => shown(cell).padStart(10))
      .join("  ")
      .trimEnd();
  yield line(allocationTitles);
  for (const row of rows) yield line(allocationCells(row));
}

const allocationTitles = [
  "id",
  "size",
  "in pages",
  "inline",
  "pages",
  "fragments",
  "fragm.",
  "statements",
  "live",
  "descr.",
  "epoch",
  "",
];

const allocationCells = (row: AllocationRow): Cell[] => [
  ...allocationNumbers(row),
  row.resolved ? (row.damagedBytes > 0 ? `${row.damagedBytes} bytes damaged` : "") : "contradictory",
];

function* journalLines(journal: JournalContents | null, { all }: TextOptions): Lines {
  yield* heading("Journal");
  if (journal === null) {
    yield "  no header names one";
    return;
  }
  const { pages, firstPage, epoch, transactions, records, streamBytes } = journal;
  yield `  segment ${epoch}, from page ${firstPage}${pages.length === 0 ? ", which is not in the file yet" : ""}`;
  const full = share(streamBytes, Math.max(1, pages.length) * streamBytesPerPage);
  yield `  ${count(transactions, "complete transaction")} of ${count(records, "record")}, ${streamBytes} bytes in ${count(pages.length, "page")} (${full})`;
  const { first, hasMore } = cut(journal.listed, all);
  for (const { page, offset, records: listed, omitted } of first) {
    yield `  page ${page}, offset ${offset}`;
    const part = cut(listed, all);
    for (const record of part.first) yield `    ${recordText(record)}`;
    const more = omitted + listed.length - part.first.length;
    if (more > 0) yield `    and ${count(more, "record")} more`;
  }
  if (hasMore) yield `  and ${count(journal.listed.length - first.length, "transaction")} more (--all)`;
}

export function recordText(row: RecordRow): string {
  const { record, id, offset, length, oldLength, source, sourceOffset } = row;
  if (record === "Free") return `Free ${id}`;
  if (record === "Resize") return `Resize ${id} to ${length}`;
  if (record === "Write") return `Write ${length} bytes to ${id} at ${offset}`;
  if (record === "Splice") return `Splice ${id} at ${offset}: ${oldLength} bytes become ${length}`;
  return `${record} ${length} bytes from ${source} at ${sourceOffset} to ${id} at ${offset}`;
}

/**
 * One allocation: what is true of it and why, newest statement first, and who wins which bytes; `owner` is what it holds,
 * if that is known.
 */
export function* allocationText(
  document: AllocationDocument,
  { all }: TextOptions = { all: false },
  owner?: OwnerRow,
): Lines {
  const { id, exists, size, statements, runs, pending } = document;
  yield exists === true
    ? `allocation ${id} exists, with ${size} bytes`
    : `allocation ${id} ${exists === false ? "does not exist" : "cannot be resolved"}`;
  yield `  it ${exists === false ? "does not" : "does"}: ${document.existsBecause}`;
  if (exists === true) yield `  size: ${document.sizeBecause}`;
  if (owner !== undefined) yield `  it holds ${ownerText(owner)}`;
  if (document.conflict !== null) yield `  fault: ${document.conflict}`;
  if (!document.complete) yield "  the table is damaged: statements may be missing";
  if (statements.length > 0) {
    yield* heading("Statements, newest first");
    yield* statementTable(document, all);
  }
  if (runs.length > 0) {
    yield* heading("Bytes");
    yield* runTable(document, all);
  }
  if (pending.length === 0) return;
  yield* heading("In the journal, for the next flush");
  const { first, hasMore } = cut(pending, all);
  for (const record of first) yield `  ${recordText(record)}`;
  if (hasMore) yield `  and ${pending.length - first.length} more (--all)`;
}

function* statementTable({ statements, statementsOmitted }: AllocationDocument, all: boolean): Lines {
  const { first, hasMore } = cut(statements, all);
  yield* table(
    ["row", "epoch", "statement", "offset", "length", "in page", "bytes at", "wins", "why"],
    first.map((row, i) => [
      i,
      row.epoch,
      row.statement,
      row.offset,
      row.statement === "Ref" || row.statement === "Zero" || row.statement === "Inline" ? row.length : null,
      row.page,
      row.dataPage === null ? null : `page ${row.dataPage} + ${row.dataOffset}`,
      row.wins,
      row.why,
    ]),
  );
  const more = statements.length - first.length + statementsOmitted;
  if (more > 0) yield `  and ${more} more${hasMore ? " (--all)" : ""}`;
}

function* runTable({ runs, runsOmitted }: AllocationDocument, all: boolean): Lines {
  const { first, hasMore } = cut(runs, all);
  yield* table(
    ["from", "to", "content", "row", "why"],
    first.map(({ from, to, content, winner, why, fault }) => [
      from,
      to,
      content,
      winner,
      fault === null ? why : `${why}; damaged: ${fault}`,
    ]),
  );
  const more = runs.length - first.length + runsOmitted;
  if (more > 0) yield `  and ${more} more${hasMore ? " (--all)" : ""}`;
}
