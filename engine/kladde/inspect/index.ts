/** What looks into files without opening them as stores: overviews, single allocations, findings. */

export type * from "./document.ts";
export type { Finding } from "./findings.ts";
export { type Inspection, inspectFile } from "./inspect.ts";
export { surveyHtml } from "./render-html.ts";
export { allocationJson, surveyJson } from "./render-json.ts";
export { allocationText, surveyText } from "./render-text.ts";
export { type Survey, surveyFile } from "./survey.ts";
