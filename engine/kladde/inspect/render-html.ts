/**
 * A survey as one page for a browser: it holds its style, its program and its data, and asks nothing of anybody.
 *
 *  (1) Text from the file is escaped wherever it stands; the page's own policy forbids it to load anything.
 *  (2) All that the map shows is also in a table.
 *  (3) Lists are cut to `htmlRowsMax` rows and the map to `mapPagesMax` pages, and say so.
 */

import { allocationNumbers } from "./allocation-numbers.ts";
import {
  type AllocationRow,
  type JournalContents,
  type PageRow,
  pageHoldings,
  pageUses,
  type SlotRow,
  type SurveyHead,
  type TreeRow,
} from "./document.ts";
import { htmlScript } from "./html-script.ts";
import { htmlStyle } from "./html-style.ts";
import { type Cell, count, escaped, first, htmlRowsMax, type Lines, section, table } from "./html-table.ts";
import { ownerText, recordText, verdict } from "./render-text.ts";
import type { Survey } from "./survey.ts";
import type { OwnerRow } from "./typed-document.ts";
import { typedHtml } from "./typed-html.ts";

/** Units of a text in a value that are shown. */
const htmlTextLength = 200;
export const mapPagesMax = 1_048_576;

export function* surveyHtml(survey: Survey): Lines {
  const { head } = survey;
  const rows = survey.largest(htmlRowsMax);
  const shown = { limit: htmlRowsMax, length: htmlTextLength, owners: rows.map(({ id }) => id) };
  const typed = survey.typed(shown);
  yield* opening(head, typed.faults);
  yield* findingSection(head);
  yield* mapSection(head);
  yield* section("Header slots", table("0 means none", slotTitles, head.slots.map(slotCells)));
  yield* section("Space", spaceTable(head));
  yield* section("Address table", treeTable(survey));
  yield* section("Allocations", allocationTable(head, rows, typed.values?.owners ?? []));
  yield* section("Journal", journalPart(head.journal));
  yield* typedHtml(typed);
  yield "</main>";
  yield* pageData(survey);
  yield `<script>${htmlScript}</script>`;
  yield "</body></html>";
}

/** Nothing may be loaded; style and program are in the page. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

function* opening({ file, fileBytes, filePages, faults, epoch }: SurveyHead, typedFaults: number): Lines {
  const name = escaped(file);
  yield '<!doctype html><html lang="en"><head><meta charset="utf-8">';
  yield '<meta name="viewport" content="width=device-width, initial-scale=1">';
  yield `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  yield `<title>${name}: a look inside</title>`;
  yield `<meta name="description" content="Header slots, pages, address table, allocations and journal of the kladde file ${name}.">`;
  yield `<link rel="icon" href="data:,"><style>${htmlStyle}</style></head><body><main>`;
  yield `<h1>${name}</h1>`;
  const kind = faults + typedFaults === 0 ? "good" : "bad";
  const said = `<strong class="${kind}">${verdict(faults, typedFaults)}</strong>`;
  yield `<p>${said}; ${fileBytes} bytes, ${count(filePages, "page")}; ${epoch === null ? "no header governs" : `epoch ${epoch}`}</p>`;
}

function* findingSection({ findings }: SurveyHead): Lines {
  if (findings.length === 0) return;
  yield '<section><h2>Findings</h2><ul class="findings">';
  for (const { severity, message } of findings.slice(0, htmlRowsMax))
    yield `<li><strong${severity === "fault" ? ' class="bad"' : ""}>${severity}</strong>: ${escaped(message)}</li>`;
  yield "</ul>";
  if (findings.length > htmlRowsMax) yield `<p>and ${findings.length - htmlRowsMax} more</p>`;
  yield "</section>";
}

function* mapSection({ space, filePages }: SurveyHead): Lines {
  yield "<section><h2>Pages</h2>";
  if (filePages > mapPagesMax) yield `<p>The map holds the first ${mapPagesMax} pages.</p>`;
  yield "<noscript><p>The map needs scripts; everything else on this page does not.</p></noscript>";
  yield "<fieldset><legend>Show</legend>";
  for (const { use, pages } of space)
    yield `<label><input type="checkbox" checked data-use="${use}"><span class="swatch" data-colour="${use}" style="color: var(--${use})"></span>${use} (${pages})</label>`;
  yield '<label><input type="checkbox" id="damaged-only"><span class="swatch" data-colour="damaged" style="color: var(--bad)"></span>damaged only</label>';
  yield '<label>A cell is filled by <select id="colouring"><option value="live">live share of its content</option><option value="content">content</option><option value="age">youth</option></select></label>';
  yield "</fieldset>";
  yield '<p id="hint" class="muted"><span id="shown" role="status"></span>. Each cell is a page of 4 KiB. Point at one, or move with the arrow keys.</p>';
  yield '<div id="map" role="slider" tabindex="0" aria-label="Page" aria-describedby="hint" aria-valuemin="0" aria-valuemax="0" aria-valuenow="0"><canvas></canvas><div id="spacer"></div></div>';
  yield '<p id="detail"></p>';
  yield '<details id="list"><summary>The pages shown, as a table</summary>';
  yield* table(
    "Pages",
    ["page", "use", "holds", "epoch", "age", "content", "live", "allocations", "damage"],
    [],
  );
  yield '<p><button type="button" id="more" hidden>100 more</button></p></details></section>';
}

const slotTitles = [
  "slot",
  "state",
  "epoch",
  "root",
  "schema table",
  "kept state",
  "journal page",
  "content bytes",
  "format",
  "oldest reader",
  "fingerprint",
];

const slotCells = (slot: SlotRow): Cell[] => [
  slot.slot,
  slot.fault === null ? slot.state : `${slot.state}: ${slot.fault}`,
  slot.epoch,
  slot.rootAllocation,
  slot.schemaTable,
  slot.consolidatorState,
  slot.journalPointer,
  slot.contentBytes,
  slot.formatVersion,
  slot.minReaderVersion,
  slot.rootFingerprint ?? "",
];

function* spaceTable({ space, older }: SurveyHead): Lines {
  yield* table(
    "Use of the pages, in bytes; ages in flushes",
    ["use", "pages", "content", "live", "damaged", "youngest", "oldest"],
    space.map((row) => [
      row.use,
      row.pages,
      row.contentBytes,
      row.liveBytes,
      row.damaged,
      row.youngest,
      row.oldest,
    ]),
  );
  if (older === null) return;
  const { epoch, pages, quarantined, lost } = older;
  const state = lost === 0 ? "all are there" : `${lost} are written over or damaged, so that it is gone`;
  yield `<p>The older header, epoch ${epoch}, needs ${count(pages, "page")}, ${quarantined} of them alone; ${state}.</p>`;
}

function* treeTable(survey: Survey): Lines {
  const { table: totals } = survey.head;
  yield `<p>${count(totals.statements, "statement")}, ${totals.liveStatements} live; ${totals.framingBytes} bytes of description, ${totals.liveFramingBytes} live; ${count(totals.pages, "page")} beside the header, depth ${totals.depth}.</p>`;
  if (!totals.complete)
    yield '<p class="bad">Not all of it can be read: older statements may seem to win.</p>';
  const rows = [...first(survey.tree(), htmlRowsMax)];
  const isCut = totals.pages + 1 > rows.length;
  yield* table(
    `Pages of the table, parents before their children${isCut ? `; the first ${rows.length}` : ""}`,
    ["page", "depth", "epoch", "age", "children", "statements", "ids", "content", "live", "damage"],
    rows.map(treeCells),
  );
}

const treeCells = (row: TreeRow): Cell[] => [
  `${"\u00a0\u00a0".repeat(Math.min(row.depth, 12))}${row.page}`,
  row.depth,
  row.epoch,
  row.age,
  row.children,
  row.statements,
  row.firstId === null ? "" : `${row.firstId} to ${row.lastId}`,
  row.contentBytes,
  row.liveBytes,
  row.fault ?? "",
];

function* allocationTable(
  { table: { allocations, allocationBytes } }: SurveyHead,
  rows: readonly AllocationRow[],
  owners: readonly OwnerRow[],
): Lines {
  const holds = new Map(owners.map((owner) => [owner.id, owner]));
  const isCut = allocations > htmlRowsMax;
  yield `<p>${count(allocations, "allocation")} of ${allocationBytes} bytes, as of the last flush.</p>`;
  yield* table(
    isCut ? `The ${htmlRowsMax} largest allocations` : "Allocations, the largest first",
    [
      "id",
      "size",
      "in pages",
      "inline",
      "pages",
      "fragments",
      "fragmentation",
      "statements",
      "live",
      "description bytes",
      "newest epoch",
      "damage",
      "holds",
    ],
    rows.map((row) => [...allocationCells(row), ownerText(holds.get(row.id))]),
  );
}

const allocationCells = (row: AllocationRow): Cell[] => [
  ...allocationNumbers(row),
  row.resolved ? (row.damagedBytes > 0 ? `${row.damagedBytes} bytes` : "") : "contradictory statements",
];

function* journalPart(journal: JournalContents | null): Lines {
  if (journal === null) {
    yield "<p>No header names one.</p>";
    return;
  }
  const { epoch, firstPage, pages, transactions, records, streamBytes, listed } = journal;
  const where = pages.length === 0 ? ", which is not in the file yet" : "";
  yield `<p>Segment ${epoch}, from page ${firstPage}${where}: ${count(transactions, "complete transaction")} of ${count(records, "record")}, ${streamBytes} bytes in ${count(pages.length, "page")}.</p>`;
  if (records === 0) return;
  const rows = listed.flatMap(({ page, offset, records: all }, i) =>
    all.map((record): Cell[] => [i + 1, page, offset, recordText(record)]),
  );
  const caption = rows.length < records || rows.length > htmlRowsMax ? "The first records" : "Records";
  yield* table(caption, ["transaction", "from page", "offset", "record"], first(rows, htmlRowsMax));
}

/** The columns of the map. No `<` can end the element early. */
function* pageData(survey: Survey): Lines {
  const rows = [...first(survey.pages(), mapPagesMax)];
  const column = (value: (row: PageRow) => number | null): number[] => rows.map((row) => value(row) ?? -1);
  const faults = rows.filter(({ fault }) => fault !== null).map(({ page, fault }) => [page, fault]);
  const data = {
    now: survey.head.epoch ?? 0,
    uses: pageUses,
    holds: pageHoldings,
    use: rows.map(({ use }) => pageUses.indexOf(use)).join(""),
    hold: rows.map(({ holds }) => pageHoldings.indexOf(holds)).join(""),
    epoch: column((row) => (row.age === null && row.use !== "unknown" ? null : row.epoch)),
    content: column((row) => row.contentBytes),
    live: column((row) => row.liveBytes),
    users: column((row) => row.allocations),
    first: column((row) => row.firstId),
    last: column((row) => row.lastId),
    faults: Object.fromEntries(faults),
  };
  yield `<script type="application/json" id="pages">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>`;
}
