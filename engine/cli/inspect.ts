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
} from "../kladde/index.ts";
import type { StorageFile } from "../storage/storage.ts";
import type { Output } from "./output.ts";

export interface InspectOptions {
  /** Every row of every list, in text. */
  readonly all: boolean;
  readonly format: "text" | "json" | "html";
  /** Only this allocation. */
  readonly id: number | undefined;
}

/** Returns whether the file is sound. */
export async function inspect(file: StorageFile, options: InspectOptions, out: Output): Promise<boolean> {
  try {
    const survey = surveyFile(file);
    for (const line of linesOf(survey, options)) await out.line(line);
    return survey.head.sound;
  } finally {
    file.close();
  }
}

function linesOf(
  survey: ReturnType<typeof surveyFile>,
  { all, format, id }: InspectOptions,
): Iterable<string> {
  if (id !== undefined) {
    const document = survey.explain(id);
    return format === "json" ? [allocationJson(document)] : allocationText(document, { all });
  }
  if (format === "html") return surveyHtml(survey);
  return format === "json" ? surveyJson(survey) : surveyText(survey, { all });
}
