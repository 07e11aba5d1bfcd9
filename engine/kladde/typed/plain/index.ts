/** Stored values without application types: read, checked, and brought into a newer schema. */

export { type Access, accessOf } from "./access.ts";
export {
  type Bridge,
  type Outlook,
  type SchemaDifference,
  SchemaMismatch,
  type TypeIdentity,
} from "./mismatch.ts";
export type { ValueFinding, WalkOptions, WalkResult } from "./reading.ts";
export { isUpgradable, type Resolution, resolve } from "./resolve.ts";
export type { Scalar, ValueRule } from "./scalars.ts";
export type { Composite, ValueSink } from "./sink.ts";
export { readUpgraded, ValueRefused } from "./upgrade.ts";
export { ValueWalk, walkValue } from "./walk.ts";
