/** The namespace `k`: constructors of schema values, and functions for live ones. */

export { clone, entries, type Input, type Patch, type Plain, patch, toJS } from "../live/values.ts";
export * from "../schema/k.ts";
