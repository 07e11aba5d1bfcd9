/** What looks into files without opening them as stores: overviews, single allocations, findings, types and values. */

export type * from "./document.ts";
export type { Finding } from "./findings.ts";
export { type Inspection, inspectFile } from "./inspect.ts";
export { surveyHtml } from "./render-html.ts";
export { allocationJson, surveyJson, typedJson } from "./render-json.ts";
export { allocationText, surveyText } from "./render-text.ts";
export { type Survey, surveyFile } from "./survey.ts";
export { readTyped, type TypedOptions } from "./typed.ts";
export type * from "./typed-document.ts";
export { type TypedTextOptions, typedText } from "./typed-text.ts";
export { stepsOf as valueSteps } from "./value-path.ts";
