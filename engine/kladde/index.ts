/** The public surface: the page store, and the typed layer on it. */

export { AssertionError, StoreError, type StoreErrorCode } from "../errors.ts";
export { MemoryFile } from "../storage/memory.ts";
export type { StorageFile } from "../storage/storage.ts";
export type * from "./inspect/document.ts";
export type { Finding } from "./inspect/findings.ts";
export { type Inspection, inspectFile } from "./inspect/inspect.ts";
export { surveyHtml } from "./inspect/render-html.ts";
export { allocationJson, surveyJson, typedJson } from "./inspect/render-json.ts";
export { allocationText, surveyText } from "./inspect/render-text.ts";
export { type Survey, surveyFile } from "./inspect/survey.ts";
export { readTyped, type TypedOptions } from "./inspect/typed.ts";
export type * from "./inspect/typed-document.ts";
export { type TypedTextOptions, typedText } from "./inspect/typed-text.ts";
export { stepsOf as valueSteps } from "./inspect/value-path.ts";
export type { StoreOptions } from "./options.ts";
export { ReadOnlyStore } from "./readonly.ts";
export type { StoreStats } from "./stats.ts";
export { Store } from "./store.ts";
export type { DocumentOptions, DocumentStats } from "./typed/document/document.ts";
export type { Handle, Transaction } from "./typed/document/handle.ts";
export { Kladde } from "./typed/document/in-files.ts";
export * as k from "./typed/document/k.ts";
export {
  type AsyncOptions,
  type KladdeOpener,
  kladdeOn,
  type Opened,
  type OpenOptions,
} from "./typed/document/kladde.ts";
export type { EvolveOptions } from "./typed/document/upgrade.ts";
export {
  type Bridge,
  type SchemaDifference,
  SchemaMismatch,
  type TypeIdentity,
} from "./typed/plain/index.ts";
export type * from "./typed/schema/containers.ts";
export { SchemaError } from "./typed/schema/error.ts";
