/**
 * What must come of looking into any file, whatever its state: an account that agrees with itself and with what
 * opening the file says, in every form, and a file that is as it was.
 */

import assert from "node:assert/strict";
import { StoreError } from "../../errors.ts";
import type { SurveyDocument } from "../inspect/document.ts";
import { inspectFile } from "../inspect/inspect.ts";
import { surveyHtml } from "../inspect/render-html.ts";
import { surveyJson } from "../inspect/render-json.ts";
import { surveyText } from "../inspect/render-text.ts";
import { type Survey, surveyFile } from "../inspect/survey.ts";
import { ReadOnlyStore } from "../readonly.ts";
import { caught, WatchedFile } from "./watched-file.ts";

/** Returns the survey, or undefined if the file is refused for being of no format that is known. */
export function assertSurveyed(bytes: Uint8Array): Survey | undefined {
  const file = new WatchedFile("test.kladde", bytes);
  let survey: Survey | undefined;
  const error = caught(() => {
    survey = surveyFile(file);
  });
  if (survey === undefined) {
    assert.ok(error instanceof StoreError, `survey: ${String(error)}`);
    assert.ok(error.code === "not-kladde" || error.code === "unsupported-format", `survey: ${error.message}`);
  } else assertAccount(survey, file);
  assert.deepEqual([file.writes, file.syncs, file.locks], [0, 0, 0]);
  assert.ok(Buffer.from(file.bytes()).equals(bytes));
  return survey;
}

function assertAccount(survey: Survey, file: WatchedFile): void {
  const { head } = survey;
  const document = documentOf(survey);
  assert.equal(head.faults, head.findings.filter(({ severity }) => severity === "fault").length);
  assert.equal(head.sound, isSound(file));
  assertPages(document);
  const ids = document.allocations.map(({ id }) => id);
  assert.deepEqual(
    ids,
    [...new Set(ids)].sort((a, b) => a - b),
  );
  assert.deepEqual(
    document.tree.filter(({ depth }) => depth > 0).length >= head.table.pages,
    true,
    "the tree has every page that was read",
  );
  for (const id of ids.slice(0, 20)) assertExplained(survey, document, id);
  if (head.sound && head.journal?.transactions === 0) assertContents(document, file);
  assert.ok([...surveyText(survey, { all: true })].length > 10);
  assertSelfContained([...surveyHtml(survey)].join("\n"));
}

export const documentOf = (survey: Survey): SurveyDocument =>
  JSON.parse([...surveyJson(survey)].join("\n")) as SurveyDocument;

function isSound(file: WatchedFile): boolean {
  let faults = 1;
  caught(() => {
    faults = inspectFile(file).faults;
  });
  return faults === 0;
}

function assertPages({ pages, space, filePages, table, sound }: SurveyDocument): void {
  assert.equal(pages.length, filePages);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  assert.equal(sum(space.map((row) => row.pages)), filePages);
  assert.equal(sum(space.map((row) => row.liveBytes)), sum(pages.map((row) => row.liveBytes)));
  if (!sound) return;
  const uses = (wanted: string): number => pages.filter(({ use }) => use === wanted).length;
  assert.equal(uses("leaf") + uses("interior"), table.pages);
  for (const { use, fault, holds, liveBytes } of pages) {
    assert.equal(fault, null);
    if (use === "data") assert.equal(holds, "data");
    if (use === "free" || use === "quarantined" || use === "journal") assert.equal(liveBytes, 0);
  }
}

/** Who wins which bytes: the runs cover the allocation, and the statements' shares add up to what is stated. */
function assertExplained(survey: Survey, { allocations }: SurveyDocument, id: number): void {
  const row = allocations.find((each) => each.id === id)!;
  const document = survey.explain(id);
  if (document.conflict !== null) return;
  assert.equal(row.resolved, true);
  assert.deepEqual([document.exists, document.size], [true, row.size]);
  assert.equal(document.statements.length, row.statements);
  assert.equal(document.statements.filter(({ live }) => live).length, row.liveStatements);
  assert.equal(document.runs.length, row.fragments);
  let at = 0;
  for (const { from, to, winner } of document.runs) {
    assert.equal(from, at);
    assert.ok(to > from && (winner === null || document.statements[winner]!.wins >= to - from));
    at = to;
  }
  assert.equal(at, row.size);
}

function assertContents({ allocations, slots }: SurveyDocument, file: WatchedFile): void {
  const store = ReadOnlyStore.open(new WatchedFile("test.kladde", file.bytes()));
  const hidden = slots.find(({ state }) => state === "governs")!.consolidatorState;
  const shown = allocations.filter(({ id }) => id !== hidden).map(({ id, size }) => [id, size]);
  assert.deepEqual(
    shown,
    [...store.ids()].map((id) => [id, store.committedSize(id)]),
  );
}

/** Nothing in the page can lead out of it. */
export function assertSelfContained(html: string): void {
  for (const [, address] of html.matchAll(/\s(?:href|src|action|srcset|data|poster)\s*=\s*"([^"]*)"/g))
    assert.equal(address, "data:,");
  assert.doesNotMatch(
    html,
    /https?:|url\(|@import|import\(|fetch\(|XMLHttpRequest|WebSocket|<(?:iframe|object|embed|img)/,
  );
  assert.match(html, /Content-Security-Policy" content="default-src 'none'/);
  assert.equal(html.match(/<h1>/g)?.length, 1);
}
