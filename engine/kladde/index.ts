/** The page store's public surface. */

export { AssertionError, StoreError, type StoreErrorCode } from "../errors.ts";
export type * from "./inspect/document.ts";
export type { Finding } from "./inspect/findings.ts";
export { type Inspection, inspectFile } from "./inspect/inspect.ts";
export { surveyHtml } from "./inspect/render-html.ts";
export { allocationJson, surveyJson } from "./inspect/render-json.ts";
export { allocationText, surveyText } from "./inspect/render-text.ts";
export { type Survey, surveyFile } from "./inspect/survey.ts";
export type { StoreOptions } from "./options.ts";
export { ReadOnlyStore } from "./readonly.ts";
export type { StoreStats } from "./stats.ts";
export { Store } from "./store.ts";
