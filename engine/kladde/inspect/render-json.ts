/**
 * A survey as JSON, in pieces of text: the shape is `SurveyDocument`, that of one allocation `AllocationDocument`.
 *
 *  (1) A list that grows with the file has a row on each line, made when it is asked for.
 */

import type { AllocationDocument } from "./document.ts";
import type { Survey } from "./survey.ts";

export function* surveyJson(survey: Survey): Generator<string, void, undefined> {
  yield "{";
  for (const [key, value] of Object.entries(survey.head))
    yield `${JSON.stringify(key)}:${JSON.stringify(value)},`;
  yield* list("tree", survey.tree(), ",");
  yield* list("pages", survey.pages(), ",");
  yield* list("allocations", survey.allocations(), "");
  yield "}";
}

export const allocationJson = (document: AllocationDocument): string =>
  JSON.stringify(document, undefined, 1);

function* list(key: string, rows: Iterable<object>, end: string): Generator<string, void, undefined> {
  yield `${JSON.stringify(key)}:[`;
  let before: string | undefined;
  for (const row of rows) {
    if (before !== undefined) yield `${before},`;
    before = JSON.stringify(row);
  }
  if (before !== undefined) yield before;
  yield `]${end}`;
}
