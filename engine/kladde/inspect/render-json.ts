/**
 * A survey as JSON, in pieces of text: the shape is `SurveyDocument`, that of one allocation `AllocationDocument`,
 * that of types and values `TypedDocument`.
 *
 *  (1) A list that grows with the file has a row on each line, made when it is asked for.
 */

import type { AllocationDocument } from "./document.ts";
import type { Survey } from "./survey.ts";
import type { TypedDocument } from "./typed-document.ts";

export function* surveyJson(survey: Survey): Generator<string, void, undefined> {
  yield "{";
  for (const [key, value] of Object.entries(survey.head))
    yield `${JSON.stringify(key)}:${JSON.stringify(value)},`;
  yield* list("tree", survey.tree(), ",");
  yield* list("pages", survey.pages(), ",");
  yield* list("allocations", survey.allocations(), ",");
  yield '"typed":';
  yield* typedJson(survey.typed());
  yield "}";
}

export const allocationJson = (document: AllocationDocument): string =>
  JSON.stringify(document, undefined, 1);

export function* typedJson(document: TypedDocument): Generator<string, void, undefined> {
  const { values, ...rest } = document;
  yield "{";
  for (const [key, value] of Object.entries(rest)) yield `${JSON.stringify(key)}:${JSON.stringify(value)},`;
  if (values === null) yield '"values":null';
  else {
    const { rows, value, ...totals } = values;
    yield '"values":{';
    for (const [key, total] of Object.entries(totals))
      yield `${JSON.stringify(key)}:${JSON.stringify(total)},`;
    yield* list("rows", rows, ",");
    yield `"value":${JSON.stringify(value)}}`;
  }
  yield "}";
}

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
