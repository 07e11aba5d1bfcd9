/**
 * `kladde inspect`: what a file holds and how, as far as it can be read.
 *
 * Cost: the address table in memory, every page read twice; the lists are printed as they are made.
 */

import {
  allocationJson,
  allocationText,
  surveyFile,
  surveyHtml,
  surveyJson,
  surveyText,
  type TypedOptions,
  typedJson,
  typedText,
} from "../kladde/index.ts";
import type { StorageFile } from "../storage/storage.ts";
import type { Output } from "./output.ts";

export interface InspectOptions {
  /** Every row of every list, in text. */
  readonly all: boolean;
  readonly format: "text" | "json" | "html";
  /** Only this allocation. */
  readonly id: number | undefined;
  /** Only types, or only values. */
  readonly only: "types" | "values" | undefined;
  /** Which values, and how many of them. */
  readonly typed: TypedOptions;
}

/** Units of a text that are printed of one value. */
const textLength = 200;

/** Returns whether the file is sound. */
export async function inspect(file: StorageFile, options: InspectOptions, out: Output): Promise<boolean> {
  try {
    const survey = surveyFile(file);
    for (const line of linesOf(survey, options)) await out.line(line);
    return options.id === undefined && options.only !== "types" ? survey.isSound() : survey.head.sound;
  } finally {
    file.close();
  }
}

type Survey = ReturnType<typeof surveyFile>;

function linesOf(survey: Survey, options: InspectOptions): Iterable<string> {
  const { all, format, id, only } = options;
  if (id !== undefined) {
    const document = survey.explain(id);
    const owner = survey.typed({ limit: 1, length: 0, owners: [id] }).values?.owners[0];
    if (format === "json") return [allocationJson({ ...document, owner: owner ?? null })];
    return allocationText(document, { all }, owner);
  }
  if (only !== undefined) return typedLines(survey, options);
  if (format === "html") return surveyHtml(survey);
  return format === "json" ? surveyJson(survey) : surveyText(survey, { all });
}

/** Types or values alone. */
function typedLines(survey: Survey, { only, all, format, typed }: InspectOptions): Iterable<string> {
  const length = format === "json" ? undefined : textLength;
  const document = survey.typed({ ...typed, length, values: only === "values" });
  if (format === "json") return typedJson(document);
  const [first, ...rest] = typedText(document, { all, only });
  return first === undefined || first === "" ? rest : [first, ...rest];
}
