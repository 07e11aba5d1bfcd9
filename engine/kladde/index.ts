/** The page store's public surface. */

export { AssertionError, StoreError, type StoreErrorCode } from "../errors.ts";
export type { Finding } from "./inspect/findings.ts";
export { type Inspection, inspectFile } from "./inspect/inspect.ts";
export type { StoreOptions } from "./options.ts";
export { ReadOnlyStore } from "./readonly.ts";
export type { StoreStats } from "./stats.ts";
export { Store } from "./store.ts";
